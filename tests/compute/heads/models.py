"""Models of heads in tests, from the map of scores to logits."""

from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import LogitMap


def model_of(map: LogitMap, mask: HeadMask = HeadMask()) -> HeadModel:
    """Return the model with a map and a mask."""
    return HeadModel(map.multiplier, softcap=map.softcap, sink=map.sink, mask=mask)
