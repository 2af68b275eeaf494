"""Fitted numbers: their errors, clustered by query row, and what intervals they have."""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, hypot, inf, isfinite, log, pi, sqrt, tan
from typing import Protocol

import numpy as np

from attn_tui.compute.fit.head import Floats, Name, Path, State
from attn_tui.compute.fit.noise import Format
from attn_tui.compute.fit.solve import Fit, Products, coefficients

STEPS = 20_000
"""Places at which the tail is known."""


@lru_cache(maxsize=1 << 16)
def t_quantile(confidence: float, df: float) -> float:
    """Return t with P(|T| ≤ t) = confidence, to four digits or more.

    With t = √df/tan φ the density along φ is sinᵈᶠ⁻¹ φ, of which tails are sums along ln φ.

    Args:
        confidence: Above 0; 1 less it may be as small as 1e-12.
        df: Degrees of freedom, 5 or more.

    >>> round(t_quantile(0.95, 5.0), 4)
    2.5706
    """
    tail = max(1.0 - confidence, 1e-15)
    # The tail up to φ is less than 2·φᵈᶠ/df, so that it is tiny where the grid begins.
    least = min(log(tail) / df - 3.0, -10.0)
    along = np.linspace(least, log(pi / 2), STEPS)
    density = np.exp(df * along + (df - 1.0) * np.log(np.sinc(np.exp(along) / pi)))
    sums = np.maximum(np.cumsum(density[1:] + density[:-1]), 1e-300)
    return sqrt(df) / tan(exp(np.interp(log(tail * sums[-1]), np.log(sums), along[1:])))


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
        interval = self.alone.at(confidence)
        low, high = interval.low, interval.high
        if low is None or high is None:
            return interval
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


FEW = 8
"""Below so many rows errors are bounds."""
LOST = 2.0**-25
"""What c may be off besides, as a share of it: of rows whose largest weight is nearly 1, sums in
float32 lose what they add to 1 that is less than half its spacing, and all to the same side."""
CUT = 2.0**-10
"""What each may be off besides in TF32, as a share: some kernels cut digits instead of rounding, so
that all scores, or values, are smaller; and what a key loses is the same in all rows."""
FORMAL = 4.0
"""What is known of the noise beforehand counts as so many degrees of freedom."""


def numbers(known: Products, path: Path) -> dict[Name, Number]:
    """Return each fitted parameter with its error.

    Args:
        known: What was fitted.
        path: By the noise of which it was weighed.

    The variance is the sandwich whose clusters are query rows, with the correction CR2 and the
    degrees of freedom of Bell and McCaffrey (2002), as Pustejovsky and Tipton (2018) write them:
    right on average where the noise is what the path makes, and consistent where it is not. A row
    that decides alone fits itself, and its cluster shows no error: so the error is at least the
    formal one, which knows what rounding makes of it, and that adds degrees of freedom. With fewer
    than 8 rows it is the formal error, thrice: rounding has no tails.
    """
    names, values = known.names, known.values.tolist()
    size = np.sqrt(np.diagonal(known.by_row.sum(axis=0)))
    still = size == 0
    size = np.where(still, 1.0, size)
    by_row, score = known.by_row / (size * size[:, None]), known.scores / size
    powers, vectors = np.linalg.eigh(by_row.sum(axis=0))
    largest = max(float(powers.max()), 1e-300)
    told = powers > 1e-12 * largest
    root = (vectors * np.where(told, np.abs(powers), np.inf) ** -0.5) @ vectors.T
    inverse = root @ root
    # A parameter that the data leave free is known to no error at all.
    free = (np.square(vectors[:, ~told]).sum(axis=1) > 1e-6) | still
    chi_square = known.square / max(known.count - len(names), 1)
    formal = np.sqrt(np.diagonal(inverse) * max(chi_square, 1.0)) / size
    formal[free] = np.inf
    if len(score) < FEW:
        return {
            name: Number(value, 3 * error, 0.0, _lost(path, name) * abs(value))
            for name, value, error in zip(names, values, formal.tolist(), strict=True)
        }
    inside = root @ by_row @ root
    adjusted = root @ _inverse_root(np.eye(len(names)) - inside)
    influence = np.einsum("rab,bc,rc->ra", adjusted, root, score)
    errors = np.maximum(np.sqrt(np.square(influence).sum(axis=0)) / size, formal).tolist()
    # Rounded down, so that quantiles of many heads are few.
    degrees = np.floor(_degrees(adjusted, inside) + FORMAL).tolist()
    return {
        name: Number(value, error, df, _lost(path, name) * abs(value))
        for name, value, error, df in zip(names, values, errors, degrees, strict=True)
    }


