"""The model by which the weights of a head are made anew from q and k, and how it is known."""

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Literal

from attn_tui.compute.heads.head_model import HeadModel, Part
from attn_tui.compute.heads.mask import HeadMask

if TYPE_CHECKING:
    # Only the name of the type is needed; starting the program should not import the fits.
    from attn_tui.compute.fit.head import Path

How = Literal["asked", "captured", "output", "fit", "nearest", "assumed"]
By = Literal["output", "weights"]
"""The captured tensor that determines how weights are made."""


@dataclass(frozen=True)
class Reconstruction:
    """The model of a head, or of the heads of a layer, and how it is known.

    Attributes:
        model: The model; the sink of a layer is `LEARNED` where each head has its captured one.
        how: Whether the user set the mask; it was captured; the output confirms the model; a fit
            of one head found it; it is the nearest to the output but does not explain it; or it
            is assumed.
        changes: The parts that a fit found in place of 1/√d_k, the captured sink and no more.
        residual: ‖out − P·V‖/‖out‖ on a few rows, if there is an output; else that of weights.
            None if nothing was captured, or the user has said how weights are made.
        rounding: The residual that rounding alone would leave.
        fits: Whether the captured tensor is what the model gives, to the rounding of its format.
        doubt: The relative uncertainty of m; infinite if the captured tensors do not determine it.
        rule_residual: The residual under 1/√d_k, if a fit found another m.
        path: Where the head was rounded, as far as known.
        by: The captured tensor that determines it.
        reading: The index of the reading of the layer that the output confirms.
    """

    model: HeadModel
    how: How
    changes: tuple[Part, ...] = ()
    residual: float | None = None
    rounding: float = 0.0
    fits: bool = False
    doubt: float = 0.0
    rule_residual: float | None = None
    path: "Path" = "float32"
    by: By = "output"
    reading: int = 0

    @property
    def mask(self) -> HeadMask:
        """Which keys are seen."""
        return self.model.mask

    @property
    def multiplier(self) -> float | None:
        """The m that a fit found, if that of the rule misses the output."""
        return self.model.multiplier if "multiplier" in self.changes else None

    @property
    def softcap(self) -> float | None:
        """The soft cap that a fit found, if any."""
        return self.model.softcap if "softcap" in self.changes else None

    @property
    def sink(self) -> float | None:
        """The logit of a sink that a fit found, if any."""
        return self.model.sink_logit if "sink" in self.changes else None

    @property
    def drops_sink(self) -> bool:
        """Whether a sink was captured but has no part in the output."""
        return "sink" in self.changes and self.model.sink is None

    @property
    def is_untold(self) -> bool:
        """Whether the captured tensors leave m open."""
        return self.doubt == inf
