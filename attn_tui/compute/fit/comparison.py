"""Is an output what a model gives, to the rounding of its number format?

Two tests, and an output passes if it passes both. In each row, every number lies within what honest
arithmetic of the format can make; and no number of the model moves significantly in one step of
Gauss–Newton. The first sees one wrong number; the second sees an error that is smaller than
rounding, but the same in all rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import inf, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.estimates import LOST, numbers, shift_of_cap
from attn_tui.compute.fit.head import Floats, Name, Path, Rows, State, slopes
from attn_tui.compute.fit.noise import STEPWISE, Format, Noise, Rounding
from attn_tui.compute.fit.solve import Fit, coefficients, relative_residual

LEVEL = 0.0005
"""The share of honest captures that may be taken for wrong ones."""
ROOM = 1.25
"""Rounding errors may be this many times as large as the model of noise says."""
ROOM_SQUARED = 2.0
"""The sum of squares of a row's errors may be this many times as large."""
UNITS = 1.0
"""The output itself may be rounded twice: half a unit each time."""
COARSE = 30 * 2.0**-23
"""Approximate exponentials of float32 kernels leave errors up to this share of Σ p·|v|."""
NAMES: tuple[Name, ...] = ("multiplier", "value_scale", "curvature", "sink")
"""The numbers of a model that may move."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """How far an output is from what a model gives.

    Attributes:
        errors: max |out − model| of each row, as a share of max Σ p·|v|, shape (r,); NaN or an
            infinity in the output is an infinite error.
        excess: The error of each row in units of what is allowed, shape (r,).
        moved: The numbers that move significantly.
        path: The rounding path that is likeliest.
        coarseness: How many times the rounding of float32 the largest error is, if the output
            passes only because kernels may approximate exponentials; else 0.
    """

    errors: NDArray[np.float64]
    excess: NDArray[np.float64]
    moved: tuple[Name, ...]
    path: Path
    coarseness: float = 0.0

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
        level: The share of honest heads that may be taken for wrong ones.
        margins: How far each number may be from the model's without counting.
    """

    rows: Rows
    state: State
    noise: Noise
    format: Format
    path: Path
    level: float
    margins: Mapping[Name, float] = field(default_factory=dict)

    def compared(self, output: Floats, is_fitted: bool = False) -> Comparison:
        """Return how far an output of these rows is from the model.

        Args:
            output: Shape (r, d_v).
            is_fitted: Whether the numbers of the model were fitted to the output, so that none can
                move.
        """
        apart = output - self.state.output
        apart = np.where(np.isfinite(apart), apart, inf)
        errors = np.abs(apart).max(axis=1, initial=0.0) / self.sizes
        excess = np.maximum(self._by_number(output, apart), self._by_row(apart))
        if not np.isfinite(errors).all():
            return Comparison(errors, excess, (), self.path)
        moved = () if is_fitted else self.moved(apart)
        coarseness = 0.0
        is_coarse = not moved and bool((excess > 1).any()) and bool((errors <= COARSE).all())
        if is_coarse and self.format.bits == 24:
            coarseness = float(errors.max() / 2.0**-24)
        return Comparison(errors, excess, moved, self.path, coarseness)

    def part(self, rows: NDArray[np.intp]) -> "Prediction":
        """Return the prediction of some of the rows."""
        if len(rows) == len(self.rows.output):
            return self
        return replace(
            self, rows=self.rows.part(rows), state=self.state.part(rows),
            noise=self.noise.part(rows),
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

    @cached_property
    def sizes(self) -> Floats:
        """Max Σ p·|v| of each row, shape (r,)."""
        size = self.state.weights @ np.abs(self.rows.values)
        size = np.abs(self.state.parameters.value_scale) * size.max(axis=1, initial=0.0)
        return np.asarray(np.maximum(size, 1e-300), np.float64)

    def _by_number(self, output: Floats, apart: Floats) -> Floats:
        """Return the largest error of each row in units of its bound, shape (r,)."""
        captured = np.where(np.isfinite(output), output, 0.0)
        unit = self.format.spacing(np.maximum(np.abs(captured), np.abs(self.state.output)))
        rounded = np.square(self.format.spacing(self.rows.output)) / 12
        rounded = np.maximum(rounded, rounded.mean(axis=1, keepdims=True) / 16)
        rest = np.sqrt(np.maximum(self.noise.variance - rounded, 0.0))
        # Numbers near 0 are rounded so finely that one of them would decide alone.
        unit = np.maximum(unit, np.sqrt(12 * rounded))
        sigmas = ROOM * _normal(self.level / max(2 * apart.size, 1))
        bound = UNITS * unit + sigmas * rest
        return np.asarray((np.abs(apart) / bound).max(axis=1, initial=0.0))

    def _by_row(self, apart: Floats) -> Floats:
        """Return the whitened length of each row's error in units of its bound, shape (r,)."""
        finite = np.where(np.isfinite(apart), apart, 0.0)
        square = np.square(self.noise.freed(finite)).sum(axis=1)
        bound = ROOM_SQUARED * _chi_square(self.level / max(2 * len(apart), 1), apart.shape[1])
        return np.asarray(np.sqrt(square / bound))

    def moved(self, apart: Floats) -> tuple[Name, ...]:
        """Return the numbers that move significantly if the output is off by this much."""
        level = self.level / len(NAMES)
        residual = self.noise.freed(apart)
        moved: list[Name] = []
        for name, slope, bias in zip(NAMES, self.slopes, self.biases, strict=True):
            fit = Fit((name,), self.state, self.path, self.noise, residual, slope[None])
            number = numbers(fit.products.stepped(), self.path)[name]
            start = float(getattr(self.state.parameters, name))
            reach = number.half(1 - level) + self.margins.get(name, 0.0) + bias
            if abs(number.value - start) > reach:
                moved.append(name)
        return tuple(moved)

    @cached_property
    def slopes(self) -> Floats:
        """∂out along each number, whitened, shape (names, r, d_v)."""
        return self.noise.freed(slopes(self.rows, self.state, NAMES))

    @cached_property
    def biases(self) -> tuple[float, ...]:
        """How far each number may seem to move by errors of arithmetic that are no noise.

        Float32 sums lose small terms, all to the same side, and a rounded cap does less than it
        should; both have the same sign in all rows.
        """
        shifts = [LOST * self.state.output]
        if self.path in STEPWISE and self.state.parameters.curvature > 0:
            shifts.append(shift_of_cap(self.rows, self.state, self.format))
        whitened = [self.noise.freed(shift) for shift in shifts]
        return tuple(
            sum(abs(float(coefficients(slope[None], shift)[0])) for shift in whitened)
            for slope in self.slopes
        )


def predicted(
    rounding: Rounding,
    paths: tuple[Path, ...],
    level: float,
    margins: Mapping[Name, float],
) -> Prediction:
    """Return what a model predicts of a head, under the path that its output makes likeliest."""
    path = rounding.likeliest(paths)
    return Prediction(
        rounding.rows, rounding.state, rounding.by(path), rounding.format, path, level, margins
    )


@lru_cache(maxsize=1024)
def _normal(level: float) -> float:
    """Return how many standard deviations a normal number exceeds with a probability, both ways."""
    return NormalDist().inv_cdf(1 - max(level, 1e-15) / 2)


@lru_cache(maxsize=1024)
def _chi_square(level: float, count: int) -> float:
    """Return what a sum of squares of normal numbers exceeds with a probability, about.

    The cube root of such a sum is nearly normal (Wilson and Hilferty, 1931).
    """
    z = NormalDist().inv_cdf(1 - max(level, 1e-15))
    part = 2 / (9 * max(count, 1))
    return float(count * (1 - part + z * sqrt(part)) ** 3)
