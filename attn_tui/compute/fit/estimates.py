"""Fitted numbers: their errors, clustered by query row, and their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, hypot, inf, isfinite, log, pi, sqrt, tan
from typing import Protocol

import numpy as np

from attn_tui.compute.fit.head import Floats, Name, Path
from attn_tui.compute.fit.noise import Format
from attn_tui.compute.fit.solve import Fit, InnerProducts, coefficients

STEPS = 20_000
"""Grid points at which the tail is computed."""


@lru_cache(maxsize=1 << 16)
def t_quantile(confidence: float, df: float) -> float:
    """Return t with P(|T| ≤ t) = confidence, to four digits or more.

    With t = √df/tan φ the density in φ is sinᵈᶠ⁻¹ φ; its tails are summed along ln φ.

    Args:
        confidence: Above 0; 1 − confidence may be as small as 1e-12.
        df: Degrees of freedom, 5 or more.

    >>> round(t_quantile(0.95, 5.0), 4)
    2.5706
    """
    tail = max(1.0 - confidence, 1e-15)
    # The tail up to φ is less than 2·φᵈᶠ/df, which is tiny where the grid begins.
    least = min(log(tail) / df - 3.0, -10.0)
    along = np.linspace(least, log(pi / 2), STEPS)
    density = np.exp(df * along + (df - 1.0) * np.log(np.sinc(np.exp(along) / pi)))
    sums = np.maximum(np.cumsum(density[1:] + density[:-1]), 1e-300)
    return sqrt(df) / tan(exp(np.interp(log(tail * sums[-1]), np.log(sums), along[1:])))


_DF_OF_BOUND = 8.0
"""Degrees of freedom for the growth of a bound: one row at large logits is up to 6 errors off."""


@dataclass(frozen=True)
class Interval:
    """A number and its range. None means no number: no cap, no sink, or no bound.

    Attributes:
        value: The number.
        low: The least it may be.
        high: The most it may be.
    """

    value: float | None
    low: float | None
    high: float | None


class Estimate(Protocol):
    """A fitted number with intervals; its error is that of the fitted m, c, 1/cap² or e^b."""

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the interval at a level of confidence, below 1."""


@dataclass(frozen=True)
class FittedNumber:
    """A number with a standard error, or with a bound if there are too few rows for one.

    Attributes:
        value: The number.
        error: Its standard error, or the bound.
        df: Degrees of freedom of Student's t; 0 where the error is a bound.
        bias: A further systematic error, the same at every confidence.
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
            # Three formal errors; at higher confidence the tails of rounding are not normal.
            return self.bias + self.error * max(1.0, t_quantile(confidence, _DF_OF_BOUND) / 3.0)
        return self.bias + self.error * t_quantile(confidence, self.df)

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the interval at a level of confidence, below 1."""
        half = self.half(confidence)
        if half == inf:
            return Interval(self.value, None, None)
        return Interval(self.value, self.value - half, self.value + half)


@dataclass(frozen=True)
class Undetected:
    """A cap or a sink that may be present undetected, as the fit that adds it finds it.

    Attributes:
        weight: g of a cap, or e^b of a sink; 0 is none.
        pull: How much the estimated number rises if the weight rises by 1.
        most: The largest weight to consider.
    """

    weight: FittedNumber
    pull: float
    most: float = inf


