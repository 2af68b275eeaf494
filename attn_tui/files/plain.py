"""Strict JSON: text to plain values and back, with non-finite numbers as strings."""

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import inf, isfinite, isnan, nan
from typing import Any, NoReturn

from attn_tui.compute.errors import InputError, inert

SPELLINGS = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
"""How JSON text spells the numbers that JSON has not."""


_PIECE = 10_000
"""Items of a long list that are written at once."""


def plain_number(value: float) -> float | str:
    """Return a number as JSON can hold it: ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``."""
    if isfinite(value):
        return value
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def plain_numbers(values: Iterable[float]) -> list[float | str]:
    """Return numbers as JSON can hold them."""
    return [plain_number(value) for value in values]


def finite(items: Sequence[Any]) -> "array[float] | None":
    """Return numbers if all of these are finite ones, many, fast; else None."""
    if not set(map(type, items)) <= {int, float}:
        return None
    try:
        values = array("d", items)
    except OverflowError:
        return None
    return values if isfinite(sum(values)) else None


def shown(value: object) -> str:
    """Return a value read from JSON as an error names it: short, and safe to print."""
    if isinstance(value, dict | list):
        kind = "object" if isinstance(value, dict) else "list"
        return f"this {kind}" if value else f"this empty {kind}"
    return inert(value) if isinstance(value, str) else inert(json.dumps(value))[1:-1]


PIECE = 8192
"""Items of a list that are written at a time, so that a long one needs little memory."""


def json_text(value: object) -> Iterator[str]:
    """Yield JSON text piece by piece: strict, ASCII, a line a field, a list of numbers on one.

    An iterator stands for one list: it yields the pieces of it, which are lists.
    """
    yield from _lines(value, "")
    yield "\n"


def _lines(value: object, indent: str) -> Iterator[str]:
    inner = indent + "  "
    if isinstance(value, dict) and value:
        yield "{\n"
        for index, (name, item) in enumerate(value.items()):
            yield (",\n" if index else "") + f"{inner}{json.dumps(name)}: "
            yield from _lines(item, inner)
        yield f"\n{indent}}}"
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        yield "[\n"
        for index, item in enumerate(value):
            yield (",\n" if index else "") + inner
            yield from _lines(item, inner)
        yield f"\n{indent}]"
    elif isinstance(value, Iterator):
        yield "["
        for index, piece in enumerate(value):
            yield (", " if index else "") + json.dumps(piece, allow_nan=False)[1:-1]
        yield "]"
    elif isinstance(value, list) and len(value) > PIECE:
        starts = range(0, len(value), PIECE)
        yield from _lines((value[start : start + PIECE] for start in starts), indent)
    elif isinstance(value, list) and len(value) > _PIECE:
        pieces = (value[start : start + _PIECE] for start in range(0, len(value), _PIECE))
        for place, piece in enumerate(pieces):
            yield (", " if place else "[") + json.dumps(piece, allow_nan=False)[1:-1]
        yield "]"
    else:
        yield json.dumps(value, allow_nan=False)


def from_json(text: str, field: str, where: str) -> Any:
    """Read JSON text; ``-Infinity`` without quotes will do too.

    Args:
        text: The text.
        field: The input it belongs to, for errors.
        where: The place it comes from, for errors.

    Raises:
        InputError: If it is no JSON, has a name twice, or a number too large for float64.
    """

    def refuse(what: str, expected: str = "JSON") -> NoReturn:
        raise InputError(field, what, expected, where)

    def a_float(token: str) -> float:
        value = float(token)
        if not isfinite(value):
            refuse(f"{inert(token)} is too large for float64", "at most 1.797e308 in size")
        return value

    def an_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, item in pairs:
            if name in result:
                refuse(f"the name {inert(name)} stands there twice", "different names")
            result[name] = item
        return result

    try:
        return json.loads(text, parse_float=a_float, object_pairs_hook=an_object)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        place = f"{where}, line {error.lineno}" if where else f"line {error.lineno}"
        raise InputError(field, f"not JSON: {error.msg}", "JSON", place) from None
    except RecursionError:
        refuse("lists are nested too deep")
    except ValueError:
        refuse("a whole number has too many digits", "at most 1.797e308 in size")
