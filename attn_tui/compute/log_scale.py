"""The logarithmic scale of whole numbers that d_k lives on."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from math import log

from attn_tui.compute.field import Kind, whole


@dataclass(frozen=True)
class LogScale:
    """Whole numbers from ``minimum`` to ``maximum``, laid out by their logarithm.

    Attributes:
        field: The name of what the scale measures, used in errors.
        minimum: Smallest value, at least 1.
        maximum: Largest value.
        stops: Rising values that `step` moves between; the ends are stops.
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
        """Return the stop nearest to a place on the scale; of those within reach, the roundest.

        Args:
            fraction: The place, from 0.0 to 1.0.
            reach: How far beside it a stop is as good as there, likewise.

        >>> D_K.stop_at(0.376, 0.01), D_K.stop_at(0.376, 0.0)
        (64, 64)
        """

        def badness(stop: int) -> tuple[float, int, float]:
            away = abs(self.to_fraction(stop) - fraction)
            # Powers of two are rounder than three times one, and so on.
            return max(away - reach, 0.0), (stop // (stop & -stop)).bit_length(), away

        # The last one of n is not round, and is to be reached.
        return self.maximum if fraction >= 1.0 else min(self.stops, key=badness)

    def clamp(self, value: int) -> int:
        """Return the value on the scale that is nearest to any whole number."""
        return min(max(value, self.minimum), self.maximum)

    def step(self, value: int, steps: int) -> int:
        """Return the stop that lies ``steps`` stops above (below, if negative) a value.

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
            InputError: If the text is no whole number, or lies off the scale.
        """
        return int(self.kind.parse(self.field, text))

    @cached_property
    def kind(self) -> Kind:
        """Its values."""
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
"""The dimensions of one head that the program covers."""

N_KEYS = LogScale("n", 2, 100_000, (*_stops(100_000)[1:], 100_000))
"""The numbers of keys that drawn vectors are swept over."""
