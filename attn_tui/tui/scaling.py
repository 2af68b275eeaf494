"""What is asked of every instrument alike: d_k, the scale rule, and the heads of models."""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from attn_tui.compute.field import Field
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.models import MODELS
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.files.kinds import KINDS
from attn_tui.files.writing import score_text
from attn_tui.report.numbers import general
from attn_tui.tui import edits
from attn_tui.tui.actions import Action
from attn_tui.tui.dialogs import Choice
from attn_tui.tui.instrument_screen import Command, Explanation, InstrumentScreen
from attn_tui.tui.state import Edit, Gesture
from attn_tui.tui.widgets.chart import CHART_DELAY, ChartCanvas, RuleCanvas
from attn_tui.tui.widgets.entry import Entry, Request
from attn_tui.tui.widgets.slider import SLIDE, Slider

QUICK = 0.01
"""Seconds of work: a chart drawn in fewer is drawn with the numbers; the next frame takes 17 ms."""

D_K_ACTIONS = (
    Action(
        "screen.step(-1)", ("left_square_bracket",), "[", "", "Move d_k to the stop below", bar=1
    ),
    Action(
        "screen.step(1)", ("right_square_bracket",), "]", "d_k", "Move d_k to the stop above",
        bar=1,
    ),
    Action("screen.nudge(-1)", ("minus",), "-", "d_k − 1", "Make d_k one less"),
    Action("screen.nudge(1)", ("plus",), "+", "d_k + 1", "Make d_k one more"),
    Action("screen.type_d_k", ("d",), "d", "Type", "Type a d_k", bar=2),
)  # fmt: skip
RULE_ACTION = Action("screen.choose_rule", ("r",), "r", "Rule", "Choose the scale rule", bar=2)
MODELS_ACTION = Action(
    "screen.choose_model", ("h",), "h", "Models", "Choose d_k and scale of a model"
)


STEP = Gesture("field")
"""Steps of a field by keys; a run of them is one step of history."""


class ScalePane(Vertical):
    """The slider of d_k, the line that asks for a value, and the rule."""

    explanation: Explanation
    title = ""

    def compose(self) -> ComposeResult:
        """Lay out the slider, the line that asks for a value, and the rule."""
        self.border_title = self.title
        yield Slider(D_K, id="slider")
        yield Entry(id="entry")
        yield RuleCanvas(id="rule")


