"""The doctor's pane: the verdict as a badge, a sentence, and m of every head on a chart.

It is given plain values and does not know how they were found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, exp, inf, log
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widgets import Label

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette, legible
from attn_tui.compute.numbers import amount, brief_general, percent, percent_tick, tick
from attn_tui.ui.action import moves
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Picture
from attn_tui.ui.whole_words import Sentences, WholeWords

HeadTuple = tuple[int, int, int]
"""A head: its sequence, its layer, and its number there."""

PERCENT = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""The ends that the axis may have, as relative errors of m."""

TIMES = (2.0, 4.0, 8.0, 16.0, 64.0, 256.0, 1024.0, 1e6, 1e12)
"""The ends that it may have, as factors, if m is farther off."""

ROOM = 1.2
"""The axis reaches at least this many times as far as the farthest m."""

MOST_ENDS = 0.75
"""The share of intervals that end inside the axis; the others have arrows."""

HALFWAY = 0.52
"""What is at most this share of a line beyond another counts as on it."""

LEAST_LINES, LEAST_COLUMNS = 4, 8
"""A chart with less room, beside its axis labels, is not drawn."""

GLYPHS: Mapping[str, str] = {
    "agrees": "●", "differs": "✗", "cannot tell": "?", "no expectation": "●", "silent": "○",
    "": "·",
}  # fmt: skip
"""The mark of a head's m, by its verdict; a head that was not examined has the last one."""

LEGEND: Mapping[str, str] = {
    "✗": "differs", "?": "cannot tell", "○": "another m would not show", "│": "95 % interval",
    "↑": "goes on", "↓": "goes on", "·": "not examined", "●": "agrees",
}  # fmt: skip
"""What the signs of the chart mean; those that do not fit a line are left out from the end."""

LEAST_WITH_LEGEND = 7
"""A chart with fewer lines has no legend."""

BADGES: Mapping[str, str] = {
    "agrees": "✓ AGREES", "differs": "✗ DIFFERS", "cannot tell": "? CANNOT TELL",
    "no expectation": "● FOUND", "silent": "○ SILENT",
}  # fmt: skip


@dataclass(frozen=True)
class HeadMultiplier:
    """The m of one head.

    Attributes:
        place: The head.
        verdict: The doctor's verdict about it, a key of `GLYPHS`; empty before it is examined.
        expected: The expected m.
        value: The m found; None if it is unknown.
        low: The lower end of its 95 % interval.
        high: The upper end.
    """

    place: HeadTuple
    verdict: str
    expected: float
    value: float | None = None
    low: float = -inf
    high: float = inf

    @property
    def off(self) -> tuple[float, float, float]:
        """The logarithms of m and of both ends, divided by the expected m."""
        ends = (self.value or self.expected, self.low, self.high)
        value, low, high = (log(end / self.expected) if end > 0.0 else -inf for end in ends)
        return value, low, high


@dataclass(frozen=True)
class PaneDiagnosis:
    """What the pane shows of the doctor's diagnosis.

    Attributes:
        verdict: A key of `BADGES`; empty while nothing is known.
        sentence: The finding, in words.
        multipliers: The m of each head, layer by layer.
        origin: How it was found, for the subtitle.
    """

    verdict: str
    sentence: str
    multipliers: Sequence[HeadMultiplier] = ()
    origin: str = ""


