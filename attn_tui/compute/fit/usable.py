"""Which rows of a head can be used."""

from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows


def cleared(head: HeadRows, mask: HeadMask) -> tuple[HeadRows, NDArray[np.bool_]]:
    """Return a head with 0 in place of keys that hold NaN or infinity, and who sees none of them.

    Args:
        head: Some of its rows.
        mask: Which keys they see, if none was captured.

    Returns:
        The head, and for each row whether it can be used, shape (r,).
    """
    if all(isfinite(size) for name, size in head.largest.items() if name != "q"):
        return head, np.ones(len(head.rows), bool)
    tensors = [each for each in (head.keys, head.values) if each is not None]
    odd = np.any([~np.isfinite(each).all(axis=1) for each in tensors], axis=0)
    seen = mask.seen(head) if head.seen is None else head.seen
    keys = np.where(odd[:, None], 0, head.keys).astype(head.keys.dtype)
    values = head.values
    if values is not None:
        values = np.where(odd[:, None], 0, values).astype(values.dtype)
    return replace(head, keys=keys, values=values), np.asarray(~(seen & odd).any(axis=1))


def usable(head: HeadRows, clear: NDArray[np.bool_]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return which rows can be used, and what is to be said of the others.

    Args:
        head: The rows, as they were captured.
        clear: Which of them see no key that holds NaN or infinity, shape (r,).
    """
    finite = clear & np.isfinite(head.queries).all(axis=1)
    if head.bias is not None:
        finite &= np.isfinite(head.bias).all(axis=1)
    sees = np.ones_like(finite) if head.seen is None else head.seen.any(axis=1)
    answer = head.weights if head.output is None or head.values is None else head.output
    there = np.ones_like(finite)
    if answer is not None:
        finite &= np.isfinite(answer).all(axis=1)
        there = np.asarray(answer.any(axis=1))
    left_out = {
        "with NaN or infinity in what they hold or see": ~finite,
        "with no key by the captured mask": finite & ~sees,
        "with an output that is all 0": finite & sees & ~there,
    }
    notes = tuple(
        f"{rows.sum()} of {len(rows)} rows {why} are left out."
        for why, rows in left_out.items()
        if rows.any()
    )
    return np.flatnonzero(finite & sees & there), notes


def taken(head: HeadRows, at: NDArray[np.intp]) -> HeadRows:
    """Return only some of a head's rows, by their place."""
    if len(at) == len(head.rows):
        return head

    def some(values: NDArray[np.generic] | None) -> NDArray[np.generic] | None:
        return None if values is None else values[at]

    names = ("rows", "queries", "output", "weights", "bias", "seen")
    parts = {name: some(getattr(head, name)) for name in (*names, "positions")}
    return replace(head, **parts)  # type: ignore[arg-type]
