"""All heads in a table, sorted by a click on a heading, or by an arrow to the side."""

from asyncio import sleep
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable
from textual.widgets.data_table import RowKey

from attn_tui.captures.capture import HeadId
from attn_tui.charts.colour import Palette
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.statistic import SHARES, STATISTICS
from attn_tui.engine.survey import Survey
from attn_tui.heads.card import level_colour, percent, state, tone_colour
from attn_tui.heads.headline import order
from attn_tui.heads.words import UNCOUNTED, number
from attn_tui.ui.theme import colours_of

TITLES = {
    "place": "head", "max_weight": "largest", "effective_keys": "keys",
    "dead_gradient_share": "dead", "first_key_mass": "first", "state": "so",
}  # fmt: skip
"""What columns are called that stand in the table always."""

SPARED = ("first_key_mass", "effective_keys")
"""Those that are left out where there is little room."""

NARROW, BESIDE, WIDE = 60, 100, 118
"""Columns of a screen on which a table that is alone has room for all, beside which the map
stands, and from which on there is room for all beside it."""

REST = 0.1
"""Seconds without a move of the cursor after which the table shows other lines."""

AT_ONCE = 64
"""Lines that are written before the table is painted: Textual measures each."""

STATES = ("saturated", "sink", "sharp", "spread")
"""How heads are sorted by their word."""


@dataclass(frozen=True, eq=False)
class Listing:
    """What is listed.

    Attributes:
        survey: What is known of the heads.
        name: The statistic that is looked at.
        cursor: The head with the cursor.
        width: Columns of the screen, of which the table has what the map leaves.
    """

    survey: Survey
    name: str
    cursor: HeadId
    width: int = WIDE

    @property
    def columns(self) -> list[str]:
        """The names of the columns: where there is less room, fewer."""
        first, *names, last = TITLES
        is_crowded = BESIDE <= self.width < WIDE or self.width < NARROW
        if self.name not in names:
            names.insert(0, self.name)
            is_crowded = True
        if is_crowded:
            names = [name for name in names if name not in SPARED or name == self.name]
        return [first, *names, last]

    @staticmethod
    def title(name: str) -> Text:
        """Return what a column is called; numbers stand flush right."""
        text = TITLES.get(name) or STATISTICS[name].title
        if name == "state":
            return Text(f" {text}")
        return Text(text, justify="left" if name == "place" else "right")

    def width_of(self, name: str) -> int:
        """Return the columns that a column takes: there is room for the mark of a sorted one."""
        if name == "place":
            return max(5, len(self.name_of(self.survey.plan.heads[-1])) + 1)
        if name == "state":
            return len(" saturated?")
        return max(len(self.title(name)) + 1, 8 if name in SHARES else 6)

    def order(self, column: str) -> dict[str, Any]:
        """Return by what each head is sorted under a column, by its name in the first one."""
        survey = self.survey
        # Of equals the sharper comes first.
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
        """Return the name of a head: ``4.7``, with its sequence where there are several."""
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
                text = percent(value)
            elif name == "effective_keys" and value < 1000.0:
                text = f"{value:.1f}"
            if not partial.counts(name):
                text, colour = text + UNCOUNTED, colours["muted"]
            elif name in ("max_weight", "dead_gradient_share") and not isnan(value):
                colour = level_colour(value, colours)
            cells.append(Text(text, colour, justify="right"))
        word, tone = state(partial)
        return [*cells, Text(f" {word}", tone_colour(tone, colours))]