def _lost(path: Path, name: Name) -> float:
    """Return what a parameter may be off besides, as a share of it."""
    if path == "tf32":
        return CUT
    return LOST if name == "value_scale" else 0.0


def _degrees(adjusted: Floats, inside: Floats) -> Floats:
    """Return the degrees of freedom of each parameter's variance by Satterthwaite, shape (names,).

    The variance is Σ_g (a_g·e_g)²; its expectation and variance under independent noise are the
    trace and the sum of squares of G = D − T·Tᵀ, the matrix of a_g·(I − H)_gh·a_h. D is diagonal,
    a_g = X_g·root·y_g, and T has as many columns as there are parameters: G itself is not needed.
    """
    through = adjusted @ inside
    own = (through * adjusted).sum(axis=2)
    lengths = np.square(through).sum(axis=2)
    total = (own - lengths).sum(axis=0)
    by_name = through.swapaxes(0, 1)
    crossed = np.square(by_name.swapaxes(1, 2) @ by_name).sum(axis=(1, 2))
    square = (own * own - 2 * own * lengths).sum(axis=0) + crossed
    return np.where(square > 0, np.maximum(total * total / np.maximum(square, 1e-300), 1.0), 1.0)


def _inverse_root(matrices: Floats) -> Floats:
    """Return the power −½ of symmetric matrices, shape (…, n, n), in whose null space it is 0."""
    values, vectors = np.linalg.eigh(matrices)
    raised = np.where(values > 1e-9, values, np.inf) ** -0.5
    return np.asarray((vectors * raised[..., None, :]) @ vectors.swapaxes(-1, -2))


def hidden_logits(state: State, format: Format) -> Floats:
    """Return by how much logits are larger than the cap makes them, shape (r, n).

    x = m·s/cap is a number of the format, and tanh x is rounded to a whole number of its units
    below it: where x − tanh x is less than half of one, not at all. That is no noise: it has the
    same sign for neighbouring x, as a smaller cap has, or a larger m.
    """
    root = sqrt(state.parameters.curvature)
    tanh = np.minimum(np.abs(root * state.logits), 1 - 2.0**-52)
    below = np.arctanh(tanh) - tanh
    unit = format.spacing(tanh)
    left = (below - unit * np.round(below / unit)) / root
    return np.asarray(left * np.sign(state.logits))


def allowed(fit: Fit, numbers: dict[Name, Number], shift: Floats) -> dict[Name, Number]:
    """Return numbers whose intervals hold what was fitted with and without a systematic error.

    Args:
        fit: The fit.
        numbers: What it found.
        shift: What the error adds to what was fitted, freed of noise as the fit's slopes are.
    """
    off = coefficients(fit.slopes, shift)
    corrected = dict(numbers)
    for name, by in zip(fit.names, off.tolist(), strict=True):
        known = numbers[name]
        corrected[name] = replace(known, value=known.value - by / 2, bias=known.bias + abs(by) / 2)
    return corrected


def unseen_cap(fit: Fit, curvature: Number, format: Format) -> Number:
    """Return g of a head without a cap, with what rounding may hide of one."""
    p, square = fit.state.weights, np.square(fit.state.logits)
    hidden = 3 * 2.0**-format.bits * float((p * square**2).sum())
    hidden /= max(float((p * square**3).sum()), 1e-300)
    return replace(curvature, error=float(np.hypot(curvature.error, hidden / 2)))


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


def usual(interval: Interval, d_k: int) -> float | None:
    """Return the multiplier in use that an interval holds, or what was found.

    >>> usual(Interval(0.08331, 0.08325, 0.08337), 64) == 144**-0.5
    True
    """
    m, low, high = interval.value, interval.low, interval.high
    if m is None or low is None or high is None or low <= 0.0:
        return m
    every = [*of_size(float(d_k)).values()]
    if low**-2.0 - high**-2.0 < CHANCE and (a := dimension_near(m)) is not None:
        every.append(a**-0.5)
    return next((multiplier for multiplier in every if low <= multiplier <= high), m)
