"""Attention of one query whose vector is known: the output, and gradients by q and by keys."""

from dataclasses import dataclass

import numpy as np

from attn_tui.compute.arrays import ALL, Floats, Keys, rounded
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.source import normalised, seen_rows


@dataclass(frozen=True, eq=False)
class Attention:
    """One query, its keys and its values, as typed.

    Gradients are with respect to q and k as typed. Under QK-norm they include its Jacobian,
    ∂q̂/∂q = (I − q̂q̂ᵀ/d_k)/rms(q). Rounding q and k to a format has no derivative; it is treated as
    the identity, as in 16-bit training. A gradient is NaN where QK-norm meets a zero vector, which
    has no direction.

    Attributes:
        query: q, shape (d_k,).
        keys: K, shape (n, d_k).
        values: V, shape (n, d_v), or None.
        qk_norm: Whether q and k are normalised to a root mean square of 1.
        format: The format that q and k are rounded to before their product.
    """

    query: Floats
    keys: Floats
    values: Floats | None = None
    qk_norm: bool = False
    format: str = "float64"

    def output(self, side: Evaluation) -> Floats | None:
        """Return Σ p_j v_j, shape (d_v,), in float64; None without values.

        It is NaN where a weight of 0 meets an infinite value.
        """
        if self.values is None:
            return None
        with np.errstate(all="ignore"):
            return side.weights() @ self.values

    def query_gradient(self, side: Evaluation, of: int) -> Floats:
        """Return ∂p_of/∂q, shape (d_k,)."""
        by_score = side.gradient(of, "scores")
        # If keys share a large component, it is subtracted first, so that digits do not cancel.
        keys = self._used(self.keys)
        centre = keys[of]
        total = by_score.sum()
        if side.map.softcap is None:
            total = side.multiplier * side.weights()[of] * side.sink_weight
        with np.errstate(all="ignore"):
            gradient = (keys - centre).T @ by_score + total * centre
            return np.asarray(self._through_norm(gradient[None], self.query[None])[0])

    def key_gradient_norms(self, side: Evaluation, of: int, keys: Keys = ALL) -> Floats:
        """Return ‖∂p_of/∂k‖ for keys, shape (len(keys),)."""
        return lengths(self.key_gradients(side, of, keys))

    def key_gradients(self, side: Evaluation, of: int, keys: Keys) -> Floats:
        """Return ∂p_of/∂k for keys, shape (len(keys), d_k)."""
        rows = self.keys[keys]
        with np.errstate(all="ignore"):
            query = np.broadcast_to(self._used(self.query[None]), rows.shape)
            by_score = side.gradient(of, "scores", keys)[:, None]
            return self._through_norm(query, rows) * by_score

    def _through_norm(self, gradients: Floats, rows: Floats) -> Floats:
        """Turn gradients by normalised rows into gradients by the rows, shape (rows, d_k)."""
        if not self.qk_norm:
            return gradients
        units = normalised(rows)
        along = (units * gradients).sum(axis=1, keepdims=True) / rows.shape[1]
        size = lengths(rows)[:, None] / np.sqrt(rows.shape[1])
        return np.asarray((gradients - along * units) / np.where(size > 0.0, size, np.nan))

    def _used(self, rows: Floats) -> Floats:
        """Return rows as they enter the product: normalised if asked for, and rounded."""
        return rounded(normalised(rows) if self.qk_norm else rows, self.format)


def attention(experiment: Experiment, index: int) -> Attention | None:
    """Return the query of one vector of a question with its keys; None if it has no queries."""
    parts, setup, vector = (
        experiment.source.parts(index),
        experiment.setup,
        experiment.vectors[index],
    )
    if parts is None:
        return None
    query, keys, values = parts
    values = None if values is None else seen_rows(values, vector)
    keys = seen_rows(keys, vector)
    return Attention(query, keys, values, setup.scale.normalises, setup.precision.vectors)


def lengths(rows: Floats) -> Floats:
    """Return the Euclidean norm of each row, even where squares overflow or underflow.

    >>> lengths(np.array([[3e200, 4e200], [0.0, 0.0]]))
    array([5.e+200, 0.e+000])
    """
    sizes = np.abs(rows).max(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        scaled = np.where(sizes > 0.0, rows / sizes, 0.0)
        return np.asarray(sizes[:, 0] * np.sqrt(np.square(scaled).sum(axis=1)))
