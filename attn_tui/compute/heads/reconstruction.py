"""How the weights of a head are reconstructed from q and k, and how well that fits the capture."""

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Literal

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import LogitMap


@dataclass(frozen=True)
class Weighing:
    """From scores to weights: z = m·s, capped, plus the captured bias, masked, then softmax.

    Attributes:
        map: The multiplier, and perhaps a soft cap and a sink.
        mask: Which keys a query sees.
    """

    map: LogitMap
    mask: HeadMask = HeadMask()


if TYPE_CHECKING:
    # Only the name of the type is needed; starting the program should not import the fits.
    from attn_tui.compute.fit.head import Path

How = Literal["asked", "captured", "output", "fit", "nearest", "assumed"]
By = Literal["output", "weights"]
"""The captured tensor that determines how weights are made."""


@dataclass(frozen=True)
class Reconstruction:
    """How the weights of a head, or of the heads of a layer, are made, and how that is known.

    Attributes:
        mask: Which keys are seen.
        how: Whether the user set it; it was captured; the output confirms it; a fit of one head
            found it; it is the nearest to the output but does not explain it; or it is assumed.
        multiplier: The m found by a fit, if that of the rule misses the output.
        softcap: The soft cap found by the fit, if any.
        sink: The logit of a sink found by the fit, if any.
        drops_sink: Whether a sink was captured but has no part in the output.
        value_scale: c in out = c·P·V, as found by the fit.
        residual: ‖out − P·V‖/‖out‖ on a few rows, if there is an output; else that of weights.
            None if nothing was captured, or the user has said how weights are made.
        allowed: The largest residual that can come from rounding, or from an m that is off by 1 %.
        doubt: The relative uncertainty of m; infinite if the captured tensors do not determine it.
        missed: The residual under the rule's m, if ``multiplier`` replaces it.
        path: Where the head was rounded, as far as known.
        by: The captured tensor that determines it.
        reading: The index of the reading of the layer that the output confirms.
    """

    mask: HeadMask
    how: How
    multiplier: float | None = None
    softcap: float | None = None
    sink: float | None = None
    drops_sink: bool = False
    value_scale: float = 1.0
    residual: float | None = None
    allowed: float = 0.0
    doubt: float = 0.0
    missed: float | None = None
    path: "Path" = "float32"
    by: By = "output"
    reading: int = 0

    @property
    def fits(self) -> bool:
        """Whether these weights reproduce the captured tensor within rounding."""
        return self.residual is not None and self.residual <= self.allowed

    @property
    def is_plain(self) -> bool:
        """Whether weights follow from the rule's m and a mask without a window, and no more."""
        odd = self.multiplier is not None or self.value_scale != 1.0 or self.drops_sink
        return not odd and self.mask.window is self.softcap is self.sink is None

    @property
    def is_untold(self) -> bool:
        """Whether the captured tensors leave m open."""
        return self.doubt == inf
