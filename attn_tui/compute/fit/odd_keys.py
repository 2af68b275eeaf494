"""Keys and values that hold NaN or infinity: rows that may see one tell nothing."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.rows import HeadRows


def without_odd_keys(head: HeadRows) -> tuple[HeadRows, NDArray[np.bool_]]:
    """Return a head whose keys and values are finite, and which rows see none of the others.

    Without a captured mask these are rows before the first odd key, by either alignment: with
    any mask that is not causal, all outputs of a model would have become NaN too.

    Returns:
        The head, with 0 for keys that are odd; and for each row whether it can be used, shape (r,).
    """
    known = [head.keys] if head.values is None else [head.keys, head.values]
    odd = ~np.isfinite(np.concatenate(known, axis=1)).all(axis=1)
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
