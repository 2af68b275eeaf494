"""An Experiment as plain values for JSON, and back."""

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.source import Captured
from attn_tui.compute.draw import Draw
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed
from attn_tui.files.captured import captured_from_plain, captured_to_plain
from attn_tui.files.entries import Entry, held, named
from attn_tui.files.paths import absolute, beside
from attn_tui.files.plain import (
    checked,
    json_text,
    known,
    number,
    of_type,
    plain_number,
    plain_numbers,
    refuse,
    scores_of,
)
from attn_tui.instruments import INSTRUMENTS, load

SCHEMA = "attn-tui/1"
"""The name of the shape of everything written as JSON."""

_SOURCES: Mapping[type[Source], tuple[str, ...]] = {
    Typed: ("vectors",),
    Drawn: ("draw",),
    Products: ("queries", "keys", "values", "tokens"),
    Captured: ("capture",),
}
"""The names that each kind of source has, which no other has."""

_NAMES = (
    *("rule", "parameters", *FIELDS, "mask", "settings"),
    *(name for names in _SOURCES.values() for name in names),
)


def report_text(report: Mapping[str, object]) -> Iterator[str]:
    """Yield the text of what came of a question, as `json_text` does, piece by piece."""
    yield from json_text({"schema": SCHEMA, **report})


def experiment_to_plain(experiment: Experiment) -> dict[str, Any]:
    """Return plain values that say all that was asked; `experiment_from_plain` reads them."""
    setup = experiment.setup
    settings = {}
    for instrument in INSTRUMENTS:
        own = setup.get(load(instrument.settings))
        plain = asdict(own)
        # Paths mean the same wherever they are read.
        settings[instrument.name] = plain | _with_paths(absolute, type(own), plain)
    return {
        "rule": setup.scale.rule,
        "parameters": {name: plain_number(value) for name, value in setup.scale.given},
        **{name: setup.value(field) for name, field in FIELDS.items()},
        "naive": not setup.precision.stable,
        "mask": str(setup.mask),
        "settings": settings,
        **_source_to_plain(experiment.source),
    }


