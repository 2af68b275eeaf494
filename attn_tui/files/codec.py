"""An `Experiment` as plain values for JSON, and back."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from math import inf
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.source import Captured
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.setup import FIELDS, Draw, Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed
from attn_tui.files.captured import absolute, captured_from_plain, captured_to_plain
from attn_tui.files.content import opened, read_json, read_text
from attn_tui.files.grammar import NUMBERS, Entry, check_count, is_long, named, numbered, problem
from attn_tui.files.paths import path_text
from attn_tui.files.plain import json_text, plain_number, plain_numbers
from attn_tui.files.values import Values, checked, number, scores_of
from attn_tui.instruments import INSTRUMENTS, load

SCHEMA = "attn-tui/1"
"""The schema of all JSON we write."""

_SOURCES: Mapping[type[Source], tuple[str, ...]] = {
    Typed: ("vectors",),
    Drawn: ("draw",),
    Products: ("queries", "keys", "values", "tokens"),
    Captured: ("capture",),
}
"""The names that only one kind of source has."""

_NAMES = (
    *("rule", "parameters", *FIELDS, "mask", "settings"),
    *(name for names in _SOURCES.values() for name in names),
)

_GONE = {"heads": ("other", "what_if", "tau")}
"""Settings that older files have, and that mean nothing any more."""


def report_text(report: Mapping[str, object]) -> Iterator[str]:
    """Yield a report as JSON text, piece by piece, with its schema."""
    yield from json_text({"schema": SCHEMA, **report})


def experiment_to_plain(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment as plain values, which `experiment_from_plain` reads."""
    return {**setup_to_plain(experiment.setup), **_source_to_plain(experiment.source)}


def setup_to_plain(setup: Setup) -> dict[str, Any]:
    """Return a setup as plain values, which `setup_from_plain` reads."""
    settings = {}
    for instrument in INSTRUMENTS:
        chosen: Any = setup.get(load(instrument.settings))
        plain = asdict(chosen)
        kind: Any = type(chosen)
        for name, field in fields_of(kind).items():
            if field.kind.paths and isinstance(plain[name], tuple):
                plain[name] = tuple(map(absolute, plain[name]))
            elif field.kind.paths and plain[name]:
                plain[name] = absolute(plain[name])
        settings[instrument.name] = plain
    return {
        "rule": setup.scale.rule,
        "parameters": {name: plain_number(value) for name, value in setup.scale.arguments},
        **{name: setup.value(field) for name, field in FIELDS.items()},
        "mask": str(setup.mask),
        "settings": settings,
    }


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


_CONFIGURES = frozenset({"model_type", "num_attention_heads", "num_hidden_layers"})
_BELONGS = "it beside a capture: --config of the doctor, or expects in the settings of 5"


def asks(plain: object) -> bool:
    """Return whether plain values are an experiment, rather than scores by name."""
    if not isinstance(plain, dict):
        return False
    if "schema" in plain or "vectors" in plain:
        return True
    return any(isinstance(plain.get(name), dict) for name in ("draw", "capture"))


def json_entries(plain: object) -> list[Entry]:
    """Return the vectors in a JSON value: lists of numbers, lists by name, or an experiment.

    Raises:
        InputError: Naming the list that cannot be used, and the place in it.
    """
    if asks(plain):
        experiment = experiment_from_plain(plain)
        vectors = experiment.source.vectors(experiment.setup)
        return [Entry(vector.name, vector.scores) for vector in vectors]
    if not isinstance(plain, dict):
        return _list_entries("", plain)
    if not _CONFIGURES.isdisjoint(plain):
        raise problem("it is the configuration of a model", _BELONGS)
    return [entry for name, value in plain.items() for entry in _list_entries(name, value)]


def _list_entries(name: str, value: object) -> list[Entry]:
    """Return the vector in a list of numbers, or the vectors in a list of lists."""
    called = name or "list"
    if isinstance(value, list) and any(isinstance(row, list) for row in value):
        check_count(len(value))
        rows = [_scores(f"{called}[{place}]", row) for place, row in enumerate(value)]
        return numbered([Entry(name, row) for row in rows])
    return [Entry(name, _scores(called, value))]


def _scores(name: str, value: object) -> NDArray[np.float64]:
    """Return the scores in a list; "-Infinity" may be spelled out."""
    if not isinstance(value, list) or not value:
        expected = "a list of numbers, of such lists, or an object of such lists by name"
        _refuse(name, value, expected)
    scores = scores_of(value)
    if scores is not None:
        return scores
    scores = np.array([number(f"{name}[{key}]", item) for key, item in enumerate(value)])
    for key in np.flatnonzero(~(scores < inf)):
        _refuse(f"{name}[{key}]", value[key], NUMBERS)
    return scores


def experiment_from_plain(plain: object, default_source: Source | None = None) -> Experiment:
    """Return the experiment that plain values describe; anything left out has its default.

    Args:
        plain: The result of `experiment_to_plain`, or an object with that as ``"experiment"``.
        default_source: The source to use if none is given; without it one must be given.

    Raises:
        InputError: With field ``"experiment"``, if a name or a value is not understood.
    """
    if isinstance(plain, dict) and "schema" in plain:
        if plain["schema"] != SCHEMA:
            _refuse("schema", plain["schema"], f'"{SCHEMA}"')
        plain = plain.get("experiment")
    values = Values.only(plain, _NAMES, "experiment")
    source = _source(values, default_source)
    setup = setup_from_plain(values.of)
    if "d_k" in values.of and source.d_k not in (None, setup.d_k):
        values.refuse("d_k", f"{source.d_k}, the length of a query")
    return checked(Experiment, source, setup)


