"""The d_k, the scale rule and the heads of models, on a screen that has them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical

from attn_tui.compute.log_scale import D_K
from attn_tui.compute.models import MODELS, NO_MODEL
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.files.writing import score_text
from attn_tui.report.model import model_texts
from attn_tui.report.numbers import general
from attn_tui.tui.actions import Action
from attn_tui.tui.dialogs import Choice
from attn_tui.tui.explaining import Explanation
from attn_tui.tui.fields import Change
from attn_tui.tui.parts import H, Host, Part
from attn_tui.tui.widgets.entry import Entry
from attn_tui.tui.widgets.slider import Slider


class ModelPart(Part[H]):
    """The heads of models: a d_k and a scale each."""

    NAME = "scale"

    def choose_model(self) -> None:
        """Offer the models."""
        present = self._screen.fields.setup.model
        self._screen.choosing.choose("Heads of models", models(), present, self.model)

    def model(self, name: str) -> None:
        """Ask for d_k and the scale of a model; of none only the name of the present one goes."""
        self._screen.fields.put("model", lambda _: name)

    def commands(self) -> Iterator[Choice]:
        """Yield each model."""
        for name, model in MODELS.items():
            meaning = f"d_k = {model.d_k}, {model.scale.pipeline}"
            yield Choice(f"scale.model('{name}')", f"Model {model.title}", meaning)


class ScalePart(ModelPart[Host]):
    """The rule, and the heads of models."""

    def choose_rule(self) -> None:
        """Offer the rules; one with parameters asks for them."""
        if asked := self._screen.asked:
            setup = asked.experiment.setup
            offered, present = rules(setup, self._screen.n_attended), setup.scale.rule
            self._screen.choosing.choose("Scale rule: z = m·s", offered, present, self.rule)

    def rule(self, name: str) -> None:
        """Use a rule by its name."""
        fields = self._screen.fields
        if RULES[name].parameters:
            text = parameters_text(name, fields.setup.scale)
            fields.request(f"{name}:", text, lambda text: under(parse_scale(f"{name}:{text}")))
        else:
            fields.ask(under(Scale(name)))

    def commands(self) -> Iterator[Choice]:
        """Yield each rule and each model."""
        for name, rule in RULES.items():
            meaning = f"m = {rule.formula}: {rule.summary}"
            yield Choice(f"scale.rule('{name}')", f"Rule {name}", meaning)
        yield from super().commands()


def under(rule: Scale) -> Change:
    """Return a change to the rule of a scale, which leaves the rest of the scale as it is."""

    def change(setup: Setup) -> Setup:
        return replace(setup, scale=replace(setup.scale, rule=rule.rule, given=rule.given))

    return change


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
    """Return none, and every model with its d_k and its scale."""
    found = [Choice(NO_MODEL, "none", "d_k and the scale stay as they are")]
    for name, model in MODELS.items():
        title = f"{model.title}: d_k = {model.d_k}"
        sizes = f"d_model {model.d_model}, {model.heads} heads"
        details = filter(None, (model.scale.pipeline, sizes, model.note))
        found.append(Choice(name, title, "\n  ".join(details)))
    return found


def parameters_text(name: str, present: Scale) -> str:
    """Return a rule's parameters as text, exactly: the present ones, if the rule is present."""
    scale = present if present.rule == name else Scale(name)
    return ", ".join(f"{key}={score_text(value)}" for key, value in scale.parameters.items())


RULE_ACTION = Action("scale.choose_rule", ("r",), "r", "Rule", "Choose the scale rule", bar=2)
MODELS_ACTION = Action(
    "scale.choose_model", ("h",), "h", "Models", "Choose d_k and scale of a model"
)


def scale_status(setup: Setup, extras: str = "", unused: str = "") -> tuple[tuple[str, ...], str]:
    """Return for the title line the model that was chosen, or else the rule.

    Args:
        setup: What is asked.
        extras: What there is besides the rule.
        unused: What of it plays no part here.
    """
    rule = ", ".join(filter(None, (f"m = {setup.scale.formula}", extras)))
    if named := model_texts(setup):
        whole = (f"{named[0]}, {unused}",) if unused else ()
        return (*whole, *named, rule), MODELS_ACTION.run
    return (rule,), RULE_ACTION.run


class ScalePane(Vertical):
    """The slider of d_k, and the line that asks for a value in its place."""

    explanation: Explanation

    def compose(self) -> ComposeResult:
        """Lay out the slider and the line that asks for a value."""
        yield Slider(D_K, id="slider")
        yield Entry(id="entry")

    def see(self, scene: Any) -> None:
        """Show d_k."""
        experiment = scene.asked.experiment
        held = experiment.source.d_k is not None
        self.query_one(Slider).show_value(experiment.setup.d_k, held)
