"""The extreme entries of a Jacobian and of its blocks, without the n × n matrix."""

from collections.abc import Iterator
from math import isfinite, log

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.axis import Floats
from attn_tui.compute import logits
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.keys import blocks
from attn_tui.compute.logit_map import Wrt


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


def largest_entry(evaluation: Evaluation, wrt: Wrt) -> float:
    """Return the largest entry, NaN if one is: no entry of a column exceeds the diagonal one."""
    capped = wrt == "scores" and evaluation.map.softcap is not None
    largest = [0.0]
    for block in key_blocks(evaluation):
        own = evaluation.weights(block) * evaluation.complements(block)
        largest.append(float(np.max(own * evaluation.slopes(block) if capped else own)))
    # NumPy's maximum keeps NaN.
    factor = evaluation.multiplier if wrt == "scores" and not capped else 1.0
    return factor * float(np.max(largest))


def smallest_entry(evaluation: Evaluation, wrt: Wrt) -> float:
    """Return the smallest ln|entry| that is not −∞, or 0 if all are, in O(n).

    No entry on the diagonal is smaller than all others of its column. Beside it an entry is the
    sum of one number for i and one for j ≠ i, so the two smallest of each will do.
    """
    least = -float(np.finfo(np.float64).max)
    few: list[tuple[Floats, Floats, NDArray[np.intp]]] = []
    for block in key_blocks(evaluation):
        of_i = evaluation.log_weights(block)
        with np.errstate(over="ignore"):
            of_j = of_i + log_slopes(evaluation, wrt, block)
        keys = np.arange(of_j.size)
        if not isfinite(of_j.min()):
            keys = np.flatnonzero(np.isfinite(of_j))
            of_i, of_j = of_i[keys], of_j[keys]
        kept = sorted({*_two_least(of_i), *_two_least(of_j)})
        few.append((of_i[kept], of_j[kept], keys[kept] + block.start))
    first, second, keys = (np.concatenate(each) for each in zip(*few, strict=True))
    if keys.size < 2:
        own = float(evaluation.log_jacobian(keys, keys, wrt).sum())
        return own if isfinite(own) else 0.0
    with np.errstate(over="ignore"):
        sums = np.add.outer(first, second)
    smallest = float(np.min(sums, where=~np.eye(keys.size, dtype=bool), initial=np.inf))
    return max(smallest, least)


def _two_least(values: Floats) -> list[int]:
    """Return the positions of the two smallest values, or of all if there are fewer."""
    if values.size <= 2:
        return [*range(values.size)]
    least = int(np.argmin(values))
    others = values.copy()
    others[least] = np.inf
    return [least, int(np.argmin(others))]


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
