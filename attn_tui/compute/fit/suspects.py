"""Where nothing fits: whether weights were softmaxed again."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.diagnosis import Suspect
from attn_tui.compute.fit.model import Floats, Parameters, Rows, compute, rows_of
from attn_tui.compute.fit.noise import Format, paths_of, variance
from attn_tui.compute.fit.scan import chosen_rows
from attn_tui.compute.fit.search import unwindowed
from attn_tui.compute.fit.usable import taken
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

Seen = NDArray[np.bool_]

LITTLE = 0.3
"""What leaves more than this share is none that was taken, whatever rounding would make of it."""

FEW = 5
"""Rows for what takes many trials."""


def suspects(head: HeadRows, format: Format) -> tuple[Suspect, ...]:
    """Return what may have been done to a head that nothing fits, and what a test of it found.

    Args:
        head: With an output.
        format: Of the output.
    """
    head = taken(head, chosen_rows(len(head.rows)))
    few = taken(head, np.unique(np.linspace(0, len(head.rows) - 1, FEW).round().astype(np.intp)))
    twice = _twice(few, unwindowed(head), format)
    padding = Suspect("padding", "no", "nor does it fit without keys at one end")
    if head.positions is None and head.seen is None and head.n_queries < head.n_keys:
        found = "nor does it fit with them at other keys, under a causal mask without a window"
        return twice, padding, Suspect("where queries stand", "no", found)
    return twice, padding


def twice_in_weights(head: HeadRows, weights: Floats, format: Format) -> Suspect:
    """Test whether captured weights were softmaxed again: ln p is then p of the first softmax.

    Args:
        head: Some rows.
        weights: Of these, shape (r, n).
        format: Of the weights.
    """
    tried: list[tuple[float, float, float]] = []
    for rows, there in _ways(head, unwindowed(head)):
        if not (weights[there] > 0).all():
            continue
        logs = _centred(np.log(np.where(there, weights, 1.0)), there)
        size = float(np.linalg.norm(logs))

        def off(m: float, rows: Rows = rows, there: Seen = there, logs: Floats = logs) -> float:
            rest = logs - _centred(compute(rows, Parameters(m)).weights, there)
            return float(np.linalg.norm(rest)) / (float(np.linalg.norm(logs)) or 1.0)

        best, least = _nearest(off, head)
        floor = 2.0**-format.bits * float(np.sqrt(there.sum() / 12)) / max(size, 1e-300)
        tried.append((least, best, floor))
    form = "the weights are softmax taken twice, softmax(softmax(m·q·k))"
    return _suspect(tried, "weights", form)


def _twice(head: HeadRows, masks: tuple[HeadMask, ...], format: Format) -> Suspect:
    """Test whether weights were softmaxed again, masked ones, which were 0, among them."""
    path = paths_of(format)[-1]
    tried: list[tuple[float, float, float]] = []
    for rows, there in _ways(head, masks):

        def off(m: float, rows: Rows = rows, there: Seen = there) -> float:
            again = np.where(there, np.exp(compute(rows, Parameters(m)).weights), 0.0)
            return _off(again @ rows.values, rows.output)

        best, least = _nearest(off, head)
        made = variance(rows, compute(rows, Parameters(best)), format, path)
        floor = float(np.sqrt(made.sum() / np.square(rows.output).sum()))
        tried.append((least, best, floor))
    form = "the output fits softmax taken twice, softmax(softmax(m·q·k))·V"
    return _suspect(tried, "output", form)


def _ways(head: HeadRows, masks: tuple[HeadMask, ...]) -> Iterator[tuple[Rows, Seen]]:
    """Yield rows under masks, and what the second softmax sees: what the first does, or all."""
    for mask in masks:
        rows = rows_of(head, mask)
        yield rows, rows.seen
        if not rows.seen.all():
            yield rows, np.ones_like(rows.seen)


def _suspect(tried: Sequence[tuple[float, float, float]], what: str, form: str) -> Suspect:
    """Return what came of it: how little is left at best, with which m, and what rounding makes."""
    least, best, floor = min(tried, default=(1.0, 0.0, 0.0))
    left = least if what == "output" else None
    if least > max(min(5 * floor, LITTLE), 1e-3):
        fit = "does not fit" if what == "output" else "do not fit"
        return Suspect("softmax twice", "no", f"the {what} {fit} it", left)
    return Suspect("softmax twice", "yes", f"{form}, with m near {best:.3g}", left)


def _centred(values: Floats, there: Seen) -> Floats:
    """Return values less their mean over the keys that are there, and 0 elsewhere."""
    count = np.maximum(there.sum(axis=1, keepdims=True), 1)
    mean = np.where(there, values, 0.0).sum(axis=1, keepdims=True) / count
    return np.where(there, values - mean, 0.0)


def _nearest(cost: Callable[[float], float], head: HeadRows) -> tuple[float, float]:
    """Return the m near 1/√d_k at which a cost is least, and that cost.

    Weights that were softmaxed again hardly depend on m: it is smooth over a grid of factors of 2.
    """
    found = {m: cost(m) for m in (head.d_k**-0.5 * 2.0**at for at in range(-4, 5))}
    step = 2.0
    for _ in range(10):
        step = step**0.5
        best = min(found, key=found.__getitem__)
        found |= {m: cost(m) for m in (best / step, best * step)}
    best = min(found, key=found.__getitem__)
    return best, found[best]


def _off(mixed: Floats, output: Floats) -> float:
    """Return the root mean square sine between rows."""
    along = (mixed * output).sum(axis=1)
    square = np.square(mixed).sum(axis=1) * np.square(output).sum(axis=1)
    return float(np.sqrt(np.clip(1 - along**2 / np.maximum(square, 1e-300), 0, 1).mean()))
