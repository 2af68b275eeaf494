"""The panes of d_k and of n: a slider, and a field to type a number into."""

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Click
from textual.message import Message
from textual.reactive import var
from textual.widgets import Input, Label

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.log_scale import D_K, N_KEYS, LogScale
from attn_tui.ui.pane import Pane
from attn_tui.ui.slider import Slider

TICKS = (1, 16, 256, 4096, 65_536, 4, 64, 1024, 16_384)
"""What stands below the slider of d_k, those first that are wanted most."""

FLAT = 20.0
"""From here on tanh is 1 in float64."""


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

    idle: var[str] = var("", init=False)
    """Why another d_k would change nothing, or nothing."""

    def __init__(self, is_line: bool = False) -> None:
        super().__init__("d_k", D_K, TICKS, is_line)

    def watch_idle(self, why: str) -> None:
        """Dim the slider, and say why, also where a line has no border to say it on."""
        self.set_class(bool(why), "-idle")
        self.tooltip = why or None
        self.query_one(".name", Label).update(self.heading)

    @property
    def heading(self) -> str:
        """What it is called, and why another d_k would change nothing."""
        return f"d_k: {self.idle}" if self.idle else "d_k"


def why_idle(experiment: Experiment) -> str:
    """Return why another d_k would change nothing for scores that are given, or nothing."""
    source, setup = experiment.source, experiment.setup
    scale, n_keys = setup.scale, experiment.vectors.n_keys
    if source.d_k is not None:
        return "it is the length of q"
    if source.redraws:
        return ""
    if not scale.uses_d_k(n_keys):
        return f"no part of m = {scale.formula}"
    if scale.softcap is None:
        return ""
    ms = [scale.multiplier(d_k, max(n_keys, 1)) for d_k in (D_K.minimum, D_K.maximum)]
    sizes = np.abs(np.concatenate([vector.scores for vector in experiment.vectors]))
    seen = sizes[np.isfinite(sizes) & (sizes > 0.0)]
    if seen.size and seen.min() * min(ms) > FLAT * scale.softcap:
        return f"all scores are far beyond the cap of {scale.softcap:g}"
    return ""


class NPane(NumberPane):
    """Shows the number of keys."""

    def __init__(self, is_line: bool = False) -> None:
        super().__init__("n", N_KEYS, (), is_line)
