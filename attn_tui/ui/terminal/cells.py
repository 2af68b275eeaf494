"""Keeps track of what the terminal shows, so that only changes are sent to it."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from sys import maxsize
from typing import NamedTuple

from rich.cells import cell_len

from attn_tui.report.rows import between, in_cells, is_narrow

_TOKEN = re.compile(
    r"\x1b\[(?P<look>[\d;]+)m(?P<run>[^\x00-\x1f\x7f]+)\x1b\[0m"
    r"|\x1b\[(?P<place>\d+;\d+)H|\x1b\[(?P<style>[\d;]*)m|(?P<line>\n)|(?P<text>[^\x00-\x1f\x7f]+)"
    r"|(?P<other>\x1b\[[<-?]?[\d;]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1bP.*?\x1b\\|\x1b.|.)",
    re.DOTALL,
)
_CLEARS = re.compile(r"\x1b\[\?(?:1049|47)[hl]|\x1b\[\d*[JLMST@P]|\x1bc")
"""Sequences that change cells without writing text."""

BRACKETS = _BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
"""The brackets of a synchronised update, which the terminal shows all at once."""
_PLAIN = ("", "0")
_HARMLESS = ("place", "run", "text", "style", "line")
_GAP = 8
"""The longest gap, in cells, that is cheaper to write again than to jump over."""


class TerminalCells:
    """The cells of a terminal, as far as they are known from the data written to it."""

    def __init__(self) -> None:
        self._rows: dict[int, _Row] = {}
        self._place = (-1, -1)
        self._pending = ""
        self._size = (maxsize, maxsize)

    def fit(self, columns: int, lines: int) -> None:
        """Set the size of the terminal; a change of size forgets all cells."""
        if self._size != (columns, lines):
            self._size = columns, lines
            self.forget()

    def forget(self) -> None:
        """Forget all cells and the cursor, so that whatever is written next is sent whole."""
        self._rows.clear()
        self._place = (-1, -1)

    @property
    def picture(self) -> str:
        """The data that writes every known cell and leaves the cursor where it is."""
        texts = [text for row in sorted(self._rows) for text in self._rows[row].texts(row)]
        row, column = self._place
        end = f"\x1b[{row + 1};{column + 1}H" if row >= 0 else ""
        return f"{''.join(texts)}{end}"

    def changes(self, data: str) -> str:
        """Return the shortest data that has the same effect on the terminal as the data given.

        Args:
            data: Text with sequences that move the cursor and set styles, as Textual writes it.
                Other sequences are sent as they are. Text outside the terminal, laid out for
                another size, is not sent: it would end up in the last line or column.
        """
        out = _Output(self._place)
        row, column, style, moved = *self._place, "", False
        for token in _TOKEN.finditer(data):
            kind = token.lastgroup
            moved = moved or kind in ("place", "run", "text", "line")
            if kind in ("run", "text"):
                # The style at the start of a run ends with the run.
                look, value = token.group("look", kind)
                look = f"{style};{look}".strip(";") if look else style
                width = len(value) if is_narrow(value) else cell_len(value)
                if row < 0:
                    out.send(value)
                elif (room := self._size[0] - column) > 0 and row < self._size[1]:
                    cells = self._rows.get(row) or self._rows.setdefault(row, _Row())
                    new = _cells_of(value, width)
                    if width > room:
                        new = between(new, 0, room)
                    for start, run in cells.write(column, new, look):
                        out.write(row, column + start, run, look)
                column += width
                style = "" if kind == "run" else style
                continue
            value = token[0]
            if kind == "place":
                row, column = (int(part) - 1 for part in token["place"].split(";"))
            elif kind == "style":
                style = "" if token["style"] in _PLAIN else f"{style};{token['style']}".strip(";")
            elif kind == "line":
                row += 1
            elif value == _BEGIN:
                self._pending = value
            elif value == _END:
                # Left out if nothing was sent in between.
                out.parts += [] if self._pending else [value]
                self._pending = ""
            else:
                if _CLEARS.fullmatch(value):
                    self.forget()
                    row = column = -1
                out.send(value)
        out.finish()
        if moved:
            out.move(row, column)
        self._place = out.place
        if not out.parts:
            return ""
        pending, self._pending = self._pending, ""
        return pending + "".join(out.parts)


def is_picture(data: str) -> bool:
    """Return whether data only writes cells, so that later data may replace it."""
    tokens = _TOKEN.finditer(data)
    return all(token.lastgroup in _HARMLESS or token[0] in BRACKETS for token in tokens)


def collapsed(data: str, size: tuple[int, int]) -> str:
    """Return one picture that shows the result of several in a row and writes each cell once.

    Args:
        data: The pictures; the first must begin by placing the cursor.
        size: Columns and lines of the terminal.
    """
    wanted = TerminalCells()
    wanted.fit(*size)
    wanted.changes(data)
    first, last = BRACKETS if _BEGIN in data else ("", "")
    return f"{first}{wanted.picture}{last}"


class _Row:
    """The text and the style of each cell of a line; None where they are not known.

    A character that takes several cells is held in the first of them; the others are empty.
    """

    def __init__(self) -> None:
        self._shown: list[str | None] = []
        self._styles: list[str | None] = []

    def write(self, column: int, new: list[str], style: str) -> Iterator[tuple[int, list[str]]]:
        """Store a text; yield the runs of cells that change, each as its offset and its cells."""
        width = len(new)
        end = column + width
        missing = end - len(self._shown)
        if missing > 0:
            self._shown += [None] * missing
            self._styles += [None] * missing
        texts, styles = self._shown[column:end], self._styles[column:end]
        if texts == new and styles == [style] * width:
            return
        self._part(column)
        self._part(end)
        self._shown[column:end] = new
        self._styles[column:end] = [style] * width
        changed = [
            cell for cell in range(width) if texts[cell] != new[cell] or styles[cell] != style
        ]
        for first, last in _runs(changed):
            while not new[first] and first:
                first -= 1
            while last + 1 < width and not new[last + 1]:
                last += 1
            yield first, new[first : last + 1]

    def texts(self, row: int) -> Iterator[str]:
        """Yield the data that writes the known cells: a position, a style and a text a run."""
        columns = [column for column, cell in enumerate(self._shown) if cell is not None]
        for column in columns:
            style = self._styles[column]
            is_next = column and self._shown[column - 1] is not None
            if not is_next or self._styles[column - 1] != style:
                end = column
                while end < len(self._shown) and self._shown[end] is not None:
                    if self._styles[end] != style:
                        break
                    end += 1
                text = "".join(cell or "" for cell in self._shown[column:end])
                yield f"\x1b[{row + 1};{column + 1}H\x1b[{style}m{text}\x1b[0m"

    def _part(self, place: int) -> None:
        """Forget a character that takes cells on both sides of a column, one of them overwritten.

        Terminals differ in what they show of the remaining part.
        """
        if place >= len(self._shown) or self._shown[place] != "":
            return
        first = last = place
        while first and self._shown[first] == "":
            first -= 1
        while last < len(self._shown) and self._shown[last] == "":
            last += 1
        self._shown[first:last] = [None] * (last - first)


def _cells_of(text: str, width: int) -> list[str]:
    """Return the cells of a text."""
    new = [*text] if width == len(text) else in_cells(text)
    # If the measured widths disagree, the text stays in one piece.
    return new if new and len(new) == width else [text, *[""] * (width - 1)]


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last of each run of places; short gaps do not end a run."""
    first = last = places[0]
    for place in places[1:]:
        if place - last > _GAP:
            yield first, last
            first = place
        last = place
    yield first, last


