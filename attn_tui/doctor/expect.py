"""The expectation as it is typed: ``m=1/sqrt(d_k),softcap=50,window=4096``."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.head_model import Part
from attn_tui.files.models.promise import NONE, Expectation, Promise

EXPECTED = (
    "parts with commas between: m=1/sqrt(d_k), softcap=50, sink=none, mask=causal, window=4096, "
    "chunk=8192, value_scale=1"
)
_MULTIPLIER = re.compile(r"(?:(?P<top>[0-9.e+-]+)/)?(?P<root>sqrt\(|√)?(?P<of>d_k|[0-9.e+-]+)\)?")
_MASKS = ("none", "causal")
_ALIASES = {"cap": "softcap", "multiplier": "m", "c": "value_scale"}


@dataclass(frozen=True)
class TypedExpectation:
    """An expectation as it was typed.

    Attributes:
        text: The text as typed.
        parts: The values by field name of `Expected`, except m.
        multiplier: Returns m for a d_k; None if the text does not state m.
        form: How m is written.
        source: Where it was typed, if that was not ``--expect``.
    """

    text: str
    parts: dict[str, Any]
    multiplier: Callable[[int], float] | None = None
    form: str = ""
    source: str = ""

    def over(self, promise: Promise, d_k: int) -> Promise:
        """Return the promise of a head, with the typed parts in place of its own.

        Whoever states m promises that parts without a promise of their own are absent, unless they
        were captured.
        """
        if self.multiplier is not None and not promise.is_complete:
            absent: dict[str, Any] = {
                part: value
                for part, value in (("softcap", NONE), ("sink", NONE), ("value_scale", 1.0),
                                    ("bias", NONE))
                if getattr(promise, part) is None
            }  # fmt: skip
            sink_and_bias: tuple[Part, ...] = ("sink", "bias")
            captured = frozenset(
                part for part in sink_and_bias if part in absent and part not in self.parts
            )
            promise = replace(promise, **absent, is_complete=True, unless_captured=captured)
        combined = replace(promise, **self.parts)
        if self.multiplier is not None:
            form = f"1/{d_k}" if self.form == "1/d_k" else ""
            combined = replace(combined, multiplier=self.multiplier(d_k), form=form)
        return combined


def parse_expected(text: str) -> TypedExpectation:
    """Return the expectation that a text states.

    >>> typed = parse_expected("m=1/sqrt(d_k), softcap=50, window=4096")
    >>> typed.multiplier(64), typed.parts["softcap"], typed.parts["mask"]
    (0.125, 50.0, 'window')

    Raises:
        InputError: With field ``"expect"``, if it means nothing, or states a part twice.
    """
    parts: dict[str, Any] = {}
    multiplier, form = None, ""
    stated: list[str] = []
    token = text
    try:
        for token in filter(None, (part.strip() for part in text.split(","))):
            name, _, value = (part.strip() for part in token.partition("="))
            name = _ALIASES.get(name, name)
            stated.append(name)
            if name == "m":
                multiplier, form = _multiplier(value), value
            elif name == "mask" and value in _MASKS:
                parts |= {"mask": value, "window": None}
            elif name == "window":
                parts |= {"mask": "window", "window": int(_positive(int(value)))}
            elif name == "chunk":
                parts |= {"mask": "causal", "chunk": int(_positive(int(value)))}
            elif name in ("softcap", "sink") and value == NONE:
                parts[name] = NONE
            elif name == "sink" and isfinite(float(value)):
                parts[name] = float(value)
            elif name in ("softcap", "value_scale"):
                parts[name] = _positive(value)
            else:
                raise ValueError
        if multiplier is None and not parts:
            raise ValueError
    except ValueError:
        raise InputError("expect", f"{inert(token)} means nothing", EXPECTED) from None
    for name in stated:
        if stated.count(name) > 1:
            raise InputError("expect", f"{name} is stated twice", "each part once")
    return TypedExpectation(text, parts, multiplier, form)


def expecting(typed: TypedExpectation, expectation: Expectation | None) -> Expectation:
    """Return an expectation with the typed parts in place of those of a configuration."""
    source = typed.source or f"--expect {typed.text}"
    if expectation is None:
        return Expectation(source, Promise(), typed=typed)
    return replace(expectation, source=f"{expectation.source}; {source}", typed=typed)


def _multiplier(text: str) -> Callable[[int], float]:
    match = _MULTIPLIER.fullmatch(text)
    if match is None or bool(match["root"] == "sqrt(") != text.endswith(")"):
        raise ValueError
    top = None if match["top"] is None else _positive(match["top"])
    of = None if match["of"] == "d_k" else _positive(match["of"])

    def multiplier(d_k: int) -> float:
        base = float(d_k) if of is None else of
        base = sqrt(base) if match["root"] else base
        return base if top is None else top / base

    _positive(multiplier(64))
    return multiplier


def _positive(value: str | float) -> float:
    number = float(value)
    if not 1e-9 <= number <= 1e9:
        raise ValueError
    return number