def setup_from_plain(plain: Mapping[str, Any]) -> Setup:
    """Return the setup that plain values describe; anything left out has its default.

    Args:
        plain: The result of `setup_to_plain`, or a part of it; other names are ignored.

    Raises:
        InputError: With field ``"experiment"``, if a value is not understood.
    """
    setup, values = Setup(), Values(plain, "experiment")

    def with_field(setup: Setup, field: Field) -> Setup:
        value = _value(field, values)
        return checked(setup.changed, field, lambda _: value)

    if "model" in plain:
        # The model sets d_k and the scale; everything else given replaces what it sets.
        setup = with_field(setup, FIELDS["model"])
    if "rule" in plain or "parameters" in plain:
        arguments: dict[str, Any] = values.get("parameters", dict, {})
        parameters = tuple((name, number(name, value)) for name, value in arguments.items())
        rule = values.get("rule", str, setup.scale.rule)
        setup = setup.put(checked(partial(replace, setup.scale, rule=rule, arguments=parameters)))
    for name, field in FIELDS.items():
        if name in plain and name != "model":
            setup = with_field(setup, field)
    mask = values.get("mask", str, str(setup.mask))
    setup = replace(setup, mask=checked(parse_mask, mask))
    kinds = {instrument.name: instrument.settings for instrument in INSTRUMENTS}
    settings = values.inner("settings", *kinds)
    for name in settings.of:
        kind = load(kinds[name])
        fields, gone = fields_of(kind), _GONE.get(name, ())
        entry = settings.inner(name, *fields, *gone)
        chosen = {key: _value(fields[key], entry) for key in entry.of if key not in gone}
        setup = setup.put(checked(partial(kind, **chosen)))
    return setup


def read_experiment(path: str, default_source: Source | None = None) -> Experiment:
    """Read an experiment from a file that ``show --json`` printed; ``-`` is standard input.

    Args:
        path: The file.
        default_source: The source to use if the file has none; without it the file must.

    Raises:
        InputError: Naming the file and the place in it, with field ``"experiment"``.
    """
    with opened(path, "experiment") as file:
        plain = read_json(read_text(file))
        experiment = experiment_from_plain(plain, default_source)
    return experiment if path == "-" else kept_in(path, experiment)


def kept_in(path: str, experiment: Experiment) -> Experiment:
    """Return an experiment that refers to a file for its scores if they are many."""
    source = experiment.source
    if isinstance(source, Typed) and is_long(source):
        return replace(experiment, source=replace(source, files=f"@{path_text(path)}"))
    return experiment


def _value(field: Field, values: Values) -> Any:
    """Return a field's value in the type of its dataclass: a tuple for a list, 3.0 for 3."""
    value = values.of[field.key]
    written = tuple(value) if isinstance(value, list) else value
    if isinstance(written, str):
        written = field.kind.former.get(written, written)
    try:
        is_one = field.kind.admits(written)
    except OverflowError:
        is_one = False
    if not is_one:
        values.refuse(field.key, field.kind.expected)
    return field.kind.read(str(written)) if type(written) is int else written


def _source(values: Values, default: Source | None) -> Source:
    """Return the source given, or the default; two kinds of source exclude each other."""
    plain = values.of
    present = [name for names in _SOURCES.values() for name in names if name in plain]
    kinds = [kind for kind, names in _SOURCES.items() if not plain.keys().isdisjoint(names)]
    if len(kinds) > 1:
        quoted = " and ".join(f'"{name}"' for name in present)
        values.fail(f"{quoted} exclude each other", "one of them")
    if not kinds and default is not None:
        return default
    kind = kinds[0] if kinds else Typed
    if kind is Captured:
        return captured_from_plain(plain)
    if kind is Products:
        rows = [_matrix(name, values) for name in ("queries", "keys")]
        value_rows = None if plain.get("values") is None else _matrix("values", values)
        words = values.each("tokens", str, [])
        return checked(partial(Products, tokens=words), *rows, value_rows)
    if kind is Drawn:
        fields = {field.key: name for name, field in fields_of(Draw).items()}
        # The law and the generator are fixed; what the file says of them is ignored.
        draw = values.inner("draw", *fields, "law", "generator")
        entry = {name: draw.get(key, int) for key, name in fields.items() if key in draw.of}
        return checked(partial(Drawn, **entry))
    entries = []
    for index, item in enumerate(values.get("vectors", list)):
        vector = Values.only(item, ("name", "scores"), "experiment", f"vectors[{index}]")
        name = vector.get("name", str, "")
        entries.append(Entry(name, _scores(f"scores of {name}", vector.of.get("scores"))))
    return Typed(checked(named, entries))


def _matrix(name: str, values: Values) -> NDArray[np.float64]:
    """Return a list of equally long lists of finite numbers as a matrix."""
    value: Any = values.of.get(name)
    if not isinstance(value, list) or not value:
        values.refuse(name, "a list of lists of numbers")
    rows = [_scores(f"{name}[{place}]", row) for place, row in enumerate(value)]
    for place, row in enumerate(rows):
        if len(row) != len(rows[0]):
            what = f"as many numbers as row 0, which are {len(rows[0])}"
            _refuse(f"{name}[{place}]", value[place], what)
    return np.array(rows)


def _refuse(name: str, value: object, expected: str) -> NoReturn:
    Values({name: value}, "experiment").refuse(name, expected)