class HeadList(DataTable[Text]):
    """A line for each head, those to look at first on top."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Next line", show=False),
        Binding("k", "cursor_up", "Line above", show=False),
        Binding("left,h", "sort_beside(-1)", "Sort by the column on the left", show=False),
        Binding("right,l", "sort_beside(1)", "Sort by the column on the right", show=False),
    ]

    class Moved(Message):
        """Somebody wants the cursor on another head.

        Attributes:
            head: Which.
        """

        def __init__(self, head: HeadId) -> None:
            super().__init__()
            self.head = head

    class Chosen(Message):
        """Somebody wants to go into the head with the cursor."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, cursor_type="row", cell_padding=0)
        self.sort_by = ("max_weight", False)
        """The column that heads are sorted by, and whether the other way round."""
        self._shown: Listing | None = None
        self._written: dict[HeadId, Partial] = {}
        """What the line of each head was written from."""
        self._is_behind = False
        """Whether there are lines to write."""
        self._made_for: object = None
        """What all lines are made for: of anything else they are made anew."""

    def show(self, listing: Listing) -> None:
        """Show heads with the cursor on one of them; only lines that change are written."""
        before, self._shown = self._shown, listing
        if before is None or before.name != listing.name:
            self.sort_by = (listing.name, False)
        made_for = listing.survey.plan.capture, listing.columns, self.app.theme
        if made_for != self._made_for:
            self._made_for, self._written = made_for, {}
            with self.prevent(DataTable.RowHighlighted):
                self.clear(columns=True)
            for name in listing.columns:
                self.add_column(listing.title(name), key=name, width=listing.width_of(name))
            self._is_behind = True
        if before is None or before.survey is not listing.survey:
            self._is_behind = True
        if self._is_behind:
            self._write(listing)
        elif self._is_in_view(self._row):
            self._follow()
        else:
            self._follow_at_rest()

    def _write(self, listing: Listing) -> None:
        """Write the lines of heads of which more is known; of many the first, then the others."""
        if listing is not self._shown:
            return
        colours = colours_of(self.app)
        known, places = listing.survey.heads, listing.survey.plan.places
        new = [head for head, partial in known.items() if self._written.get(head) is not partial]
        with self.prevent(DataTable.RowHighlighted):
            for head in new[:AT_ONCE]:
                key, line = str(places[head]), listing.line(head, colours)
                if head in self._written:
                    for column, cell in zip(listing.columns, line, strict=True):
                        self.update_cell(key, column, cell)
                else:
                    self.add_row(*line, key=key)
                self._written[head] = known[head]
        self._is_behind = len(new) > AT_ONCE
        if new:
            self._sort()
        self._follow()
        if self._is_behind:
            self.call_after_refresh(self._write, listing)

    def _sort(self) -> None:
        """Sort lines by the column that somebody chose, and mark it."""
        assert self._shown
        column, is_reversed = self.sort_by
        for key, each in self.columns.items():
            each.label = self._shown.title(str(key.value))
            if key.value == column:
                each.label.append("▴" if is_reversed else "▾")
        keys = self._shown.order(column)
        with self.prevent(DataTable.RowHighlighted):
            self.sort("place", key=lambda name: keys[name.plain], reverse=is_reversed)

    @property
    def _row(self) -> int:
        """The line of the head with the cursor; that of the table's cursor if it has none."""
        assert self._shown
        place = RowKey(str(self._shown.survey.plan.places[self._shown.cursor]))
        return self.get_row_index(place) if place in self.rows else self.cursor_row

    def _is_in_view(self, row: int) -> bool:
        """Return whether a line can be marked without showing others."""
        lines = self.scrollable_content_region.height - self.header_height
        return 0 <= row - self.scroll_offset.y < lines

    def _follow(self) -> None:
        """Mark the line of the head with the cursor."""
        with self.prevent(DataTable.RowHighlighted):
            self.move_cursor(row=self._row, scroll=True)

    @work(exclusive=True, group="follow")
    async def _follow_at_rest(self) -> None:
        """Show other lines once keys rest: neighbours on the map lie far apart in this order."""
        await sleep(REST)
        self._follow()

    def action_sort_beside(self, steps: int) -> None:
        """Sort by the column beside the one that heads are sorted by."""
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
        if self._shown is not None and event.row_key.value is not None:
            head = self._shown.survey.plan.heads[int(event.row_key.value)]
            if head != self._shown.cursor:
                self.post_message(self.Moved(head))

    @on(DataTable.RowSelected)
    def _choose(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.post_message(self.Chosen())
