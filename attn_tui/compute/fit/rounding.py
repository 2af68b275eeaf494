"""What rounding does to a head that is computed in one way, and which path is the likeliest."""

from functools import cached_property

import numpy as np

from attn_tui.compute.fit.head import Floats, Path, Rows, State
from attn_tui.compute.fit.noise import Format, Noise, noise

GLANCE = 4
"""So many rows are looked at first to tell paths apart."""
RULED_OUT = 40.0
"""A path is not looked at further where 2 ln L of these rows is so much below that of another."""


class Rounding:
    """The noise of a head that is computed in one way, under each path, worked out once.

    Args:
        rows: Of the head, under one mask.
        state: What it is computed with.
        format: Of the output.
    """

    def __init__(self, rows: Rows, state: State, format: Format) -> None:
        self.rows, self.state, self.format = rows, state, format
        self._noises: dict[Path, Noise] = {}
        count = len(rows.output)
        self._few = np.arange(count)[:: max(count // GLANCE, 1)]

    @cached_property
    def _glance(self) -> "Rounding":
        """The same of a few rows."""
        few = self._few
        return Rounding(self.rows.part(few), self.state.part(few), self.format)

    def by(self, path: Path) -> Noise:
        """Return the noise under a path."""
        if path not in self._noises:
            self._noises[path] = noise(self.rows, self.state, self.format, path)
        return self._noises[path]

    def likely(self, paths: tuple[Path, ...], state: State | None = None) -> tuple[Path, ...]:
        """Return the paths that a few rows of what a state leaves do not rule out."""
        if len(paths) == 1 or len(self._few) == len(self.rows.output):
            return paths
        few, rest = self._few, self.rows.output - (state or self.state).output
        each = {path: _log_likelihood(self._glance.by(path), rest[few]) for path in paths}
        best = max(each.values())
        return tuple(path for path in paths if not each[path] < best - RULED_OUT)

    def likeliest(self, paths: tuple[Path, ...], state: State | None = None) -> Path:
        """Return the path under which what a state leaves is likeliest, by default this one."""
        likely = self.likely(paths, state)
        if len(likely) == 1:
            return likely[0]
        rest = self.rows.output - (state or self.state).output
        return max(likely, key=lambda path: _log_likelihood(self.by(path), rest))

    def size(self, path: Path) -> float:
        """Return ‖noise‖/‖out‖ under a path, of a few rows where these ruled it out."""
        made, output = self._noises.get(path), self.rows.output
        if made is None:
            made, output = self._glance.by(path), output[self._few]
        return float(np.sqrt(made.variance.sum() / (np.square(output).sum() or 1.0)))


def _log_likelihood(made: Noise, rest: Floats) -> float:
    """Return 2 ln L of what is left of an output, but for a constant."""
    return -float(np.square(made.freed(rest)).sum()) - made.log_determinant
