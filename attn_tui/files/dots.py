"""What Dot products asks, a field at a time, from text and as text."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from attn_tui.compute.dots import Settings
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.scale import parse_number
from attn_tui.files.writing import score_text

_WHOLE = re.compile(r"[-+]?[0-9]{1,40}")
_POWER = re.compile(r"([0-9]+)(?:e\+?|·?10\^|\*10\*\*)([0-9]{1,2})")


def changed(settings: Settings, field: str, text: str) -> Settings:
    """Return settings with one field read from text.

    Args:
        settings: As they were.
        field: The field's name.
        text: As typed; whole numbers may have commas, or be written ``1e6``.

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


def _whole(field: str, text: str) -> int:
    digits = re.sub(r"(?<=[0-9])[,_ ](?=[0-9])", "", text)
    if found := _POWER.fullmatch(digits):
        return int(found[1] + "0" * int(found[2]))
    if not _WHOLE.fullmatch(digits):
        raise InputError(field, f"{inert(text)} is not a whole number", "digits only")
    return int(digits)


def _number(field: str, text: str) -> float:
    try:
        return parse_number(text)
    except ValueError:
        raise InputError(field, f"{inert(text)} is not a number", "a number") from None


def _name(field: str, text: str) -> str:
    return text


def _switch(field: str, text: str) -> bool:
    known = {"yes": True, "no": False, "true": True, "false": False}
    if text.lower() not in known:
        raise InputError(field, f"{inert(text)} will not do", "yes or no")
    return known[text.lower()]


def _list(field: str, text: str) -> tuple[int, ...]:
    parts = re.split(r"\s*[,;]\s*|\s+", text) if text else []
    if "" in parts:
        place, expected = parts.index("") + 1, "whole numbers with commas between them"
        raise InputError(field, f"entry {place} of {inert(text)} is empty", expected)
    return tuple(dict.fromkeys(_whole(field, part) for part in parts))


_READ: Mapping[str, Callable[[str, str], Any]] = {
    "entries": _name,
    "mean_q": _number,
    "mean_k": _number,
    "correlation": _number,
    "tied": _switch,
    "samples": _whole,
    "seed": _whole,
    "d_ks": _list,
}
