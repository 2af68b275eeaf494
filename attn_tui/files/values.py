"""Values by name, of a JSON object, a TOML table, a config.json or a GGUF header, as they are read.

One reader checks them all: an error names the key, what stands there, what was expected, and the
file or the place in it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from typing import Any, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert

T = TypeVar("T")

_KINDS: Mapping[type, str] = {
    str: "a text in quotes",
    float: "a finite number",
    int: "a whole number",
    bool: "true or false",
    list: "a list in brackets",
    dict: "an object",
}

SPELLINGS = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
"""How we spell the numbers that JSON lacks."""


@dataclass(frozen=True)
class Values:
    """Values by name, checked as they are read.

    Attributes:
        of: The values.
        field: The field that errors name: ``"experiment"``, ``"file"``, ``"config"``.
        where: Where they stand, for errors: a file, a table in it; empty if that is said elsewhere.
        path: The names that lead to them, with points between; empty at the top.
    """

    of: Mapping[str, Any]
    field: str
    where: str = ""
    path: str = ""

    @classmethod
    def only(cls, value: object, names: Iterable[str], field: str, path: str = "") -> Self:
        """Return the values of an object with no names but these.

        Raises:
            InputError: If it is no object, or has another name.
        """
        top = cls({path or field: value}, field)
        values = cls(top.get(path or field, dict), field, "", path)
        values.know(*names)
        return values

    def get(self, name: str, kind: type[T], default: T | None = None) -> T:
        """Return the value of a name; 3 is 3.0 where a float is wanted.

        Raises:
            InputError: If it has another type or is not finite, or is missing without a default.
        """
        if name not in self.of and default is not None:
            return default
        value = self.of.get(name)
        if kind is float and isinstance(value, int | float) and type(value) is not bool:
            # A whole number too large for a float stays as it is, and is refused below.
            with suppress(OverflowError):
                value = float(value)
        is_endless = isinstance(value, float) and not isfinite(value)
        if type(value) is not kind or is_endless:
            self.refuse(name, _KINDS[kind])
        return value

    def each(self, name: str, kind: type[T], default: list[Any] | None = None) -> tuple[T, ...]:
        """Return the items of a list.

        Raises:
            InputError: If it is no list, or an item has another type.
        """
        items: list[object] = self.get(name, list, default)
        places = {f"{name}[{index}]": item for index, item in enumerate(items)}
        return tuple(replace(self, of=places).get(place, kind) for place in places)

    def inner(self, name: str, *names: str) -> Self:
        """Return the values of an object in this one that has no names but these; empty if absent.

        Raises:
            InputError: If it is no object, or has another name.
        """
        values = replace(self, of=self.get(name, dict, {}), path=self._path(name))
        values.know(*names)
        return values

    def know(self, *names: str) -> None:
        """Raise InputError if there are other names than these."""
        for name in self.of:
            if name not in names:
                problem = f"{inert(name)} is unknown" + (f' in "{self.path}"' if self.path else "")
                self.fail(problem, "one of " + ", ".join(names))

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise the error for a value that will not do, or that is missing."""
        what = shown(self.of[name]) if name in self.of else "missing"
        self.fail(f'"{inert(self._path(name), 80)[1:-1]}" is {what}', expected)

    def fail(self, problem: str, expected: str) -> NoReturn:
        """Raise the error for a problem in these values."""
        raise InputError(self.field, problem, expected, self.where)

    def _path(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


def shown(value: object) -> str:
    """Return a value as errors quote it: short and safe to print."""
    if isinstance(value, dict | list | tuple):
        kind = "object" if isinstance(value, dict) else "list"
        return f"this {kind}" if value else f"this empty {kind}"
    if isinstance(value, str):
        return inert(value)
    return inert(json.dumps(value, default=str))[1:-1]


def number(name: str, value: object, field: str = "experiment") -> float:
    """Return a number, or the number that a string spells out.

    Raises:
        InputError: If it is none, or too large.
    """
    if isinstance(value, str) and value in SPELLINGS:
        return SPELLINGS[value]
    values = Values({name: value}, field)
    if type(value) not in (int, float):
        values.refuse(name, "a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        values.refuse(name, "at most 1.797e308 in size")


def scores_of(items: Sequence[Any]) -> NDArray[np.float64] | None:
    """Return items as an array if they are all numbers below infinity; else None."""
    if not {*map(type, items)} <= {int, float}:
        return None
    try:
        values = np.array(items, dtype=np.float64)
    except OverflowError:
        return None
    # NaN propagates through max, and fails the comparison.
    return values if values.size and values.max() < inf else None


def checked(make: Callable[..., T], *values: object) -> T:
    """Call a function that checks its arguments, and say in its error where it happened."""
    try:
        return make(*values)
    except InputError as error:
        place = f"{error.field}, {error.where}" if error.where else error.field
        problem = f"{place}: {error.problem}"
        raise InputError("experiment", problem, error.expected) from None
