"""The d_k, the scale rule and the heads of models, on a screen that has them."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical

from attn_tui.captures.source import Captured
from attn_tui.compute import log_scale
from attn_tui.compute.errors import InputError
from attn_tui.compute.models import MODELS, NO_MODEL
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.files import edits
from attn_tui.files.writing import score_text
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import H, Host, Part
from attn_tui.old.tui.settings import asked_for, under
from attn_tui.old.tui.widgets.entry import Entry
from attn_tui.old.tui.widgets.slider import Slider
from attn_tui.report.headline import setting
from attn_tui.report.model import model_texts


class ModelPart(Part[H]):
    """The heads of models: a d_k and a scale each."""

    NAME = "scale"

    def choose_model(self) -> None:
        """Offer the models, or say why there are none here."""
        if not self._screen.fields.setting("model"):
            return
        present = self._screen.fields.setup.model
        choose = self._screen.choosing.choose
        choose("Heads of models", models(), present, self.model, self._of_model)

    def model(self, name: str) -> None:
        """Ask for d_k and the scale of a model; of none only the name of the present one goes."""
        self._screen.fields.put("model", lambda _: name)

    def at(self, setup: Setup) -> Setup:
        """Return a setup with the d_k that the scores here have."""
        return setup

    def _of_model(self, name: str) -> str:
        return self._of(lambda setup: setup.changed(FIELDS["model"], lambda _: name))

    def _of(self, change: Callable[[Setup], Setup]) -> str:
        """Return what a change to the scale does to the scores here, and what then is said."""
        if (asked := self._screen.asked) is None:
            return ""
        old, n_attended = asked.experiment.setup, self._screen.n_attended
        try:
            new = replace(asked.experiment, setup=change(old)).setup
        except InputError as error:
            return error.beside
        differs = [f"d_k {old.d_k:,} → {new.d_k:,}"] * (old.d_k != new.d_k)
        before, after = (done(self.at(setup), n_attended) for setup in (old, new))
        differs.append(f"{before} → {after}" if before != after else f"{before} as now")
        return f"{', '.join(differs)}\n{self._screen.preview(edits.setup(change))}".rstrip()


class ScalePart(ModelPart[Host]):
    """The rule, and the heads of models."""

    def choose_rule(self) -> None:
        """Offer the rules; one with parameters asks for them."""
        if asked := self._screen.asked:
            setup = asked.experiment.setup
            choose = self._screen.choosing.choose
            offered, present = self.offered(setup), self.present(setup)
            choose("Scale rule: z = m·s", offered, present, self.rule, self._of_rule)

    def offered(self, setup: Setup) -> list[Choice]:
        """Return the rules there are."""
        return rules(self.at(setup), self._screen.n_attended, self._new)

    def present(self, setup: Setup) -> str:
        """Return which of them is asked."""
        return setup.scale.rule

    def take(self, rule: Scale) -> Callable[[Setup], Setup]:
        """Return the change that asks for a rule."""
        return under(rule)

    def rule(self, name: str) -> None:
        """Use a rule by its name."""
        fields = self._screen.fields
        if RULES[name].parameters:
            present = fields.setup.scale
            text = parameters_text(present if present.rule == name else self._new(name))
            fields.request(
                f"{name}:", text, lambda text: self.take(parse_scale(f"{name}:{text}")),
                f"m = {RULES[name].formula}",
                "\n".join(f"{each.name}: {each.meaning}" for each in RULES[name].parameters),
            )  # fmt: skip
        else:
            fields.ask(self.take(Scale(name)))

    def _becomes(self, name: str) -> Callable[[Setup], Setup]:
        """Return the change to one of those offered, the present one with its parameters."""
        present = self._screen.fields.setup.scale
        return self.take(present if name == present.rule else self._new(name))

    def _new(self, name: str) -> Scale:
        """Return a rule that is not asked yet; of a captured head it is for its layer."""
        asked = self._screen.asked
        source = asked.experiment.source if asked else None
        return (
            Scale(name).at_layer(source.place[1]) if isinstance(source, Captured) else Scale(name)
        )

    def _of_rule(self, name: str) -> str:
        return self._of(self._becomes(name))


def done(setup: Setup, n_attended: int) -> str:
    """Return what is done to the scores of so many keys: ``÷ 32``, ``÷ 12, cap 50``."""
    scale = setup.scale
    m = scale.multiplier(setup.d_k, max(n_attended, 1))
    parts = [f"÷ {setting(1.0 / m)}" if 0.0 < m < 1.0 and 1.0 / m < inf else f"× {setting(m)}"]
    if scale.softcap is not None:
        parts.append(f"cap {setting(scale.softcap)}")
    if scale.sink is not None:
        parts.append(f"sink {setting(scale.sink)}")
    return ", ".join(parts + ["QK-norm"] * scale.qk_norm)


def rules(setup: Setup, n_attended: int, new: Callable[[str], Scale] = Scale) -> list[Choice]:
    """Return every rule with its formula, its source and what it is at this d_k and n.

    Args:
        setup: What is asked, with the present rule.
        n_attended: Keys.
        new: From the name of another rule to it with the parameters it would have.
    """
    choices = []
    for name, rule in RULES.items():
        scale = Scale(name, setup.scale.given) if name == setup.scale.rule else new(name)
        users = [f"Used by {rule.users}"] * bool(rule.users)
        meanings = [
            f"{each.symbol} = {scale.parameters[each.name]:g}: {each.meaning}"
            for each in rule.parameters
        ]
        summary = rule.summary[0].upper() + rule.summary[1:]
        detail = [summary, *meanings, *users, rule.source]
        here = done(replace(setup, scale=scale), n_attended)
        choices.append(Choice(name, f"{name:<13}{rule.formula}", "\n".join(detail), "rule", here))
    return choices


def models() -> list[Choice]:
    """Return none, and every model with its d_k and its scale."""
    none = Choice(NO_MODEL, "none", _NAMED.choices[NO_MODEL])
    return [none] + [
        Choice(
            name,
            model.title,
            f"{model.scale.pipeline}\nd_model {model.d_model:,}, {model.heads} heads"
            + f"\n{model.note}".rstrip(),
            words=f"model {model.scale.rule}",
            note=f"d_k {model.d_k}",
        )
        for name, model in MODELS.items()
    ]


def parameters_text(scale: Scale) -> str:
    """Return a rule's parameters as text, exactly."""
    return ", ".join(f"{key}={score_text(value)}" for key, value in scale.parameters.items())


D_K = asked_for(FIELDS["d_k"])
"""The dimension of a head."""


_NAMED = replace(
    FIELDS["model"].kind,
    choices={NO_MODEL: "d_k and the scale stay as they are"}
    | {name: f"d_k = {each.d_k}, {each.scale.pipeline}" for name, each in MODELS.items()},
)
MODEL = asked_for(FIELDS["model"], kind=_NAMED, opens="scale.choose_model")
"""The model whose d_k and scale are asked."""

REST = tuple(asked_for(FIELDS[name]) for name in ("softcap", "sink", "qk_norm"))
"""What models do besides."""


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
        return (*whole, *named, rule), "scale.choose_model"
    return (rule, rule.removeprefix("m = ")), "scale.choose_rule"


class ScalePane(Vertical):
    """The slider of d_k, and the line that asks for a value in its place."""

    BLANK = True

    def compose(self) -> ComposeResult:
        """Lay out the slider and the line that asks for a value."""
        yield Slider(log_scale.D_K, id="slider")
        yield Entry(id="entry")

    def see(self, scene: Any) -> None:
        """Show d_k."""
        experiment = scene.asked.experiment
        held = experiment.source.d_k is not None
        self.query_one(Slider).show_value(experiment.setup.d_k, held)
