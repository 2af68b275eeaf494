"""Captured weights that are not those of the captured output: the capture contradicts itself."""

import numpy as np

from attn_tui.compute.fit.noise import coarsest, format_of
from attn_tui.compute.heads.rows import HeadRows

UNITS = 8.0
"""Captured weights may give each number of the output this many half units of Σ w·|v| off: weights
are rounded, and so are values and the output."""
OTHER_WEIGHTS = "the captured weights do not give the captured output"


def contradicts(head: HeadRows, value_scale: float) -> bool:
    """Return whether the captured weights of a head give another output than the captured one.

    Rows that hold NaN or infinity say nothing.

    Args:
        head: Its rows; nothing contradicts without weights, values and output.
        value_scale: What p·V is multiplied by.
    """
    if head.weights is None or head.values is None or head.output is None:
        return False
    tensors = {"weights": head.weights, "v": head.values, "out": head.output}
    names = {coarsest(tensor, head.formats.get(part, "")) for part, tensor in tensors.items()}
    unit = 2.0 ** -min(format_of(name).bits for name in names)
    weights, values = head.weights.astype(np.float64), head.values.astype(np.float64)
    with np.errstate(all="ignore"):
        apart = np.abs(head.output - value_scale * weights @ values)
        sizes = abs(value_scale) * np.abs(weights) @ np.abs(values)
        bound = UNITS * unit * sizes.max(axis=1, keepdims=True)
        is_off = np.isfinite(apart) & (apart > bound)
    return bool(is_off.any())
