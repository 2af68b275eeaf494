"""A line of text that leaves out whole parts where it has no room for them."""

import re

from textual.content import Content
from textual.widgets import Static

from attn_tui.report.rows import cells
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import first_words

_SEPARATOR = re.compile(r" · |[,;:] |$")
"""What parts of a line stand between."""


class WholeWords(Static):
    """Shows a line of text without markup, and more lines behind it; no word of them is cut."""

    _text = ""

    def show(self, text: str) -> None:
        """Show another text."""
        if text != self._text:
            self._text = text
            self.refresh()

    def render(self) -> Content:
        """Return as many parts of the first line as fit, and as many words of the others."""
        room = self.content_size.width
        if not room:
            return Content(self._text)
        first, *others = self._text.split("\n")
        lines = [first_parts(first, room), *(first_of(line, room) for line in others)]
        return Content("\n".join(lines))


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
