"""Faults that show only across the heads of a layer: by the output of all of them together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import dtype_of, limits
from attn_tui.compute.fit.case import parameters_of
from attn_tui.compute.fit.head import compute, rows_of
from attn_tui.compute.fit.model import FITS, Suspect
from attn_tui.compute.heads.head import row_weights
from attn_tui.compute.heads.head_model import LEARNED
from attn_tui.doctor.call import PromisedHead

MOST_HEADS = 64
"""Of layers with more heads only single heads are looked at."""
MOST_NUMBERS = 2**22
"""The most scores of all heads of a layer that are looked at together."""
ROOM = 16.0
"""An output may be off by so many units of the coarsest format."""


def across_heads(
    heads: Sequence[PromisedHead], number: int, passes: Callable[[PromisedHead], bool]
) -> Suspect | None:
    """Return what was done to the heads of a layer, if that gives the output of one, or None.

    Args:
        heads: All heads of the layer, with all rows.
        number: The number of the head that is not as promised.
        passes: Returns whether a head is what is promised.
    """
    outputs = [head.rows.output for head in heads]
    if len(heads) < 2 or any(output is None for output in outputs):
        return None
    stack = np.stack([output for output in outputs if output is not None])
    for turned in _reshaped(stack):
        rows = replace(heads[number].rows, output=turned[number])
        if not np.array_equal(turned[number], stack[number]) and passes(
            replace(heads[number], rows=rows)
        ):
            return Suspect("heads and positions are exchanged by a reshape of the output", FITS)
    if _is_over_heads(heads, number):
        return Suspect("softmax was taken over the heads: weights of a key sum to 1 there", FITS)
    return None


def _reshaped(stack: NDArray[np.floating]) -> Iterator[NDArray[np.floating]]:
    """Yield the output [heads, n, d] before heads and positions were exchanged by a reshape."""
    h, n, d = stack.shape
    yield stack.reshape(n, h, d).swapaxes(0, 1)
    yield stack.swapaxes(0, 1).reshape(h, n, d)


def _is_over_heads(heads: Sequence[PromisedHead], number: int) -> bool:
    """Return whether the output of a head is that of a softmax over the heads of its layer."""
    logits = []
    for head in heads:
        model, rows = head.comparable.model, head.rows
        if rows.values is None or LEARNED in (model.bias, model.sink):
            return False
        fit = rows_of(rows, model.mask)
        z = compute(fit, parameters_of(model)).logits.astype(np.float64)
        if fit.bias is not None:
            z = z + fit.bias
        logits.append(np.where(fit.seen, z, -np.inf))
    weights = row_weights(np.stack(logits), axis=0)[number]
    rows, model = heads[number].rows, heads[number].comparable.model
    assert rows.values is not None
    assert rows.output is not None
    values = rows.values.astype(np.float64)
    unit = max(float(limits(dtype_of(name)).eps) for name in _formats(heads[number]))
    room = ROOM * unit * np.abs(weights) @ np.abs(values)
    apart = np.abs(rows.output - model.value_scale * weights @ values)
    return bool((apart <= room).all())


def _formats(head: PromisedHead) -> Iterator[str]:
    """Yield the formats of a head's tensors."""
    for part in ("q", "k", "v", "out"):
        yield head.rows.formats.get(part, "float32")
