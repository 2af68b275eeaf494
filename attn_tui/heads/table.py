"""The table of all heads, sorted by a click on a heading or by the left and right arrows."""

from asyncio import sleep
from collections.abc import Sequence, Set
from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import DataTable
from textual.widgets.data_table import RowKey

from attn_tui.captures.capture import HeadId
from attn_tui.charts.colour import Palette
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.statistic import SHARES, STATISTICS
from attn_tui.compute.numbers import rough_percent
from attn_tui.engine.survey import Survey
from attn_tui.heads.card import level_colour, state, tone_colour
from attn_tui.heads.charts import DIFFERS, NONE
from attn_tui.heads.headline import order
from attn_tui.heads.words import UNCOUNTED, number
from attn_tui.ui.action import LINES, moves
from attn_tui.ui.theme import colours_of

TITLES = {
    "place": "head", "max_weight": "largest", "effective_keys": "keys",
    "dead_gradient_share": "dead", "first_key_mass": "first", "state": "state",
}  # fmt: skip
"""The headings of the columns that are always in the table, by name."""

SPARED = ("first_key_mass", "effective_keys")
"""The columns that are left out if there is little room."""

NARROW, WITH_MAP, WIDE = 60, 100, 118
"""Widths of a screen, in columns: from the first on, a table that is alone has room for all its
columns; from the second on, the map stands beside it; from the third on, both have room."""

REST = 0.1
"""Seconds without a move of the cursor after which the table scrolls to it."""

AT_ONCE = 64
"""The most lines written between two paints of the table: Textual measures each of them."""

STATES = ("saturated", "sink", "sharp", "spread")
"""The words for heads, in the order in which they are sorted."""


@dataclass(frozen=True, eq=False)
class HeadListing:
    """The contents of the table.

    Attributes:
        survey: The statistics of the heads so far.
        name: The name of the statistic in the map.
        cursor: The head with the cursor.
        width: The width of the screen in columns; the table has the part that the map leaves.
        differing: The heads to be marked, since the doctor says that they differ.
    """

    survey: Survey
    name: str
    cursor: HeadId
    width: int = WIDE
    differing: Set[HeadId] = NONE

    @property
    def columns(self) -> list[str]:
        """The names of the columns; fewer on a narrow screen."""
        first, *names, last = TITLES
        is_crowded = WITH_MAP <= self.width < WIDE or self.width < NARROW
        if self.name not in names:
            names.insert(0, self.name)
            is_crowded = True
        if is_crowded:
            names = [name for name in names if name not in SPARED or name == self.name]
        return [first, *names, last]

    @staticmethod
    def title(name: str) -> Text:
        """Return the heading of a column, flush right above numbers."""
        text = TITLES.get(name) or STATISTICS[name].title
        if name == "state":
            return Text(f" {text}")
        return Text(text, justify="left" if name == "place" else "right")

    def width_of(self, name: str) -> int:
        """Return the width of a column in cells, with room for the mark of the sorted one."""
        if name == "place":
            return max(5, len(self.name_of(self.survey.plan.heads[-1])) + 1)
        if name == "state":
            return len(f" saturated?{DIFFERS}")
        return max(len(self.title(name)) + 1, 8 if name in SHARES else 6)

    def order(self, column: str) -> dict[str, Any]:
        """Return the sort keys of a column, by the names of heads in the first column."""
        survey = self.survey
        # Among equals, the sharper head comes first.
        sharpness = order(survey, "entropy")
        if column in STATISTICS:
            values = order(survey, column)
        keys: dict[str, Any] = {}
        for place, head in enumerate(survey.plan.heads):
            if head not in survey.heads:
                continue
            name = self.name_of(head)
            if column == "place":
                keys[name] = place
            elif column == "state":
                word = state(survey.heads[head])[0].rstrip("?")
                rank = STATES.index(word) if word in STATES else len(STATES)
                keys[name] = rank, sharpness[place]
            else:
                keys[name] = values[place], sharpness[place]
        return keys

    def name_of(self, head: HeadId) -> str:
        """Return the name of a head: ``4.7``, or ``0/4.7`` if there are several sequences."""
        name = f"{head.layer}.{head.head}"
        return f"{head.batch}/{name}" if self.survey.plan.n_batches > 1 else name

    def line(self, head: HeadId, colours: Palette) -> Sequence[Text]:
        """Return the cells of one head."""
        partial = self.survey.heads[head]
        cells = [Text(self.name_of(head))]
        for name in self.columns[1:-1]:
            value = partial.value(name).value
            text, colour = number(name, value), colours["text"]
            if name in SHARES and not isnan(value):
                text = rough_percent(value)
            if not partial.counts(name):
                text, colour = text + UNCOUNTED, colours["muted"]
            elif name in ("max_weight", "dead_gradient_share") and not isnan(value):
                colour = level_colour(value, colours)
            cells.append(Text(text, colour, justify="right"))
        word, tone = state(partial)
        mark = DIFFERS if head in self.differing else ""
        return [*cells, Text(f" {word}{mark}", tone_colour(tone, colours))]


def row_key(head: HeadId) -> str:
    """Return the key of the row of a head, which names it whatever the table is filled with."""
    return f"{head.batch}.{head.layer}.{head.head}"


def head_of(key: str) -> HeadId:
    """Return the head of a row, from its key.

    >>> head_of(row_key(HeadId(0, 4, 7)))
    HeadId(batch=0, layer=4, head=7)
    """
    return HeadId(*map(int, key.split(".")))