def _with_paths(
    change: Callable[[str], str], kind: type, values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return those of some settings that are paths, one or several, changed."""
    changed: dict[str, Any] = {}
    for name, field in fields_of(kind).items():
        paths = values.get(name)
        if field.kind.paths and paths:
            several = isinstance(paths, tuple)
            changed[name] = tuple(map(change, paths)) if several else change(paths)
    return changed


def _source_to_plain(source: Source) -> dict[str, Any]:
    match source:
        case Drawn():
            values = {field.key: getattr(source, name) for name, field in fields_of(Draw).items()}
            return {"draw": {**values, "law": Drawn.LAW, "generator": Drawn.GENERATOR}}
        case Captured():
            return captured_to_plain(source)
        case Products():
            rows = {"queries": source.queries, "keys": source.keys, "values": source.values}
            plain: dict[str, Any] = {
                name: part.tolist() for name, part in rows.items() if part is not None
            }
            return plain | ({"tokens": list(source.tokens)} if source.tokens else {})
        case Typed():
            vectors = [
                {"name": vector.name, "scores": plain_numbers(vector.scores)}
                for vector in source.scores
            ]
            return {"vectors": vectors}
    raise TypeError(type(source))


def asks(plain: Mapping[str, Any]) -> bool:
    """Return whether plain values ask a question, rather than being scores by name."""
    if "schema" in plain or "vectors" in plain:
        return True
    if any(isinstance(plain.get(name), dict) for name in ("draw", "capture")):
        return True
    return all(_is_matrix(plain.get(name)) for name in ("queries", "keys"))


def _is_matrix(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(row, list) for row in value)


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
    values = known("experiment", plain, _NAMES)
    source = _source(values, default_source, folder)
    setup = Setup()
    if "model" in values:
        # It brings a d_k and a scale, and all else that is said replaces what it brings.
        setup = _with_field(setup, FIELDS["model"], values["model"])
    if "rule" in values or "parameters" in values:
        given = of_type("parameters", values.get("parameters", {}), dict)
        parameters = tuple((name, number(name, value)) for name, value in given.items())
        rule = of_type("rule", values.get("rule", setup.scale.rule), str)
        setup = setup.put(checked(partial(replace, setup.scale, rule=rule, given=parameters)))
    for name, field in FIELDS.items():
        if name in values and name != "model":
            setup = _with_field(setup, field, values[name])
    if "d_k" in values and source.d_k not in (None, setup.d_k):
        refuse("d_k", setup.d_k, f"{source.d_k}, the length of a query")
    mask = of_type("mask", values.get("mask", str(setup.mask)), str)
    setup = replace(setup, mask=checked(parse_mask, mask))
    kinds = {instrument.name: instrument.settings for instrument in INSTRUMENTS}
    for name, own in known("settings", values.get("settings", {}), kinds).items():
        setup = setup.put(_settings(name, load(kinds[name]), own, folder))
    return checked(Experiment, source, setup)


def _with_field(setup: Setup, field: Field, value: Any) -> Setup:
    # The one name in JSON that says the opposite.
    if field.key == "naive" and type(value) is bool:
        value = not value
    found = _value(field, value)
    return checked(setup.changed, field, lambda _: found)


def _settings(name: str, kind: type, plain: object, folder: str) -> object:
    """Return the settings of an instrument."""
    fields = fields_of(kind)
    given = {key: _value(fields[key], value) for key, value in known(name, plain, fields).items()}
    given |= _with_paths(partial(beside, folder=folder), kind, given)
    return checked(lambda: kind(**given))


def _value(field: Field, value: Any) -> Any:
    """Return a field's value as its dataclass has it: a tuple for a list, 3.0 for 3."""
    own = tuple(value) if isinstance(value, list) else value
    if isinstance(own, str):
        own = field.kind.former.get(own, own)
    try:
        is_one = field.kind.admits(own)
    except OverflowError:
        is_one = False
    if not is_one:
        refuse(field.key, value, field.kind.expected)
    return field.kind.read(str(own)) if type(own) is int else own


def _source(values: dict[str, Any], default: Source | None, folder: str) -> Source:
    """Return where the scores come from: one of the ways at most, or without default one."""
    given = {kind: [name for name in names if name in values] for kind, names in _SOURCES.items()}
    ways = [(kind, names) for kind, names in given.items() if names]
    if len(ways) > 1:
        (_, (first, *_)), (_, (second, *_)), *_ = ways
        problem = f'"{first}" and "{second}" exclude each other'
        raise InputError("experiment", problem, "one of them")
    kind = ways[0][0] if ways else Typed
    if default is not None and not ways:
        return default
    if kind is Captured:
        return captured_from_plain(values, folder)
    if kind is Products:
        rows = [_matrix(name, values.get(name)) for name in ("queries", "keys")]
        own = values.get("values")
        value_rows = None if own is None else _matrix("values", own)
        tokens = of_type("tokens", values.get("tokens", []), list)
        words = tuple(of_type("tokens", token, str) for token in tokens)
        return checked(Products, *rows, value_rows, words)
    if kind is Drawn:
        keys = [field.key for field in fields_of(Draw).values()]
        # The law and the generator are ours, whatever is said of them.
        draw = known("draw", values["draw"], (*keys, "law", "generator"))
        defaults = (field.default for field in fields_of(Draw).values())
        wanted = zip(keys, defaults, strict=True)
        return checked(Drawn, *(of_type(key, draw.get(key, start), int) for key, start in wanted))
    entries = []
    for plain in of_type("vectors", values.get("vectors"), list):
        vector = known("vectors", plain, ("name", "scores"))
        name = of_type("name", vector.get("name", ""), str)
        scores = of_type("scores", vector.get("scores"), list)
        numbers = scores_of(scores)
        if numbers is None:
            numbers = np.array([number(f"scores of {name}", score) for score in scores])
        entries.append(Entry(name, numbers))
    return Typed(checked(named, entries))


def _matrix(name: str, value: object) -> NDArray[np.float64]:
    """Return a list of lists of finite numbers, all of one length, as a matrix."""
    if not isinstance(value, list) or not value:
        refuse(name, value, "a list of lists of numbers")
    rows = array("d")
    for place, row in enumerate(value):
        numbers = scores_of(row) if isinstance(row, list) else None
        if numbers is None or not np.isfinite(numbers).all():
            refuse(f"{name}[{place}]", row, "a list of finite numbers")
        if len(numbers) != len(value[0]):
            problem = f'"{name}[{place}]" has {len(numbers)} numbers and row 0 {len(value[0])}'
            raise InputError("experiment", problem, "rows of one length")
        rows.frombytes(numbers.tobytes())
    return held(np.asarray(rows).reshape(len(value), -1))
