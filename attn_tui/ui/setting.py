"""A setting: one scalar of a question, with the functions that read and change it."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field, Kind, fields_of, one_of, switch
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.rules import RULES, Parameter, Rule
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.source import Drawn
from attn_tui.files import edits
from attn_tui.files.draft import parse
from attn_tui.files.history import Edit, Question

DRAWING = "n = 64, seed = 1"
"""What one types to have scores drawn."""


def _never(question: Question) -> str:
    return ""


def _always(question: Question) -> bool:
    return True


@dataclass(frozen=True)
class Setting:
    """One scalar of a question, which a screen can change.

    Attributes:
        name: Its name in the palette, and in the id of its widget.
        label: Its label in the panel.
        help: What it is, in a phrase.
        kind: The kind of its values.
        value: Returns its value in a question.
        edit: Returns the change to a question that sets it to a value.
        default: Its value unless changed.
        no_effect: Returns why it has no effect in a question, or an empty text.
        synonyms: Other names for it.
        presets: Words that set it to a value by themselves, by the text of the value.
        stays: What to say where a value is chosen that it has already, by the text of the value.
        applies: Returns whether a question has it at all.
    """

    name: str
    label: str
    help: str
    kind: Kind
    value: Callable[[Question], Any]
    edit: Callable[[Any], Edit]
    default: Any = None
    no_effect: Callable[[Question], str] = _never
    synonyms: tuple[str, ...] = ()
    presets: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    stays: Mapping[str, str] = dataclasses.field(default_factory=dict)
    applies: Callable[[Question], bool] = _always

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, without repetition; a word that sets it to a value is none of them."""
        values = {word for words in self.presets.values() for word in words}
        names = dict.fromkeys((self.name, self.label, *self.synonyms))
        return tuple(name for name in names if name not in values)

    def read(self, question: Question, text: str) -> Edit:
        """Return the edit that sets it to the value of a text.

        Raises:
            InputError: If the text is not a value, or the question has no answer with it.
        """
        edit = self.edit(self.kind.parse(self.name, text))
        parse(edit(question.draft))
        return edit

    def already(self, question: Question) -> str:
        """Return that it has the value already which it has in a question."""
        value = self.value(question)
        usual = f"{self.label} is {self.kind.shown(value)} already"
        return self.stays.get(self.kind.text(value), usual)


def of_field(field: Field) -> Setting:
    """Return the setting of a field of the setup."""

    def edit(value: Any) -> Edit:
        return lambda draft: replace(draft, setup=draft.setup.changed(field, lambda _: value))

    return Setting(
        field.key, field.label, field.help, field.kind,
        lambda question: question.draft.setup.value(field), edit, field.default,
        lambda question: field.no_effect(question.experiment.setup, question.experiment.source),
        field.synonyms, field.presets, field.stays,
    )  # fmt: skip


def _of_draw(field: Field) -> Setting:
    """Return the setting of a field of drawn scores."""

    def value(question: Question) -> Any:
        return getattr(question.experiment.source, field.name, field.default)

    def no_effect(question: Question) -> str:
        is_drawn = isinstance(question.experiment.source, Drawn)
        return "" if is_drawn else f"{field.label} is of drawn scores: type {DRAWING}"

    def edit(value: Any) -> Edit:
        return edits.drawn(field, lambda _: value)

    return Setting(
        field.label, field.label, field.help, field.kind, value, edit, field.default, no_effect,
        field.synonyms,
    )  # fmt: skip


def _with_scale(value: str) -> Edit:
    rule = parse_scale(value)
    return edits.setup(
        lambda setup: setup.put(replace(setup.scale, rule=rule.rule, arguments=rule.arguments))
    )


def _is_rule(value: object) -> bool:
    try:
        parse_scale(str(value))
    except InputError:
        return False
    return True


_RULES: Mapping[str, str] = {
    name: f"{rule.formula}: {rule.summary}" for name, rule in RULES.items()
}


def rule_names(rule: Rule) -> list[str]:
    """Return all that a rule is called, but for a formula of digits alone."""
    formula = () if rule.formula.isdigit() else (rule.formula,)
    return [rule.name, *formula, *rule.synonyms]


@cache
def _named() -> Mapping[str, str]:
    """Return the names of rules by all that they are called, without what makes no difference."""
    from attn_tui.search import words

    return {words(name).letters: rule.name for rule in RULES.values() for name in rule_names(rule)}


_DIVISOR = re.compile(r"1\s*/\s*(?P<root>√|sqrt)?\s*\(?(?P<number>[0-9.,]+)\)?")


def read_rule(text: str) -> str:
    """Return the text of a rule that is called by any of its names, or that is 1/8 or 1/√144.

    Raises:
        InputError: If there is no such rule.

    >>> read_rule("1/d_k"), read_rule("temperature 0.5"), read_rule("1/sqrt(144)")
    ('inverse', 'temperature:T=0.5', 'fixed:a=144')
    """
    # Imported here, as below, because nobody reads a rule before the first screen.
    from attn_tui.search import words

    name = _named().get(words(text).letters)
    if name is not None:
        return name
    divisor = _DIVISOR.fullmatch(text)
    if divisor is not None:
        prefix = "fixed:" if divisor["root"] else "temperature:"
        return parse_scale(prefix + divisor["number"]).text
    name, _, arguments = text.partition(" ")
    return parse_scale(f"{name}:{arguments}" if arguments and ":" not in text else text).text


