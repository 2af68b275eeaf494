"""Axes: where values stand between fixed ends, and what is written beside them."""

from dataclasses import dataclass
from math import floor, isfinite, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.report.numbers import general

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis; where two do not fit side by side the earlier one stays."""

    value: float
    text: str
    role: str = "axis"


@dataclass(frozen=True)
class Axis:
    """One axis, from a fixed minimum to a fixed maximum.

    Attributes:
        label: Of the x axis: stands left of its ticks. Of the y axis: the chart's first row.
        minimum: The lower end, above 0 on a logarithmic axis.
        maximum: The upper end.
        log: Whether places go by the logarithm.
        ticks: The labelled places, the most important first.
    """

    label: str
    minimum: float
    maximum: float
    log: bool = False
    ticks: tuple[Tick, ...] = ()

    def __post_init__(self) -> None:
        ends = (self.minimum, self.maximum)
        if not (all(map(isfinite, ends)) and self.minimum < self.maximum):
            raise ValueError(f"an axis from {self.minimum:g} to {self.maximum:g}")
        if self.log and self.minimum <= 0:
            raise ValueError(f"a logarithmic axis from {self.minimum:g}")

    def fraction(self, values: ArrayLike) -> Floats:
        """Return places from 0.0 at the minimum to 1.0 at the maximum; beyond, where outside.

        On a logarithmic axis 0 lies at minus infinity and what is below 0 is NaN.
        """
        given = np.asarray(values, dtype=np.float64)
        low, high = self.minimum, self.maximum
        with np.errstate(all="ignore"):
            if self.log:
                given, low, high = np.log10(given), log10(low), log10(high)
            # Halves, so that the distance between large ends of either sign stays finite.
            places: Floats = (given / 2 - low / 2) / (high / 2 - low / 2)
        # A value that rounding moved past an end still stands at that end.
        places[np.abs(places) < 1e-9] = 0.0
        places[np.abs(places - 1.0) < 1e-9] = 1.0
        return places

    def text(self, value: float) -> str:
        """Return what a value is called on this axis: its tick's label, or the number."""
        ticked = (tick.text for tick in self.ticks if tick.value == value)
        return next(ticked, general(value))


def power_text(power: float, times: float = 1.0) -> str:
    """Return ten to a whole power as text: ``1e-22``, and ``10^−2e+307`` where that is too long.

    Args:
        power: The power.
        times: What it is multiplied by; it is left out of a long one.
    """
    return f"{times:g}e{power:.0f}" if abs(power) < 1e6 else f"10^{general(power, 1)}"


def cell(fractions: Floats, cells: int) -> NDArray[np.intp]:
    """Return which of a row of cells fractions from 0 to 1 fall into."""
    return np.minimum(np.floor(fractions * cells + 1e-9), cells - 1).astype(np.intp)


def round_up(value: float) -> float:
    """Return a round number not below a positive one and at most a third above it, to end an axis.

    It is one of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten, so that its half is short.
    """
    power = max(10.0 ** floor(log10(value)), 5e-324)
    steps = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    return next(step * power for step in steps if step * power >= value * (1.0 - 1e-9))


def round_step(distance: float, most: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, … that goes into a distance at most so often."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if distance <= most * step:
                return step
        power *= 10
