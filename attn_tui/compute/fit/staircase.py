"""What rounding does to logits and their exponentials, where it is not like noise.

A rounded logit is a staircase of the exact one. Where the logits of a row lie many stairs apart,
their errors are like noise. Where all of them lie within a few stairs, as they do if keys have a
large part in common, the errors follow the logits, alike in every row: as if another m or another
cap had been used. So do the errors of exponentials that a kernel approximates.
"""

from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any

import numpy as np

from attn_tui.compute.arrays import rounded
from attn_tui.compute.fit.head import FitRows, Floats, Path, State
from attn_tui.compute.fit.noise import STEPWISE, Format, Noise, is_inexact
from attn_tui.compute.heads.rows import Reals

TANH = 2.0
"""The error of tanh in float32, in units of its last digit, as CUDA states it. It comes from
polynomials, and so it follows the argument."""
EXPONENTIAL = 2.0**-13
"""The most by which kernels of 16 bits let e^x err, as a share of it: a quarter of half a unit of
float16. A polynomial of degree 3 in the fraction of x/ln 2 errs by 1.07e-4 in PyTorch's flash
kernel on processors (Malossi, Ineichen, Bekas and Curioni), by 0.9e-4 in FlashAttention 4."""
CELL = 8
"""In how many cells each octave of e^x is divided: an approximation errs alike in all of a cell."""


def logits_of(
    scores: Reals,
    multiplier: Reals | float,
    softcap: float | None,
    bias: Reals | None,
    step: Callable[[Reals], Reals],
) -> Reals:
    """Return cap·tanh(m·q·k/cap) + bias, each step of it rounded, in the type of the scores.

    Args:
        scores: q·k, shape (r, n).
        multiplier: m, or that of each row, shape (r, 1).
        softcap: The cap, or None.
        bias: Shape (r, n), or None.
        step: Rounds what a step gives.
    """
    inner = scores.dtype.type
    z = step(scores * np.asarray(multiplier, inner))
    if softcap is not None:
        cap = inner(softcap)
        z = step(cap * step(np.tanh(step(z / cap))))
    return z if bias is None else step(z + bias.astype(inner))


def weights_of(z: Reals, sink: float, path: Path, step: Callable[[Reals], Reals]) -> Reals:
    """Return softmax of logits, in their type, rounded where a path rounds; a masked row is 0.

    Args:
        z: −∞ where masked, shape (r, n).
        sink: The logit that softmax also runs over; −∞ is none.
        path: What is rounded.
        step: Rounds what a step gives.
    """
    inner = z.dtype.type
    top = z.max(axis=1, keepdims=True)
    if path != "flash":
        top = np.maximum(top, inner(sink))
    top = np.where(np.isfinite(top), top, inner(0.0))

    def each(values: Reals) -> Reals:
        return step(values) if path == "stepwise" else values

    p: Reals = each(np.exp(each(z - top)))
    total: Reals = p.sum(axis=1, keepdims=True) + each(np.exp(each(inner(sink) - top)))
    total = each(np.where(total == 0, inner(1.0), total))
    if path == "flash":
        return np.asarray(step(p) / total)
    return step(p / total) if path in STEPWISE else p / total


def logits_by_steps(rows: FitRows, state: State, format: Format, path: Path) -> Iterator[Reals]:
    """Yield logits without a mask as rounding each step gives them, shape (r, n), in float32.

    Programs multiply by m before or after q·k is rounded, or by its root on both sides.

    Args:
        rows: The rows.
        state: The head, computed with the model's numbers.
        format: The format to which steps are rounded.
        path: One on which they are; on ``scaled`` √m is on both sides.
    """
    parameters, inner = state.parameters, np.float32
    softcap = parameters.curvature**-0.5 if parameters.curvature > 0 else None

    def step(values: Reals) -> Reals:
        return rounded(values, format.name)

    m: Any = inner(parameters.multiplier)
    scores = rows.scores.astype(inner, copy=False)
    products: list[tuple[Reals, Any]] = []
    root = inner(sqrt(abs(m)))
    if path != "scaled" or not is_inexact(float(root)):
        products.append((step(scores), m))
        if is_inexact(float(m)):
            products.append((scores, m))
    if is_inexact(float(root)):
        q, k = (step(part.astype(inner) * root) for part in (rows.queries, rows.inputs.keys))
        products.append((step(q @ k.T), np.sign(m)))
    for product, factor in products:
        yield logits_of(product, factor, softcap, rows.bias, step)


