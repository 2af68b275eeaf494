"""Simulated heads: the capture of a model whose arithmetic is known."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import rounded, tf32
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.noise import STEPWISE
from attn_tui.compute.fit.staircase import logits_of, weights_of
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows, Reals

CAUSAL = HeadMask("causal")
"""The mask by which every query sees the keys up to its own."""


@dataclass(frozen=True)
class Arithmetic:
    """How a head is computed: out = c·softmax(cap(m·q·k) + bias, sink)·V, and where it is rounded.

    Attributes:
        multiplier: m, the factor of q·k; one for all rows, or one for each row, shape (r,).
        value_scale: c.
        softcap: The cap of cap·tanh(m·q·k/cap); None is none.
        sink: The logit b that softmax also runs over; None is none.
        mask: The keys that each query sees.
        format: The number format to round to: ``float64``, ``float32``, ``bfloat16`` or
            ``float16``.
        path: What is rounded. ``float32``: only the output. ``flash``: also e^(z − max) before it
            multiplies V, but not its sum. ``eager``: also q·k, every step from there to z, and the
            weights. ``stepwise``: also every step of softmax. ``scaled``: as eager, with √m·q and
            √m·k in place of q and k. ``tf32``: q, k, weights and V, each to TF32 when they are
            multiplied.
        softmaxes: How often softmax is taken; 2 takes softmax of the weights again, including
            the masked ones, which are 0.
    """

    multiplier: float | NDArray[np.float64]
    value_scale: float = 1.0
    softcap: float | None = None
    sink: float | None = None
    mask: HeadMask = field(default=CAUSAL)
    format: str = "bfloat16"
    path: Path = "float32"
    softmaxes: int = 1


def compute(head: HeadRows, how: Arithmetic) -> tuple[Reals, Reals, Reals]:
    """Compute a head's rows as a model would: in float32, rounded where the path rounds.

    With the format ``float64`` everything is computed in float64.

    Args:
        head: Its queries, keys and values, and perhaps a bias.
        how: The arithmetic.

    Returns:
        Logits, −∞ where masked, and weights, shape (r, n); the output, shape (r, d_v).
    """
    inner: type[np.floating[Any]] = np.float64 if how.format == "float64" else np.float32
    assert head.values is not None

    def step(values: Any) -> Reals:
        exact: Reals = np.asarray(values, inner)
        return rounded(exact, how.format) if how.path in STEPWISE else exact

    def product(one: Reals, other: Reals) -> Reals:
        one, other = one.astype(inner), other.astype(inner)
        return tf32(one) @ tf32(other) if how.path == "tf32" else one @ other

    seen = how.mask.seen(head)
    factors = head.queries, head.keys.T
    if how.path == "scaled":
        root = np.sqrt(np.asarray(how.multiplier, inner)).reshape(-1, 1)
        factors = head.queries * root, head.keys.T * root
    with np.errstate(all="ignore"):
        # Keys that no row sees may be infinite; their logits are masked below.
        z = step(product(*(step(factor) for factor in factors)))
    factor = np.asarray(1.0 if how.path == "scaled" else how.multiplier, inner).reshape(-1, 1)
    z = logits_of(z, factor, how.softcap, head.bias, step)
    z = np.where(seen, z, inner(-np.inf))
    p = _softmax(z, how)
    for _ in range(how.softmaxes - 1):
        p = _softmax(p, how)
    output: Reals = product(p, head.values) * inner(how.value_scale)
    return z, p, rounded(output, how.format)


def _softmax(z: Reals, how: Arithmetic) -> Reals:
    """Return the weights, shape (r, n), rounded where the path rounds; a masked row is 0."""
    sink = -np.inf if how.sink is None else how.sink
    return weights_of(z, sink, how.path, lambda values: rounded(values, how.format))


def simulate(
    seed: int,
    how: Arithmetic | None = None,
    *,
    n_keys: int = 256,
    n_queries: int | None = None,
    d_k: int = 64,
    d_v: int | None = None,
    logit_std: float = 1.0,
    rows: int | Sequence[int] = 32,
) -> HeadRows:
    """Draw a head and compute its output.

    Queries, keys and values are normal, rounded to the format; queries are scaled so that the
    logits before cap and mask have the given standard deviation.

    Args:
        seed: The seed of the draw.
        how: The arithmetic; None is m = 1/√d_k, causal, in bfloat16.
        n_keys: n.
        n_queries: n_q; None is n.
        d_k: The length of queries and keys.
        d_v: The length of values; None is d_k.
        logit_std: The standard deviation of m·q·k.
        rows: How many queries to keep, spread evenly, or which ones.

    Returns:
        The rows, with their output.
    """
    how = Arithmetic(d_k**-0.5) if how is None else how
    n_queries = n_keys if n_queries is None else n_queries
    if isinstance(rows, int):
        rows = spread(n_queries, rows)
    place = np.asarray(rows, np.intp)
    rng = np.random.default_rng(seed)
    inner: type[np.floating[Any]] = np.float64 if how.format == "float64" else np.float32
    typical = float(np.median(np.abs(how.multiplier))) or 1.0
    scale = logit_std / (typical * d_k**0.5)
    queries, keys, values = (
        rounded((rng.standard_normal(shape) * by).astype(inner), how.format)
        for shape, by in (
            ((n_queries, d_k), scale),
            ((n_keys, d_k), 1.0),
            ((n_keys, d_v or d_k), 1.0),
        )
    )
    head = HeadRows(
        place, n_queries, queries[place], keys, values,
        formats=dict.fromkeys(("q", "k", "v", "out"), how.format),
    )  # fmt: skip
    return computed(head, how)


def computed(head: HeadRows, how: Arithmetic) -> HeadRows:
    """Return the rows with the output of this arithmetic."""
    return replace(head, output=compute(head, how)[2])


def spread(n_queries: int, rows: int) -> tuple[int, ...]:
    """Return which rows to use: the first query, the last, and others evenly between.

    >>> spread(10, 4)
    (0, 3, 6, 9)
    """
    return tuple(sorted({round(i) for i in np.linspace(0, n_queries - 1, rows)}))
