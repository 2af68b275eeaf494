"""One attention head as a whole: every query's weights and the output."""

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.logit_map import PLAIN, LogitMap
from attn_tui.compute.logits import logits
from attn_tui.compute.softmax import STABLE


@dataclass(frozen=True, eq=False)
class Head:
    """Queries, keys and values of one head, in float64; n and n_q are at least 1.

    Attributes:
        queries: Q, shape (n_q, d_k).
        keys: K, shape (n, d_k).
        values: V, shape (n, d_v).
        map: From scores to logits: the multiplier, and perhaps a soft cap and a sink.
        causal: Whether query i sees keys 0 to i only.
    """

    queries: Floats
    keys: Floats
    values: Floats
    map: LogitMap = PLAIN
    causal: bool = False

    @cached_property
    def scores(self) -> Floats:
        """S = QKᵀ, shape (n_q, n); −∞ where a key is masked."""
        scores = self.queries @ self.keys.T
        if self.causal:
            scores[np.triu_indices_from(scores, 1)] = -inf
        return scores

    @cached_property
    def logits(self) -> Floats:
        """What softmax receives, shape (n_q, n)."""
        return logits(self.scores, self.map, STABLE).astype(np.float64, copy=False)

    @cached_property
    def weights(self) -> Floats:
        """P, shape (n_q, n); its rows sum to 1, or to less with a sink."""
        if self.map.sink is None:
            return row_weights(self.logits)
        sinks = np.full((len(self.queries), 1), self.map.sink)
        return row_weights(np.hstack([self.logits, sinks]))[:, :-1]

    @cached_property
    def output(self) -> Floats:
        """P·V, shape (n_q, d_v)."""
        return np.asarray(self.weights @ self.values)


def row_weights(logits: Floats) -> Floats:
    """Return softmax of each row of logits, shape (rows, n); −∞ masks a key, and a row of it is 0.

    >>> row_weights(np.array([[0.0, 0.0], [0.0, -inf]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    top = logits.max(axis=1, keepdims=True)
    weights = np.exp(logits - np.where(top == -inf, 0.0, top))
    weights /= np.where(top == -inf, 1.0, weights.sum(axis=1, keepdims=True))
    return np.asarray(weights)
