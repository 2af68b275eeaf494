"""An Experiment as plain values for JSON, and back."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import isfinite
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed
from attn_tui.compute.vector import Vector
from attn_tui.files.entries import Entry, held, named
from attn_tui.files.plain import SPELLINGS, plain_number, plain_numbers, scores_of, shown
from attn_tui.instruments import INSTRUMENTS, load

T = TypeVar("T")

SCHEMA = "attn-tui/1"
"""The name of the shape of everything written as JSON."""


def experiment_to_plain(experiment: Experiment) -> dict[str, Any]:
    """Return plain values that say all that was asked; `experiment_from_plain` reads them."""
    setup = experiment.setup
    scale, precision = setup.scale, setup.precision
    return {
        "d_k": setup.d_k,
        "rule": scale.rule,
        "parameters": {name: plain_number(value) for name, value in scale.given},
        "softcap": scale.softcap,
        "sink": scale.sink,
        "qk_norm": scale.qk_norm,
        "precision": precision.format,
        "naive": not precision.stable,
        "round_scores": precision.scores,
        "round_vectors": precision.vectors,
        "mask": str(setup.mask),
        "settings": {
            instrument.name: asdict(setup.get(load(instrument.settings)))
            for instrument in INSTRUMENTS
        },
        **_source_to_plain(experiment.source),
    }


def _source_to_plain(source: Source) -> dict[str, Any]:
    """Return where the scores come from, before any mask."""
    if isinstance(source, Drawn):
        return {
            "draw": {
                "n_keys": source.n_keys,
                "seed": source.seed,
                "vectors": source.count,
                "law": Drawn.LAW,
                "generator": Drawn.GENERATOR,
            }
        }
    if isinstance(source, Products):
        named = {"queries": source.queries, "keys": source.keys, "values": source.values}
        return {name: rows.tolist() for name, rows in named.items() if rows is not None}
    if isinstance(source, Typed):
        vectors = [
            {"name": vector.name, "scores": plain_numbers(vector.scores.tolist())}
            for vector in source.scores
        ]
        return {"vectors": vectors}
    raise TypeError(type(source).__name__)


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
    values = reader.known("experiment", plain, _NAMES)
    source = reader.source(values, default_source)
    default = Setup() if source.d_k is None else Setup(source.d_k)
    default_scale, default_precision = default.scale, default.precision
    given = reader.known("parameters", values.get("parameters", {}))
    parameters = tuple((name, reader.number(name, value)) for name, value in given.items())
    scale = reader.checked(
        Scale,
        reader.of_type("rule", values.get("rule", default_scale.rule), str),
        parameters,
        reader.setting("softcap", values.get("softcap"), float | None),
        reader.setting("sink", values.get("sink"), float | None),
        reader.of_type("qk_norm", values.get("qk_norm", default_scale.qk_norm), bool),
    )
    precision = reader.checked(
        Precision,
        reader.of_type("precision", values.get("precision", default_precision.format), str),
        not reader.of_type("naive", values.get("naive", not default_precision.stable), bool),
        reader.of_type("round_scores", values.get("round_scores", default_precision.scores), str),
        reader.of_type(
            "round_vectors", values.get("round_vectors", default_precision.vectors), str
        ),
    )
    d_k = reader.of_type("d_k", values.get("d_k", default.d_k), int)
    if source.d_k not in (None, d_k):
        reader.refuse("d_k", d_k, f"{source.d_k}, the length of a query")
    mask = reader.checked(
        parse_mask, reader.of_type("mask", values.get("mask", str(default.mask)), str)
    )
    setup = reader.checked(Setup, d_k, scale, precision, mask)
    for settings in reader.settings(values.get("settings", {})):
        setup = setup.put(settings)
    return reader.checked(Experiment, source, setup)


_SOURCES = (("vectors",), ("draw",), ("queries", "keys", "values"))
"""Names that say where scores come from; those of one line stand together."""

_NAMES = (
    *("d_k", "rule", "parameters", "softcap", "sink", "qk_norm", "precision", "naive"),
    *("round_scores", "round_vectors", "mask", "settings"),
    *(name for names in _SOURCES for name in names),
)


def asks(plain: object) -> bool:
    """Return whether plain values ask a question, rather than being scores by name."""
    if not isinstance(plain, dict):
        return False
    return (
        any(name in plain for name in ("schema", "vectors"))
        or isinstance(plain.get("draw"), dict)
        or all(_is_matrix(plain.get(name)) for name in ("queries", "keys"))
    )


def _is_matrix(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(row, list | array) for row in value)


class _Reader:
    """Checks plain values, and names the place of those that will not do."""

    def __init__(self, where: str) -> None:
        self.where = where

    def refuse(self, name: str, value: object, expected: str) -> NoReturn:
        problem = f'"{name}" is {shown(value)}'
        raise InputError("experiment", problem, expected, self.where)

    def known(self, name: str, value: object, names: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return a value that is an object; its names must be among those given, if any are."""
        if not isinstance(value, dict):
            self.refuse(name, value, "an object")
        for key in value if names else ():
            if key not in names:
                problem = f'"{name}" has the unknown name {inert(key)}'
                raise InputError("experiment", problem, "one of " + ", ".join(names), self.where)
        return value

    def of_type(self, name: str, value: Any, kind: type[T]) -> T:
        """Return a value that has exactly the type wanted."""
        if type(value) is not kind:
            self.refuse(name, value, _KINDS[kind])
        return value

    def a_list(self, name: str, value: object) -> Sequence[Any]:
        """Return a value that is a list, or the array that a list of numbers is read as."""
        if not isinstance(value, list | array):
            self.refuse(name, value, "a list")
        return value

    def number(self, name: str, value: object) -> float:
        """Return a number, or the one a string spells."""
        if isinstance(value, str) and value in SPELLINGS:
            return SPELLINGS[value]
        if type(value) not in (int, float):
            self.refuse(name, value, "a number")
        try:
            return float(cast(float, value))
        except OverflowError:
            self.refuse(name, value, "at most 1.797e308 in size")

    def checked(self, make: Callable[..., T], *values: object) -> T:
        """Call what checks values itself, and add the place to its error."""
        try:
            return make(*values)
        except InputError as error:
            problem = f"{error.field}: {error.problem}"
            raise InputError("experiment", problem, error.expected, self.where) from None

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
        given = [names for names in _SOURCES if any(name in values for name in names)]
        if default is not None and not given:
            return default
        if len(given) > 1:
            first, second = (next(name for name in names if name in values) for names in given[:2])
            problem = f'"{first}" and "{second}" exclude each other'
            raise InputError("experiment", problem, "one of them", self.where)
        if "draw" in values:
            return self.draw(values["draw"])
        if given and "vectors" not in values:
            queries, keys = (self.matrix(name, values.get(name)) for name in ("queries", "keys"))
            rows = values.get("values")
            return self.checked(
                Products, queries, keys, None if rows is None else self.matrix("values", rows)
            )
        return Typed(self.vectors(values.get("vectors")))

    def draw(self, value: object) -> Drawn:
        """Return a draw; the law and the generator are ours, whatever is said of them."""
        given = self.known("draw", value, ("n_keys", "seed", "vectors", "law", "generator"))
        default = Drawn()
        defaults = (("n_keys", default.n_keys), ("seed", default.seed), ("vectors", default.count))
        wanted = [self.of_type(name, given.get(name, usual), int) for name, usual in defaults]
        return self.checked(Drawn, *wanted)

    def matrix(self, name: str, value: object) -> NDArray[np.float64]:
        """Return a list of lists of finite numbers, all of one length, as a matrix."""
        if not isinstance(value, list) or not value:
            self.refuse(name, value, "a list of lists of numbers")
        rows = array("d")
        for place, row in enumerate(value):
            numbers = scores_of(row) if isinstance(row, list | array) else None
            if numbers is None or not np.isfinite(numbers).all():
                self.refuse(f"{name}[{place}]", row, "a list of finite numbers")
            if len(numbers) != len(value[0]):
                problem = f'"{name}[{place}]" has {len(numbers)} numbers and row 0 {len(value[0])}'
                raise InputError("experiment", problem, "rows of one length", self.where)
            rows.frombytes(numbers.tobytes())
        return held(np.asarray(rows).reshape(len(value), -1))

    def vectors(self, value: object) -> tuple[Vector, ...]:
        """Return vectors with their names."""
        if not isinstance(value, list):
            self.refuse("vectors", value, "a list")
        entries = []
        for plain in value:
            vector = self.known("vectors", plain, ("name", "scores"))
            name = self.of_type("name", vector.get("name", ""), str)
            scores = self.a_list("scores", vector.get("scores"))
            numbers = scores_of(scores)
            if numbers is None:
                numbers = np.array([self.number(f"scores of {name}", score) for score in scores])
            entries.append(Entry(name, numbers))
        return self.checked(named, entries)


_KINDS: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    float: "a number",
}
