"""Is an output what a model gives, to the rounding of its number format?

Two tests, and an output passes if it passes both. In each row, every number lies within what honest
arithmetic of the format can make; and no number of the model moves significantly in one step of
Gauss–Newton. The first sees one wrong number; the second sees an error that is smaller than
rounding, but the same in all rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import copysign, inf, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import rounded
from attn_tui.compute.fit.estimates import (
    BOUND,
    CUT,
    LOST,
    FittedNumber,
    Shifts,
    shifts,
)
from attn_tui.compute.fit.head import NAMES, FitRows, Floats, Name, Path, State
from attn_tui.compute.fit.noise import STEPWISE, Format, Noise, Rounding
from attn_tui.compute.fit.solve import relative_residual
from attn_tui.compute.fit.staircase import most_by_tanh, reach_of_exponentials, shifts_by_steps

LEVEL = 0.0005
"""The share of honest captures that may be taken for wrong ones."""
ROOM = 1.25
"""Rounding errors may be this many times as large as the model of noise says."""
ROOM_OF_SUMS = 2.0
"""In float32 the sums decide, whose errors depend on their order."""
ROOM_SQUARED = 2.0
"""The sum of squares of a row's errors may be this many times as large."""
UNITS = 1.0
"""The output itself may be rounded twice: half a unit each time."""
MOST_SIGMAS: Mapping[Name, float] = {
    "multiplier": 1.5, "curvature": 1.5, "value_scale": 2.0, "sink": 2.0,
}  # fmt: skip
"""A number moves if it moves by this many times what normal errors would. In rows of few keys those
of a sum are not normal, and a sum stretches rows as a value scale and a sink do."""
STEPS: Mapping[Path, int] = {"flash": 1, "eager": 2, "stepwise": 3}
"""How often a logit or a weight is rounded without a cap and a bias, each time by at most √3 times
its deviation. Subtracting the largest logit, on ``stepwise``, rounds nothing near it."""
CAP_STEPS = 3
"""How often a cap rounds a logit: z/c, its tanh, and that times c."""
FIRM = 1.1
"""Such a bound leaves this much room for errors of float32."""
LEAST_ADDED = 2.0**-24
"""Float32 sums of weights may lose smaller ones altogether."""
ALMOST = 4.0
"""A weight that misses 1 by at most this many half units makes a row the value of one key."""
COARSE = 30 * 2.0**-23
"""Approximate exponentials of float32 kernels leave errors up to this share of Σ p·|v|."""


@dataclass(frozen=True)
class NewtonStep:
    """How far a number moved, beyond what arithmetic explains, with the standard error of rounding.

    Attributes:
        value: The step.
        error: Its standard error.
    """

    value: float
    error: float


POOLED: tuple[Name, ...] = ("multiplier", "curvature")
"""The numbers that the heads of a layer share, and whose errors are like noise in all of them."""
POOLED_SIGMAS = 1.15
"""A number moves in several heads together if it moves by this many times what normal errors would.
In 2,200 layers of honest heads it moved by 3.6 standard errors at most; this asks for 4.2."""
LEAST_OTHERS = 0.3
"""The least share of the weight that heads beside the heaviest one need to decide with it."""
LEAST_POOLED = 3.0
"""One head at least must show by itself, to so many standard errors, what all show together: an
honest one does in 1 of 370."""


def pooled(steps: Sequence[NewtonStep], level: float) -> NewtonStep | None:
    """Return the step of a number that heads show together, if it is significant; else None.

    A head with few rows may pass with a wrong m or cap; many such heads do not. Where one head has
    almost all of the weight, it decides alone. Its own test does this better: it allows for errors
    that are not normal, as those of two or three rows are.

    Args:
        steps: The step of the number in each head.
        level: The share of honest layers that may be taken for wrong ones.
    """
    sure = [step for step in steps if 0 < step.error < inf]
    if not any(abs(step.value) > LEAST_POOLED * step.error for step in sure):
        return None
    weights = np.array([step.error**-2.0 for step in sure])
    sigmas = POOLED_SIGMAS * _normal(level / len(POOLED))
    if weights.sum() - weights.max() < LEAST_OTHERS * weights.sum():
        return None
    value = float((weights * [step.value for step in sure]).sum() / weights.sum())
    error = float(weights.sum() ** -0.5)
    is_significant = abs(value) > sigmas * error
    return NewtonStep(value, error) if is_significant else None