class ScalingScreen(InstrumentScreen):
    """A screen with the d_k slider, an entry that takes its place, and a chart."""

    PLACE = "#slider"

    FIELDS: ClassVar[Mapping[str, Field]] = FIELDS
    """The fields that are asked for here, by name."""

    def __init__(self) -> None:
        super().__init__()
        self._chart_timer: Timer | None = None
        self._chart_took = inf

    @property
    def n_attended(self) -> int:
        """N of rules that depend on it: the keys of the first vector that are not masked."""
        return self.asked.experiment.vectors[0].n_attended if self.asked else 1

    def ask_field(
        self, name: str, change: Callable[[Any], Any], gesture: Gesture | None = None
    ) -> None:
        """Ask for another value of a field, or say why it is held."""
        if why := self.why_held(name):
            self.notify(why, timeout=3)
        else:
            self.ask(edits.field(self.FIELDS[name], change), gesture)

    def why_held(self, name: str) -> str:
        """Return why a field is of no use now, or nothing."""
        if self.asked is None:
            return ""
        return self.FIELDS[name].held(self.setup, KINDS[self.asked.draft.source].source)

    def action_change(self, name: str, steps: int) -> None:
        """Move a field by steps."""
        kind = self.FIELDS[name].kind
        self.ask_field(name, lambda value: kind.step(value, steps), STEP)

    def action_next(self, name: str) -> None:
        """Ask for the next value of a field."""
        self.ask_field(name, lambda value: self.FIELDS[name].kind.step(value, 1))

    def action_type(self, name: str) -> None:
        """Ask for a field to be typed; what cannot be asked is refused at once."""
        field = self.FIELDS[name]
        value = self.setup.value(field)
        text = "" if value is None else field.kind.text(value)
        self.request(
            field.label, text, lambda text: self.readable(field, text),
            lambda value: self.ask_field(name, lambda _: value),
        )  # fmt: skip

    def readable(self, field: Field, text: str) -> Any:
        """Return the value that a text says; raises InputError where it could not be asked."""
        value = field.kind.parse(field.key, text)
        changed = self.setup.changed(field, lambda _: value)
        if self.asked:
            replace(self.asked.experiment, setup=changed)
        return value

    @property
    def setup(self) -> Setup:
        """What is asked besides the scores."""
        return self.asked.draft.setup if self.asked else Setup()

    def ask_d_k(self, change: Callable[[int], int], gesture: Gesture | None = None) -> None:
        """Ask for another d_k, or say why it is held."""
        self.ask_field("d_k", change, gesture)

    def action_step(self, steps: int) -> None:
        """Move d_k by stops."""
        self.ask_d_k(lambda value: D_K.step(value, steps), SLIDE)

    def action_nudge(self, by: int) -> None:
        """Move d_k by ones."""
        self.ask_d_k(lambda value: D_K.clamp(value + by), SLIDE)

    def action_type_d_k(self) -> None:
        """Ask for a d_k in place of the slider."""
        self.action_type("d_k")

    def action_choose_rule(self) -> None:
        """Offer the rules; one with parameters asks for them."""
        if self.asked:
            setup = self.asked.experiment.setup
            offered = rules(setup, self.n_attended)
            self.choose("Scale rule: z = m·s", offered, setup.scale.rule, self.action_rule)

    def action_rule(self, name: str) -> None:
        """Use a rule by its name."""

        def use(scale: Scale) -> Edit:
            return edits.scale(lambda old: replace(old, rule=scale.rule, given=scale.given))

        if RULES[name].parameters:
            text = parameters_text(name, self.scale_asked)
            self.request_edit(f"{name}:", text, lambda text: use(parse_scale(f"{name}:{text}")))
        else:
            self.ask(use(Scale(name)))

    def action_choose_model(self) -> None:
        """Offer the models."""
        self.choose("Heads of models", models(), "", self.action_model)

    def action_model(self, name: str) -> None:
        """Ask for d_k and the scale of a model."""
        self.ask(edits.model(MODELS[name]))

    @property
    def scale_asked(self) -> Scale:
        """The scale that is asked for."""
        return self.asked.experiment.setup.scale if self.asked else Scale()

    def choose(
        self, title: str, offered: list[Choice], present: str, take: Callable[..., None]
    ) -> None:
        """Offer a list; what is chosen is taken by its name."""
        self.choosing.choose(title, offered, present, take)

    def request_edit(self, label: str, value: str, read: Callable[[str], Edit]) -> None:
        """Ask for a text that makes an edit; what would have no answer is refused at once."""

        def tried(text: str) -> Edit:
            edit = read(text)
            if self.asked:
                setup: Setup = edit(self.asked.draft).setup
                replace(self.asked.experiment, setup=setup)
            return edit

        self.request(label, value, tried, self.ask)

    def request(
        self,
        label: str,
        value: str,
        read: Callable[[str], Any],
        take: Callable[[Any], object],
    ) -> None:
        """Ask for a value to be typed in place of the slider; the keys then go back."""
        self.choosing.request(Request(label, value, read, take))

    @property
    def settled(self) -> bool:
        """Whether all that was asked is computed and drawn."""
        return self.asked is not None and self._chart_timer is None and super().settled

    def draw_chart_soon(self, later: bool = True) -> None:
        """Draw the chart at once if it was drawn quickly the last time, else after a rest.

        If it is to be drawn already, then maybe not later than that.
        """
        if self._chart_took < QUICK:
            self._draw_due_chart()
        elif later or not self._chart_timer:
            self._stop_chart_timer()
            self._chart_timer = self.set_timer(CHART_DELAY, self._draw_due_chart)

    def _draw_due_chart(self) -> None:
        self._stop_chart_timer()
        begun = time.thread_time()
        self.draw_chart()
        # What must be computed before it is drawn is not worth beginning at each key.
        self._chart_took = inf if self.job.running else time.thread_time() - begun

    def _stop_chart_timer(self) -> None:
        if self._chart_timer:
            self._chart_timer.stop()
            self._chart_timer = None

    @abstractmethod
    def draw_chart(self) -> None:
        """Draw the chart in the size it has."""

    @on(ChartCanvas.Resized)
    def _on_chart_resized(self) -> None:
        self.draw_chart_soon()

    @on(Slider.Moved)
    def _on_moved(self, event: Slider.Moved) -> None:
        self.ask_d_k(event.change, event.gesture)

    @on(Slider.Typing)
    def _on_typing(self) -> None:
        self.action_type_d_k()


def rules(setup: Setup, n_attended: int) -> list[Choice]:
    """Return every rule with its formula, its source and what it is at this d_k and n."""
    choices = []
    for name, rule in RULES.items():
        scale = Scale(name, setup.scale.given if name == setup.scale.rule else ())
        m = scale.multiplier(setup.d_k, max(n_attended, 1))
        users = f"used by {rule.users}\n  " if rule.users else ""
        here = f"at d_k = {setup.d_k}, n = {n_attended:,}: × {general(m, 5)}"
        detail = f"{rule.summary}\n  {users}{rule.source}\n  {here}"
        choices.append(Choice(name, f"{name}: m = {scale.formula}", detail))
    return choices


def models() -> list[Choice]:
    """Return every model with its d_k and its scale."""
    return [
        Choice(
            name,
            f"{model.title}: d_k = {model.d_k}",
            f"{model.scale.pipeline}\n  d_model {model.d_model}, {model.heads} heads"
            + (f"\n  {model.note}" if model.note else ""),
        )
        for name, model in MODELS.items()
    ]


def parameters_text(name: str, present: Scale) -> str:
    """Return a rule's parameters as text, exactly: the present ones, if the rule is present."""
    scale = present if present.rule == name else Scale(name)
    return ", ".join(f"{key}={score_text(value)}" for key, value in scale.parameters.items())


def commands() -> Iterator[Command]:
    """Yield a command for each rule and each model."""
    for name, rule in RULES.items():
        meaning = f"m = {rule.formula}: {rule.summary}"
        yield Command(f"Rule {name}", meaning, f"screen.rule('{name}')")
    for name, model in MODELS.items():
        meaning = f"d_k = {model.d_k}, {model.scale.pipeline}"
        yield Command(f"Model {model.title}", meaning, f"screen.model('{name}')")
