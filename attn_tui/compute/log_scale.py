"""Logarithmic scales of whole numbers, such as that of d_k."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from math import log

from attn_tui.compute.field import Kind, whole


@dataclass(frozen=True)
class LogScale:
    """Whole numbers from ``minimum`` to ``maximum`` on a logarithmic scale.

    Attributes:
        field: The name of the quantity, used in errors.
        minimum: Smallest value, at least 1.
        maximum: Largest value.
        stops: The values between which `step` moves, rising; both ends are stops.
    """

    field: str
    minimum: int
    maximum: int
    stops: tuple[int, ...]

    def to_fraction(self, value: int) -> float:
        """Return where a value lies, from 0.0 at the minimum to 1.0 at the maximum.

        >>> D_K.to_fraction(256)
        0.5
        """
        return log(value / self.minimum) / log(self.maximum / self.minimum)

    def stop_at(self, fraction: float, reach: float) -> int:
        """Return the stop nearest to a place on the scale, or the roundest of those within reach.

        Args:
            fraction: The place, from 0.0 to 1.0.
            reach: The distance within which stops count as equally near, as a fraction.

        >>> D_K.stop_at(0.376, 0.01), D_K.stop_at(0.376, 0.0)
        (64, 64)
        """

        def badness(stop: int) -> tuple[float, int, float]:
            away = abs(self.to_fraction(stop) - fraction)
            # Powers of two are rounder than three times one, and so on.
            return max(away - reach, 0.0), (stop // (stop & -stop)).bit_length(), away

        # The last stop of n is not round, but must be reachable.
        return self.maximum if fraction >= 1.0 else min(self.stops, key=badness)

    def clamp(self, value: int) -> int:
        """Return the value on the scale that is nearest to a whole number."""
        return min(max(value, self.minimum), self.maximum)

    def step(self, value: int, steps: int) -> int:
        """Return the stop that is ``steps`` stops above a value, or below it if negative.

        >>> D_K.step(64, 1), D_K.step(65, -1), D_K.step(1, -1)
        (80, 64, 1)
        """
        if steps > 0:
            index = bisect_right(self.stops, value) - 1 + steps
        else:
            index = bisect_left(self.stops, value) + steps
        return self.stops[min(max(index, 0), len(self.stops) - 1)]

    def parse(self, text: str) -> int:
        """Read a whole number on the scale.

        Raises:
            InputError: If the text is not a whole number on the scale.
        """
        return int(self.kind.parse(self.field, text))

    @property
    def kind(self) -> Kind:
        """The kind of whole numbers on the scale."""
        return whole(self.minimum, self.maximum, self.step, marked=True)


def _stops(maximum: int) -> tuple[int, ...]:
    """Return 1, 2, 3, 4, 6, 8, 12, 16, 24, …: up to four stops an octave from 64 on."""
    stops = [1, 2, 3]
    octave = 4
    while octave <= maximum:
        quarters = (4, 6) if octave < 64 else (4, 5, 6, 7)
        stops += [octave * quarter // 4 for quarter in quarters]
        octave *= 2
    return tuple(stop for stop in stops if stop <= maximum)


D_K = LogScale("d_k", 1, 65_536, _stops(65_536))
"""The supported dimensions of a head."""

N_KEYS = LogScale("n", 2, 100_000, (*_stops(100_000)[1:], 100_000))
"""The numbers of keys that drawn vectors are swept over."""
