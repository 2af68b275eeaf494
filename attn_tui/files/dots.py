"""What Dot products asks, a field at a time, from text and as text."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from attn_tui.compute.dots.answer import MOST_SHIFT, Settings
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.scale import parse_number
from attn_tui.compute.whole import parse_whole, parse_wholes
from attn_tui.files.writing import score_text


def changed(settings: Settings, field: str, text: str) -> Settings:
    """Return settings with one field read from text.

    Args:
        settings: As they were.
        field: The field's name.
        text: As typed; whole numbers as `parse_whole` reads them.

    Raises:
        InputError: With that field, if the text will not do.
    """
    return replace(settings, **{field: _READ[field](field, text.strip())})


def text_of(settings: Settings, field: str) -> str:
    """Return a field as text that `changed` reads."""
    value = getattr(settings, field)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return score_text(value) if isinstance(value, float) else str(value)


def _number(field: str, text: str) -> float:
    most = 1.0 if field == "correlation" else MOST_SHIFT
    try:
        return parse_number(text.replace("−", "-"))
    except ValueError:
        expected = f"a number from {-most:,.0f} to {most:,.0f}"
        raise InputError(field, f"{inert(text)} is not a number", expected) from None


def _name(field: str, text: str) -> str:
    return text


def _switch(field: str, text: str) -> bool:
    known = {"yes": True, "no": False, "true": True, "false": False}
    if text.lower() not in known:
        raise InputError(field, f"{inert(text)} will not do", "yes or no")
    return known[text.lower()]


_READ: Mapping[str, Callable[[str, str], Any]] = {
    "entries": _name,
    "mean_q": _number,
    "mean_k": _number,
    "correlation": _number,
    "tied": _switch,
    "samples": parse_whole,
    "seed": parse_whole,
    "d_ks": parse_wholes,
}
