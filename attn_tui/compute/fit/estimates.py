"""Estimates: a fitted number with its error, and what interval it has at a confidence."""

from dataclasses import dataclass
from math import hypot, inf, isfinite, log, sqrt
from typing import Protocol

from attn_tui.compute.fit.student import t_quantile

_DF_OF_BOUND = 8.0
"""Degrees of freedom by which a bound grows: one row at large logits is up to 6 errors off."""


@dataclass(frozen=True)
class Interval:
    """A number and where it may lie. None is no number: no cap, no sink, or no bound.

    Attributes:
        value: The number.
        low: The least it may be.
        high: The most it may be.
    """

    value: float | None
    low: float | None
    high: float | None


class Estimate(Protocol):
    """Something fitted, whose error is known where it was fitted: ln m, c, 1/cap² or e^b."""

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the interval at a level of confidence, below 1."""


@dataclass(frozen=True)
class Number:
    """A number with a standard error, or with a bound where few rows give none.

    Attributes:
        value: The number.
        error: Its standard error, or the bound.
        df: Degrees of freedom of Student's t; 0 where the error is a bound.
        bias: How far it may be off besides, at every confidence.
    """

    value: float
    error: float
    df: float
    bias: float = 0.0

    def half(self, confidence: float) -> float:
        """Return half the length of the interval at a level of confidence."""
        if self.error == inf:
            return self.error
        if not self.df:
            # Three formal errors; where more is asked for, the tails of rounding are not normal.
            return self.bias + self.error * max(1.0, t_quantile(confidence, _DF_OF_BOUND) / 3.0)
        return self.bias + self.error * t_quantile(confidence, self.df)

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the interval at a level of confidence, below 1."""
        half = self.half(confidence)
        if half == inf:
            return Interval(self.value, None, None)
        return Interval(self.value, self.value - half, self.value + half)


@dataclass(frozen=True)
class Beside:
    """Something that may be there besides, as a fit that has it finds it: none is 0.

    Attributes:
        weight: g of a cap, or e^b of a sink.
        pull: By how much what is estimated rises where that rises by 1.
        most: The largest weight that is thought of.
    """

    weight: Number
    pull: float
    most: float = inf


@dataclass(frozen=True)
class Undecided:
    """A number while it is undecided whether a cap or a sink is there besides.

    Attributes:
        alone: The number if nothing is.
        besides: What may be.
    """

    alone: Number
    besides: tuple[Beside, ...] = ()

    def at(self, confidence: float = 0.95) -> Interval:
        """Return what the number may be with nothing besides, and with each weight that may be.

        The likelihood of a pair is normal, so that the pairs which may be fill an ellipse, of which
        the part where the weight is not negative counts: its reach is the interval.
        """
        half = self.alone.half(confidence)
        shown = self.alone.at(confidence)
        low, high = shown.low, shown.high
        if low is None or high is None:
            return shown
        for beside in self.besides:
            span = beside.weight.half(confidence)
            pull, middle = beside.pull, beside.weight.value
            least, most = max(0.0, middle - span), min(beside.most, middle + span)
            if not (pull and least < most < inf):
                continue
            for sign in (-1, 1):
                # Where the ellipse reaches farthest; one without end is a strip.
                reach = hypot(half, pull * span) or 1.0
                away = sign * (pull * span / reach) * span if span < inf else sign * pull * 1e300
                weight = min(max(middle + away, least), most)
                rest = half * sqrt(max(0.0, 1 - ((weight - middle) / span) ** 2))
                end = self.alone.value + pull * weight + sign * rest
                low, high = min(low, end), max(high, end)
        low, high = (end if isfinite(end) else None for end in (low, high))
        return Interval(self.alone.value, low, high)


@dataclass(frozen=True)
class Cap:
    """A soft cap, by g = 1/cap².

    Attributes:
        curvature: g; none is 0.
        found: Whether there is one; if not, its value is None.
    """

    curvature: Number
    found: bool

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the cap, the least one, and the largest, None where that may be no cap at all."""
        g = self.curvature.at(confidence)
        low, high = _root(g.high), _root(g.low)
        return Interval(_root(self.curvature.value) if self.found else None, low, high)


@dataclass(frozen=True)
class Sink:
    """A sink's logit b, by its weight e^(b − level).

    Attributes:
        weight: That weight; none is 0.
        level: What it is relative to.
        found: Whether there is one; if not, its value is None.
    """

    weight: Number
    level: float
    found: bool

    def at(self, confidence: float = 0.95) -> Interval:
        """Return b, the least, None where that may be no sink at all, and the largest."""
        w = self.weight.at(confidence)
        low, high = self._logit(w.low), self._logit(w.high)
        return Interval(self._logit(self.weight.value) if self.found else None, low, high)

    def _logit(self, weight: float | None) -> float | None:
        return self.level + log(weight) if weight is not None and weight > 0 else None


def _root(curvature: float | None) -> float | None:
    return 1 / sqrt(curvature) if curvature is not None and curvature > 0 else None
