"""Softmax in a chosen precision, stable or naive, with a sink or without."""

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.formats import accumulator_of, dtype_of
from attn_tui.compute.keys import blocks
from attn_tui.compute.logit_map import PLAIN, LogitMap
from attn_tui.compute.logits import Bias, exponents, top_key
from attn_tui.compute.precision import Precision

STABLE = Precision()
"""float64 with the maximum subtracted."""

_NEGLIGIBLE = 2.0**969
"""Scores below it, subtracted from any number of float64, never make it overflow."""


def shares(
    scores: NDArray[np.float64],
    map: LogitMap = PLAIN,
    precision: Precision = STABLE,
    bias: Bias = None,
) -> NDArray[np.float64]:
    """Return what softmax gives each key and, with a sink, in the last place what it takes.

    Every operation is rounded to the precision's inner format, the sum of a 16-bit format once it
    is taken; weights are rounded to its format. Naive softmax yields the infinities and NaN
    of the inner format; so do scores that exceed it. If every key is masked, every weight is 0.

    Args:
        scores: Shape (n,), n ≥ 1; −∞ marks a masked key, whose weight is 0.
        map: From scores to logits.
        precision: The format and the method.
        bias: What is added to each logit, shape (n,).

    Returns:
        Shape (n,), or (n + 1,) with a sink: numbers of the format, held in float64.
    """
    top = [top_key(scores, map, precision, bias)]
    largest = scores[top]
    exact = precision.format == precision.scores == "float64" and precision.stable
    plain = map.multiplier > 0.0 and map.softcap is None and map.sink is None and bias is None
    if exact and plain and abs(largest[0]) < _NEGLIGIBLE:
        # In one array and without a pass that can be spared.
        with np.errstate(all="ignore"):
            values = scores - largest
            values *= map.multiplier
            np.exp(values, out=values)
            values /= values.sum()
        return values
    n_keys, dtype = scores.size, dtype_of(precision.inner)
    powers = np.empty(n_keys + (map.sink is not None), dtype)
    for block in blocks(n_keys):
        biases = None if bias is None else (bias[block], bias[top])
        powers[block], powers[n_keys:] = exponents(scores[block], map, precision, largest, biases)
    values = powers if dtype == np.float64 else np.empty(powers.size)
    with np.errstate(all="ignore"):
        np.exp(powers, out=powers)
        total = powers.sum(dtype=accumulator_of(dtype)).astype(dtype)
        if map.sink is None and largest[0] == -np.inf:
            total = total.dtype.type(1.0)
        for block in blocks(powers.size):
            values[block] = (powers[block] / total).astype(dtype_of(precision.format))
    return values