class HeadList(DataTable[Text]):
    """A table with a line for each head, the gravest on top."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *LINES,
        *moves(
            left=("sort_next(-1)", "Sort by the column on the left"),
            right=("sort_next(1)", "Sort by the column on the right"),
        ),
    ]

    @dataclass
    class Moved(Message):
        """The user moved the cursor to another head.

        Attributes:
            head: The head.
        """

        head: HeadId

    class Chosen(Message):
        """The user chose the head with the cursor."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, cursor_type="row", cell_padding=0)
        self.sort_by = ("max_weight", False)
        """The name of the column that heads are sorted by, and whether in reverse."""
        self._shown: HeadListing | None = None
        self._written: dict[HeadId, Partial] = {}
        """The statistics that the line of each head was written from."""
        self._marked = set[HeadId]()
        """The heads whose lines have the mark of those that differ."""
        self._is_behind = False
        """Whether lines are still to be written."""
        self._shown_for: object = None
        """The capture, columns and theme of the lines; if they change, all are written anew."""

    def show(self, listing: HeadListing) -> None:
        """Show a listing; only lines that have changed are written."""
        before, self._shown = self._shown, listing
        if before is None or before.name != listing.name:
            self.sort_by = (listing.name, False)
        shown_for = listing.survey.plan.capture, listing.columns, self.app.theme
        if shown_for != self._shown_for:
            self._shown_for, self._written, self._marked = shown_for, {}, set()
            with self.prevent(DataTable.RowHighlighted):
                self.clear(columns=True)
            for name in listing.columns:
                self.add_column(listing.title(name), key=name, width=listing.width_of(name))
            self._is_behind = True
        is_marked = self._marked == listing.differing
        if before is None or before.survey is not listing.survey or not is_marked:
            self._is_behind = True
        if self._is_behind:
            self._write(listing)
        elif self._is_in_view(self._row):
            self._follow()
        else:
            self._follow_at_rest()

    def _write(self, listing: HeadListing) -> None:
        """Write the lines of heads with new statistics, `AT_ONCE` at a time, each after a paint."""
        if listing is not self._shown:
            return
        colours = colours_of(self.app)
        partials = listing.survey.heads
        turned = self._marked ^ listing.differing
        new = [
            head
            for head, partial in partials.items()
            if self._written.get(head) is not partial or head in turned
        ]
        with self.prevent(DataTable.RowHighlighted):
            for head in new[:AT_ONCE]:
                key, line = row_key(head), listing.line(head, colours)
                if head in self._written:
                    for column, cell in zip(listing.columns, line, strict=True):
                        self.update_cell(key, column, cell)
                else:
                    self.add_row(*line, key=key)
                self._written[head] = partials[head]
        self._marked ^= turned.intersection(new[:AT_ONCE])
        self._is_behind = len(new) > AT_ONCE
        if new:
            self._sort()
        self._follow()
        if self._is_behind:
            self.call_after_refresh(self._write, listing)

    def _sort(self) -> None:
        """Sort the lines by the chosen column, and mark its heading."""
        assert self._shown
        column, is_reversed = self.sort_by
        for key, heading in self.columns.items():
            heading.label = self._shown.title(str(key.value))
            if key.value == column:
                heading.label.append("▴" if is_reversed else "▾")
        keys = self._shown.order(column)
        with self.prevent(DataTable.RowHighlighted):
            self.sort("place", key=lambda name: keys[name.plain], reverse=is_reversed)

    @property
    def _row(self) -> int:
        """The row of the head with the cursor; the row of the table's cursor if it has none."""
        assert self._shown
        key = RowKey(row_key(self._shown.cursor))
        return self.get_row_index(key) if key in self.rows else self.cursor_row

    def _is_in_view(self, row: int) -> bool:
        """Return whether a row is visible without scrolling."""
        lines = self.scrollable_content_region.height - self.header_height
        return 0 <= row - self.scroll_offset.y < lines

    def _follow(self) -> None:
        """Move the table's cursor to the row of the head, and scroll to it."""
        with self.prevent(DataTable.RowHighlighted):
            self.move_cursor(row=self._row, scroll=True)

    @work(exclusive=True, group="follow")
    async def _follow_at_rest(self) -> None:
        """Scroll to the head once keys rest: neighbours on the map lie far apart in the table."""
        await sleep(REST)
        self._follow()

    def action_sort_next(self, steps: int) -> None:
        """Sort by a column some steps beside the current one."""
        if self._shown is not None:
            columns = self._shown.columns
            wanted = columns.index(self.sort_by[0]) + steps
            self._sort_by(columns[min(max(wanted, 0), len(columns) - 1)], False)

    @on(DataTable.HeaderSelected)
    def _choose_column(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        column, is_reversed = self.sort_by
        name = str(event.column_key.value)
        self._sort_by(name, name == column and not is_reversed)

    def _sort_by(self, column: str, is_reversed: bool) -> None:
        self.sort_by = column, is_reversed
        if self._shown is not None:
            self._sort()
            self._follow()

    @on(DataTable.RowHighlighted)
    def _move(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        # Of a table that was emptied meanwhile, Textual tells no row, whatever its type says.
        if self._shown is None or not event.row_key or event.row_key.value is None:
            return
        head = head_of(event.row_key.value)
        if head in self._written and head != self._shown.cursor:
            self.post_message(self.Moved(head))

    @on(DataTable.RowSelected)
    def _choose(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.post_message(self.Chosen())
