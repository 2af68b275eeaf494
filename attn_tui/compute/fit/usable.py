"""Which rows of a head can be used."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.counted import counted
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows, Reals


def is_finite(values: Reals) -> bool:
    """Return whether no number is NaN or infinite: the sum of such is not finite either."""
    return bool(np.isfinite(values.sum())) or bool(np.isfinite(values).all())


def cleared(head: HeadRows, mask: HeadMask) -> tuple[HeadRows, NDArray[np.bool_]]:
    """Return a head with 0 in place of keys that hold NaN or infinity, and who sees none of them.

    Args:
        head: Some of its rows.
        mask: Which keys they see, if none was captured.

    Returns:
        The head, and for each row whether it can be used, shape (r,).
    """
    tensors = [each for each in (head.keys, head.values) if each is not None]
    if all(map(is_finite, tensors)):
        return head, np.ones(len(head.rows), bool)
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
    other = finite
    if (answer := _answer(head)) is not None:
        _, each = answer
        finite = finite & np.isfinite(each).all(axis=1)
        other = finite & each.any(axis=1)
    zero, blind = int((finite & ~other).sum()), 0
    if head.seen is not None:
        sees = head.seen.any(axis=1)
        blind = int((finite & ~sees).sum())
        zero, other = int((finite & ~other & sees).sum()), other & sees
    notes = []
    if blind:
        see, are = ("sees", "is") if blind == 1 else ("see", "are")
        rows = counted(blind, "row")
        notes.append(f"{rows} {see} no key by the captured mask and {are} left out")
    if zero:
        are = "is all 0 and is" if zero == 1 else "are all 0 and are"
        notes.append(f"{counted(zero, 'row')} of the output {are} left out")
    if (bad := int((~finite).sum())) > 0:
        which = f"{bad} rows hold or see" if bad > 1 else "1 row holds or sees"
        left = "are left out" if bad > 1 else "is left out"
        first = ", ".join(f"row {row} of {name}" for name, row in _first_odd(head))
        where = f" (first: {first})" if first else ""
        notes.append(f"{which} NaN or infinity and {left}{where}")
    return np.flatnonzero(other), tuple(notes)


def unusable(head: HeadRows) -> str:
    """Return why no row of a head can be used."""
    answer = _answer(head)
    if answer is None:
        return "no row can be used"
    name, each = answer
    odd = ~np.isfinite(each).all(axis=1)
    zero = ~each.any(axis=1)
    if (odd | zero).all():
        what = []
        if odd.any():
            what.append("NaN or infinite" if np.isinf(each).any() else "NaN")
        if zero.any():
            what.append("all 0")
        return f"the {name} is {' or '.join(what)} in every row"
    for part, row in _first_odd(head):
        if part in ("k", "v") and not odd.any():
            other = f"it is of another {part}, unless a mask hid that row"
            return f"{part} holds NaN or infinity at row {row}, and the {name} none: {other}"
    if head.seen is not None and not head.seen.any():
        return "the captured mask hides every key from every row used"
    return "no row can be used"


def _answer(head: HeadRows) -> tuple[str, Reals] | None:
    """Return what is fitted, by its name, a row for each of the head's."""
    if head.output is not None and head.values is not None:
        return "output", head.output
    return None if head.weights is None else ("weights", head.weights)


def _first_odd(head: HeadRows) -> Iterator[tuple[str, int]]:
    """Yield each tensor that holds NaN or infinity, and the first row that does."""
    every = np.arange(head.n_keys)
    captured = (
        ("q", head.queries, head.rows),
        ("k", head.keys, every),
        ("v", head.values, every),
        ("output", head.output, head.rows),
    )
    for name, tensor, rows in captured:
        if tensor is not None and (odd := ~np.isfinite(tensor).all(axis=1)).any():
            yield name, int(rows[np.argmax(odd)])


def taken(head: HeadRows, at: NDArray[np.intp]) -> HeadRows:
    """Return only some of a head's rows, by their place."""
    if len(at) == len(head.rows):
        return head

    def some(values: NDArray[np.generic] | None) -> NDArray[np.generic] | None:
        return None if values is None else values[at]

    names = ("rows", "queries", "output", "weights", "bias", "seen")
    parts = {name: some(getattr(head, name)) for name in (*names, "positions")}
    return replace(head, **parts)  # type: ignore[arg-type]
