"""How the weights of a head are made anew of q and k, and how well that gives what was captured."""

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Literal

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import LogitMap


@dataclass(frozen=True)
class Weighing:
    """From scores to weights: z = m·s, capped, plus the captured bias; masked; softmax, by a sink.

    Attributes:
        map: The multiplier, and perhaps a soft cap and a sink.
        mask: Which keys a query sees.
    """

    map: LogitMap
    mask: HeadMask = HeadMask()


if TYPE_CHECKING:
    # Of a fit only its word for the path is needed, and no start waits for one.
    from attn_tui.compute.fit.head import Path

How = Literal["asked", "captured", "output", "fit", "nearest", "assumed"]
By = Literal["output", "weights"]
"""What was captured that says how weights are made."""


@dataclass(frozen=True)
class Reconstruction:
    """How weights of a head, or of those of a layer, are made, and how that is known.

    Attributes:
        mask: Which keys are seen.
        how: It was asked for, or captured, or the output says so, or a fit of one head finds it,
            or it is nearest to what the output says but does not explain it, or nothing tells.
        multiplier: The m that a fit finds, where that of the rule misses the output.
        softcap: The cap that it finds, if any.
        sink: The logit of a sink that it finds, if any.
        drops_sink: Whether a sink was captured that has no part in the output.
        value_scale: c of out = c·P·V that it finds.
        residual: ‖out − P·V‖/‖out‖ on a few rows, where there is an output; else that of weights.
            None where nothing was captured, or weights are asked for whatever the output says.
        allowed: The largest that rounding makes of it, or an m that is off by 1 %.
        doubt: The share by which m may be off; infinite where what was captured does not tell it.
        missed: By how much the m of the rule misses, beside ``multiplier``.
        path: Where the head was rounded, as far as that is known.
        by: What was captured that says so.
        reading: Which of the layer's readings the output says.
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
        """Whether something was captured that weights made so give, as near as rounding lets."""
        return self.residual is not None and self.residual <= self.allowed

    @property
    def is_plain(self) -> bool:
        """Whether weights are made of m as the rule has it and what keys are seen, without more."""
        odd = self.multiplier is not None or self.value_scale != 1.0 or self.drops_sink
        return not odd and self.mask.window is self.softcap is self.sink is None

    @property
    def is_untold(self) -> bool:
        """Whether what was captured leaves open what m is."""
        return self.doubt == inf