class _Look(NamedTuple):
    """A style in its parts, as parameters of SGR.

    Attributes:
        attributes: Bold, underline and the like, in ascending order.
        ink: The colour of the text; 39 for the terminal's own.
        ground: The colour behind it; 49 for the terminal's own.
    """

    attributes: tuple[str, ...] = ()
    ink: str = "39"
    ground: str = "49"

    @property
    def fills(self) -> bool:
        """Whether a blank in this style shows only its background."""
        return not _SEEN_ON_BLANKS.intersection(self.attributes)


_NO_LOOK = _Look()
_SEEN_ON_BLANKS = {"4", "7", "9", "21", "53"}
"""Lines around or through text, and reversed colours: attributes that show on blanks."""


@lru_cache(maxsize=4096)
def _look(style: str) -> _Look:
    """Return the parts of a style; later parameters override earlier ones."""
    attributes, ink, ground = set(), _NO_LOOK.ink, _NO_LOOK.ground
    for part in _PART.findall(style):
        number = int(part.partition(";")[0])
        if number in _INKS:
            ink = part
        elif number in _GROUNDS:
            ground = part
        else:
            attributes.add(part)
    return _Look(tuple(sorted(attributes)), ink, ground)


_PART = re.compile(r"[34]8;2;\d+;\d+;\d+|[34]8;5;\d+|\d+")
_INKS, _GROUNDS = {*range(30, 40), *range(90, 98)}, {*range(40, 50), *range(100, 108)}


