"""A slider with a logarithmic scale of whole numbers; ready-made ones are linear."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import var
from textual.strip import Strip

from attn_tui.compute.log_scale import LogScale
from attn_tui.ui.action import moves
from attn_tui.ui.terminal.direct import BindingsOnly

REACH = 1.0
"""How many columns from the mouse a rounder value may be and still be preferred."""

PARTS = ("filled", "empty", "knob")
"""The parts of the track."""


class Slider(BindingsOnly, can_focus=True):
    """A value on a logarithmic scale: a track with a knob, and ticks below it.

    Args:
        scale: The possible values.
        ticks: Values written below the track where there is room.
        id: The id of the widget.
    """

    DEFAULT_CSS = """
    Slider { height: 2; width: 1fr; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"slider--{part}" for part in PARTS), "slider--tick",
    }  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        *moves(left=("step(-1)", "Less"), right=("step(1)", "More")),
        Binding("shift+left", "nudge(-1)", "One less", show=False, id="one_less"),
        Binding("shift+right", "nudge(1)", "One more", show=False, id="one_more"),
        *moves(first=("jump(0)", "Least"), last=("jump(1)", "Most")),
    ]

    value = var(1, init=False)
    """The value; watch it to follow it."""

    @dataclass
    class Moved(Message):
        """The user moves the knob.

        Attributes:
            slider: The slider.
            value: The new value.
            gesture: A name shared by all moves of one gesture, or nothing.
        """

        slider: "Slider"
        value: int
        gesture: str

        @property
        def control(self) -> "Slider":
            """The slider, for ``@on(Slider.Moved, "#id")``."""
            return self.slider

    def __init__(self, scale: LogScale, ticks: tuple[int, ...], id: str) -> None:
        super().__init__(id=id)
        self.scale = scale
        self.ticks = ticks
        self._drags = 0
        self._looks: Sequence[Style] | None = None
        """The styles of `PARTS`: Textual forgets them whenever anything is repainted."""

    def notify_style_update(self) -> None:
        """Ask for the styles again, since they may have changed."""
        super().notify_style_update()
        self._looks = None

    @property
    def _track(self) -> int:
        """Width of the track, in columns."""
        return max(self.content_size.width - 1, 2)

    def _column(self, value: int) -> int:
        return round(self.scale.to_fraction(value) * (self._track - 1))

    def watch_value(self) -> None:
        """Draw the track again; the ticks do not change."""
        self.refresh(Region(0, 0, self.content_size.width, 1))

    def render_line(self, y: int) -> Strip:
        """Draw the track with its knob, or the ticks."""
        if y == 0:
            return self._draw_track()
        if y == 1:
            return self._draw_ticks()
        return Strip.blank(self.content_size.width, self.rich_style)

    def _draw_track(self) -> Strip:
        if self._looks is None:
            self._looks = [self.get_component_rich_style(f"slider--{part}") for part in PARTS]
        filled, empty, knob = self._looks
        column = self._column(self.value)
        return Strip(
            [
                Segment("━" * column, filled),
                Segment("●", knob),
                Segment("─" * (self._track - column - 1), empty),
            ]
        )

    def _draw_ticks(self) -> Strip:
        line = " " * (self.content_size.width + 2)
        for tick in self.ticks:
            text = f"{tick:,}"
            start = min(max(self._column(tick) - len(text) // 2, 0), self._track - len(text))
            if start >= 0 and line[start : start + len(text) + 2].isspace():
                # One blank in front, so that two numbers never touch.
                line = f"{line[: start + 1]}{text}{line[start + 1 + len(text) :]}"
        muted: Style = self.get_component_rich_style("slider--tick")
        return Strip([Segment(line[1:-1], muted)])

    def move(self, value: int, gesture: str) -> None:
        """Ask for a value, unless it is the present one."""
        value = self.scale.clamp(value)
        if value != self.value:
            self.post_message(self.Moved(self, value, gesture))

    def action_step(self, steps: int) -> None:
        """Move by some stops, up or down."""
        self.move(self.scale.step(self.value, steps), f"{self.id} step")

    def action_nudge(self, by: int) -> None:
        """Move by an amount, up or down."""
        self.move(self.value + by, f"{self.id} step")

    def action_jump(self, end: int) -> None:
        """Move to an end of the scale."""
        self.move(self.scale.maximum if end else self.scale.minimum, "")

    def _take(self, event: events.MouseEvent) -> None:
        offset = event.get_content_offset_capture(self)
        share = min(max(offset.x / (self._track - 1), 0.0), 1.0)
        value = self.scale.stop_at(share, REACH / self._track)
        self.move(value, f"{self.id} drag {self._drags}")

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Move the knob to the mouse, and follow it until the button is released."""
        self._drags += 1
        self.capture_mouse()
        self._take(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while a button is down."""
        if self.app.mouse_captured is self:
            self._take(event)

    def on_mouse_up(self) -> None:
        """Stop following the mouse."""
        self.release_mouse()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move a stop up."""
        event.stop()
        self.action_step(1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move a stop down."""
        event.stop()
        self.action_step(-1)
