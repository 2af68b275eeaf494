"""Multipliers that are in use: which of them one that was found may be."""

from math import inf

from attn_tui.compute.fit.estimates import Interval

CHANCE = 2.0
"""An a that may lie anywhere in so wide a range is a multiple of 8 by chance, one time in four."""


def of_size(d_k: float) -> dict[str, float]:
    """Return multipliers that follow from d_k, by what ``--rule`` calls them where it has them."""
    return {
        "inverse-sqrt": d_k**-0.5,
        "none": 1.0,
        "inverse": 1.0 / d_k,
        "inverse-fourth-root": d_k**-0.25,
        "sqrt": d_k**0.5,
    }


def dimension_near(m: float) -> float | None:
    """Return the multiple of 8 that is nearest to a where m is 1/√a, or None.

    >>> dimension_near(0.0833), dimension_near(8.0)
    (144.0, None)
    """
    a = m**-2.0 if m > 0.0 else inf
    return 8.0 * round(a / 8.0) or None if a < 1e6 else None


def usual(found: Interval, d_k: int) -> float | None:
    """Return the multiplier in use that an interval holds, or what was found.

    >>> usual(Interval(0.08331, 0.08325, 0.08337), 64) == 144**-0.5
    True
    """
    m, low, high = found.value, found.low, found.high
    if m is None or low is None or high is None or low <= 0.0:
        return m
    every = [*of_size(float(d_k)).values()]
    if low**-2.0 - high**-2.0 < CHANCE and (a := dimension_near(m)) is not None:
        every.append(a**-0.5)
    return next((each for each in every if low <= each <= high), m)
