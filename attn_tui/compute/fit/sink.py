"""The sink of one head whose multiplier, cap and mask are known."""

import numpy as np

from attn_tui.compute.fit.head import Parameters, rows_of
from attn_tui.compute.fit.solve import stretched
from attn_tui.compute.fit.usable import cleared, taken, usable
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.heads.weighing import Weighing

LEAST = 2.0**-24
"""A sink with a smaller share of the weight is what float32 rounds away."""


def sink_of(head: HeadRows, weighing: Weighing) -> float | None:
    """Return the logit of the sink that makes an output's rows as long as they are.

    Args:
        head: Some of its rows.
        weighing: How its weights are made but for the sink.

    Returns:
        The logit; None if no sink, or no row, makes them so, or there is no output or value.
    """
    finite, clear = cleared(head, weighing.mask)
    kept, _ = usable(head, clear)
    if head.output is None or head.values is None or not len(kept):
        return None
    made = weighing.map
    curvature = 0.0 if made.softcap is None else made.softcap**-2
    rows = rows_of(taken(finite, kept), weighing.mask)
    with np.errstate(all="ignore"):
        found = stretched(rows, Parameters(made.multiplier, curvature=curvature))
    return found.sink_logit if found.sink > LEAST else None
