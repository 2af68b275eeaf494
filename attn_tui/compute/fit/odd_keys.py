"""Keys and values that hold NaN or infinity: rows that may see one tell nothing."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

_OTHER = "and the output that sees it does not: it cannot be of this"


def without_odd_keys(head: HeadRows) -> tuple[HeadRows, NDArray[np.bool_]]:
    """Return a head whose keys and values are finite, and which rows see none of the others.

    Without a captured mask these are rows before the first odd key, by either alignment: with
    any mask that is not causal, all outputs of a model would have become NaN too.

    Returns:
        The head, with 0 for keys that are odd; and for each row whether it can be used, shape (r,).
    """
    odd = np.asarray(~np.isfinite(head.keys).all(axis=1))
    if head.values is not None:
        odd = odd | ~np.isfinite(head.values).all(axis=1)
    if not odd.any():
        return head, np.ones(len(head.rows), bool)
    if head.seen is not None:
        clear = ~(head.seen & odd).any(axis=1)
    else:
        own = head.rows + max(head.n_keys - head.n_queries, 0)
        own = own if head.positions is None else head.positions
        clear = own < np.argmax(odd)
    keys = np.where(odd[:, None], 0, head.keys).astype(head.keys.dtype)
    values = head.values
    if values is not None:
        values = np.where(odd[:, None], 0, values).astype(values.dtype)
    return replace(head, keys=keys, values=values), np.asarray(clear)


def contradiction(head: HeadRows, mask: HeadMask, used: NDArray[np.intp]) -> str:
    """Return which NaN cannot have been there when the output was computed, or nothing.

    A row that sees a key or has a query with NaN has an output of NaN.

    Args:
        head: As it was captured.
        mask: Under which it fits.
        used: The rows that it was fitted by, by their place.
    """
    if head.output is None:
        return ""
    finite = np.isfinite(head.output).all(axis=1)
    if (rows := head.rows[np.isnan(head.queries).any(axis=1) & finite]).size:
        return f"q holds NaN at row {rows[0]}, {_OTHER} q"
    seen = mask.seen(head)
    if mask.by_position:
        # A window may be wider than what the rows used see, but not narrower.
        own = mask.own(head)
        seen = seen & (own[:, None] - np.arange(head.n_keys) <= own[used].max())
    for name, tensor in (("k", head.keys), ("v", head.values)):
        if tensor is not None:
            odd = np.isnan(tensor).any(axis=1)
            if (keys := np.flatnonzero((seen[finite] & odd).any(axis=0))).size:
                return f"{name} holds NaN at row {keys[0]}, {_OTHER} {name}"
    return ""
