"""The order keys are listed in, without an array where it is that of their positions."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore.answer import VectorAnswer

Sort = Literal["auto", "position", "weight"]
"""What keys are listed by; auto is by position where all are in sight, and by weight elsewhere."""

Keys = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Order:
    """Keys in an order.

    Attributes:
        n_keys: How many there are.
        keys: Shape (n_keys,), or None where they stand as they are.
    """

    n_keys: int
    keys: Keys | None = None

    def between(self, first: int, last: int) -> Keys:
        """Return the keys from one place to before another."""
        if self.keys is None:
            return np.arange(first, min(last, self.n_keys))
        return self.keys[first:last]

    def key(self, place: int) -> int:
        """Return the key at a place; places beyond the ends are held."""
        held = min(max(place, 0), self.n_keys - 1)
        return held if self.keys is None else int(self.keys[held])

    def place(self, key: int) -> int:
        """Return the place of a key."""
        return key if self.keys is None else int(np.flatnonzero(self.keys == key)[0])


def ordered(answer: VectorAnswer, sort: Sort) -> Order:
    """Return the keys by position, or the largest scaled weight first, equal ones as they stand."""
    n_keys = answer.vector.n_keys
    if sort == "position":
        return Order(n_keys)
    return Order(n_keys, np.argsort(-answer.scaled.ranking(), kind="stable"))
