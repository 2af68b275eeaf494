"""All heads in a table, sorted by a click on a heading, or by an arrow to the side."""

from asyncio import sleep
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable
from textual.widgets.data_table import RowKey

from attn_tui.captures.capture import HeadId
from attn_tui.charts.colour import Palette
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.statistic import SHARES, STATISTICS, TAU
from attn_tui.engine.table import HeadTable
from attn_tui.heads.card import percent, state
from attn_tui.heads.charts import level_colour, tone_colour
from attn_tui.heads.headline import order
from attn_tui.heads.words import UNCOUNTED, number
from attn_tui.ui.theme import colours_of

COLUMNS = {
    "max_weight": "largest", "effective_keys": "keys", "dead_gradient_share": "dead",
    "first_key_mass": "first",
}  # fmt: skip
"""Statistics that stand in the table always, and what they are called there."""

SPARED = ("first_key_mass", "effective_keys")
"""Those that are left out where there is little room."""

NARROW, BESIDE, WIDE = 60, 100, 118
"""Columns of a screen on which a table that is alone has room for all, beside which the map
stands, and from which on there is room for all beside it."""

PLACE, STATE = "place", "state"
"""Columns that are no statistics."""

SORTED = {False: "▾", True: "▴"}
"""Behind the heading of the column that heads are sorted by; the other way round."""

REST = 0.1
"""Seconds without a move of the cursor after which the table shows other lines."""

STATES = ("saturated", "sink", "sharp", "spread")
"""How heads are sorted by their word."""


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
        super().__init__(id=id, cursor_type="row", zebra_stripes=False)
        self._shown: Listing | None = None
        self._drawn: object = None
        self._sort: tuple[str, bool] | None = None
        """The column that somebody chose to sort by, and whether the other way round."""

    def show(self, listing: "Listing") -> None:
        """Show heads with the cursor on one of them; only what changes is drawn anew."""
        before, self._shown = self._shown, listing
        if before is not None and before.name != listing.name:
            self._sort = None
        drawn = listing.table, listing.columns, listing.tau, self._sort, self.app.theme
        if drawn != self._drawn and (listing.table.partials or self.rows):
            self._drawn = drawn
            self._fill(listing)
            self._follow()
        elif self._is_in_view(self._row):
            self._follow()
        else:
            self._follow_at_rest()

    @property
    def _row(self) -> int:
        """The line of the head with the cursor; that of the table's cursor if it has none."""
        assert self._shown
        place = RowKey(str(self._shown.table.places[self._shown.cursor]))
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

    @property
    def sort_by(self) -> tuple[str, bool]:
        """The column that heads are sorted by, and whether the other way round."""
        assert self._shown
        return self._sort or (self._shown.name, False)

    def _fill(self, listing: "Listing") -> None:
        """Write all lines in their order."""
        colours = colours_of(self.app)
        column, is_reversed = self.sort_by
        with self.prevent(DataTable.RowHighlighted):
            self.clear(columns=True)
            for name in listing.columns:
                mark = SORTED[is_reversed] if name == column else ""
                self.add_column(Text(f"{listing.title(name)}{mark}"), key=name)
            for place in listing.order(column, is_reversed):
                self.add_row(*listing.line(place, colours), key=str(place))

    def action_sort_beside(self, steps: int) -> None:
        """Sort by the column beside the one that heads are sorted by."""
        if self._shown is None:
            return
        columns = self._shown.columns
        wanted = min(max(columns.index(self.sort_by[0]) + steps, 0), len(columns) - 1)
        self._sort_by(columns[wanted], False)

    @on(DataTable.HeaderSelected)
    def _choose_column(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        name = str(event.column_key.value)
        column, is_reversed = self.sort_by
        self._sort_by(name, not is_reversed if name == column else False)

    def _sort_by(self, column: str, is_reversed: bool) -> None:
        self._sort = column, is_reversed
        if self._shown is not None:
            self.show(self._shown)

    @on(DataTable.RowHighlighted)
    def _move(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        if self._shown is not None and event.row_key.value is not None:
            head = self._shown.table.heads[int(event.row_key.value)]
            if head != self._shown.cursor:
                self.post_message(self.Moved(head))

    @on(DataTable.RowSelected)
    def _choose(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.post_message(self.Chosen())


@dataclass(frozen=True, eq=False)
class Listing:
    """What is listed.

    Attributes:
        table: What is known of the heads.
        name: The statistic that is looked at.
        cursor: The head with the cursor.
        tau: The largest logit that QK-clip leaves alone.
        width: Columns of the screen, of which the table has what the map leaves.
    """

    table: HeadTable
    name: str
    cursor: HeadId
    tau: float = TAU
    width: int = WIDE

    @property
    def columns(self) -> list[str]:
        """The names of the columns: where there is less room, fewer."""
        names = [self.name] if self.name not in COLUMNS else []
        names += COLUMNS
        if BESIDE <= self.width < WIDE or self.width < NARROW:
            names = [name for name in names if name not in SPARED or name == self.name]
        return [PLACE, *names, STATE]

    @staticmethod
    def title(name: str) -> str:
        """Return what a column is called."""
        named = {PLACE: "head", STATE: "so", **COLUMNS}
        return named.get(name) or STATISTICS[name].title

    def order(self, column: str, is_reversed: bool) -> list[int]:
        """Return the places of the heads of which anything is known, in order."""
        places = [
            place for place, head in enumerate(self.table.heads) if head in self.table.partials
        ]
        if column == PLACE:
            key: Callable[[int], object] = self.table.heads.__getitem__
        elif column == STATE:
            sharpness = order(self.table, "max_weight", self.tau)

            def key(place: int) -> object:
                word, _ = state(self.table.partials[self.table.heads[place]])
                word = word.rstrip("?")
                return STATES.index(word) if word in STATES else len(STATES), sharpness[place]
        else:
            # Of equals the sharper comes first.
            numbers, sharpness = (order(self.table, name, self.tau) for name in (column, "entropy"))

            def key(place: int) -> object:
                return numbers[place], sharpness[place]

        found = sorted(places, key=key)  # type: ignore[arg-type]
        return found[::-1] if is_reversed else found

    def line(self, place: int, colours: Palette) -> Sequence[Text]:
        """Return the cells of one head."""
        head = self.table.heads[place]
        partial = self.table.partials[head]
        named = f"{head.layer}.{head.head}"
        if self.table.n_batches > 1:
            named = f"{head.batch}/{named}"
        word, tone = state(partial)
        cells = [Text(named)]
        for name in self.columns[1:-1]:
            cells.append(self._number(partial, place, name, colours))
        return [*cells, Text(word, tone_colour(tone, colours))]

    def _number(self, partial: Partial, place: int, name: str, colours: Palette) -> Text:
        value = float(self.table.values(name, self.tau)[place])
        text = "–" if isnan(value) else short(name, value)
        colour = colours["text"]
        if not partial.counts(name):
            text, colour = text + UNCOUNTED, colours["muted"]
        elif name in ("max_weight", "dead_gradient_share") and not isnan(value):
            colour = level_colour(value, colours)
        return Text(text, colour, justify="right")


def short(name: str, value: float) -> str:
    """Return a value in as few digits as tell heads apart."""
    if name in SHARES:
        return percent(value)
    return f"{value:.1f}" if name == "effective_keys" and value < 1000.0 else number(name, value)
