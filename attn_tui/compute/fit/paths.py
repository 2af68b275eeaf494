"""One set of parameters, fitted under each path of rounding; the likeliest is taken."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attn_tui.compute.fit.diagnosis import Path
from attn_tui.compute.fit.model import Name, Rows, State
from attn_tui.compute.fit.noise import PATHS, Format
from attn_tui.compute.fit.solve import Fit, refine

FITS_BELOW = 2.0
"""A fit is one whose reduced χ² is below this."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit, and what the other paths say.

    Attributes:
        fit: Under the likeliest path.
        rounding: ‖noise‖/‖out‖ that each path makes.
    """

    fit: Fit
    rounding: Mapping[Path, float]

    @property
    def fits(self) -> bool:
        """Whether the reduced χ² is below 2."""
        return self.fit.chi_square < FITS_BELOW


def tells(format: Format) -> bool:
    """Whether the format is so coarse that the path of rounding can be seen."""
    return format.bits < 24


def fitted(
    rows: Rows, state: State, names: tuple[Name, ...], format: Format, path: Path | None = None
) -> Fitted:
    """Fit under every path, or under one, from a state that is near."""
    paths = PATHS if path is None else (path,)
    if not tells(format):
        paths = PATHS[:1]
    fits = [refine(rows, state, names, format, path) for path in paths]
    best = max(fits, key=lambda fit: fit.log_likelihood)
    size = float(np.square(rows.output).sum()) or 1.0
    rounding = {fit.path: float(np.sqrt(fit.noise.variance.sum() / size)) for fit in fits}
    for other in PATHS if not tells(format) else ():
        rounding[other] = rounding["float32"]
    return Fitted(best, rounding)
