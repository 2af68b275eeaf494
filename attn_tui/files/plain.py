"""Plain values, as in strict JSON: writing them as text, and checking them when read."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import chain
from math import inf, isfinite, isnan, nan
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.compute.errors import InputError, inert

T = TypeVar("T")

_KINDS: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    list: "a list",
    dict: "an object",
}

SPELLINGS = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
"""How we spell the numbers that JSON lacks."""


def plain_number(value: float) -> float | str:
    """Return a number as JSON can hold it: ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``."""
    if isfinite(value):
        return value
    if isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def named(owner: object, names: Iterable[str]) -> dict[str, Any]:
    """Return some attributes of an object, by name."""
    return {name: getattr(owner, name) for name in names}


def plain_numbers(values: ArrayLike) -> list[float | str]:
    """Return numbers as JSON can hold them."""
    return [plain_number(value) for value in np.asarray(values).tolist()]


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


def shown(value: object) -> str:
    """Return a JSON value as errors quote it: short and safe to print."""
    if isinstance(value, dict | list):
        kind = "object" if isinstance(value, dict) else "list"
        return f"this {kind}" if value else f"this empty {kind}"
    return inert(value) if isinstance(value, str) else inert(json.dumps(value))[1:-1]


def refuse(name: str, value: object, expected: str) -> NoReturn:
    """Raise the error for a value that cannot be used."""
    raise InputError("experiment", f'"{name}" is {shown(value)}', expected)


def of_type(name: str, value: Any, kind: type[T]) -> T:
    """Return a value if it has exactly this type; else refuse it."""
    if type(value) is not kind:
        refuse(name, value, _KINDS[kind])
    return value


def fields_in(name: str, value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return a value if it is an object with no names but these; else refuse it."""
    plain = of_type(name, value, dict)
    for key in plain:
        if key not in names:
            problem = f'"{name}" has the unknown name {inert(key)}'
            raise InputError("experiment", problem, "one of " + ", ".join(names))
    return plain


def number(name: str, value: object) -> float:
    """Return a number, or the number that a string spells out."""
    if isinstance(value, str) and value in SPELLINGS:
        return SPELLINGS[value]
    if type(value) not in (int, float):
        refuse(name, value, "a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        refuse(name, value, "at most 1.797e308 in size")


def checked(make: Callable[..., T], *values: object) -> T:
    """Call a function that checks its arguments, and say in its error where it happened."""
    try:
        return make(*values)
    except InputError as error:
        place = f"{error.field}, {error.where}" if error.where else error.field
        problem = f"{place}: {error.problem}"
        raise InputError("experiment", problem, error.expected) from None


def json_text(value: object) -> Iterator[str]:
    """Yield JSON text piece by piece: strict, ASCII, one field to a line, number lists on one line.

    A dataclass becomes an object of its fields, an array a list, and numbers that JSON lacks are
    spelled out. An iterator becomes one list without being held in memory: it yields either
    objects or pieces of the list, which are lists or arrays.
    """
    yield from _lines(value, "")
    yield "\n"


def _lines(value: object, indent: str) -> Iterator[str]:
    if is_dataclass(value):
        value = named(value, (field.name for field in fields(value)))
    if isinstance(value, dict) and value:
        items = ((f"{json.dumps(name)}: ", value[name]) for name in value)
        yield from _block("{}", items, indent)
    elif isinstance(value, list | tuple) and any(map(_is_object, value)):
        yield from _block("[]", (("", item) for item in value), indent)
    elif isinstance(value, Iterator):
        first: Any = next(value, [])
        every = chain([first], value)
        if _is_object(first):
            yield from _block("[]", (("", item) for item in every), indent)
        else:
            before = "["
            for piece in every:
                yield before + _line(piece)[1:-1]
                before = ", "
            yield "]"
    else:
        yield _line(value)


def _is_object(value: object) -> bool:
    return isinstance(value, dict) or is_dataclass(value)


def _line(value: object) -> str:
    try:
        return json.dumps(value, allow_nan=False, default=np.ndarray.tolist)
    except ValueError:
        return json.dumps(spelled(value))


def spelled(value: Any) -> Any:
    """Return plain values, or arrays, with numbers that JSON lacks spelled out."""
    if isinstance(value, dict):
        return {name: spelled(item) for name, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [*map(spelled, value.tolist() if isinstance(value, np.ndarray) else value)]
    return plain_number(value) if isinstance(value, float) else value


def _block(ends: str, items: Iterable[tuple[str, object]], indent: str) -> Iterator[str]:
    inner = indent + "  "
    for index, (name, item) in enumerate(items):
        yield (",\n" if index else ends[0] + "\n") + inner + name
        yield from _lines(item, inner)
    yield f"\n{indent}{ends[1]}"
