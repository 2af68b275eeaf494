"""An Experiment as plain values for JSON, and back."""

from dataclasses import asdict, replace
from math import isfinite
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.source import Source
from attn_tui.files.kinds import KINDS
from attn_tui.files.plain import plain_number
from attn_tui.files.plain_reader import Reader
from attn_tui.instruments import INSTRUMENTS, load

T = TypeVar("T")

SCHEMA = "attn-tui/1"
"""The name of the shape of everything written as JSON."""


def experiment_to_plain(experiment: Experiment) -> dict[str, Any]:
    """Return plain values that say all that was asked; `experiment_from_plain` reads them."""
    setup = experiment.setup
    return {
        "rule": setup.scale.rule,
        "parameters": {name: plain_number(value) for name, value in setup.scale.given},
        **{name: setup.value(field) for name, field in FIELDS.items()},
        "naive": not setup.precision.stable,
        "mask": str(setup.mask),
        "settings": {
            instrument.name: asdict(setup.get(load(instrument.settings)))
            for instrument in INSTRUMENTS
        },
        **KINDS[experiment.source.kind].to_plain(experiment.source),
    }


def experiment_from_plain(
    plain: object, where: str = "", default_source: Source | None = None
) -> Experiment:
    """Return the question that plain values ask; what is left out has its default.

    Args:
        plain: What `experiment_to_plain` returned, or an object that has it as ``"experiment"``.
        where: The place it comes from, for errors.
        default_source: Where scores come from if nothing says so; without it something must.

    Raises:
        InputError: With field ``"experiment"``, if a name or a value is not understood.
    """
    reader = _Reader(where)
    if isinstance(plain, dict) and "schema" in plain:
        if plain["schema"] != SCHEMA:
            reader.refuse("schema", plain["schema"], f'"{SCHEMA}"')
        plain = plain.get("experiment")
    values = reader.known(
        "experiment", plain, (*_NAMES, *(name for kind in KINDS.values() for name in kind.names))
    )
    source = reader.source(values, default_source)
    setup = Setup() if source.d_k is None else Setup(source.d_k)
    given = reader.known("parameters", values.get("parameters", {}))
    parameters = tuple((name, reader.number(name, value)) for name, value in given.items())
    rule = reader.of_type("rule", values.get("rule", setup.scale.rule), str)
    setup = setup.put(reader.checked(Scale, rule, parameters))
    for name, field in FIELDS.items():
        if name in values:
            hint = get_type_hints(field.owner)[field.name]
            value = reader.setting(name, values[name], hint)
            # The one name in JSON that says the opposite.
            value = not value if name == "naive" else value
            setup = reader.checked(setup.changed, field, lambda _, value=value: value)
    d_k = setup.d_k
    if source.d_k not in (None, d_k):
        reader.refuse("d_k", d_k, f"{source.d_k}, the length of a query")
    mask = reader.of_type("mask", values.get("mask", str(setup.mask)), str)
    setup = replace(setup, mask=reader.checked(parse_mask, mask))
    for settings in reader.settings(values.get("settings", {})):
        setup = setup.put(settings)
    return reader.checked(Experiment, source, setup)


_NAMES = (*("rule", "parameters", *FIELDS, "mask", "settings"),)


def asks(plain: object) -> bool:
    """Return whether plain values ask a question, rather than being scores by name."""
    if not isinstance(plain, dict):
        return False
    return "schema" in plain or any(kind.is_in(plain) for kind in KINDS.values())


class _Reader(Reader):
    """Reads the parts of a question."""

    def settings(self, value: object) -> list[Any]:
        """Return the settings of each instrument named.

        A field is a bool, an int, a finite float, a str or a `Literal` of one of these, or a
        ``tuple[X, ...]`` or ``X | None`` of such an X; the dataclass checks values further.
        """
        kinds = {instrument.name: instrument.settings for instrument in INSTRUMENTS}
        found = []
        for name, plain in self.known("settings", value, tuple(kinds)).items():
            kind = load(kinds[name])
            hints = get_type_hints(kind)
            given = {
                key: self.setting(key, item, hints[key])
                for key, item in self.known(name, plain, tuple(hints)).items()
            }
            found.append(self.checked(lambda kind=kind, given=given: kind(**given)))
        return found

    def setting(self, name: str, value: Any, hint: Any) -> Any:
        """Return the value of a field of settings that is annotated with a type."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            (wanted,) = set(arguments) - {NoneType}
            return None if value is None else self.setting(name, value, wanted)
        if origin is tuple:
            items = self.a_list(name, value)
            return tuple(self.setting(name, item, arguments[0]) for item in items)
        if hint is float:
            number = self.number(name, value)
            return number if isfinite(number) else self.refuse(name, value, "a finite number")
        return self.of_type(name, value, type(arguments[0]) if origin is Literal else hint)

    def source(self, values: dict[str, Any], default: Source | None) -> Source:
        """Return where the scores come from: one of the ways at most, or without default one."""
        given = [kind for kind in KINDS.values() if not values.keys().isdisjoint(kind.names)]
        if default is not None and not given:
            return default
        if len(given) > 1:
            first, second = (next(n for n in kind.names if n in values) for kind in given[:2])
            problem = f'"{first}" and "{second}" exclude each other'
            raise InputError("experiment", problem, "one of them", self.where)
        kind = given[0] if given else next(iter(KINDS.values()))
        return kind.from_plain(self, values)
