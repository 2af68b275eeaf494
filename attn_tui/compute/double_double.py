"""Double-double arithmetic: numbers as sums of two float64, of some 31 digits.

Source: Dekker 1971, Numerische Mathematik 18; Joldes, Muller & Popescu 2017, ACM TOMS 44 (2).
"""

from dataclasses import dataclass
from math import factorial, log

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DoubleDouble:
    """Numbers high + low, of which high is what float64 rounds them to; both of one shape.

    Sizes between 1e-290 and 1e290 keep their digits.
    """

    high: Floats
    low: Floats

    def __add__(self, other: "DoubleDouble") -> "DoubleDouble":
        high, rest = _sum(self.high, other.high)
        low, last = _sum(self.low, other.low)
        high, rest = _ordered_sum(high, rest + low)
        return DoubleDouble(*_ordered_sum(high, rest + last))

    def __sub__(self, other: "DoubleDouble") -> "DoubleDouble":
        return self + DoubleDouble(-other.high, -other.low)

    def __mul__(self, other: "DoubleDouble") -> "DoubleDouble":
        high, low = product(self.high, other.high)
        low += self.high * other.low + self.low * other.high
        return DoubleDouble(*_ordered_sum(high, low))

    def __truediv__(self, other: "DoubleDouble") -> "DoubleDouble":
        quotient = self.high / other.high
        rest = self - other * exactly(quotient)
        return DoubleDouble(*_ordered_sum(quotient, rest.high / other.high))

    def __getitem__(self, places: slice | NDArray[np.bool_]) -> "DoubleDouble":
        return DoubleDouble(self.high[places], self.low[places])

    def times_power(self, exponent: int | NDArray[np.int64]) -> "DoubleDouble":
        """Return the numbers times a power of 2."""
        return DoubleDouble(np.ldexp(self.high, exponent), np.ldexp(self.low, exponent))

    def total(self) -> "DoubleDouble":
        """Return the sum of all, shape (1,), of at least one."""
        parts = self
        while (size := parts.high.size) > 1:
            half = size // 2
            parts, odd = parts[:half] + parts[half : 2 * half], parts[2 * half :]
            if odd.high.size:
                parts = DoubleDouble(np.append(parts.high, odd.high), np.append(parts.low, odd.low))
        return parts


def exactly(numbers: float | Floats) -> DoubleDouble:
    """Return numbers of float64 as what they are."""
    high = np.atleast_1d(np.asarray(numbers, np.float64))
    return DoubleDouble(high, np.zeros_like(high))


def product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the product of numbers of float64, and what rounding took from it."""
    rounded = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    rest = a_high * b_high - rounded
    rest += a_high * b_low + a_low * b_high
    rest += a_low * b_low
    return rounded, rest


def expm1(x: DoubleDouble) -> tuple[DoubleDouble, NDArray[np.int64]]:
    """Return y from −0.3 to 0.42 and whole k with e^x = (1 + y)·2^k, for |x| up to 1e4.

    A 32nd of what k leaves of x goes into a series, whose last terms need 16 digits only; each of
    five squarings makes (1 + y)² − 1 = y(y + 2) of y.
    """
    k = np.rint(x.high / log(2.0))
    t = (x - _LN_2 * exactly(k)).times_power(-5)
    series = exactly(np.zeros_like(k))
    for n in range(12, 4, -1):
        series = exactly(series.high * t.high + 1.0 / factorial(n))
    for n in (4, 3, 2, 1):
        series = series * t + exactly(1.0) / exactly(factorial(n))
    y = series * t
    for _ in range(5):
        y = y * (y + exactly(2.0))
    return y, k.astype(np.int64)


_LN_2 = DoubleDouble(np.array([0.6931471805599453]), np.array([2.3190468138462996e-17]))


def _sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the sum of numbers of float64, and what rounding took from it."""
    rounded = a + b
    of_b = rounded - a
    return rounded, (a - (rounded - of_b)) + (b - of_b)


def _ordered_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the same where no |b| is larger than its |a|."""
    rounded = a + b
    return rounded, b - (rounded - a)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    """Return two numbers of 26 bits that sum to each."""
    spread = 134_217_729.0 * a
    high = spread - (spread - a)
    return high, a - high