@dataclass(frozen=True)
class Undecided:
    """A number while it is undecided whether a cap or a sink is present.

    Attributes:
        alone: The number if neither is present.
        besides: The caps and sinks that may be.
    """

    alone: FittedNumber
    undetected: tuple[Undetected, ...] = ()

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the range of the number without a cap or sink, and with each possible weight.

        The likelihood of number and weight is normal, so that the possible pairs fill an ellipse;
        the interval is the extent of its part where the weight is not negative.
        """
        half = self.alone.half(confidence)
        interval = self.alone.at(confidence)
        low, high = interval.low, interval.high
        if low is None or high is None:
            return interval
        for extra in self.undetected:
            span = extra.weight.half(confidence)
            pull, middle = extra.pull, extra.weight.value
            least, most = max(0.0, middle - span), min(extra.most, middle + span)
            if not (pull and least < most < inf):
                continue
            for sign in (-1, 1):
                # The weight where the ellipse reaches farthest; an unbounded ellipse is a strip.
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
        curvature: g; 0 is no cap.
        is_present: Whether there is a cap; if not, its value is None.
    """

    curvature: FittedNumber
    is_present: bool

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the cap and its least and largest value; the last is None if there may be none."""
        g = self.curvature.at(confidence)
        low, high = _root(g.high), _root(g.low)
        return Interval(_root(self.curvature.value) if self.is_present else None, low, high)


@dataclass(frozen=True)
class Sink:
    """A sink's logit b, by its weight e^(b − level).

    Attributes:
        weight: The weight; 0 is no sink.
        level: The logit that the weight is relative to.
        is_present: Whether there is a sink; if not, its value is None.
    """

    weight: FittedNumber
    level: float
    is_present: bool

    def at(self, confidence: float = 0.95) -> Interval:
        """Return b and its least and largest value; the least is None if there may be none."""
        w = self.weight.at(confidence)
        low, high = self._logit(w.low), self._logit(w.high)
        return Interval(self._logit(self.weight.value) if self.is_present else None, low, high)

    def _logit(self, weight: float | None) -> float | None:
        return self.level + log(weight) if weight is not None and weight > 0 else None


def _root(curvature: float | None) -> float | None:
    return 1 / sqrt(curvature) if curvature is not None and curvature > 0 else None


FEW = 8
"""With fewer rows than this, errors are bounds."""
BOUND = 3.0
"""A bound is this many formal errors: rounding has no tails."""
LOST = 2.0**-25
"""The systematic error of c, as a share of it: in rows whose largest weight is nearly 1, float32
sums lose terms below half the spacing of 1, all to the same side."""
CUT = 2.0**-10
"""The systematic error of each number in TF32, as a share of it: some kernels truncate instead of
rounding, so that all scores, or values, shrink; and a key loses the same in all rows."""
FORMAL = 4.0
"""The prior knowledge of the noise counts as this many degrees of freedom."""


def numbers(products: InnerProducts, path: Path) -> dict[Name, FittedNumber]:
    """Return each fitted parameter with its error.

    Args:
        products: The products of the fit.
        path: The path whose noise weighs the fit.

    The variance is the sandwich whose clusters are query rows, with the correction CR2 and the
    degrees of freedom of Bell and McCaffrey (2002), as Pustejovsky and Tipton (2018) write them:
    unbiased if the noise is the rounding of the path, and consistent otherwise. A row that decides
    alone fits itself, and its cluster shows no error: so the error is at least the formal one,
    which knows the rounding noise, and that adds degrees of freedom. With fewer than 8 rows it is
    three times the formal error: rounding has no tails.
    """
    names, values = products.names, products.values.tolist()
    size = np.sqrt(np.diagonal(products.by_row.sum(axis=0)))
    still = size == 0
    size = np.where(still, 1.0, size)
    by_row, score = products.by_row / (size * size[:, None]), products.scores / size
    powers, vectors = np.linalg.eigh(by_row.sum(axis=0))
    largest = max(float(powers.max()), 1e-300)
    determined = powers > 1e-12 * largest
    root = (vectors * np.where(determined, np.abs(powers), np.inf) ** -0.5) @ vectors.T
    inverse = root @ root
    # A parameter that the data leave free has an infinite error.
    free = (np.square(vectors[:, ~determined]).sum(axis=1) > 1e-6) | still
    chi_square = products.square / max(products.count - len(names), 1)
    formal = np.sqrt(np.diagonal(inverse) * max(chi_square, 1.0)) / size
    formal[free] = np.inf
    if len(score) < FEW:
        return {
            name: FittedNumber(value, BOUND * error, 0.0, _lost(path, name) * abs(value))
            for name, value, error in zip(names, values, formal.tolist(), strict=True)
        }
    inside = root @ by_row @ root
    adjusted = root @ _inverse_root(np.eye(len(names)) - inside)
    influence = np.einsum("rab,bc,rc->ra", adjusted, root, score)
    errors = np.maximum(np.sqrt(np.square(influence).sum(axis=0)) / size, formal).tolist()
    # Rounded down, so that many heads share the cached quantiles.
    degrees = np.floor(_degrees(adjusted, inside) + FORMAL).tolist()
    return {
        name: FittedNumber(value, error, df, _lost(path, name) * abs(value))
        for name, value, error, df in zip(names, values, errors, degrees, strict=True)
    }


@dataclass(frozen=True, eq=False)
class Shifts:
    """How far each of several numbers would move, fitted by itself, in one step.

    Attributes:
        values: The steps, shape (names,).
        errors: Their standard errors, as `numbers` has them; bounds with few rows.
        df: Degrees of freedom; 0 where errors are bounds.
    """

    values: Floats
    errors: Floats
    df: Floats


def shifts(slopes: Floats, residual: Floats) -> Shifts:
    """Return the step of each number by itself, as `numbers` would for one name at a time.

    Args:
        slopes: ∂ output along each number, whitened, shape (names, r, d_v).
        residual: Output less model, whitened, shape (r, d_v).
    """
    with np.errstate(all="ignore"):
        by_row = np.square(slopes).sum(axis=2)
        scores = (slopes * residual).sum(axis=2)
        total = by_row.sum(axis=1)
        values = np.where(total > 0, scores.sum(axis=1) / total, 0.0)
        left = float(np.square(residual).sum()) - values * scores.sum(axis=1)
        chi_square = left / max(residual.size - 1, 1)
        formal = np.sqrt(np.maximum(chi_square, 1.0) / total)
        if len(residual) < FEW:
            return Shifts(values, BOUND * formal, np.zeros(len(values)))
        shares = by_row / total[:, None]
        rest = np.where(1 - shares > 1e-9, 1 - shares, np.inf)
        influence = np.square(scores - values[:, None] * by_row) / rest
        errors = np.maximum(np.sqrt(influence.sum(axis=1)) / total, formal)
        parts, lengths = shares / rest, np.square(shares) / rest
        square = (parts * parts - 2 * parts * lengths).sum(axis=1) + np.square(lengths.sum(axis=1))
        freedom = np.square((parts - lengths).sum(axis=1)) / square
        df = np.where(square > 0, np.maximum(freedom, 1.0), 1.0)
    is_still = ~(total > 0) | ~np.isfinite(errors)
    return Shifts(values, np.where(is_still, np.inf, errors), np.floor(df + FORMAL))


def _lost(path: Path, name: Name) -> float:
    """Return the systematic error of a parameter, as a share of it."""
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
    products = (through * adjusted).sum(axis=2)
    lengths = np.square(through).sum(axis=2)
    total = (products - lengths).sum(axis=0)
    by_name = through.swapaxes(0, 1)
    crossed = np.square(by_name.swapaxes(1, 2) @ by_name).sum(axis=(1, 2))
    square = (products * products - 2 * products * lengths).sum(axis=0) + crossed
    return np.where(square > 0, np.maximum(total * total / np.maximum(square, 1e-300), 1.0), 1.0)


def _inverse_root(matrices: Floats) -> Floats:
    """Return the power −½ of symmetric matrices, shape (…, n, n), with 0 on their null space."""
    values, vectors = np.linalg.eigh(matrices)
    raised = np.where(values > 1e-9, values, np.inf) ** -0.5
    return np.asarray((vectors * raised[..., None, :]) @ vectors.swapaxes(-1, -2))


def allowed(
    fit: Fit, numbers: dict[Name, FittedNumber], shifts: Sequence[Floats]
) -> dict[Name, FittedNumber]:
    """Return numbers whose intervals hold the fit without a systematic error, and with each.

    Args:
        fit: The fit.
        numbers: The numbers that it found.
        shifts: The change of the output by each possible error, whitened as the fit's slopes are.
    """
    changes = np.array([coefficients(fit.slopes, shift) for shift in shifts])
    corrected = dict(numbers)
    for name, by in zip(fit.names, changes.T.tolist(), strict=True):
        low, high = min(0.0, *by), max(0.0, *by)
        number = numbers[name]
        value = number.value - (low + high) / 2
        corrected[name] = replace(number, value=value, bias=number.bias + (high - low) / 2)
    return corrected


def unseen_cap(fit: Fit, curvature: FittedNumber, format: Format) -> FittedNumber:
    """Return g of a head without a cap, its error widened by the cap that rounding may hide."""
    p, square = fit.state.weights, np.square(fit.state.logits)
    hidden = 3 * 2.0**-format.bits * float((p * square**2).sum())
    hidden /= max(float((p * square**3).sum()), 1e-300)
    return replace(curvature, error=float(np.hypot(curvature.error, hidden / 2)))


CHANCE = 2.0
"""A range of a this wide holds a multiple of 8 by chance one time in four."""


def of_size(d_k: float) -> dict[str, float]:
    """Return the multipliers that follow from d_k, by their names in ``--rule``."""
    return {
        "inverse-sqrt": d_k**-0.5,
        "none": 1.0,
        "inverse": 1.0 / d_k,
        "inverse-fourth-root": d_k**-0.25,
        "sqrt": d_k**0.5,
    }


def closest_dimension(m: float) -> float | None:
    """Return the multiple of 8 nearest to a = 1/m², or None.

    >>> closest_dimension(0.0833), closest_dimension(8.0)
    (144.0, None)
    """
    a = m**-2.0 if m > 0.0 else inf
    return 8.0 * round(a / 8.0) or None if a < 1e6 else None


def usual(interval: Interval, d_k: int) -> float | None:
    """Return the usual multiplier that an interval holds, or else its value.

    >>> usual(Interval(0.08331, 0.08325, 0.08337), 64) == 144**-0.5
    True
    """
    m, low, high = interval.value, interval.low, interval.high
    if m is None or low is None or high is None or low <= 0.0:
        return m
    every = [*of_size(float(d_k)).values()]
    if low**-2.0 - high**-2.0 < CHANCE and (a := closest_dimension(m)) is not None:
        every.append(a**-0.5)
    return next((multiplier for multiplier in every if low <= multiplier <= high), m)
