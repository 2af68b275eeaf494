"""The one way of drawing: rows of (text, role), of which only what changed is drawn again.

What a click does there, and what is said of that where the mouse rests, is one thing: a `Target`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import TRANSPARENT
from textual.content import Content
from textual.filter import LineFilter
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from attn_tui.charts.glyphs import in_ascii
from attn_tui.old.tui.actions import textual_action
from attn_tui.report.rows import Row, cells, fitted, is_narrow, length
from attn_tui.ui.terminal.guard import VISIBLE

FADING = frozenset(("text", "unscaled", "scaled", "strong", "label"))
"""Roles that a canvas shows as muted while what it shows is not what is asked."""


Answers = Literal["nothing", "second side", "all"]

COVERED = "   covered until you have guessed"


@dataclass(frozen=True)
class Target:
    """What a click on a place does.

    Attributes:
        action: What it runs, as of an `Action`; empty where nothing more than words is there.
        words: What it does; without them the action says so itself.
        twice: What a second click runs besides.
    """

    action: str = ""
    words: str = ""
    twice: str = ""


Targets = Callable[[int, int], Target | None]
"""From a column and a row to what a click there does, if anything."""


def _covered(text: str, role: str) -> tuple[str, str]:
    """Return a part of a row behind the first of the second side, covered if it follows from it.

    What says something, and draws nothing, becomes a question; a bracket before it is closed.
    """
    says = any(each.isalnum() for each in text)
    if role == "unscaled" or (role == "label" and (says or text.strip() == ")")):
        return text, role
    draws = {"├", "┴"} & {*text}
    return ("  ?" if says and not draws else "").ljust(cells(text)), "scaled"


def shown(row: Row, width: int) -> Row:
    """Return a row as it is shown: one that does not fit ends in an ellipsis.

    A number cut short would be read as another number.
    """
    return fitted(row, width) if width and length(row) > width else row


class Styled(Protocol):
    """An application that knows how each role looks in its theme, and which glyphs there are."""

    role_styles: Mapping[str, Style]
    in_ascii: bool

    def hint_of(self, target: Target) -> str:
        """Return what is said of a target now, or nothing."""


class Canvas(Widget):
    """Shows the rows it is given, cut to its size."""

    DEFAULT_CSS = """
    Canvas { width: 100%; height: 1; }
    """

    rows: tuple[Row, ...] = ()
    targets: Targets | None = None
    faded = False
    covered = False
    answers: Answers = "second side"
    """What of it is covered while a question is to be guessed at."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._look: object = None
        self._strips: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}

    def show(self, rows: Sequence[Row]) -> None:
        """Show new rows; those that are as before are not drawn again."""
        old, self.rows = self.rows, tuple(rows)
        # Those below its present height too: lines are kept, and it may grow.
        pairs = enumerate(zip_longest(old, self.rows))
        changed = [y for y, (before, after) in pairs if before != after]
        for y in changed:
            self._strips.pop(y, None)
        if changed and self.is_mounted:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what a click on a cell does, if anything."""
        return self.targets(x, y) if self.targets else None

    async def on_click(self, event: events.Click) -> None:
        """Do what a click does there."""
        target = self.target_at(*(event.screen_offset - self.region.offset))
        if target and target.action:
            event.stop()
            await self.run_action(textual_action(target.action))
            if target.twice and event.chain == 2:
                await self.run_action(textual_action(target.twice))

    @property  # type: ignore[misc]
    def tooltip(self) -> Content | None:  # type: ignore[override]
        """What a click would do where the mouse is: Textual asks once it has rested there."""
        app = cast("Styled", self.app)
        at = self.app.mouse_position - self.region.offset
        target = None if self.covered and self.answers == "all" else self.target_at(*at)
        words = app.hint_of(target) if target else ""
        return Content(words) if words else None

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines as Textual wants them; those that are as before are kept.

        There is no frame: Textual's way of drawing one looks at styles and filters for every line.
        """
        app = cast("Styled", self.app)
        filters = tuple(self.app.get_line_filters())
        look = self.size, filters, app.role_styles, self.faded, self.covered
        if look != self._look:
            self._look, self._strips, self._styles = look, {}, {}
        for y in crop.line_range:
            if y not in self._strips:
                self._strips[y] = self._strip(y, app, filters)
        return [self._strips[y].crop(crop.x, crop.right) for y in crop.line_range]

    def _strip(self, y: int, app: Styled, filters: Sequence[LineFilter]) -> Strip:
        """Return one line of the rows."""
        width = self.size.width
        row = self.rows[y] if y < len(self.rows) else ()
        row = self._uncovered(row, y) if self.covered else row
        if app.in_ascii:
            row = tuple((in_ascii(text), role) for text, role in row)
        whole = "".join(text for text, _ in row)
        if not (is_narrow(whole) and len(whole) <= width):
            segments = self._segments(shown(row, width), app, filters)
            return Strip(VISIBLE.apply(segments, TRANSPARENT)).adjust_cell_length(
                width, self._style("text", app, filters)
            )
        row = (*row, (" " * (width - len(whole)), "text"))
        return Strip(self._segments(row, app, filters), width)

    def _segments(self, row: Row, app: Styled, filters: Sequence[LineFilter]) -> list[Segment]:
        """Return the parts of a row, neighbours that look the same as one."""
        segments, whole, last = [], "", None
        for text, role in row:
            style = self._styles.get(role) or self._style(role, app, filters)
            if style is not last and whole:
                segments.append(Segment(whole, last))
                whole = ""
            whole, last = whole + text, style
        return [*segments, Segment(whole, last)] if whole else segments

    def _style(self, role: str, app: Styled, filters: Sequence[LineFilter]) -> Style:
        """Return how a role looks in the colours there are, the same object as others that do."""
        if role not in self._styles:
            style = app.role_styles["muted" if self.faded and role in FADING else role]
            segments = [Segment("", style)]
            for each in filters:
                # The style has a background of its own.
                segments = each.apply(segments, TRANSPARENT)
            style = segments[0].style or style
            alike = (each for each in self._styles.values() if each == style)
            self._styles[role] = next(alike, style)
        return self._styles[role]

    def cover(self, covered: bool) -> None:
        """Cover what answers a question that somebody is to guess at, or show it."""
        if covered != self.covered and self.answers != "nothing":
            self.covered = covered
            self.refresh()

    def _uncovered(self, row: Row, y: int) -> Row:
        """Return what is left of a row where the answer is covered."""
        if self.answers == "all":
            return ((COVERED, "muted"),) if y == self.size.height // 2 else ()
        roles = [role for _, role in row]
        if "scaled" not in roles:
            return row
        first = roles.index("scaled")
        return (*row[:first], *(_covered(*part) for part in row[first:]))

    def fade(self, faded: bool) -> None:
        """Show whether the rows are still the answer to what is asked."""
        if faded != self.faded:
            self.faded = faded
            self.refresh()
