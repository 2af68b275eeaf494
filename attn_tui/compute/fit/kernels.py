"""The outputs that faults of kernels would have given: of blocks, of sinks, of rounded weights."""

from collections.abc import Iterator
from math import isfinite

import numpy as np

from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.head import FitRows, Floats, State
from attn_tui.compute.fit.model import FITS, Suspect
from attn_tui.compute.heads.head_model import LEARNED, HeadModel

BLOCKS = (16, 32, 64, 128, 256)
"""How many keys kernels look at together."""
NARROW = ("float8_e4m3fn", "float8_e5m2")
"""The formats to which weights are rounded."""
LEAST_ROWS = 4
"""A value of the sink is sought in at least so many rows."""


def kernel_outputs(
    rows: FitRows, state: State, model: HeadModel
) -> Iterator[tuple[Suspect, Floats]]:
    """Yield faults of kernels, each with the output that it gives, shape (r, d_v).

    Args:
        rows: Rows of the head.
        state: What the promised model makes of them.
        model: The promised model.
    """
    logits = state.logits.astype(np.float64)
    if rows.bias is not None:
        logits = logits + rows.bias
    logits = np.where(rows.seen, logits, -np.inf)
    values = rows.values.astype(np.float64)
    c = model.value_scale
    has_sink = model.sink not in (None, LEARNED)
    if has_sink:
        yield from _with_value(rows, state, model)
    for weights, name in _rounded(logits - state.top, state.total):
        yield Suspect(name, FITS, part=None), c * weights @ values
    sink = state.total - np.exp(logits - state.top).sum(axis=1, keepdims=True)
    for block in BLOCKS:
        if block < logits.shape[1]:
            yield from _unscaled(logits, values, sink, state.top, block, c)


def _with_value(rows: FitRows, state: State, model: HeadModel) -> Iterator[tuple[Suspect, Floats]]:
    """Yield the output with the value that the sink may have, fitted to all rows."""
    assert isinstance(model.sink, float)
    share = np.exp(np.minimum(model.sink - state.top, 600.0)) / state.total
    if len(rows.output) < LEAST_ROWS or not isfinite(model.sink):
        return
    rest = rows.output - state.output
    value = (share * rest).sum(axis=0) / np.square(share).sum()
    yield (
        Suspect("the sink has a value, which is not 0", FITS, part="sink"),
        (state.output + share * value),
    )


def _rounded(away: Floats, total: Floats) -> Iterator[tuple[Floats, str]]:
    """Yield weights that were rounded to 8 bits, before or after they are divided by their sum."""
    raised = np.exp(away)
    for name_of in NARROW:
        dtype = dtype_of(name_of)
        name = (
            f"weights are rounded to float8 ({name_of.removeprefix('float8_').removesuffix('fn')})"
        )
        # As kernels do, from float32.
        divided = (raised / total).astype(np.float32).astype(dtype).astype(np.float64)
        yield divided, name
        numerators = raised.astype(np.float32).astype(dtype).astype(np.float64)
        yield numerators / total, name


def _unscaled(
    logits: Floats, values: Floats, sink: Floats, top: Floats, block: int, c: float
) -> Iterator[tuple[Suspect, Floats]]:
    """Yield the outputs of a running maximum over blocks of keys that is not carried through."""
    starts = np.arange(0, logits.shape[1], block)
    largest = np.maximum.accumulate(np.maximum.reduceat(logits, starts, axis=1), axis=1)
    before = np.repeat(largest, np.diff([*starts, logits.shape[1]]), axis=1)
    unscaled = np.exp(logits - np.where(np.isfinite(before), before, 0.0))
    scaled = np.exp(logits - top)
    sums = {True: scaled.sum(axis=1, keepdims=True), False: unscaled.sum(axis=1, keepdims=True)}
    mixed = {True: scaled @ values, False: unscaled @ values}
    for is_summed, is_mixed, what in (
        (False, True, "sum is"), (True, False, "output is"), (False, False, "sum and output are"),
    ):  # fmt: skip
        name = f"the running {what} not rescaled where the maximum grows (blocks of {block} keys)"
        total = np.maximum(sums[is_summed] + sink, np.finfo(np.float64).tiny)
        yield Suspect(name, FITS, part=None), c * mixed[is_mixed] / total
