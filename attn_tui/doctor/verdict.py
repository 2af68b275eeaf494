"""Whether what was found of a head is what was expected of it."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate, Stretch
from attn_tui.compute.fit.estimates import Undecided
from attn_tui.compute.formats import dtype_of, limits
from attn_tui.doctor.names import Span
from attn_tui.files.models.expected import LEARNED, NONE, Expected

Verdict = Literal["agrees", "no expectation", "differs", "cannot tell"]
VERDICTS: tuple[Verdict, ...] = ("differs", "cannot tell", "agrees", "no expectation")
"""The worst first."""

SHOWN = 0.95
"""The confidence of intervals that are shown."""
TESTED = 5
"""How many numbers of a head are compared: m, value scale, cap, sink, window."""
_FALSE = 0.01
"""How often a healthy capture may be said to differ, whatever the number of its heads."""
_WIDE = 2.0
"""An m of which the highest is so many times the lowest is not known."""


def confidence(heads: int) -> float:
    """Return the confidence of each interval that decides, for so many heads (Bonferroni)."""
    return 1.0 - _FALSE / (TESTED * max(heads, 1))


@dataclass(frozen=True)
class Judgement:
    """What is said of a head.

    Attributes:
        verdict: Whether it agrees.
        differs: What does not, by name.
        undetermined: What could not be determined, and why, what the verdict needs first.
    """

    verdict: Verdict
    differs: tuple[str, ...] = ()
    undetermined: tuple[tuple[str, str], ...] = ()


def judge(
    found: Diagnosis,
    expected: Expected | None,
    level: float,
    format: str = "float32",
    masks: Collection[str] = (),
) -> Judgement:
    """Return the verdict about one head.

    Args:
        found: What was found.
        expected: What was expected, or nothing.
        level: The confidence of the intervals that decide.
        format: The number format of the capture, in which m may have been rounded.
        masks: Of the masks none, causal and window (of the expected length), those that see in the
            rows used what the one that was found sees.
    """
    if not found.fits:
        reasons = found.undetermined or (("multiplier", "nothing fits"),)
        return Judgement("cannot tell", undetermined=reasons)
    known = dict(found.undetermined)
    odd = [("rows", odd_text(found))] if found.odd else []
    by_row = found.temperature is not None and found.temperature.kind == "by row"
    if expected is None:
        missing = _unknown_multiplier(found.multiplier, known) if not by_row else None
        needed = [*odd, *([("multiplier", missing)] if missing else [])]
        verdict: Verdict = "cannot tell" if needed else "no expectation"
        return Judgement(verdict, undetermined=_merged(needed, known))
    answers = [*_answers(found, expected, level, format, masks, known, by_row)]
    differs = tuple(name for name, answer in answers if answer is True)
    needed = [*odd, *((name, answer) for name, answer in answers if isinstance(answer, str))]
    verdict = "differs" if differs else "cannot tell" if needed else "agrees"
    return Judgement(verdict, differs, _merged(needed, known))


def odd_text(found: Diagnosis) -> str:
    """Return which rows do not fit where the others do."""
    first = f"row{'s' * (len(found.odd) > 1)} {', '.join(f'{row:,}' for row in found.odd)}"
    verb = "do" if len(found.odd) > 1 else "does"
    return f"{first} of the output {verb} not fit what the other {len(found.used):,} rows do"


def _merged(
    needed: Iterable[tuple[str, str]], known: dict[str, str]
) -> tuple[tuple[str, str], ...]:
    return tuple({**dict(needed), **known}.items())


_Answer = tuple[str, bool | str]
"""A name, and whether it differs; or why that cannot be told."""


def _answers(
    found: Diagnosis,
    expected: Expected,
    level: float,
    format: str,
    masks: Collection[str],
    known: dict[str, str],
    by_row: bool,
) -> Iterator[_Answer]:
    if by_row and expected.multiplier is not None:
        yield "temperature", True
    elif missing := _unknown_multiplier(found.multiplier, known):
        yield "multiplier", missing
    elif found.multiplier is not None and expected.multiplier is not None:
        yield "multiplier", not span(found.multiplier, format, level).holds(expected.multiplier)
    if expected.value_scale is not None:
        scale = found.value_scale
        if found.stretch is not None:
            scale = _beside(found.stretch, expected, level)
        elif expected.sink == NONE and isinstance(scale, Undecided):
            # What a sink would leave open is not: there is to be none.
            scale = scale.alone
        if scale is not None:
            yield "value_scale", not span(scale, format, level).holds(expected.value_scale)
        elif expected.needs("value_scale"):
            yield "value_scale", known.get("value_scale", "it was not found")
    if expected.softcap is not None:
        answer = _extra("softcap", found.softcap, expected.softcap, level, format, known)
        yield "softcap", answer
    is_captured = found.stretch is not None and found.stretch.with_sink is not None
    if expected.sink is not None and not (is_captured and expected.value_scale is not None):
        yield "sink", _extra("sink", found.sink, expected.sink, level, format, known)
    if expected.mask is not None:
        yield _mask(found, expected, level, masks, known)


def _beside(found: Stretch, expected: Expected, level: float) -> Estimate | None:
    """Return c beside the sink that is expected, or None where that is not known.

    A sink only shortens rows: where these are too long without one, it is the value scale.
    """
    if expected.sink not in (None, LEARNED, NONE):
        return found.with_sink
    low = found.alone.at(level).low
    if expected.sink == NONE or (low or 0.0) > (expected.value_scale or inf):
        return found.alone
    return None


def _unknown_multiplier(m: Estimate | None, known: dict[str, str]) -> str:
    """Return why m is not known, or nothing if it is."""
    if m is None:
        return known.get("multiplier", "it was not found")
    shown = m.at(SHOWN)
    if shown.value is None or shown.low is None or shown.high is None:
        return known.get("multiplier", "its interval has no ends")
    if shown.low <= 0.0 or shown.high > _WIDE * shown.low:
        return f"anything from {shown.low:.3g} to {shown.high:.3g} fits"
    return ""


def _extra(
    name: Literal["softcap", "sink"],
    found: Estimate | None,
    expected: float | Literal["none", "learned"],
    level: float,
    format: str,
    known: dict[str, str],
) -> bool | str:
    """Return whether a cap or a sink differs, of which none is the end of an interval."""
    if found is None:
        return False if expected == NONE else known.get(name, "it was not found")
    sure = found.at(level)
    if expected == NONE:
        towards_none = sure.high if name == "softcap" else sure.low
        return sure.value is not None and towards_none is not None
    if expected != LEARNED:
        margin = half_ulp(expected, format)
        low = -inf if sure.low is None else sure.low
        high = inf if sure.high is None else sure.high
        if not low - margin <= expected <= high + margin:
            return True
    if sure.value is not None:
        return False
    if name == "softcap":
        return f"logits are too small to tell a cap of {expected:g} from none"
    most = found.at(SHOWN).high
    largest = "" if most is None else f", or one of b = {most:.3g} at most"
    dropped = "; capture .sink to know whether it was dropped" if expected == LEARNED else ""
    return f"none was found{largest}{dropped}"


def _mask(
    found: Diagnosis,
    expected: Expected,
    level: float,
    masks: Collection[str],
    known: dict[str, str],
) -> _Answer:
    if found.sight is None:
        unknown = known.get("mask", "it was not found")
        return "mask", unknown if expected.needs("mask") else False
    if expected.mask in masks:
        return "mask", False
    if found.mask is None:
        return "mask", True
    if found.mask.by_position and expected.offset not in (None, found.mask.offset):
        if found.mask.kind != expected.mask or not found.mask.offset:
            return "mask", True
        at = f"it stands at key {found.mask.offset:,}, not {expected.offset:,}"
        return "query_offset", f"{at}; .positions would tell"
    if found.mask.kind == expected.mask == "window" and expected.window is not None:
        window = found.window.at(level) if found.window is not None else None
        low = found.mask.window if window is None else window.low
        high = found.mask.window if window is None else window.high
        inside = (low or 0) <= expected.window <= (inf if high is None else high)
        return "window", not inside
    return "mask", True


def span(found: Estimate, format: str, level: float) -> Span:
    """Return an interval, widened by half an ulp of its value in the capture's format."""
    interval = found.at(level)
    value = 0.0 if interval.value is None else interval.value
    margin = half_ulp(value, format)
    low = -inf if interval.low is None else interval.low - margin
    high = inf if interval.high is None else interval.high + margin
    return Span(value, low, high, margin)


def half_ulp(value: float, format: str) -> float:
    """Return half the distance between neighbours of a value in a number format.

    >>> half_ulp(1.0, "bfloat16")
    0.00390625
    """
    try:
        digits = int(limits(dtype_of(format)).nmant)
    except (TypeError, ValueError):
        digits = 23
    _, exponent = np.frexp(abs(value))
    return float(2.0 ** (int(exponent) - 2 - digits)) if value else 0.0
