"""The pane of d_k: the slider, and a field to type a number into."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import var
from textual.widgets import Input

from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import D_K
from attn_tui.ui.pane import Pane
from attn_tui.ui.slider import Slider

TICKS = (1, 16, 256, 4096, 65_536, 4, 64, 1024, 16_384)
"""What stands below the slider, those first that are wanted most."""


class DkPane(Pane):
    """Shows d_k, and lets somebody move or type it."""

    d_k: var[int] = var(1, init=False)

    class Changed(Message):
        """Somebody wants another d_k.

        Attributes:
            d_k: Which.
            gesture: A name that all moves of one drag share.
        """

        def __init__(self, d_k: int, gesture: str) -> None:
            super().__init__()
            self.d_k = d_k
            self.gesture = gesture

    def __init__(self) -> None:
        super().__init__("d_k", id="d_k-pane")

    def compose(self) -> ComposeResult:
        """Lay out the slider and the field."""
        with Horizontal():
            yield Slider(D_K, TICKS, "d_k")
            yield Input(compact=True, select_on_focus=True, id="d_k-typed")

    def watch_d_k(self, d_k: int) -> None:
        """Show another d_k."""
        self.query_one(Slider).value = d_k
        typed = self.query_one(Input)
        if not typed.has_focus:
            typed.value = _field_text(d_k)

    def step(self, steps: int) -> None:
        """Move some stops up or down."""
        self.query_one(Slider).action_step(steps)

    def double(self, times: int) -> None:
        """Double d_k, or halve it."""
        d_k = self.d_k * 2 if times > 0 else self.d_k // 2
        self.query_one(Slider).move(max(d_k, 1), "d_k double")

    def edit(self) -> None:
        """Let somebody type a number."""
        self.query_one(Input).focus()

    @on(Slider.Moved)
    def _move(self, event: Slider.Moved) -> None:
        event.stop()
        self.post_message(self.Changed(event.value, event.gesture))

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            d_k = D_K.parse(event.value)
        except InputError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.query_one(Slider).focus()
        if d_k != self.d_k:
            self.post_message(self.Changed(d_k, ""))

    @on(Input.Blurred)
    def _forget(self, event: Input.Blurred) -> None:
        event.input.value = _field_text(self.d_k)


def _field_text(d_k: int) -> str:
    """Return d_k as it stands in the field, right-aligned.

    Always of one length: when that of an Input changes, Textual lays out the whole screen anew.
    """
    return f"{d_k:,}".rjust(len(f"{D_K.maximum:,}"))
