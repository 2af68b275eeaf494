"""JSON text to plain values."""

import json
from math import isfinite
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.entries import problem
from attn_tui.files.limits import MOST_LISTS, check_most


def read_json(text: str) -> Any:
    """Read JSON text; NaN and infinities without quotes will do too.

    Raises:
        InputError: With field ``"scores"``, if it is no JSON, has a name twice, a number too
            large for float64, or too many lists.
    """
    lists = text.count("[") + text.count("{")
    check_most(lists, MOST_LISTS, "lists and objects", "fewer, longer lists")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_float=_number)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise problem(f"not JSON: {error.msg}", "JSON", error.lineno) from None
    except RecursionError:
        raise problem("lists are nested too deep", "a few in each other") from None
    except ValueError:  # Python reads no more than some thousand digits.
        expected = "at most 1.797e308 in size"
        raise problem("a whole number has too many digits", expected) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise problem(f"the name {inert(name)} stands there twice", "different names")
        values[name] = value
    return values


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise problem(f"{inert(text)} is too large for float64", "at most 1.797e308 in size")
    return number
