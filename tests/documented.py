"""What is documented of JSON and CSV, and JSON that is strict."""

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs" / "json.md"


def documented() -> set[str]:
    """Return all that stands there in the type of code."""
    return set(re.findall(r"`([^`]+)`", DOCS.read_text("utf-8")))


def strict(constant: str) -> None:
    """Refuse what is no JSON: NaN and infinities."""
    raise AssertionError(f"{constant} is not JSON")


def read(text: str) -> Any:
    """Return the values of a strict JSON text."""
    return json.loads(text, parse_constant=strict)
