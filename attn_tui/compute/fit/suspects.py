"""Where nothing fits: whether weights were softmaxed again."""

from collections.abc import Callable, Sequence

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
    return twice, Suspect("padding", "no", "nor does it fit without keys at one end")


def _twice(head: HeadRows, masks: tuple[HeadMask, ...], format: Format) -> Suspect:
    """Test whether weights were softmaxed again, masked ones, which were 0, among them."""
    path = paths_of(format)[-1]
    tried: list[tuple[float, float, float]] = []
    for mask in masks:
        rows = rows_of(head, mask)
        for hidden in (rows.seen, np.ones_like(rows.seen)):

            def off(m: float, rows: Rows = rows, hidden: Seen = hidden) -> float:
                again = np.where(hidden, np.exp(compute(rows, Parameters(m)).weights), 0.0)
                return _off(again @ rows.values, rows.output)

            best, least = _least(off, [head.d_k**-0.5 * 2.0**at for at in range(-4, 5)])
            made = variance(rows, compute(rows, Parameters(best)), format, path)
            floor = float(np.sqrt(made.sum() / np.square(rows.output).sum()))
            tried.append((least, best, floor))
    least, best, floor = min(tried)
    if least > max(5 * floor, 1e-3):
        return Suspect("softmax twice", "no", "the output does not fit it", least)
    form = f"the output fits softmax taken twice, softmax(softmax(m·q·k))·V, with m near {best:.3g}"
    return Suspect("softmax twice", "yes", form, least)


def _least(cost: Callable[[float], float], grid: Sequence[float]) -> tuple[float, float]:
    """Return where a cost is least, near the best of a grid of factors of 2, and how small it is.

    Weights that were softmaxed again hardly depend on m: the cost is smooth over the grid.
    """
    found = {m: cost(m) for m in grid}
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
