"""The largest entries of a Jacobian and of its blocks, without the n × n matrix."""

from collections.abc import Iterator
from math import log

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute import logits
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.keys import blocks
from attn_tui.compute.logit_map import Wrt
from attn_tui.old.charts.axis import Floats


def largest_entries(
    evaluation: Evaluation, wrt: Wrt, rows: range, columns: range
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the size of the largest entry of each block, and whether it is on the diagonal.

    Beside the diagonal ln|∂p_i/∂s_j| = ln p_i + (ln p_j + ln slope_j), so the largest of a block
    is a sum of two maxima. On the diagonal p_j is replaced by 1 − p_j, which is at least any
    other p_i: no entry of a column exceeds that on the diagonal. So of the entries beside it only
    those count whose column does not cross the diagonal within the block. O(n).

    Args:
        evaluation: What the Jacobian is of.
        wrt: What it is taken with respect to.
        rows: The first key i of each block; the step is the size of the blocks.
        columns: The first key j of each block, likewise.

    Returns:
        Natural logarithms of sizes, and booleans, both of shape (len(rows), len(columns)).
    """
    shape = len(rows), len(columns)
    first, diagonal, beside = (np.full(size, -np.inf) for size in (shape[0], shape, shape))
    starts = np.array(sorted({*rows, *columns}), dtype=np.intp)
    winner = np.array([np.argmax(evaluation.weights())])
    for block in key_blocks(evaluation):
        of_i = evaluation.log_weights(block)
        with np.errstate(all="ignore"):
            of_j = of_i + log_slopes(evaluation, wrt, block)
            own = np.log(evaluation.complements(block)) + of_j
        if block.start <= winner[0] < block.stop:
            # Its complement may have underflowed.
            own[winner - block.start] = evaluation.log_jacobian(winner, winner, wrt)[0]
        inside = starts[(starts > block.start) & (starts < block.stop)]
        pieces = np.insert(inside, 0, block.start)
        at = pieces // rows.step, pieces // columns.step
        for maxima, where, values in (
            (first, at[0], of_i), (diagonal, at, own), (beside, at, of_j)
        ):  # fmt: skip
            with np.errstate(invalid="ignore"):
                np.maximum.at(maxima, where, np.maximum.reduceat(values, pieces - block.start))
    # Of each block of columns, the largest key that is in another block of rows.
    others = np.where(np.eye(len(rows), dtype=bool)[..., None], -np.inf, beside)
    with np.errstate(over="ignore", invalid="ignore"):
        rest = first[:, None] + others.max(axis=1)
        return np.maximum(diagonal, rest), diagonal >= rest


def key_blocks(evaluation: Evaluation) -> Iterator[slice]:
    """Yield slices of all keys, so many at a time that what is computed of them stays small."""
    if evaluation.precision.stable:
        yield from blocks(evaluation.n_keys)
    else:
        # Naive, the logarithms of some weights are found among those of all.
        yield slice(0, evaluation.n_keys)


def log_slopes(evaluation: Evaluation, wrt: Wrt, keys: slice) -> Floats | float:
    """Return ln ∂z_j/∂s_j, 0 with respect to logits: shape (len(keys),), or one for all keys."""
    if wrt == "logits":
        return 0.0
    if evaluation.map.softcap is None:
        return log(evaluation.multiplier) if evaluation.multiplier else -np.inf
    return logits.log_slopes(evaluation.scores(keys), evaluation.map)
