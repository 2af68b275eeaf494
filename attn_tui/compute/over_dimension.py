"""What the law of q·k says over d_k: rows of a table, and lines on logarithmic axes."""

from dataclasses import dataclass
from functools import lru_cache
from math import nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.dot_draws import Draws, Streams
from attn_tui.compute.dot_law import DotLaw
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.moments import Sums, read
from attn_tui.compute.number import NOTHING, Number
from attn_tui.compute.scale import RULES, Scale

_DRAWS, _WORK = 2**14, 2**23
"""A row has a sample of so many q·k, or as many as take so many random numbers."""


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes:
        d_k: The dimension.
        bound: Half the width of the range: 2√d_k for entries of variance 1.
        variance: Var(q·k).
        coverage: The probability of |q·k| ≤ ``bound``.
        draws: The size of the row's own sample; 0 if it is not drawn yet.
        unknown: Why the exact coverage is not known, if it is not.
    """

    d_k: int
    bound: float
    variance: Number
    coverage: Number
    draws: int
    unknown: str = ""


@dataclass(frozen=True, eq=False)
class Growth:
    """The exact standard deviation of m·q·k over d_k under one rule.

    Attributes:
        rule: A name in `RULES`.
        formula: m as text.
        d_k: Shape (D,), rising.
        standard_deviation: Shape (D,).
        slope: By which power of d_k it grows, exactly.
    """

    rule: str
    formula: str
    d_k: NDArray[np.int64]
    standard_deviation: NDArray[np.float64]
    slope: float


def empty_row(law: DotLaw) -> Row:
    """Return a row whose sample is not drawn yet."""
    return Row(law.d_k, law.bound, Number(nan, nan, law.variance), NOTHING, 0)


@lru_cache(maxsize=256)
def sampled_row(law: DotLaw, seed: int, part: int) -> Row:
    """Return a row with a sample of its own, from the streams of a part of the seed."""
    draws = Draws(law, Streams(seed, part, law.d_k))
    left = max(1, min(_DRAWS, _WORK // draws.cost))
    sums = Sums()
    while left:
        deviations = draws.take(min(left, draws.at_once))
        sums += Sums.of(deviations, law)
        left -= deviations.size
    found = read(sums, law)
    return Row(law.d_k, law.bound, found.variance, found.coverage, sums.count, law.unknown)


def growth(law: DotLaw, n_attended: int) -> tuple[Growth, ...]:
    """Return the lines of the rules 1, 1/√d_k and 1/d_k, for a law at any d_k."""
    d_ks = np.array(D_K.stops)
    deviations = np.array([DotLaw(law.pair, d_k, law.tied).standard_deviation for d_k in D_K.stops])
    lines = []
    for rule, power in (("none", 0.0), ("inverse-sqrt", 0.5), ("inverse", 1.0)):
        multipliers = [Scale(rule).multiplier(d_k, max(n_attended, 1)) for d_k in D_K.stops]
        slope = (1.0 if law.tied else 0.5) - power
        lines.append(
            Growth(rule, RULES[rule].formula, d_ks, deviations * np.array(multipliers), slope)
        )
    return tuple(lines)
