"""Settings: what can be asked, or looked at; each a line of the drawer, and found by its names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field, Kind, fields_of, one_of
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.files import edits
from attn_tui.files.history import Asked, Gesture
from attn_tui.files.kinds import KINDS
from attn_tui.old.tui.explaining import Explanation
from attn_tui.old.tui.view import View

Change = Callable[[Any], Any]

FEW = 9
"""Values that are named one by one where it is said what will do."""


class Seen(Protocol):
    """What settings are read from: a screen, or the scene it shows."""

    @property
    def asked(self) -> Asked | None:
        """What is asked, once there is something."""

    @property
    def view(self) -> View:
        """How it is looked at."""


def _nothing(*_: Any) -> str:
    return ""


@dataclass(frozen=True)
class Setting:
    """One line of the drawer.

    Attributes:
        name: What verbs call it.
        label: What the screen calls it.
        help: What it is, in a phrase.
        kind: What its values are.
        value: Reads it.
        change: Asks for, or looks at, another value.
        default: What it is unless asked; a function of what is seen where that decides.
        synonyms: What else it is called.
        held: Why it is of no use now, or nothing.
        check: Raises InputError unless there would be an answer with a value.
        opens: What runs to choose or to type it, where that has a way of its own.
        takes: What runs with the text of a value that was chosen, where more is done than asked.
        becomes: Of what is asked besides the scores: from a change to it to one of the setup.
    """

    name: str
    label: str
    help: str
    kind: Kind
    value: Callable[[Seen], Any]
    change: Callable[[Any, Change, Gesture | None], None]
    default: Any = None
    synonyms: tuple[str, ...] = ()
    held: Callable[[Seen], str] = _nothing
    check: Callable[[Any, Any], object] = _nothing
    opens: str = ""
    takes: str = ""
    becomes: Callable[[Change], Callable[[Setup], Setup]] | None = None

    def default_at(self, seen: Seen) -> Any:
        """Return what it is unless asked."""
        return self.default(seen) if callable(self.default) else self.default

    def is_default(self, seen: Seen) -> bool:
        """Return whether it is what it is unless asked."""
        return bool(self.value(seen) == self.default_at(seen))

    def shown(self, seen: Seen) -> str:
        """Return its value as the screen shows it."""
        return self.kind.shown(self.value(seen))

    @property
    def expected(self) -> str:
        """What will do, in the words of the screen."""
        kind = self.kind
        if kind.digits or not kind.choices:
            return kind.expected
        if len(kind.choices) > FEW:
            is_listed = kind.expected.startswith("one of ")
            return f"one of {len(kind.choices)}" if is_listed else kind.expected
        shown = (kind.shown(kind.parse(self.name, text)) for text in kind.choices)
        return "one of " + ", ".join(shown)

    @property
    def title(self) -> str:
        """What it is, as a sentence begins."""
        return f"{self.help[:1].upper()}{self.help[1:]}"

    @property
    def formats(self) -> str:
        """What may be typed, in lines."""
        words = [f"{text}: {meaning}" for text, meaning in self.kind.choices.items()]
        return "\n".join([self.kind.expected, *words * self.kind.digits])

    @property
    def names(self) -> tuple[str, ...]:
        """All it is called."""
        return (self.label, self.name, *self.synonyms)


@dataclass(frozen=True)
class Group:
    """Settings that belong together.

    Attributes:
        title: What they are about.
        settings: In their order.
        folds: Whether it is one line while all are at their defaults.
        explanation: What ``?`` says of them, if there is more to say than of each.
    """

    title: str
    settings: tuple[Setting, ...]
    folds: bool = True
    explanation: Explanation | None = None


def by_name(groups: Iterable[Group]) -> Mapping[str, Setting]:
    """Return settings by their names, in their order."""
    return {setting.name: setting for group in groups for setting in group.settings}


def asking(becomes: Callable[[Change], Callable[[Setup], Setup]]) -> dict[str, Any]:
    """Return how a setting is changed and checked that changes the setup."""

    def change(screen: Any, change: Change, gesture: Gesture | None) -> None:
        screen.fields.ask(becomes(change), gesture)

    def check(screen: Any, value: Any) -> None:
        screen.fields.check(becomes(lambda _: value)(screen.fields.setup))

    return {"becomes": becomes, "change": change, "check": check}


def asked_for(field: Field, **more: Any) -> Setting:
    """Return the setting of a field of what is asked."""

    def value(seen: Seen) -> Any:
        return seen.asked.draft.setup.value(field) if seen.asked else field.default

    def becomes(change: Change) -> Callable[[Setup], Setup]:
        return lambda setup: setup.changed(field, change)

    def held(seen: Seen) -> str:
        if seen.asked is None:
            return ""
        return field.held(seen.asked.draft.setup, KINDS[seen.asked.draft.source].source)

    said = {
        "name": field.key, "label": field.label, "help": field.help, "kind": field.kind,
        "value": value, "default": field.default, "synonyms": field.synonyms, "held": held,
    }  # fmt: skip
    return Setting(**{**said, **asking(becomes), **more})


def looked_at(name: str, label: str, help: str, kind: Kind, default: Any, **more: Any) -> Setting:
    """Return the setting of how something is looked at, called as it is in the view."""

    def change(screen: Any, change: Change, _: Gesture | None) -> None:
        value: dict[str, Any] = {name: change(getattr(screen.view, name))}
        screen.look(replace(screen.view, **value))

    return replace(
        Setting(name, label, help, kind, lambda seen: getattr(seen.view, name), change, default),
        **more,
    )


def axis(view: type[View], log: str = "logarithmic") -> Setting:
    """Return the setting of the axis: the first step shows another picture.

    Args:
        view: Says what charts are unless somebody wants it otherwise.
        log: What a logarithmic one is called.
    """
    others = ("linear", "log") if view.LOG else ("log", "linear")
    meanings = {"auto": "what suits the picture", **dict.fromkeys(others, "")}
    return looked_at(
        "axis", "axis", "whether charts are linear or logarithmic",
        one_of(meanings, {"log": log}), "auto", synonyms=("log scale", "linear", "logarithm"),
    )  # fmt: skip


SIDE = looked_at(
    "side", "side", "which side is shown where there is room for one",
    one_of({"scaled": "", "unscaled": ""}), "scaled",
)  # fmt: skip
"""Which side is looked at."""


def _rule_stepped(scale: Scale, steps: int) -> Scale:
    names = [*RULES]
    return Scale(names[(names.index(scale.rule) + steps) % len(names)])


RULE_KIND = Kind(
    "a rule, with its parameters behind a colon: temperature:4",
    parse_scale,
    lambda value: isinstance(value, Scale),
    rule_text,
    lambda value: f"m = {value.formula}",
    _rule_stepped,
    choices={name: f"m = {rule.formula}, {rule.summary}" for name, rule in RULES.items()},
)
"""Multiplier rules; each value is a scale with nothing else."""


def _rule(seen: Seen) -> Scale:
    scale = seen.asked.draft.setup.scale if seen.asked else Scale()
    return Scale(scale.rule, scale.given)


def under(rule: Scale) -> Callable[[Setup], Setup]:
    """Return a change to the rule of a scale, which leaves the rest of the scale as it is."""
    return lambda setup: replace(
        setup, scale=replace(setup.scale, rule=rule.rule, given=rule.given)
    )


def _becomes_rule(change: Change) -> Callable[[Setup], Setup]:
    return lambda setup: under(change(Scale(setup.scale.rule, setup.scale.given)))(setup)


RULE = Setting(
    "rule", "rule", "what scores are multiplied by, z = m·s", RULE_KIND, _rule,
    default=Scale(), synonyms=("scale", "multiplier", "temperature", "divisor", "scaling"),
    opens="scale.choose_rule", **asking(_becomes_rule),
)  # fmt: skip
"""The rule."""


def _becomes_mask(change: Change) -> Callable[[Setup], Setup]:
    return lambda setup: replace(setup, mask=change(setup.mask))


MASK = Setting(
    "mask", "mask", "keys that have no weight", Kind(
        "keys and ranges such as 2, 5:8, 12: or causal",
        lambda text: parse_mask("" if text == "none" else text),
        lambda value: isinstance(value, Mask),
        str,
        lambda value: str(value) or "none",
        lambda value, steps: replace(value, causal=value.causal ^ bool(steps % 2)),
        digits=True,
        choices={
            "none": "every key is seen",
            "causal": "vector 0 sees key 0, vector 1 keys 0 and 1, and so on",
        },
    ),
    lambda seen: seen.asked.draft.setup.mask if seen.asked else Mask(),
    default=Mask(), synonyms=("causal", "hidden keys", "padding"), opens="fields.type('mask')",
    **asking(_becomes_mask),
)  # fmt: skip
"""The keys that are masked."""


def _source(seen: Seen) -> str:
    return seen.asked.draft.source if seen.asked else ""


FROM = Setting(
    "from", "from", "where scores come from", one_of(
        {name: kind.detail for name, kind in KINDS.items()},
        {name: kind.title for name, kind in KINDS.items()},
    ),
    _source,
    lambda screen, change, gesture: screen.ask(edits.source(change(_source(screen))), gesture),
    next(iter(KINDS)), ("source", "scores from", "random", "q and K", "queries"),
    opens="scores.choose_source", takes="scores.source",
)  # fmt: skip
"""The kind of source."""


PRECISION = Group("Precision", tuple(asked_for(each) for each in fields_of(Precision).values()))
"""How softmax is computed."""


def refused(setting: Setting, screen: Any, text: str) -> str:
    """Return why a text will not do for a setting, or nothing."""
    try:
        setting.check(screen, setting.kind.parse(setting.name, text))
    except InputError as error:
        return error.beside
    return ""
