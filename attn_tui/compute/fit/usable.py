"""Which rows of a head can be used."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.rows import HeadRows


def usable(head: HeadRows, clear: NDArray[np.bool_]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return which rows can be used, and what is to be said of the others.

    Args:
        head: The rows.
        clear: Which of them see no key that holds NaN or infinity, shape (r,).
    """
    finite = clear & np.isfinite(head.queries).all(axis=1)
    if head.bias is not None:
        finite &= np.isfinite(head.bias).all(axis=1)
    other = finite
    for captured in (head.output, head.weights, head.log_sum_exp):
        if captured is not None:
            each = captured.reshape(len(captured), -1)
            finite = finite & np.isfinite(each).all(axis=1)
            other = finite & (each.any(axis=1) | (captured is head.log_sum_exp))
            break
    if head.seen is not None:
        other &= head.seen.any(axis=1)
    notes = []
    if (zero := int((finite & ~other).sum())) > 0:
        notes.append(f"{zero} rows of the output are all 0 and are left out")
    if (bad := int((~finite).sum())) > 0:
        which = f"{bad} rows hold or see" if bad > 1 else "1 row holds or sees"
        left = "are left out" if bad > 1 else "is left out"
        notes.append(f"{which} NaN or infinity and {left}")
    return np.flatnonzero(other), tuple(notes)


def taken(head: HeadRows, at: NDArray[np.intp]) -> HeadRows:
    """Return only some of a head's rows, by their place."""
    if len(at) == len(head.rows):
        return head

    def some(values: NDArray[np.generic] | None) -> NDArray[np.generic] | None:
        return None if values is None else values[at]

    names = ("rows", "queries", "output", "scores", "weights", "log_sum_exp", "bias", "seen")
    parts = {name: some(getattr(head, name)) for name in (*names, "positions")}
    return replace(head, **parts)  # type: ignore[arg-type]
