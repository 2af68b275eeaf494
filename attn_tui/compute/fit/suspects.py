"""Where nothing fits: whether weights were softmaxed again, or keys of zeros are padding."""

import numpy as np

from attn_tui.compute.fit.choose import hopeless
from attn_tui.compute.fit.diagnosis import Path
from attn_tui.compute.fit.model import Floats, Parameters, compute, rows_of
from attn_tui.compute.fit.noise import Format, variance
from attn_tui.compute.fit.scan import chosen_rows
from attn_tui.compute.fit.search import unwindowed
from attn_tui.compute.fit.solve import aligned
from attn_tui.compute.fit.usable import taken
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

FEW = 5
"""Rows for what takes many trials."""


def suspects(head: HeadRows, format: Format) -> tuple[str, ...]:
    """Return what was done to a head that nothing fits, if it is one of these.

    Args:
        head: With an output.
        format: Of the output.
    """
    head = taken(head, chosen_rows(len(head.rows)))
    few = taken(head, np.unique(np.linspace(0, len(head.rows) - 1, FEW).round().astype(np.intp)))
    masks = unwindowed(head)
    results = (_twice(few, masks, format), _padding(head, masks, format))
    return tuple(text for text in results if text)


def _twice(head: HeadRows, masks: tuple[HeadMask, ...], format: Format) -> str:
    """Test whether weights were softmaxed again, masked ones, which were 0, among them."""
    least, best = np.inf, 0.0
    floor = 0.0
    for mask in masks:
        rows = rows_of(head, mask)
        for m in head.d_k**-0.5 * 2.0 ** np.arange(-4, 4.1, 0.25):
            state = compute(rows, Parameters(float(m)))
            for hidden in (rows.seen, np.ones_like(rows.seen)):
                again = np.where(hidden, np.exp(state.weights), 0.0)
                off = _off(again @ rows.values, rows.output)
                if off < least:
                    least, best = off, float(m)
                    path: Path = "eager" if format.bits < 24 else "float32"
                    made = variance(rows, state, format, path)
                    floor = float(np.sqrt(made.sum() / np.square(rows.output).sum()))
    # The grid is coarse, but weights that were softmaxed twice hardly depend on m.
    guilty = least < max(5 * floor, 0.02)
    return f"softmax twice: fits, with m near {best:.2g}" if guilty else ""


def _off(mixed: Floats, output: Floats) -> float:
    """Return the root mean square sine between rows."""
    along = (mixed * output).sum(axis=1)
    square = np.square(mixed).sum(axis=1) * np.square(output).sum(axis=1)
    return float(np.sqrt(np.clip(1 - along**2 / np.maximum(square, 1e-300), 0, 1).mean()))


def _padding(head: HeadRows, masks: tuple[HeadMask, ...], format: Format) -> str:
    """Test whether keys of zeros are padding that no query sees."""
    empty = ~head.keys.any(axis=1)
    for mask in masks if empty.any() else ():
        seen = mask.seen(head) & ~empty
        some = np.flatnonzero(seen.sum(axis=1) > 1)
        if not len(some):
            continue
        rows = rows_of(head, mask).under(seen).part(some)
        near, off = aligned(rows, Parameters(head.d_k**-0.5))
        if off < 0.3 and not hopeless(rows, near, format):
            return f"padding: fits without {int(empty.sum()):,} keys of zeros"
    return ""