@dataclass(frozen=True, eq=False)
class Comparison:
    """How far an output is from what a model gives.

    Attributes:
        excess: The error of each row in units of what is allowed, shape (r,); NaN or an infinity in
            the output is an infinite error.
        moved: The numbers that move significantly.
        path: The rounding path that is likeliest.
        coarseness: How many times the rounding of float32 the largest error is, if the output
            passes only because kernels may approximate exponentials; else 0.
        steps: How far m and the cap moved, though not significantly, to be pooled over heads.
    """

    excess: NDArray[np.float64]
    moved: tuple[Name, ...]
    path: Path
    coarseness: float = 0.0
    steps: Mapping[Name, NewtonStep] = field(default_factory=dict)

    @property
    def passes(self) -> bool:
        """Whether the output is what the model gives."""
        return self.coarseness > 0 or (bool((self.excess <= 1).all()) and not self.moved)

    @property
    def wrong(self) -> NDArray[np.intp]:
        """The places of the rows that are off by more than is allowed, the worst first."""
        order = np.argsort(-self.excess, kind="stable")
        return np.asarray(order[self.excess[order] > 1])


@dataclass(frozen=True, eq=False)
class Prediction:
    """The output of a model on the rows of a head, with its noise under the likeliest path.

    Attributes:
        rows: The rows, under the mask of the model.
        state: The head, computed with the model's numbers.
        noise: The noise of the output.
        format: The number format of the arithmetic.
        path: The path of the noise.
        slopes: ∂out along each number, whitened, shape (names, r, d_v).
        level: The share of honest heads that may be taken for wrong ones.
        margins: How far each number may be from the model's without counting.
    """

    rows: FitRows
    state: State
    noise: Noise
    format: Format
    path: Path
    slopes: Floats
    level: float
    margins: Mapping[Name, float] = field(default_factory=dict)
    _biases: dict[Name, tuple[float, float]] = field(default_factory=dict, init=False)

    @cached_property
    def comparison(self) -> Comparison:
        """How far the captured output is from the model."""
        return self.compared(self.rows.output)

    def compared(self, output: Floats, is_fitted: bool = False) -> Comparison:
        """Return how far an output of these rows is from the model.

        Args:
            output: Shape (r, d_v).
            is_fitted: Whether the numbers of the model were fitted to the output, so that none can
                move.
        """
        apart = output - self.state.output
        excess = self.excess(output)
        if not np.isfinite(apart).all():
            return Comparison(excess, (), self.path)
        moved, steps = self._steps(apart) if not is_fitted else ((), {})
        coarseness = 0.0
        if self.format.bits == 24 and not moved and (excess > 1).any():
            errors = np.abs(apart).max(axis=1, initial=0.0) / self._sizes
            coarseness = float(errors.max() / 2.0**-24) if (errors <= COARSE).all() else 0.0
        return Comparison(excess, moved, self.path, coarseness, steps)

    def excess(self, output: Floats) -> NDArray[np.float64]:
        """Return the error of each row in units of what is allowed, shape (r,)."""
        apart = output - self.state.output
        apart = np.where(np.isfinite(apart), apart, inf)
        excess = np.maximum(self._by_number(output, apart), self._by_row(apart))
        excess = np.maximum(excess, self._by_length(apart))
        return np.where(np.isfinite(apart).all(axis=1), excess, inf)

    def part(self, rows: NDArray[np.intp]) -> "Prediction":
        """Return the prediction of some of the rows."""
        if len(rows) == len(self.rows.output):
            return self
        return replace(
            self, rows=self.rows.part(rows), state=self.state.part(rows),
            noise=self.noise.part(rows), slopes=self.slopes[:, rows],
        )  # fmt: skip

    @property
    def residual(self) -> float:
        """‖out − model‖/‖out‖ over the rows whose output is finite; NaN if none is."""
        finite = np.flatnonzero(np.isfinite(self.rows.output).all(axis=1))
        part = self.part(finite)
        return relative_residual(part.rows, part.state) if len(finite) else nan

    @property
    def rounding(self) -> float:
        """The residual that rounding alone would leave."""
        size = float(np.square(self.rows.output[np.isfinite(self.rows.output)]).sum()) or 1.0
        return float(np.sqrt(self.noise.variance.sum() / size))

    @property
    def log_likelihood(self) -> float:
        """2 ln L of the captured output, up to a constant."""
        apart = self.rows.output - self.state.output
        return -float(np.square(self.noise.whitened(apart)).sum()) - self.noise.log_determinant

    @property
    def is_snug(self) -> bool:
        """Whether rounding alone leaves a residual as large as this one, by chance.

        Its square is a sum of squares of errors, of which a few may be most: it is spread like χ²
        of as many numbers as have the same spread (Satterthwaite, 1946).
        """
        count = np.full(1, self.noise.freedom)
        bound = float((_chi_square(self.level, count) / count)[0])
        return self.residual <= self.rounding * sqrt(bound)

    @property
    def _sizes(self) -> Floats:
        """Max Σ p·|v| of each row, shape (r,)."""
        size = self.state.weights @ np.abs(self.rows.values)
        size = np.abs(self.state.parameters.value_scale) * size.max(axis=1, initial=0.0)
        return np.asarray(np.maximum(size, 1e-300), np.float64)

    def _by_number(self, output: Floats, apart: Floats) -> Floats:
        """Return the largest error of each row in units of its bound, shape (r,)."""
        captured = np.where(np.isfinite(output), output, 0.0)
        unit = self.format.spacing(np.maximum(np.abs(captured), np.abs(self.state.output)))
        by_output, rest = self._rounded
        # Numbers near 0 are rounded so finely that one of them would decide alone.
        unit = np.maximum(unit, np.sqrt(12 * by_output))
        room = ROOM if self.format.bits < 24 else ROOM_OF_SUMS
        sigmas = room * _normal(self.level / max(2 * apart.size, 1))
        bound = UNITS * unit + np.minimum(sigmas * rest, self._firm(rest, sigmas))
        return np.asarray((np.abs(apart) / bound).max(axis=1, initial=0.0))

    def _firm(self, rest: Floats, sigmas: float) -> Floats | float:
        """Return a bound of errors, if few of them matter: each is at most some half units.

        Args:
            rest: The deviation of each number without the output's own rounding, shape (r, d_v).
            sigmas: How many deviations the errors may be that are not looked at one by one.
        """
        pushes, most = self.noise.pushes, self._most_sigmas
        if pushes is None or most is None:
            return inf
        left = np.sqrt(np.maximum(np.square(rest) - np.square(pushes).sum(axis=1), 0.0))
        return np.asarray((most * np.abs(pushes)).sum(axis=1) + sigmas * left)

    @property
    def _most_sigmas(self) -> Floats | None:
        """How many deviations each error that is looked at may be, shape (k, 1), or None."""
        pushes = self.noise.pushes
        if pushes is None or self.path not in STEPS:
            return None
        steps = np.full(pushes.shape[1], STEPS[self.path])
        if self.state.parameters.curvature > 0:
            steps += CAP_STEPS
        if self.rows.bias is not None:
            steps += 1
        if self.noise.of_sums is not None:
            steps[self.noise.of_sums] = 1
        return np.asarray(FIRM * np.sqrt(3 * steps))[:, None]

    def _by_length(self, apart: Floats) -> Floats | float:
        """Return how far each row is stretched in units of what rounding can do, shape (r,).

        Where a key has almost all of the weight, a sum that is rounded stretches a row; but by no
        more than half a unit. So does the output, which is then rounded to the key's value, always
        to the same side.
        """
        pushes, most = self.noise.pushes, self._most_sigmas
        if pushes is None or most is None:
            return 0.0
        finite = np.where(np.isfinite(apart), apart, 0.0)
        along = self.state.output
        sigmas = ROOM * _normal(self.level / max(2 * len(apart), 1))
        by_error = np.abs(pushes @ along[..., None])[..., 0]
        left = np.sqrt(np.square(self.noise.deviation * along).sum(axis=1))
        bound = by_error @ most[:, 0] + sigmas * left
        by_output = rounded(along.astype(np.float32), self.format.name) - along
        bound += np.abs((by_output * along).sum(axis=1))
        stretch = np.abs((finite * along).sum(axis=1))
        return np.asarray(stretch / np.maximum(bound, 1e-300))

    @cached_property
    def _rounded(self) -> tuple[Floats, Floats]:
        """The variance of the output's own rounding, and the deviation of the rest, (r, d_v)."""
        by_output = np.square(self.format.spacing(self.rows.output)) / 12
        by_output = np.maximum(by_output, by_output.mean(axis=1, keepdims=True) / 16)
        return by_output, np.sqrt(np.maximum(self.noise.variance - by_output, 0.0))

    def _by_row(self, apart: Floats) -> Floats:
        """Return the whitened length of each row's error in units of its bound, shape (r,)."""
        finite = np.where(np.isfinite(apart), apart, 0.0)
        square = np.square(self.noise.whitened(finite)).sum(axis=1)
        count = apart.shape[1]
        freedoms = self.noise.freedoms
        freedoms = np.full(1, float(count)) if freedoms is None else freedoms
        bound = _chi_square(self.level / max(2 * len(apart), 1), freedoms) * count / freedoms
        return np.asarray(np.sqrt(square / (ROOM_SQUARED * bound)))

    def _steps(self, apart: Floats) -> tuple[tuple[Name, ...], dict[Name, NewtonStep]]:
        """Return the numbers that move significantly if the output is off, and the steps of some.

        Args:
            apart: How far the output is off, shape (r, d_v).
        """
        noisy = self.noisy_rows
        if not len(noisy):
            return (), {}
        moves = shifts(self._along, self.noise.whitened(apart)[noisy])
        reaches = [
            self._reach(name, float(error), float(df))
            for name, error, df in zip(NAMES, moves.errors, moves.df, strict=True)
        ]  # fmt: skip
        moved = tuple(
            name
            for place, name in enumerate(NAMES)
            if self._has_moved(name, float(moves.values[place]), reaches[place])
        )
        return moved, {name: self._step(moves, name) for name in POOLED}

    def _step(self, moves: Shifts, name: Name) -> NewtonStep:
        """Return the step of a number beyond what is no noise."""
        place = NAMES.index(name)
        value, error = self._unexplained(name, float(moves.values[place])), moves.errors[place]
        sigma = float(error if moves.df[place] else error / BOUND)
        return NewtonStep(copysign(max(abs(value) - self._cut(name), 0.0), value), sigma)

    def _has_moved(self, name: Name, value: float, reach: float) -> bool:
        """Return whether a step is beyond what noise and systematic errors explain."""
        return abs(value) > reach and abs(self._unexplained(name, value)) > reach

    def _unexplained(self, name: Name, value: float) -> float:
        """Return what of a step no systematic error of arithmetic explains."""
        low, high = self.bias(name)
        return value - min(max(value, low), high)

    def reach(self, name: Name) -> float:
        """Return how far a number may be from the model's without moving, in an honest output."""
        if not len(self.noisy_rows):
            return inf
        along = self._along[NAMES.index(name)][None]
        moves = shifts(along, np.zeros(along.shape[1:]))
        low, high = self.bias(name)
        return self._reach(name, float(moves.errors[0]), float(moves.df[0])) + max(-low, high)

    def _reach(self, name: Name, error: float, df: float) -> float:
        """Return how far noise may move a number whose step has a standard error, or a bound."""
        level = self.level / len(NAMES)
        number = FittedNumber(0.0, error, df, self._cut(name))
        # With few rows Student's t is wide; the error is never below that of rounding itself.
        sigma = number.error if df else number.error / BOUND
        most = MOST_SIGMAS[name] * _normal(level) * sigma
        return min(ROOM * number.half(1 - level), most + number.bias)

    def _cut(self, name: Name) -> float:
        """Return how far kernels that cut digits before they multiply move a number."""
        if self.path != "tf32":
            return 0.0
        return CUT * abs(float(getattr(self.state.parameters, name)))

    @cached_property
    def _along(self) -> Floats:
        """The slopes in the rows whose error is like noise, shape (names, r, d_v)."""
        return self.slopes[:, self.noisy_rows]

    @cached_property
    def noisy_rows(self) -> NDArray[np.intp]:
        """The places of the rows whose error is like noise, and of equal rows the first.

        In a row that is almost the value of one key, the output is rounded to that value, always to
        the same side. Rows of equal queries, as of padding, err alike.
        """
        largest = self.state.weights.max(axis=1, initial=0.0)
        least = ALMOST * 2.0**-self.format.bits + self.state.weights.shape[1] * LEAST_ADDED
        return np.intersect1d(np.flatnonzero(largest < 1 - least), _firsts(self.rows))

    def bias(self, name: Name) -> tuple[float, float]:
        """Return how far down and up a number may seem to move by errors that are no noise; cached.

        Float32 sums lose small terms, all to the same side, and a rounded logit errs by where it
        lies between two numbers of the format. So does an m that was rounded, which a cap or a
        sink would imitate.
        """
        if name not in self._biases:
            self._biases[name] = self._bias(name)
        return self._biases[name]

    def _bias(self, name: Name) -> tuple[float, float]:
        place = NAMES.index(name)
        slope = self._along[place]
        square = float(np.square(slope).sum())
        if not square > 0:
            return 0.0, 0.0
        noisy = self._noisy
        either = float(self._lost[place])
        for other, margin in self.margins.items():
            either += margin * abs(float((slope * self._along[NAMES.index(other)]).sum()))
        if self.state.parameters.curvature > 0:
            along = noisy.noise.transposed(slope)
            either += most_by_tanh(noisy.rows, noisy.state, self.format, along)
        either /= square
        if self.format.bits < 24:
            by_name = self._of_pooled if name in POOLED else self._by_exponentials((name,))
            either += by_name[name]
        stairs = self._stairs[:, place] / square
        return float(stairs.min(initial=0.0)) - either, float(stairs.max(initial=0.0)) + either

    @cached_property
    def _of_pooled(self) -> Mapping[Name, float]:
        """How far approximate exponentials may move the numbers that every head is asked for."""
        return self._by_exponentials(POOLED)

    def _by_exponentials(self, names: tuple[Name, ...]) -> dict[Name, float]:
        """Return how far approximate exponentials may move some numbers."""
        noisy, slopes = self._noisy, self._along[[NAMES.index(name) for name in names]]
        reach = reach_of_exponentials(noisy.rows, noisy.state, noisy.noise, slopes)
        return dict(zip(names, reach.tolist(), strict=True))

    @cached_property
    def _noisy(self) -> "Prediction":
        """The prediction of the rows whose error is like noise."""
        return self.part(self.noisy_rows)

    @cached_property
    def _lost(self) -> Floats:
        """How far terms that float32 sums lose reach along each slope, shape (names,)."""
        weights = self.state.weights
        lost = (weights * (weights < LEAST_ADDED)).sum(axis=1, keepdims=True)
        return np.asarray(np.abs(self._extents([(LOST + lost) * self.state.output])[0]))

    @cached_property
    def _stairs(self) -> Floats:
        """How far rounding each step to the logits reaches along each slope, (steps, names)."""
        if self.path not in STEPWISE:
            return np.zeros((0, len(NAMES)))
        return self._extents([*shifts_by_steps(self.rows, self.state, self.format, self.path)])

    def _extents(self, shifts: Sequence[Floats]) -> Floats:
        """Return how far each change of the output reaches along each slope, (changes, names)."""
        every = [self.noise.whitened(shift)[self.noisy_rows].ravel() for shift in shifts]
        whitened = np.stack(every)
        return np.asarray(whitened @ self._along.reshape(len(NAMES), -1).T)


