"""JSON that is strict."""

import json
from typing import Any


def strict(constant: str) -> None:
    """Refuse what is no JSON: NaN and infinities."""
    raise AssertionError(f"{constant} is not JSON")


def read(text: str) -> Any:
    """Return the values of a strict JSON text."""
    return json.loads(text, parse_constant=strict)