@dataclass(frozen=True, eq=False)
class MultiplierPlot:
    """The m of every head as a point with its interval, around the line of the expected m.

    Attributes:
        multipliers: The m of each head, layer by layer.
    """

    multipliers: Sequence[HeadMultiplier]

    @property
    def measured(self) -> Sequence[HeadMultiplier]:
        """The multipliers that are known."""
        return [multiplier for multiplier in self.multipliers if multiplier.value is not None]

    @cached_property
    def end(self) -> tuple[float, str, str]:
        """The logarithm at the end of the axis, with the labels of its top and its bottom."""
        farthest = max((abs(multiplier.off[0]) for multiplier in self.measured), default=0.0)
        ends = sorted(max(abs(end) for end in multiplier.off[1:]) for multiplier in self.measured)
        wide = ends[int(MOST_ENDS * (len(ends) - 1))] if ends else 0.0
        if farthest < log(1.1):
            wanted = max(ROOM * farthest, min(wide, PERCENT[-1]))
            share = next((share for share in PERCENT if share >= wanted), PERCENT[-1])
            text = percent_tick(share)
            return share, f"+{text}", f"−{text}"
        wanted = ROOM * farthest
        factor = next((factor for factor in TIMES if log(factor) >= wanted), TIMES[-1])
        text = tick(factor)
        return log(factor), f"×{text}", f"÷{text}"

    @cached_property
    def line(self) -> str:
        """The label of the line of the expected m."""
        wanted = {multiplier.expected for multiplier in self.multipliers if multiplier.verdict}
        return brief_general(wanted.pop()) if len(wanted) == 1 else "expected"

    @cached_property
    def gutter(self) -> int:
        """The number of columns on the left for the axis labels."""
        return max(map(len, (self.line, *self.end[1:]))) + 2

    @cached_property
    def slots(self) -> dict[HeadTuple, int]:
        """The slot of each head: in order, with a free slot between layers."""
        layers = dict.fromkeys(multiplier.place[:2] for multiplier in self.multipliers)
        before = {layer: number for number, layer in enumerate(layers)}
        return {
            multiplier.place: number + before[multiplier.place[:2]]
            for number, multiplier in enumerate(self.multipliers)
        }

    def columns(self, columns: int) -> dict[HeadTuple, int]:
        """Return the column of each head in a chart this wide; several heads may share one."""
        room, slots = columns - self.gutter, max(self.slots.values(), default=0) + 1
        width = room // slots if slots <= room else room / slots
        return {
            place: self.gutter + int((slot + 0.5) * width) for place, slot in self.slots.items()
        }

    def nearest(self, column: int, columns: int) -> HeadTuple:
        """Return the head nearest to a column; of several, the one whose m is farthest off."""
        places = self.columns(columns)
        return min(
            self.multipliers,
            key=lambda multiplier: (
                abs(places[multiplier.place] - column),
                -abs(multiplier.off[0]),
            ),
        ).place

    @cached_property
    def by_place(self) -> Mapping[HeadTuple, HeadMultiplier]:
        """The m of each head."""
        return {multiplier.place: multiplier for multiplier in self.multipliers}

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw everything except the layer numbers, for which the last line stays free."""
        cells = Cells(columns, lines)
        if lines < LEAST_LINES or columns - self.gutter < LEAST_COLUMNS:
            return cells
        middle = (lines - 2) // 2
        _, top, bottom = self.end
        for line, text, kind in ((0, top, "muted"), (middle, self.line, "text"),
                                 (2 * middle, bottom, "muted")):  # fmt: skip
            cells.write(self.gutter - 2 - len(text), line, text, colours[kind])
            cells.write(self.gutter - 1, line, "┤", colours["muted"])
        cells.write(self.gutter, middle, "─" * (columns - self.gutter), colours["scaled"])
        # If heads share a column, the one whose m is farthest off lies on top.
        places = self.columns(columns)
        for multiplier in sorted(self.multipliers, key=lambda multiplier: abs(multiplier.off[0])):
            colour = verdict_colour(multiplier.verdict, colours)
            self.draw_head(cells, multiplier, places[multiplier.place], colour)
        return cells

    def draw_head(self, cells: Cells, multiplier: HeadMultiplier, column: int, colour: str) -> None:
        """Draw the interval of a head, cut off with arrows, and its m."""
        end, middle = self.end[0], (cells.lines - 2) // 2
        last = 2 * middle

        def line_of(off: float) -> int:
            share = min(max(off / end, -1.0), 1.0)
            # Halfway between two lines equal m must not part: there the one near the middle counts.
            lines = ceil(abs(share) * middle - HALFWAY)
            return middle - lines if share > 0.0 else middle + lines

        value, low, high = multiplier.off
        if multiplier.value is not None:
            top, bottom = line_of(high), line_of(low)
            for line in range(top, bottom + 1):
                if line not in (middle, line_of(value)):
                    cells.write(column, line, "│", colour)
            if high > end:
                cells.write(column, 0, "↑", colour)
            if low < -end:
                cells.write(column, last, "↓", colour)
        cells.write(column, line_of(value), GLYPHS.get(multiplier.verdict, "●"), colour)


@dataclass(frozen=True, eq=False)
class Chart:
    """The points of all heads with a cursor on one of them.

    Attributes:
        points: The points of all heads.
        cursor: The marked head, or None.
    """

    points: MultiplierPlot
    cursor: HeadTuple | None = None

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the points, the layer numbers, and where there is room the legend."""
        if lines < LEAST_WITH_LEGEND:
            return self._draw_points(columns, lines, colours)
        cells, chart = Cells(columns, lines), self._draw_points(columns, lines - 1, colours)
        cells.put(chart, 0, 0)
        kinds = {multiplier.verdict for multiplier in self.points.multipliers}
        meanings = LEGEND if "agrees" in kinds else {**LEGEND, "●": "m found"}
        start, inside = 0, {*chart.characters[:-1, self.points.gutter :].flat}
        for sign, meaning in meanings.items():
            text = f"{sign} {meaning}"
            if sign in inside and start + len(text) <= columns:
                cells.write(start, lines - 1, text, colours["muted"])
                start += len(text) + 2
        return cells

    def _draw_points(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the points, with the layer numbers in the last line."""
        points = self.points
        cells = Cells(columns, lines)
        if not points.multipliers:
            return cells
        cells.put(_drawn(points, columns, lines, colours), 0, 0)
        if lines < LEAST_LINES or columns - points.gutter < LEAST_COLUMNS:
            return cells
        places = points.columns(columns)
        here = points.by_place.get(self.cursor) if self.cursor else None
        if here is not None:
            points.draw_head(cells, here, places[here.place], colours["accent"])
        self._write_layers(cells, places, colours)
        return cells

    def _write_layers(
        self, cells: Cells, places: Mapping[HeadTuple, int], colours: Palette
    ) -> None:
        """Write each layer's number below its middle, that of the cursor's layer first."""
        line = cells.lines - 1
        middles: dict[tuple[int, int], list[int]] = {}
        for place, column in places.items():
            middles.setdefault(place[:2], []).append(column)
        cursor_layer = self.cursor[:2] if self.cursor else None
        for layer, columns in sorted(
            middles.items(), key=lambda item: (item[0] != cursor_layer, item[0])
        ):
            text, start = str(layer[1]), sum(columns) // len(columns)
            if cells.has_room(start, line, len(text)) or layer == cursor_layer:
                cells.write(
                    start, line, text, colours["accent" if layer == cursor_layer else "muted"]
                )
        cells.write(max(self.points.gutter - 7, 0), line, "layer", colours["muted"])


@lru_cache(maxsize=4)
def _drawn(points: MultiplierPlot, columns: int, lines: int, colours: Palette) -> Cells:
    """Draw the points; cached, since moving the cursor does not change them."""
    return points.draw(columns, lines, colours)


def verdict_colour(verdict: str, colours: Palette) -> str:
    """Return the colour of a verdict."""
    if verdict == "agrees":
        return colours["larger"]
    if verdict in ("differs", "cannot tell") and not colours.textured:
        steps = colours.ramp("saturation")
        colour = steps[-1 if verdict == "differs" else int(0.89 * (len(steps) - 1))]
        return legible(colour, colours["background"], colours.depth)
    return colours["text"] if verdict == "no expectation" else colours["muted"]


class Multipliers(Picture, can_focus=True):
    """The chart; its parent moves the cursor when it receives a message."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moves(
            left=("move(-1)", "Previous head"),
            right=("move(1)", "Next head"),
            up=("move_layer(-1)", "Previous layer"),
            down=("move_layer(1)", "Next layer"),
        ),
        Binding("enter", "choose", "Open it", show=False, id="choose"),
    ]

    @dataclass
    class Moved(Message):
        """A request to move the cursor to another head.

        Attributes:
            place: The head.
        """

        place: HeadTuple

    class Chosen(Message):
        """A request to open the head under the cursor."""

    @property
    def _chart(self) -> Chart | None:
        if isinstance(self.drawing, Chart) and self.drawing.points.multipliers:
            return self.drawing if self.drawing.cursor else None
        return None

    def action_move(self, heads: int) -> None:
        """Move the cursor to the next or the previous head."""
        if self._chart is None or self._chart.cursor not in self._chart.points.slots:
            return
        places = [*self._chart.points.slots]
        index = places.index(self._chart.cursor) + heads
        self.post_message(self.Moved(places[min(max(index, 0), len(places) - 1)]))

    def action_move_layer(self, layers: int) -> None:
        """Move the cursor to the same head of the next or the previous layer."""
        if self._chart is None or self._chart.cursor is None:
            return
        batch, layer, head = self._chart.cursor
        places = self._chart.points.slots
        numbers = sorted({place[1] for place in places if place[0] == batch})
        if layer in numbers and 0 <= numbers.index(layer) + layers < len(numbers):
            wanted = numbers[numbers.index(layer) + layers]
            targets = [place for place in places if place[:2] == (batch, wanted)]
            self.post_message(self.Moved(min(targets, key=lambda place: abs(place[2] - head))))

    def action_choose(self) -> None:
        """Open the head under the cursor."""
        self.post_message(self.Chosen())

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the head under the mouse; a second click opens it."""
        offset = event.get_content_offset(self)
        chart = self._chart
        if chart is None or offset is None:
            return
        place = chart.points.nearest(offset.x, self.content_size.width)
        if event.chain == 2:
            self.action_choose()
        elif place is not None and place != chart.cursor:
            self.post_message(self.Moved(place))


class DoctorPane(Pane):
    """The diagnosis of a capture, and the finding about the head under the cursor.

    Attributes:
        diagnosis: The diagnosis of the capture.
        cursor: The head under the cursor, or None.
        words: The finding about that head, the most important line first.
    """

    diagnosis: var[PaneDiagnosis] = var(PaneDiagnosis("", ""), init=False)
    cursor: var[HeadTuple | None] = var(None, init=False)
    words: var[str] = var("", init=False)
    _points: MultiplierPlot = MultiplierPlot(())

    def compose(self) -> ComposeResult:
        """Lay out the badge and the sentence above the chart."""
        with Horizontal(classes="verdict"):
            yield Label("…", id="doctor-badge")
            yield Sentences(id="doctor-sentence")
        yield Multipliers(id="multipliers")
        yield WholeWords("… i has the rest", id="doctor-words")

    def watch_diagnosis(self) -> None:
        """Show the new diagnosis."""
        diagnosis = self.diagnosis
        badge = self.query_one("#doctor-badge", Label)
        badge.update(BADGES.get(diagnosis.verdict, "…"))
        badge.set_classes(f"-{diagnosis.verdict.replace(' ', '-')}" if diagnosis.verdict else "")
        self.query_one("#doctor-sentence", Sentences).update(Content(diagnosis.sentence))
        self.describe("Doctor: the scale each head really used", diagnosis.origin)
        self._points = MultiplierPlot(diagnosis.multipliers)
        self._draw()

    def watch_cursor(self) -> None:
        """Mark the new head."""
        self._draw()

    def watch_words(self) -> None:
        """Show the finding about the head under the cursor."""
        self.query_one("#doctor-words", WholeWords).show(self.words)

    def _draw(self) -> None:
        self.query_one(Multipliers).drawing = Chart(self._points, self.cursor)


def factor_text(off: float) -> str:
    """Return how far m is off, from its logarithm: ``+0.2 %``, ``8 times as large``.

    >>> factor_text(log(1.002)), factor_text(log(8.0)), factor_text(log(0.125))
    ('+0.2 %', '8 times as large', '8 times too small')
    """
    if abs(off) < log(1.1):
        text = percent(exp(off) - 1.0, places=9)
        return text if text[0] in "~−" else f"+{text}"
    times = amount(exp(abs(off)))
    return f"{times} times as large" if off > 0.0 else f"{times} times too small"