def predicted(
    rounding: Rounding,
    paths: tuple[Path, ...],
    level: float,
    margins: Mapping[Name, float],
) -> Prediction:
    """Return what a model predicts of a head, under the path that its output makes likeliest.

    Rows of NaN or infinity say nothing of a path, nor of the spacing of their numbers.
    """
    rows, state = rounding.rows, rounding.state
    finite = np.isfinite(rows.output)
    usable = np.flatnonzero(finite.all(axis=1))
    path, filled = paths[0], rounding
    if len(usable) < len(finite):
        output = np.where(finite, rows.output, state.output)
        filled = Rounding(replace(rows, output=output), state, rounding.format)
        rounding = Rounding(rows.part(usable), state.part(usable), rounding.format)
    if len(usable):
        path = rounding.likeliest(paths)
    return Prediction(
        rows, state, filled.by(path), rounding.format, path, filled.whitened(path), level, margins
    )


def _firsts(rows: FitRows) -> NDArray[np.intp]:
    """Return the places of the rows, of those with equal queries and outputs only the first."""
    _, first = np.unique(rows.output.sum(axis=1), return_index=True)
    if len(first) == len(rows.output):
        return np.arange(len(first))
    both = np.concatenate([rows.queries.astype(np.float64), rows.output], axis=1)
    return np.asarray(np.unique(both, axis=0, return_index=True)[1])


@lru_cache(maxsize=1024)
def _normal(level: float) -> float:
    """Return how many standard deviations a normal number exceeds with a probability, both ways."""
    return NormalDist().inv_cdf(1 - max(level, 1e-15) / 2)


def _chi_square(level: float, counts: Floats) -> Floats:
    """Return what sums of squares of so many normal numbers exceed with a probability, about.

    The cube root of such a sum is nearly normal (Wilson and Hilferty, 1931).
    """
    z = NormalDist().inv_cdf(1 - max(level, 1e-15))
    parts = 2 / (9 * np.maximum(counts, 1.0))
    return np.asarray(counts * (1 - parts + z * np.sqrt(parts)) ** 3)
