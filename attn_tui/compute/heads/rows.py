"""Rows of one head as a model computed them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.text import counted, listed

Reals = NDArray[np.floating[Any]]
"""float32 or float64, which represents every value of the captured format exactly."""


@dataclass(frozen=True, eq=False)
class HeadRows:
    """Some queries of one head, with all of its keys; tensors that were not captured are None.

    Attributes:
        rows: The indices of the queries, from 0 to n_queries − 1, rising, shape (r,).
        n_queries: n_q of the whole head.
        queries: Q, shape (r, d_k).
        keys: K, shape (n, d_k).
        values: V, shape (n, d_v).
        output: The output of attention, shape (r, d_v).
        weights: The captured weights, shape (r, n).
        bias: The bias added to the logits, shape (r, n).
        seen: True where a query attends to a key, shape (r, n), if a mask was captured.
        sink: The logit b of the sink, if it was captured.
        positions: The index of the key at which each query stands, shape (r,), if captured.
        formats: The number format of each tensor, by its name in a capture: ``q``, ``k``, ``v``,
            ``out``, ``weights``.
    """

    rows: NDArray[np.intp]
    n_queries: int
    queries: Reals
    keys: Reals
    values: Reals | None = None
    output: Reals | None = None
    weights: Reals | None = None
    bias: Reals | None = None
    seen: NDArray[np.bool_] | None = None
    sink: float | None = None
    positions: NDArray[np.intp] | None = None
    formats: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_keys(self) -> int:
        """The number of keys n, masked ones included."""
        return len(self.keys)

    @property
    def corner(self) -> int | None:
        """The key at which query 0 stands, as captured, or else with the last query at key n − 1.

        None if captured positions are not consecutive.
        """
        if self.positions is None:
            return self.n_keys - self.n_queries
        corners = np.unique(self.positions - self.rows)
        return int(corners[0]) if len(corners) == 1 else None

    @property
    def d_k(self) -> int:
        """The number of entries of a query."""
        return int(self.queries.shape[1])

    @cached_property
    def largest(self) -> Mapping[str, float]:
        """The largest absolute number of ``q``, ``k`` and ``v``: NaN or infinity if one is so."""
        tensors = {"q": self.queries, "k": self.keys, "v": self.values}
        return {
            name: max(float(array.max(initial=0.0)), -float(array.min(initial=0.0)))
            for name, array in tensors.items()
            if array is not None
        }


@dataclass(frozen=True)
class Odd:
    """NaN and infinities in a tensor of a head.

    Attributes:
        part: The name of the tensor: ``q``, ``k``, ``v``, ``out`` …
        nan: How many entries are NaN.
        infinite: How many are infinite, not counting the −∞ of a mask.
        row: The row of the first: a query, or for k and v a key.
        column: The column of the first.
    """

    part: str
    nan: int
    infinite: int
    row: int
    column: int

    @property
    def count(self) -> str:
        """The number of NaN and of infinities, in words."""
        kinds = []
        if self.nan:
            kinds.append(f"{self.nan:,} NaN")
        if self.infinite:
            kinds.append(counted(self.infinite, "infinity", "infinities"))
        return listed(kinds)

    def __str__(self) -> str:
        return f"{self.part} holds {self.count}, first at row {self.row:,}, column {self.column:,}"
