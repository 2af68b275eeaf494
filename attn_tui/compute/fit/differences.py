"""The parts in which a fitted model differs from the reference."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from math import inf

import numpy as np

from attn_tui.compute.fit.estimates import Estimate, Interval
from attn_tui.compute.fit.model import Candidate, Reference
from attn_tui.compute.fit.noise import format_of
from attn_tui.compute.heads.head_model import LEARNED, PARTS, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

STRAIN = 20.0
"""Numbers differ only if fitting them raises 2 ln L by more than this over the references."""


def compared(candidate: Candidate, reference: Reference, head: HeadRows) -> Candidate:
    """Return a test with the parts in which its model differs from the reference.

    Args:
        candidate: A test of the head.
        reference: The expected model.
        head: The rows used.
    """
    model = candidate.model
    changes: set[Part] = set()
    if _is_other_mask(model.mask, reference, head):
        changes.add("mask")
    if model.softmax_twice:
        changes.add("softmax_twice")
    if model.law is not None:
        changes.add("law")
    if candidate.strain > STRAIN or model.law is not None:
        changes.update(_other_numbers(candidate, reference))
    return replace(candidate, changes=ordered(changes))


def ordered(parts: Collection[Part]) -> tuple[Part, ...]:
    """Return parts in the order in which reports name them."""
    return tuple(part for part in PARTS if part in parts)


def _is_other_mask(mask: HeadMask, reference: Reference, head: HeadRows) -> bool:
    """Return whether the rows used see other keys than expected."""
    expected = reference.model.mask
    if expected.kind == "given" and head.seen is None:
        return True  # A captured mask was left out.
    if "mask" not in reference.stated:
        is_open = mask.kind in ("causal", "none", "given") and not mask.inverted
        is_captured = (mask.hidden, mask.packed) == (expected.hidden, expected.packed)
        return bool(not is_open or not is_captured or mask.prefix or mask.chunk)
    if mask == expected and not mask.hidden:
        return False
    seen = mask.seen(head)
    sees = seen.any(axis=1)
    if mask.hidden and not sees.all():
        return True
    return not np.array_equal(seen[sees], expected.seen(head)[sees])


def _other_numbers(candidate: Candidate, reference: Reference) -> Iterator[Part]:
    """Yield the numbers whose intervals do not hold the expected value."""
    expected, observed = reference.model, candidate.estimates
    level, stored = reference.confidence, reference.format
    m, c = observed.get("multiplier"), observed.get("value_scale")
    # An m that grows as ln n cannot be compared with the reference.
    is_m = candidate.model.law is None or candidate.model.law.name != "log n"
    if m is not None and is_m and not holds(m.at(level), expected.multiplier, stored):
        yield "multiplier"
    if c is not None and not holds(c.at(level), expected.value_scale, stored):
        # A learned sink of unknown size only shortens rows.
        may_be_sink = expected.sink == LEARNED and "sink" in candidate.unknown
        if not may_be_sink or (c.at(level).low or 0.0) > expected.value_scale:
            yield "value_scale"
    if _differs(observed.get("softcap"), expected.softcap, level, stored):
        yield "softcap"
    sink = expected.sink
    if sink != LEARNED and _differs(observed.get("sink"), sink, level, stored):
        yield "sink"


def _differs(estimate: Estimate | None, expected: float | None, level: float, format: str) -> bool:
    """Return whether a cap or a sink differs; for both, no value is an end of the interval."""
    if estimate is None:
        return False
    sure = estimate.at(level)
    if expected is None:
        return None not in (sure.value, sure.low, sure.high)
    return not holds(replace(sure, value=expected), expected, format)


def holds(interval: Interval, value: float, format: str) -> bool:
    """Return whether an interval holds a number that may have been rounded to a format."""
    margin = half_ulp(interval.value or 0.0, format)
    low = -inf if interval.low is None else interval.low - margin
    high = inf if interval.high is None else interval.high + margin
    return low <= value <= high


def half_ulp(value: float, format: str) -> float:
    """Return half the distance between neighbours of a value in a number format.

    >>> half_ulp(1.0, "bfloat16")
    0.00390625
    """
    limits = format_of(format)
    _, exponent = np.frexp(abs(value))
    return float(2.0 ** (int(exponent) - 1 - limits.bits)) if value else 0.0