def shifts_by_steps(rows: FitRows, state: State, format: Format, path: Path) -> Iterator[Floats]:
    """Yield how rounding each step to the logits changes the output, shape (r, d_v).

    The arguments are those of `logits_by_steps`.
    """
    parameters = state.parameters
    # Without a cap the state may bend logits the other way, which no step does.
    is_capped = parameters.curvature > 0
    exact = state.logits if is_capped else parameters.multiplier * rows.scores
    if rows.bias is not None:
        exact = exact + rows.bias
    for z in logits_by_steps(rows, state, format, path):
        if path == "stepwise":
            top = np.where(rows.seen, z, -np.inf).max(axis=1, keepdims=True)
            z = rounded(z - top, format.name) + top
        yield shift_of(rows, state, z - exact)


def outputs_by_steps(rows: FitRows, state: State, format: Format) -> Iterator[Floats]:
    """Yield the output as rounding each step before it gives it, shape (r, d_v).

    Args:
        rows: The rows.
        state: The head, computed with the model's numbers.
        format: The format to which steps are rounded.
    """
    parameters = state.parameters

    def step(values: Reals) -> Reals:
        return rounded(values, format.name)

    ways: tuple[Path, ...] = ("eager", "stepwise")
    for z in logits_by_steps(rows, state, format, ways[0]):
        hidden = np.where(rows.seen, z, z.dtype.type(-np.inf))
        for path in ways:
            p = weights_of(hidden, parameters.sink_logit, path, step)
            yield parameters.value_scale * (p.astype(rows.values.dtype) @ rows.values)


def shift_of(rows: FitRows, state: State, errors: Floats) -> Floats:
    """Return the change of the output by errors of logits, shape (r, d_v).

    Args:
        rows: The rows.
        state: The head.
        errors: Shape (r, n).
    """
    # A step that overflows makes no logit, and so no error of one.
    errors = np.where(rows.seen & np.isfinite(errors), errors, 0.0)
    by_key = state.weights * errors
    mean = by_key.sum(axis=1, keepdims=True)
    return np.asarray(state.parameters.value_scale * (by_key @ rows.values - mean * state.mixed))


def most_by_tanh(rows: FitRows, state: State, format: Format, along: Floats) -> float:
    """Return how much the error of tanh may change the output along a direction, at most.

    Args:
        rows: The rows.
        state: The head, computed with the model's numbers.
        format: The format of the arithmetic; tanh itself is computed in float32 at least.
        along: The direction, shape (r, d_v).
    """
    if state.parameters.curvature <= 0:
        return 0.0
    unit = TANH * 2.0 ** (1 - max(format.bits, 24))
    by_key = along @ rows.values.T - (along * state.mixed).sum(axis=1, keepdims=True)
    errors = np.where(rows.seen, state.weights * state.logits * by_key, 0.0)
    return abs(state.parameters.value_scale) * unit * float(np.abs(errors).sum())


def reach_of_exponentials(rows: FitRows, state: State, noise: Noise, slopes: Floats) -> Floats:
    """Return how far approximate exponentials may move each of some numbers, at most.

    How far an exponential errs follows from its argument. So errors add up where keys lie equally
    far below the largest of their row, and in no more than that.

    Args:
        rows: The rows.
        state: The head, computed with the model's numbers.
        noise: The noise of its output.
        slopes: ∂out along each number, whitened, shape (names, r, d_v).

    Returns:
        Shape (names,); 0 for a number that moves nothing.
    """
    weights = state.weights
    exponentials = np.asarray(weights * state.total.astype(weights.dtype), np.float32)
    # The bits of the exponent, and the first of the significand, number the cells.
    cells = (exponentials.view(np.int32) >> (24 - CELL.bit_length())).ravel().astype(np.intp)
    along = noise.transposed(slopes)
    by_key = along.astype(weights.dtype, copy=False) @ rows.values.T
    mean = (along * state.mixed).sum(axis=2, keepdims=True)
    by_key -= mean
    by_key *= weights
    sums = [np.bincount(cells, weights=one.ravel()) for one in by_key]
    most = np.abs(sums).sum(axis=1)
    if state.parameters.sink:
        most += np.abs(mean * (1.0 - weights.sum(axis=1, keepdims=True))).sum(axis=(1, 2))
    squares = np.square(slopes).sum(axis=(1, 2))
    most *= abs(state.parameters.value_scale) * EXPONENTIAL
    return np.where(squares > 0, most / np.where(squares > 0, squares, 1.0), 0.0)
