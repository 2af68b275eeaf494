"""An Experiment as plain values for JSON, and back."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.source import Source
from attn_tui.files.kinds import KINDS
from attn_tui.files.paths import absolute, beside
from attn_tui.files.plain import json_text, plain_number
from attn_tui.files.plain_reader import a_list, checked, known, number, of_type, refuse
from attn_tui.instruments import INSTRUMENTS, load

SCHEMA = "attn-tui/1"
"""The name of the shape of everything written as JSON."""


def report_text(report: Mapping[str, object]) -> Iterator[str]:
    """Yield the text of what came of a question, as `json_text` does, piece by piece."""
    yield from json_text({"schema": SCHEMA, **report})


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
            instrument.name: _settings_to_plain(setup.get(load(instrument.settings)))
            for instrument in INSTRUMENTS
        },
        **KINDS[experiment.source.kind].to_plain(experiment.source),
    }


def _settings_to_plain(settings: Any) -> dict[str, Any]:
    """Return what is asked of an instrument; paths mean the same wherever they are read."""
    plain, paths = asdict(settings), _paths(type(settings))
    return plain | {name: _each(absolute, plain[name]) for name in paths}


def _paths(settings: Any) -> list[str]:
    """Return the names of fields that are paths of files."""
    return [name for name, field in fields_of(settings).items() if field.kind.paths]


def _each(change: Callable[[str], str], paths: Any) -> Any:
    """Return paths changed, one or several, which may be none."""
    return tuple(map(change, paths)) if isinstance(paths, tuple) else paths and change(paths)


def experiment_from_plain(
    plain: object, default_source: Source | None = None, folder: str = ""
) -> Experiment:
    """Return the question that plain values ask; what is left out has its default.

    Args:
        plain: What `experiment_to_plain` returned, or an object that has it as ``"experiment"``.
        default_source: Where scores come from if nothing says so; without it something must.
        folder: Of the file that holds them: captures may have been moved together with it.

    Raises:
        InputError: With field ``"experiment"``, if a name or a value is not understood.
    """
    if isinstance(plain, dict) and "schema" in plain:
        if plain["schema"] != SCHEMA:
            refuse("schema", plain["schema"], f'"{SCHEMA}"')
        plain = plain.get("experiment")
    values = known(
        "experiment", plain, (*_NAMES, *(name for kind in KINDS.values() for name in kind.names))
    )
    source = _source(values, default_source, folder)
    # A model brings a d_k and a scale, and all else that is said replaces what it brings.
    setup = _with_field(Setup(), "model", values)
    if not values.keys().isdisjoint(("rule", "parameters")):
        given = known("parameters", values.get("parameters", {}))
        parameters = tuple((name, number(name, value)) for name, value in given.items())
        rule = of_type("rule", values.get("rule", setup.scale.rule), str)
        setup = setup.put(checked(partial(replace, setup.scale, rule=rule, given=parameters)))
    for name in _BUT_MODEL:
        setup = _with_field(setup, name, values)
    if "d_k" in values and source.d_k not in (None, setup.d_k):
        refuse("d_k", setup.d_k, f"{source.d_k}, the length of a query")
    mask = of_type("mask", values.get("mask", str(setup.mask)), str)
    setup = replace(setup, mask=checked(parse_mask, mask))
    for settings in _settings(values.get("settings", {}), folder):
        setup = setup.put(settings)
    return checked(Experiment, source, setup)


def _with_field(setup: Setup, name: str, values: dict[str, Any]) -> Setup:
    """Return a setup with what values say of a field, if they do."""
    if name not in values:
        return setup
    field = FIELDS[name]
    value = _setting(name, values[name], get_type_hints(field.owner)[field.name])
    # The one name in JSON that says the opposite.
    value = not value if name == "naive" else field.kind.former.get(value, value)
    return checked(setup.changed, field, lambda _: value)


_BUT_MODEL = tuple(name for name in FIELDS if name != "model")
_NAMES = ("rule", "parameters", *FIELDS, "mask", "settings")


def asks(plain: object) -> bool:
    """Return whether plain values ask a question, rather than being scores by name."""
    if not isinstance(plain, dict):
        return False
    return "schema" in plain or any(kind.is_in(plain) for kind in KINDS.values())


def _settings(value: object, folder: str) -> list[Any]:
    """Return the settings of each instrument named.

    A field is a bool, an int, a finite float, a str or a `Literal` of one of these, or a
    ``tuple[X, ...]`` or ``X | None`` of such an X; the dataclass checks values further.
    """
    kinds = {instrument.name: instrument.settings for instrument in INSTRUMENTS}
    found = []
    for name, plain in known("settings", value, tuple(kinds)).items():
        kind = load(kinds[name])
        hints = get_type_hints(kind)
        given = {
            key: _setting(key, item, hints[key])
            for key, item in known(name, plain, tuple(hints)).items()
        }
        for key in {*_paths(kind)} & {*given}:
            given[key] = _each(partial(beside, folder=folder), given[key])
        found.append(checked(lambda kind=kind, given=given: kind(**given)))
    return found


def _setting(name: str, value: Any, hint: Any) -> Any:
    """Return the value of a field of settings that is annotated with a type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        (wanted,) = set(arguments) - {NoneType}
        return None if value is None else _setting(name, value, wanted)
    if origin is tuple:
        items = a_list(name, value)
        return tuple(_setting(name, item, arguments[0]) for item in items)
    if hint is float:
        found = number(name, value)
        return found if isfinite(found) else refuse(name, value, "a finite number")
    return of_type(name, value, type(arguments[0]) if origin is Literal else hint)


def _source(values: dict[str, Any], default: Source | None, folder: str) -> Source:
    """Return where the scores come from: one of the ways at most, or without default one."""
    given = [kind for kind in KINDS.values() if not values.keys().isdisjoint(kind.names)]
    if default is not None and not given:
        return default
    if len(given) > 1:
        first, second = (next(n for n in kind.names if n in values) for kind in given[:2])
        problem = f'"{first}" and "{second}" exclude each other'
        raise InputError("experiment", problem, "one of them")
    kind = given[0] if given else next(iter(KINDS.values()))
    return kind.from_plain(values, folder)