@lru_cache(maxsize=4096)
def _change(before: _Look, after: _Look) -> str:
    """Return the shortest sequence that changes one look into another, or nothing."""
    if before == after:
        return ""
    complete = ["0", *after.attributes]
    complete += [part for part in after[1:] if part not in (_NO_LOOK.ink, _NO_LOOK.ground)]
    kept = set(before.attributes)
    if not kept <= set(after.attributes):
        return f"\x1b[{';'.join(complete)}m"
    added = [attribute for attribute in after.attributes if attribute not in kept]
    added += [new for old, new in zip(before[1:], after[1:], strict=True) if old != new]
    return f"\x1b[{';'.join(min(added, complete, key=lambda parts: len(';'.join(parts))))}m"


class _Output:
    """The data to send: texts with as few cursor moves and style changes as possible.

    Attributes:
        place: Row and column of the terminal's cursor; −1 if not known.
        parts: The data so far.
    """

    def __init__(self, place: tuple[int, int]) -> None:
        self.place = place
        self.parts: list[str] = []
        self._look = _NO_LOOK

    def write(self, row: int, column: int, texts: Sequence[str], style: str) -> None:
        """Send a run of cells that begins at a row and column.

        Terminals differ in how many cells a joined emoji takes: those that cannot join it draw
        its parts. So it is drawn over blanks, and the cursor is placed again after it.
        """
        look = _look(style)
        if set(texts) == {" "} and look.fills and self._look.fills:
            look = self._look._replace(ground=look.ground)
        self.parts.append(_change(self._look, look))
        self._look = look
        self.move(row, column)
        if max(map(len, texts)) <= 1:
            self.parts.append("".join(texts))
            self.place = (row, column + len(texts))
            return
        for cell, part in enumerate(texts):
            if not part:
                continue
            behind = range(cell + 1, len(texts))
            end = next((column for column in behind if texts[column]), len(texts))
            if len(part) > 1:
                self.move(row, column + cell)
                self.parts.append(" " * (end - cell))
                self.place = (-1, -1)
            self.move(row, column + cell)
            self.parts.append(part)
            self.place = (row, column + end) if len(part) == 1 else (-1, -1)

    def send(self, other: str) -> None:
        """Send other data, after which the position of the cursor is not known."""
        self.finish()
        self.parts.append(other)
        self.place = (-1, -1)

    def finish(self) -> None:
        """Reset the style of the terminal."""
        if self._look != _NO_LOOK:
            self.parts.append("\x1b[0m")
            self._look = _NO_LOOK

    def move(self, row: int, column: int) -> None:
        """Move the terminal's cursor to a position, unless it is there or that is unknown."""
        if row >= 0 and (row, column) != self.place:
            self.parts.append(f"\x1b[{row + 1};{column + 1}H")
            self.place = (row, column)
