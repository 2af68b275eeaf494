"""How the weights of a head are made of its scores."""

from dataclasses import dataclass

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.logit_map import LogitMap


@dataclass(frozen=True)
class Weighing:
    """From scores to weights: z = m·s, capped, plus the captured bias; masked; softmax, by a sink.

    Attributes:
        map: The multiplier, and perhaps a soft cap and a sink.
        mask: Which keys a query sees.
    """

    map: LogitMap
    mask: HeadMask = HeadMask()
