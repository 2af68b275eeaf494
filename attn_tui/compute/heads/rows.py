"""Rows of one head as a model computed them: what statistics and the doctor are taken from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.floating[Any]]
"""float32 or float64: every value of the format it was captured in is exact."""


@dataclass(frozen=True, eq=False)
class HeadRows:
    """Some queries of one head, with all of its keys. What was not captured is None.

    Attributes:
        rows: Which queries these are, from 0 to n_queries − 1, rising, shape (r,).
        n_queries: n_q of the whole head.
        queries: Q, shape (r, d_k).
        keys: K, shape (n, d_k).
        values: V, shape (n, d_v).
        output: What attention returned, shape (r, d_v).
        weights: Weights as they were captured, shape (r, n).
        bias: What is added to the logits, shape (r, n).
        seen: True where a query attends to a key, shape (r, n), if a mask was captured.
        sink: The logit b of the sink, if it was captured.
        positions: The index of the key each query stands at, shape (r,), if it was captured.
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
        """The key that query 0 stands at, as captured, or else so that the last is at the last.

        None is that captured positions do not follow one another.
        """
        if self.positions is None:
            return self.n_keys - self.n_queries
        corners = np.unique(self.positions - self.rows)
        return int(corners[0]) if len(corners) == 1 else None

    @property
    def d_k(self) -> int:
        """The length of a query."""
        return int(self.queries.shape[1])
