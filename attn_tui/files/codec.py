"""An Experiment as plain values for JSON, and back."""

from collections.abc import Callable
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

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Typed
from attn_tui.compute.vector import Vector
from attn_tui.files.entries import Entry, named
from attn_tui.files.plain import SPELLINGS, plain_number, plain_numbers, shown
from attn_tui.instruments import INSTRUMENTS, load

T = TypeVar("T")

SCHEMA = "attn-tui/1"
"""The name of the shape of everything written as JSON."""


def experiment_to_plain(experiment: Experiment) -> dict[str, Any]:
    """Return plain values that say all that was asked; `experiment_from_plain` reads them."""
    setup = experiment.setup
    return {
        "d_k": setup.d_k,
        "rule": setup.scale.rule,
        "parameters": {name: plain_number(value) for name, value in setup.scale.given},
        "precision": setup.precision.format,
        "naive": not setup.precision.stable,
        "settings": {
            instrument.name: asdict(setup.get(load(instrument.settings)))
            for instrument in INSTRUMENTS
        },
        "vectors": [
            {"name": vector.name, "scores": plain_numbers(vector.scores.tolist())}
            for vector in experiment.vectors
        ],
    }


def experiment_from_plain(plain: object, where: str = "") -> Experiment:
    """Return the question that plain values ask; what is left out has its default.

    Args:
        plain: What `experiment_to_plain` returned, or an object that has it as ``"experiment"``.
        where: The place it comes from, for errors.

    Raises:
        InputError: With field ``"experiment"``, if a name or a value is not understood.
    """
    reader = _Reader(where)
    if isinstance(plain, dict) and "schema" in plain:
        if plain["schema"] != SCHEMA:
            reader.refuse("schema", plain["schema"], f'"{SCHEMA}"')
        plain = plain.get("experiment")
    values = reader.known(
        "experiment",
        plain,
        ("d_k", "rule", "parameters", "precision", "naive", "settings", "vectors"),
    )
    default = Setup()
    given = reader.known("parameters", values.get("parameters", {}))
    parameters = tuple((name, reader.number(name, value)) for name, value in given.items())
    rule = reader.of_type("rule", values.get("rule", default.scale.rule), str)
    scale = reader.checked(Scale, rule, parameters)
    naive = reader.of_type("naive", values.get("naive", False), bool)
    format_ = reader.of_type("precision", values.get("precision", default.precision.format), str)
    precision = reader.checked(Precision, format_, not naive)
    d_k = reader.of_type("d_k", values.get("d_k", default.d_k), int)
    setup = reader.checked(Setup, d_k, scale, precision)
    for settings in reader.settings(values.get("settings", {})):
        setup = setup.put(settings)
    return Experiment(Typed(reader.vectors(values.get("vectors"))), setup)


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
            items = self.of_type(name, value, list)
            return tuple(self.setting(name, item, arguments[0]) for item in items)
        if hint is float:
            number = self.number(name, value)
            return number if isfinite(number) else self.refuse(name, value, "a finite number")
        return self.of_type(name, value, type(arguments[0]) if origin is Literal else hint)

    def vectors(self, value: object) -> tuple[Vector, ...]:
        """Return vectors with their names."""
        if not isinstance(value, list):
            self.refuse("vectors", value, "a list")
        entries = []
        for plain in value:
            vector = self.known("vectors", plain, ("name", "scores"))
            name = self.of_type("name", vector.get("name", ""), str)
            scores = self.of_type("scores", vector.get("scores"), list)
            numbers = [self.number(f"scores of {name}", score) for score in scores]
            entries.append(Entry(name, numbers))
        return self.checked(named, entries)


_KINDS: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    float: "a number",
    list: "a list",
}
