"""Heads that lean on their first key, and the references that heads are compared with."""

from typing import Any

import numpy as np

from attn_tui.compute.arrays import rounded
from attn_tui.compute.fit.comparison import LEVEL
from attn_tui.compute.fit.explain import Explanation, Reference, explain
from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate, spread
from attn_tui.compute.heads.head_model import PARTS, HeadModel
from attn_tui.compute.heads.rows import HeadRows

STATED = frozenset(PARTS)
HEAD_LEVEL = LEVEL / 144
"""The share of honest heads that may fail, in a model of 12 layers with 12 heads."""


def explained(how: Arithmetic, model: HeadModel | None = None, **changes: Any) -> Explanation:
    """Return the explanation of a head with this arithmetic; the default promise is plain."""
    settings = {"seed": 1, "n_keys": 96, "d_k": 32, "rows": 24} | changes
    head = simulate(settings.pop("seed"), how, **settings)
    return compared(head, model or HeadModel(32**-0.5), how.format)


def compared(head: HeadRows, model: HeadModel, format: str = "bfloat16") -> Explanation:
    """Return the explanation of a head of which every part is promised."""
    return explain(head, Reference(model, STATED, HEAD_LEVEL, format=format))


def sink_head(seed: int, how: Arithmetic, lift: float, quiet: bool = False) -> HeadRows:
    """Return a head whose logits of key 0 exceed all others.

    Args:
        seed: The seed of the draw.
        how: The arithmetic.
        lift: By about how much they exceed the others.
        quiet: Whether the value of key 0 is small, as it is in language models.
    """
    n, d = 96, 32
    rng = np.random.default_rng(seed)
    rows = np.array(spread(n, 24))
    queries, keys, values = rng.standard_normal((3, n, d))
    axis = rng.standard_normal(d)
    axis /= np.linalg.norm(axis)
    queries += np.outer(3.0 - queries @ axis, axis)
    keys -= np.outer(keys @ axis, axis)
    keys[0] = axis * lift * d**0.5 / 3.0
    values[0] *= 0.02 if quiet else 1.0
    q, k, v = (rounded(x.astype(np.float32), how.format) for x in (queries, keys, values))
    formats = dict.fromkeys(("q", "k", "v", "out"), how.format)
    return computed(HeadRows(rows, n, q[rows], k, v, formats=formats), how)
