"""Gradients through a head with respect to q, k and v, in blocks of rows."""

from dataclasses import dataclass

import numpy as np

from attn_tui.compute.head import row_weights
from attn_tui.compute.heads.blocks import rows_at_once
from attn_tui.compute.heads.row_statistics import Numbers
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.compute.heads.sight import sight
from attn_tui.compute.heads.weighing import Weighing
from attn_tui.compute.logits import logits, slopes
from attn_tui.compute.softmax import STABLE


@dataclass(frozen=True, eq=False)
class Gradients:
    """What some rows of a head give of the gradients of a loss L, in float64.

    Attributes:
        queries: ∂L/∂q of these, shape (r, d_k).
        keys: Their part of ∂L/∂K, shape (n, d_k).
        values: Their part of ∂L/∂V, shape (n, d_v).
    """

    queries: Numbers
    keys: Numbers
    values: Numbers


def gradients(head: HeadRows, weighing: Weighing, upstream: Reals) -> Gradients:
    """Return the gradients of a loss with respect to q, k and v; no more is kept than a block.

    With o the output, p the weights and z the logits of a row, ∂L/∂z_j = p_j g·(v_j − o) for
    g = ∂L/∂o. What g·v is at the largest weight is taken from all of it first, so that a saturated
    row has nothing to cancel; a sink has a value of 0. Heads that share keys add up their parts.

    Args:
        head: Queries, at least one, keys, at least one, and their values.
        weighing: How weights are made.
        upstream: ∂L/∂o, shape (r, d_v).

    Raises:
        ValueError: If there are no values.
    """
    if head.values is None:
        raise ValueError("the head has no values")
    q, k, v, g = (
        np.asarray(x, np.float64) for x in (head.queries, head.keys, head.values, upstream)
    )
    found = Gradients(np.empty(q.shape), np.zeros(k.shape), np.zeros(v.shape))
    sinks = [] if weighing.map.sink is None else [weighing.map.sink]
    step = rows_at_once(len(q), len(k))
    for at in (slice(start, start + step) for start in range(0, len(q), step)):
        seen = sight(head, weighing.mask, at)
        keys, values = k[seen.keys], v[seen.keys]
        scores = q[at] @ keys.T
        seen.fill(scores, -np.inf)
        bias = None if head.bias is None else head.bias[at, seen.keys].astype(np.float64)
        z = logits(scores, weighing.map, STABLE, bias).astype(np.float64, copy=False)
        shares = row_weights(np.hstack([z, np.full((len(z), len(sinks)), sinks)]))
        p = shares[:, : len(keys)]
        by_share = np.zeros(shares.shape)
        np.matmul(g[at], values.T, out=by_share[:, : len(keys)])
        by_share -= np.take_along_axis(by_share, shares.argmax(axis=1, keepdims=True), axis=1)
        mean = np.vecdot(shares, by_share)[:, None]
        by_score = p * (by_share[:, : len(keys)] - mean) * slopes(scores, weighing.map)
        found.queries[at] = by_score @ keys
        found.keys[seen.keys] += by_score.T @ q[at]
        found.values[seen.keys] += p.T @ g[at]
    return found
