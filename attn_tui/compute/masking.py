"""Masks applied to vectors."""

from functools import lru_cache

from attn_tui.compute.errors import InputError
from attn_tui.compute.mask import Mask
from attn_tui.compute.vector import Vector, Vectors


def masked(mask: Mask, vectors: Vectors) -> Vectors:
    """Return vectors with their hidden keys masked; the same objects for the same vectors.

    Raises:
        InputError: With field ``"mask"``, if it reaches past the end of the longest vector.
    """
    longest = vectors.n_keys
    for start, stop in mask.ranges:
        missing = max(start, longest)
        if missing == start or (stop is not None and missing < stop):
            expected = f"keys from 0 to {longest - 1:,}" if longest > 1 else "key 0, the only one"
            raise InputError("mask", f"there is no key {missing:,}", expected)
    return _masked(mask, vectors) if mask else vectors


@lru_cache(maxsize=4)
def _masked(mask: Mask, vectors: Vectors) -> Vectors:
    def masked(row: int) -> Vector:
        vector = vectors.once(row)
        return vector.masked(_hidden(mask, vectors.position(row)))

    return Vectors(len(vectors), vectors.n_keys, masked, vectors.positions)


def _hidden(mask: Mask, row: int) -> list[slice]:
    """Return which keys are hidden from the query at a position."""
    later = [slice(row + 1, None)] if mask.causal else []
    return [*(slice(*each) for each in mask.ranges), *later]
