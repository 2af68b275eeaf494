"""Many rows of a head at once, unscaled and under the scale, where q and k are all it takes."""

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.heads.blocks import Blocks
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.logit_map import PLAIN
from attn_tui.compute.precision import Precision


def together(head: Experiment, run: int) -> Blocks | None:
    """Return blocks of the rows of a head, the first of whose maps leaves scores as they are.

    None where scores are no products of q and k in float64, and where each row has an m of its own.

    Args:
        head: The question whose vectors are the rows.
        run: Of how many keys the largest weight is wanted; 0 if none is.
    """
    setup, made = head.setup, head.source.together()
    scale, mask = setup.scale, setup.mask
    if made is None or setup.precision != Precision() or scale.qk_norm or scale.uses_n:
        return None
    rows, own = made
    # Masks besides the one that was captured.
    if mask.ranges or (mask.causal and own != HeadMask()):
        return None
    to_logits = scale.logit_map(setup.d_k, rows.n_keys)
    if to_logits.multiplier <= 0.0:
        return None
    maps = tuple(dict.fromkeys((PLAIN, to_logits)))
    return Blocks(rows, maps, HeadMask("causal") if mask.causal else own, run=run)
