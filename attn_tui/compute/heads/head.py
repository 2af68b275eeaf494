"""A whole head in float64."""

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.softmax import STABLE, logits


@dataclass(frozen=True, eq=False)
class Head:
    """Queries, keys and values of one head, in float64; n and n_q are at least 1.

    Attributes:
        queries: Q, shape (n_q, d_k).
        keys: K, shape (n, d_k).
        values: V, shape (n, d_v).
        model: The model of the head; neither its value scale nor a bias or a law takes part.
    """

    queries: Floats
    keys: Floats
    values: Floats
    model: HeadModel

    @cached_property
    def scores(self) -> Floats:
        """S = QKᵀ, shape (n_q, n); −∞ where a key is masked."""
        n_queries = len(self.queries)
        rows = HeadRows(np.arange(n_queries), n_queries, self.queries, self.keys)
        return np.where(self.model.mask.seen(rows), self.queries @ self.keys.T, -inf)

    @cached_property
    def logits(self) -> Floats:
        """The logits, shape (n_q, n)."""
        return logits(self.scores, self.model.logit_map, STABLE).astype(np.float64, copy=False)

    @cached_property
    def weights(self) -> Floats:
        """P, shape (n_q, n); rows sum to 1, or to less with a sink."""
        return row_weights(self.logits, self.model.sink_logit)

    @cached_property
    def output(self) -> Floats:
        """P·V, shape (n_q, d_v)."""
        return np.asarray(self.weights @ self.values)


def row_weights(logits: Floats, sink: float | None = None, axis: int = 1) -> Floats:
    """Return softmax of each row of logits; −∞ masks a key, and a masked row is 0.

    Args:
        logits: Shape (rows, n), or any other along whose axis there are keys.
        sink: The logit of one more key, whose weight is not returned.
        axis: The axis along which weights sum to 1: 0 is softmax over queries, or heads.

    >>> row_weights(np.array([[0.0, 0.0], [0.0, -inf]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    top = logits.max(axis=axis, keepdims=True)
    if sink is not None:
        top = np.maximum(top, sink)
    top = np.where(top == -inf, 0.0, top)
    weights = np.exp(logits - top)
    total = weights.sum(axis=axis, keepdims=True)
    if sink is not None:
        total += np.exp(sink - top)
    weights /= np.where(total == 0.0, 1.0, total)
    return np.asarray(weights)