RULE = Setting(
    "rule", "rule", "what scores are multiplied by",
    replace(one_of(_RULES), read=read_rule, admits=_is_rule),
    lambda question: question.draft.setup.scale.text, _with_scale, "inverse-sqrt",
    synonyms=("scale rule", "scale", "multiplier"),
)  # fmt: skip


def _of_parameter(rule: Rule, parameter: Parameter) -> Setting:
    """Return the setting of a parameter of a rule, which chooses the rule along with its value."""

    def value(question: Question) -> float:
        scale = question.draft.setup.scale
        return scale.parameters[parameter.name] if scale.rule == rule.name else parameter.default

    def edit(value: float) -> Edit:
        # Refused here, with a reason: a setup leaves out a change that it refuses.
        Scale(rule.name, ((parameter.name, value),))

        def change(setup: Setup) -> Setup:
            scale = setup.scale
            present = dict(scale.arguments) if scale.rule == rule.name else {}
            arguments = tuple({**present, parameter.name: value}.items())
            return setup.put(replace(scale, rule=rule.name, arguments=arguments))

        return edits.setup(change)

    # The first parameter of a rule can be called as the rule is: temperature 0.5.
    names = (rule.name, *rule.synonyms) if parameter == rule.parameters[0] else ()
    return Setting(
        f"{rule.name} {parameter.symbol}", parameter.symbol, parameter.help, parameter.kind,
        value, edit, parameter.default,
        synonyms=(parameter.name, *parameter.synonyms, *names),
        applies=lambda question: question.draft.setup.scale.rule == rule.name,
    )  # fmt: skip


MASK = Setting(
    "mask", "mask", "keys that are hidden: 2, 5:8, 12: or causal; none",
    Kind(
        "keys and ranges such as 2, 5:8, 12: or causal",
        lambda text: parse_mask("" if text == "none" else text),
        lambda value: isinstance(value, Mask),
        text=lambda mask: str(mask) or "none", shown=lambda mask: str(mask) or "none",
    ),
    lambda question: question.draft.setup.mask,
    lambda value: edits.setup(lambda setup: replace(setup, mask=value)), Mask(),
    synonyms=("hide", "hide key", "hide keys", "mask key", "mask keys"),
    presets={"causal": ("causal", "causal mask", "triangle", "autoregressive", "look-ahead mask")},
)  # fmt: skip

CAUSAL = Setting(
    "mask causal", "causal", "whether each query sees only the keys up to its own", switch(),
    lambda question: question.draft.setup.mask.causal,
    lambda value: edits.setup(
        lambda setup: replace(setup, mask=replace(setup.mask, causal=value))
    ),
    False,
)  # fmt: skip
"""The part of the mask that has no number in it, so that the mouse alone can set it."""

N_KEYS, SEED, VECTORS = (
    _of_draw(field)
    for name, field in fields_of(Drawn).items()
    if name in ("n_keys", "seed", "count")
)

D_K, MODEL = of_field(FIELDS["d_k"]), of_field(FIELDS["model"])
SCALE = (
    RULE,
    MODEL,
    *(of_field(FIELDS[key]) for key in ("softcap", "sink", "qk_norm")),
    MASK,
    CAUSAL,
)
PRECISION = tuple(
    of_field(FIELDS[key])
    for key in ("precision", "naive", "arithmetic", "round_scores", "round_vectors")
)
SPREAD = tuple(of_field(FIELDS[key]) for key in ("sigma_q", "sigma_k"))
"""How widely q and k are spread, where an instrument draws them."""


LEAD = of_field(FIELDS["lead"])
"""By how much key 0 leads, where several keys are drawn."""


def drawn_where(needed: Callable[[Question], str]) -> tuple[Setting, ...]:
    """Return the settings of spread and lead for an instrument that does not always draw.

    Args:
        needed: Returns why nothing is drawn for a question, or an empty text.
    """

    def of_question(setting: Setting) -> Setting:
        def no_effect(question: Question) -> str:
            return needed(question) or setting.no_effect(question)

        return replace(setting, no_effect=no_effect)

    return tuple(map(of_question, (*SPREAD, LEAD)))


def _why_not_drawn(question: Question) -> str:
    is_drawn = isinstance(question.experiment.source, Drawn)
    return "" if is_drawn else f"It is of drawn scores: type {DRAWING}"


DRAW = (N_KEYS, SEED, VECTORS, *drawn_where(_why_not_drawn))

PARAMETERS: Mapping[str, tuple[Setting, ...]] = {
    name: tuple(_of_parameter(rule, parameter) for parameter in rule.parameters)
    for name, rule in RULES.items()
}
"""The settings of the parameters of each rule, by the name of the rule."""
