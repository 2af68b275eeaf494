"""The panes of d_k and of n: a slider, and a field to type a number into."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Click
from textual.message import Message
from textual.reactive import var
from textual.widgets import Input, Label

from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import D_K, N_KEYS, LogScale
from attn_tui.ui.pane import Pane
from attn_tui.ui.slider import Slider

TICKS = (1, 16, 256, 4096, 65_536, 4, 64, 1024, 16_384)
"""What stands below the slider of d_k, those first that are wanted most."""


class NumberPane(Pane):
    """Shows a number, and lets somebody move or type it.

    Args:
        name: What it is called; the id of the pane is ``"name-pane"``.
        scale: The values there are.
        ticks: What stands below the slider.
        is_line: Whether it is a line without a border, beginning with what it is called.
    """

    value: var[int] = var(1, init=False)

    class Changed(Message):
        """Somebody wants another number.

        Attributes:
            pane: Which pane's.
            value: Which number.
            gesture: A name that all moves of one drag share.
        """

        def __init__(self, pane: "NumberPane", value: int, gesture: str) -> None:
            super().__init__()
            self.pane = pane
            self.value = value
            self.gesture = gesture

        @property
        def control(self) -> "NumberPane":
            """The pane, for ``@on(NumberPane.Changed, "#id")``."""
            return self.pane

    def __init__(
        self, name: str, scale: LogScale, ticks: tuple[int, ...], is_line: bool = False
    ) -> None:
        super().__init__(name, id=f"{name}-pane", classes="number -line" if is_line else "number")
        self._called, self._scale, self._ticks = name, scale, ticks

    def compose(self) -> ComposeResult:
        """Lay out the slider and the field."""
        with Horizontal():
            yield Label(self._called, classes="name")
            yield Slider(self._scale, self._ticks, self._called)
            yield Input(compact=True, select_on_focus=True, id=f"{self._called}-typed")

    def watch_value(self, value: int) -> None:
        """Show another number."""
        self.query_one(Slider).value = value
        typed = self.query_one(Input)
        if not typed.has_focus:
            typed.value = self._field_text(value)

    def step(self, steps: int) -> None:
        """Move some stops up or down."""
        self.query_one(Slider).action_step(steps)

    def double(self, times: int) -> None:
        """Double the number, or halve it."""
        value = self.value * 2 if times > 0 else self.value // 2
        self.query_one(Slider).move(max(value, 1), f"{self._called} double")

    def edit(self) -> None:
        """Let somebody type a number."""
        self.query_one(Input).focus()

    @on(Slider.Moved)
    def _move(self, event: Slider.Moved) -> None:
        event.stop()
        self.post_message(self.Changed(self, event.value, event.gesture))

    @on(Click, "Input")
    def _select(self) -> None:
        """Let what is typed replace the number: a click on the blanks before it is not meant so."""
        self.query_one(Input).select_all()

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            value = self._scale.parse(event.value)
        except InputError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.query_one(Slider).focus()
        if value != self.value:
            self.post_message(self.Changed(self, value, ""))

    @on(Input.Blurred)
    def _forget(self, event: Input.Blurred) -> None:
        event.input.value = self._field_text(self.value)

    def _field_text(self, value: int) -> str:
        """Return a number as it stands in the field, right-aligned.

        Always of one length: when that of an Input changes, Textual lays out the whole screen anew.
        """
        return f"{value:,}".rjust(len(f"{self._scale.maximum:,}"))


class DkPane(NumberPane):
    """Shows d_k."""

    def __init__(self, is_line: bool = False) -> None:
        super().__init__("d_k", D_K, TICKS, is_line)


class NPane(NumberPane):
    """Shows the number of keys."""

    def __init__(self, is_line: bool = False) -> None:
        super().__init__("n", N_KEYS, (), is_line)
