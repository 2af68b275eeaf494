"""The largest entries of blocks of a Jacobian, without the n × n matrix."""

from math import log

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.axis import Floats
from attn_tui.compute import logits
from attn_tui.compute.explore import Evaluation, Wrt


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
    first, second, own = log_parts(evaluation, wrt)
    pieces = np.array(sorted({*rows, *columns}), dtype=np.intp)
    at = pieces // rows.step, pieces // columns.step
    shape = len(rows), len(columns)
    diagonal, beside = np.full(shape, -np.inf), np.full(shape, -np.inf)
    np.maximum.at(diagonal, at, np.maximum.reduceat(own, pieces))
    np.maximum.at(beside, at, np.maximum.reduceat(second, pieces))
    # Of each block of columns, the largest key that is in another block of rows.
    others = np.where(np.eye(len(rows), dtype=bool)[..., None], -np.inf, beside)
    with np.errstate(over="ignore"):
        rest = np.maximum.reduceat(first, np.array(rows))[:, None] + others.max(axis=1)
    return np.maximum(diagonal, rest), diagonal >= rest


def log_parts(evaluation: Evaluation, wrt: Wrt) -> tuple[Floats, Floats, Floats]:
    """Return what the logarithms of the sizes of all entries are made of, each of shape (n,).

    Returns:
        ln p_i; ln p_j + ln slope_j, the slope being that of logit j over score j; and the
        entries on the diagonal, ln p_j + ln(1 − p_j) + ln slope_j.
    """
    first = evaluation.log_weights().astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        second = first + log_slopes(evaluation, wrt)
        own = np.log(evaluation.complements()).astype(np.float64, copy=False)
        own += second
    # The complement of the largest weight may have underflowed.
    largest = np.array([np.argmax(evaluation.weights())])
    own[largest] = evaluation.log_jacobian(largest, largest, wrt)[0]
    return first, second, own


def log_slopes(evaluation: Evaluation, wrt: Wrt) -> Floats:
    """Return ln ∂z_j/∂s_j, or 0 with respect to logits: shape (n,), or (1,) if all are alike."""
    if wrt == "logits":
        return np.zeros(1)
    if evaluation.map.softcap is None:
        m = evaluation.multiplier
        return np.array([log(m) if m else -np.inf])
    return logits.log_slopes(evaluation.scores(), evaluation.map)
