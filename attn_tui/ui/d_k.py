"""The panes of d_k and n: a slider, and a field for typing a number."""

import numpy as np
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import var
from textual.widgets import Input, Label

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.log_scale import D_K, LogScale
from attn_tui.compute.numbers import general
from attn_tui.ui.editors import NumberField
from attn_tui.ui.keymap import shown_key
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import Pane
from attn_tui.ui.slider import Slider

TICKS = (1, 16, 256, 4096, 65_536, 4, 64, 1024, 16_384)
"""The ticks of the slider of d_k, the most important first."""

STEPS = {"d_k": (("less", "-"), ("more", "+")), "n": (("fewer", ","), ("further", "."))}
"""The bindings that move a number, with their keys as they are shown, by its name."""

FLAT = 20.0
"""Above this, tanh is 1 in float64."""


class NumberPane(Pane):
    """Shows a number that can be moved or typed; its slider sends the message, `Slider.Moved`.

    Args:
        name: The name of the number and the id of its slider; the id of the pane is
            ``"name-pane"``, and the first letter the key that leads to the field.
        scale: The possible values.
        ticks: The ticks of the slider.
        is_line: Whether the pane is a line without a border that begins with the name.
    """

    value: var[int] = var(1, init=False)

    def __init__(
        self, name: str, scale: LogScale, ticks: tuple[int, ...], is_line: bool = False
    ) -> None:
        classes = "number -line" if is_line else "number"
        super().__init__(
            name, key=name[0], binding=f"type_{name}", id=f"{name}-pane", classes=classes
        )
        self._scale, self._ticks = scale, ticks
        self.called = name
        """The name of the number."""

    def compose(self) -> ComposeResult:
        """Lay out the slider between the keys that move it, and the field."""
        less, more = (plain(shown_key(self, *step)) for step in STEPS[self.called])
        with Horizontal():
            yield Label(self.headed(self.called), classes="name")
            yield Label(less, classes="key")
            yield Slider(self._scale, self._ticks, self.called)
            yield Label(more, classes="key more")
            # It is not told of a number that is there from the start.
            text = self._field_text(self.value)
            yield NumberField(text, compact=True, select_on_focus=True, id=f"{self.called}-typed")

    def watch_value(self, before: int, value: int) -> None:
        """Show the new number, unless another is being typed."""
        self.query_one(Slider).value = value
        field = self.query_one(NumberField)
        if not field.has_focus or field.value == self._field_text(before):
            # Nobody follows it, and it would go up through all that is around it.
            with self.prevent(Input.Changed):
                field.value = self._field_text(value)
            if field.has_focus:
                field.select_all()

    def after(self, steps: int) -> int:
        """Return the number some stops up, or down if ``steps`` is negative."""
        return self._scale.clamp(self._scale.step(self.value, steps))

    def doubled(self, times: int) -> int:
        """Return the number doubled, or halved if ``times`` is negative."""
        value = self.value * 2 if times > 0 else self.value // 2
        return self._scale.clamp(max(value, 1))

    def step(self, steps: int) -> None:
        """Move by some stops, up or down."""
        self.query_one(Slider).action_step(steps)

    def on_click(self, event: events.Click) -> None:
        """Move by a stop if a key that does so is clicked where it stands."""
        if event.widget is not None and event.widget.has_class("key"):
            steps = 1 if event.widget.has_class("more") else -1
            self._ask(self.after(steps), f"{self.called} step")

    def edit(self) -> None:
        """Focus the field, for typing a number."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            value = self._scale.parse(event.value)
        except InputError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.query_one(Slider).focus()
        self._ask(value)

    def _ask(self, value: int, gesture: str = "") -> None:
        if value != self.value:
            # A message that is made here would not go beyond the pane if the slider sent it.
            self.post_message(Slider.Moved(self.query_one(Slider), value, gesture))

    @on(Input.Blurred)
    def _forget(self, event: Input.Blurred) -> None:
        event.input.value = self._field_text(self.value)

    def _field_text(self, value: int) -> str:
        """Return a number as the field shows it, right-aligned.

        The length is constant: if it changes, Textual lays out the whole screen again.
        """
        return f"{value:,}".rjust(len(f"{self._scale.maximum:,}"))


class DkPane(NumberPane):
    """Shows d_k."""

    idle: var[str] = var("", init=False)
    """Why another d_k would change nothing, or an empty text."""

    def __init__(self, is_line: bool = False) -> None:
        super().__init__("d_k", D_K, TICKS, is_line)

    def watch_idle(self, why: str) -> None:
        """Dim the slider if d_k changes nothing, and say why in the tooltip and the heading."""
        self.set_class(bool(why), "-idle")
        self.tooltip = why or None
        self.query_one(".name", Label).update(self.headed(self.heading))

    @property
    def heading(self) -> str:
        """The name, and why another d_k would change nothing, if so."""
        return f"d_k: {self.idle}" if self.idle else "d_k"


def why_idle(experiment: Experiment) -> str:
    """Return why another d_k would change nothing for these scores, or an empty text."""
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
        return f"all scores are far beyond the cap of {general(scale.softcap)}"
    return ""
