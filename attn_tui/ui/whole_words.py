"""A line of text that leaves out whole parts where it has no room for them."""

import re

from rich.cells import chop_cells
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from attn_tui.report.rows import cells
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import first_words

_SEPARATOR = re.compile(r" · |[,;:] |$")
"""What parts of a line stand between."""

_INSIDE = re.compile(r" (?=[=≈%])|(?<=[=≈]) ")
"""A blank within an equation, or between a number and its percent sign."""

_BLANKS = re.compile("[ \t\n]+")
"""What stands between words; a blank that does not break is none of them."""

_LABEL = re.compile(r"^(?:\S.*?\s{2,}|\s+)")
"""What stands before the text of a line: a label with blanks behind it, or blanks alone."""


class WholeWords(Static):
    """Shows a line of text without markup, and more lines behind it, which are wrapped.

    Args:
        rest: The last line where there is no room for all, and for more than one.
        id: The id of the widget.
    """

    _text = ""

    def __init__(self, rest: str = "…", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rest = rest

    def show(self, text: str) -> None:
        """Show another text."""
        if text != self._text:
            has_as_many = text.count("\n") == self._text.count("\n")
            self._text = text
            self.refresh(layout=self.is_auto_high and not has_as_many)

    @property
    def is_auto_high(self) -> bool:
        """Whether its height follows from its text."""
        height = self.styles.height
        return height is not None and height.is_auto

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many lines there are: more may be wanted than there is room for."""
        return len(self._lines(width))

    def render(self) -> Content:
        """Return as many parts of the first line as fit, and as many lines of all words."""
        room, height = self.content_size
        if not room:
            return Content(self._text)
        lines = self._lines(room)
        if 1 < height < len(lines):
            lines = [*lines[: height - 1], first_of(self._rest, room)]
        return Content("\n".join(lines))

    def _lines(self, room: int) -> list[str]:
        """Return as many parts of the first line as fit some columns, and the others, wrapped."""
        first, *others = self._text.split("\n")
        lines = [first_parts(first, room)]
        for line in others:
            lines += wrapped(line, room)
        return lines


def sentence_lines(text: str, room: int) -> list[str]:
    """Return a text in lines of some columns, of which none ends within an equation or a share.

    >>> sentence_lines("by another logit, n = 8: 62 %", 21)
    ['by another logit,', 'n = 8: 62 %']
    """
    lines = filled(_INSIDE.sub("\xa0", text), room)
    return [line.replace("\xa0", " ") for line in lines]


def filled(text: str, room: int) -> list[str]:
    """Return the words of a text in lines of some columns; a longer word goes on in the next line.

    >>> filled("猫 坐在 垫子 上", 7)
    ['猫 坐在', '垫子 上']
    """
    lines: list[str] = []
    line = ""
    for word in filter(None, _BLANKS.split(text)):
        longer = f"{line} {word}" if line else word
        if cells(longer) <= room:
            line = longer
            continue
        lines += [line] if line else []
        *full, line = chop_cells(word, max(room, 2))
        lines += full
    return [*lines, line] if line else lines


class Sentences(Static):
    """Shows sentences of which no line ends within an equation or a share."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many lines there are."""
        return len(sentence_lines(str(self.content), width))

    def render(self) -> Content:
        """Return the lines."""
        return Content("\n".join(sentence_lines(str(self.content), self.content_size.width)))


def wrapped(line: str, room: int) -> list[str]:
    """Return a line with a label in as many lines as it needs; the others stand below its text.

    >>> wrapped("or    one line and more", 14)
    ['or    one line', '      and more']
    """
    if cells(line) <= room:
        return [line]
    label = "".join(_LABEL.findall(line))
    text = line.removeprefix(label)
    begin = cells(label)
    first, *others = filled(text, room - begin) or [""]
    return [label + first, *(" " * begin + other for other in others)]


def first_parts(text: str, room: int) -> str:
    """Return as many parts of a text as fit some columns: the first words if not even one does.

    >>> first_parts("a.npz · 2 layers · 128 × 128", 20), first_parts("head 7: m = 0.125", 12)
    ('a.npz · 2 layers', 'head 7')
    """
    ends = [match.start() for match in _SEPARATOR.finditer(text)]
    fitting = [text[:end] for end in ends if cells(text[:end]) <= room]
    if fitting and fitting[-1]:
        return fitting[-1]
    return first_of(text, room)


def first_of(text: str, room: int) -> str:
    """Return as many words of a text without markup as fit some columns, with an ellipsis.

    One that is longer than the line, as names of files may be, is cut.

    >>> first_of("a-very-long-name.safetensors", 12)
    'a-very-long…'
    """
    words = Content.from_markup(first_words(plain(text), room)).plain
    return words or Content(text).truncate(room, ellipsis=True).plain
