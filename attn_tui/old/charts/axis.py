"""Axes: where values stand between fixed ends, and what is written beside them."""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, isfinite, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.compute.log_scale import D_K
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
        label: Stands left of the ticks of a horizontal axis.
        minimum: The lower end, above 0 on a logarithmic axis.
        maximum: The upper end.
        log: Whether places go by the logarithm.
        ticks: The labelled places, the most important first.
        said: What a value is called that has no tick.
    """

    label: str
    minimum: float
    maximum: float
    log: bool = False
    ticks: tuple[Tick, ...] = ()
    said: Callable[[float], str] = general

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
        """Return what a value is called on this axis: its tick's label, or what is said."""
        ticked = (tick.text for tick in self.ticks if tick.value == value)
        return next(ticked, None) or self.said(value)


def d_k_axis(current: int) -> Axis:
    """Return the axis of all d_k there can be, by powers of two, with the present one ticked."""
    powers = (Tick(power, str(power)) for power in (1, 65536, 256, 16, 4096))
    ticks = (Tick(current, str(current), "cursor"), *powers)
    return Axis("d_k", D_K.minimum, D_K.maximum, True, ticks)


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


ENOUGH = 1.2
"""An axis this many times as long as what it must show is short enough."""


def even_step(above: int, below: int, lines: int, most: int) -> tuple[int, int]:
    """Return how far apart ticks are, and in how many rows, so that all distances are equal.

    Args:
        above: How far the axis must reach above a tick that stands in the middle of a row.
        below: How far it must reach below; one of the two is above 0.
        lines: Its rows.
        most: How many such steps it is cut into at most.
    """
    span, gaps = above + below, lines - 1
    least, power = round_step(span, most), 1
    steps = {span}
    while power <= span:
        steps |= {times * power for times in (1, 2, 3, 4, 5) if least <= times * power < span}
        power *= 10
    found = [
        (step, rows)
        for step in sorted(steps)
        for rows in range(gaps * step // span, 0, -1)
        if rows_for(above, step, rows) + rows_for(below, step, rows) <= gaps
    ]
    fitting = (each for each in found if gaps * each[0] <= ENOUGH * span * each[1])
    shortest = min(found, key=lambda each: each[0] / each[1], default=(span, max(gaps, 1)))
    return next(fitting, shortest)


def rows_for(distance: int, step: int, rows: int) -> int:
    """Return how many rows hold a distance, if a step takes so many."""
    return -(-distance * rows // step)
