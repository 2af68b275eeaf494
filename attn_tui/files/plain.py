"""Plain values, as in strict JSON, and writing them as text; `values` reads them."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from itertools import chain
from math import isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


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
            yield "["
            before = ""
            # A piece may be empty; a comma beside nothing would be no JSON.
            for numbers in filter(None, (_line(piece)[1:-1] for piece in every)):
                yield before + numbers
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
