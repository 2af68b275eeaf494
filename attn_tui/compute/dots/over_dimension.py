"""What the law of q·k says over d_k: rows of a table, and lines on logarithmic axes."""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.dots.draws import Draws, Streams
from attn_tui.compute.dots.moments import Floats, Sums, read
from attn_tui.compute.experiment import Stop
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.number import NOTHING, Number
from attn_tui.compute.scale import RULES, Scale

_WORK = 2**24
"""A row draws as many q·k as are asked for, or as many as take so many random numbers."""


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes:
        d_k: The dimension.
        bound: Half the width of the range: 2√d_k for entries of variance 1.
        variance: Var(q·k).
        coverage: The probability of |q·k| ≤ ``bound``.
        draws: The size of the row's own sample so far.
        asked: What it will be.
        unknown: Why the exact coverage is not known, if it is not.
    """

    d_k: int
    bound: float
    variance: Number
    coverage: Number
    draws: int
    asked: int
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


class Sample:
    """A growing sample of q·k of one row.

    Args:
        law: The law of q·k.
        seed: What is drawn.
        part: Which streams of the seed.

    Attributes:
        key: The law and the seed.
        sums: What is kept of it.
        draws: Where it comes from.
    """

    def __init__(self, law: DotLaw, seed: int, *part: int) -> None:
        self.key = law, seed
        self.sums, self.draws = Sums(), Draws(law, Streams(seed, *part))

    @property
    def count(self) -> int:
        """How many were drawn."""
        return self.sums.count

    def asked(self, samples: int) -> int:
        """Return how many are drawn if so many are asked for."""
        return min(samples, max(1, _WORK // self.draws.cost))

    def grow(
        self, upto: int, stop: Stop, each: Callable[[Floats], None] = lambda deviations: None
    ) -> bool:
        """Draw until there are so many, and hand on what is drawn; say whether stopped."""
        while self.count < upto:
            if stop():
                return True
            deviations = self.draws.take(min(upto - self.count, self.draws.at_once))
            self.sums += Sums.of(deviations, self.key[0])
            each(deviations)
        return False

    def row(self, samples: int) -> Row:
        """Return the row of the table that it makes, if so many are asked for."""
        law, asked = self.key[0], self.asked(samples)
        if not self.count:
            return Row(law.d_k, law.bound, Number(nan, nan, law.variance), NOTHING, 0, asked)
        found = read(self.sums, law)
        unknown = "" if law.coverage is not None else law.unknown
        return Row(
            *(law.d_k, law.bound, found.variance, found.coverage),
            *(self.count, asked, unknown),
        )


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
