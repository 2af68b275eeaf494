"""Attention weights of a row: complements, entropy, and the Jacobian J = diag(p) − ppᵀ.

A sink counts as one more key.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.compute.arrays import ALL, Floats, Keys, place_of, positions


@dataclass(frozen=True, eq=False)
class Split:
    """Floats ≥ 0, split into the largest, the winner, and the rest.

    The total minus one value is accurate as long as that value is at most half of the total. Only
    the winner can be larger, so only the sum without the winner is computed separately. Unlike
    prefix and suffix sums, this keeps NumPy's pairwise summation and stores a single scalar.

    Attributes:
        values: Shape (n,), or (n + 1,) with a sink in the last place; they sum to about 1.
        n_keys: n.
        winner: Position of the largest value; n if it is the sink's.
        top: The largest value.
        total: Sum of all values.
        rest: Sum of all values but the winner's.
    """

    values: Floats
    n_keys: int
    winner: int
    top: float
    total: float
    rest: float

    @property
    def weights(self) -> Floats:
        """The values of the keys, shape (n,)."""
        return self.values[: self.n_keys]

    def without(self, keys: Keys = ALL) -> Floats:
        """Return, for each of the keys, the sum of all values but its own; shape (len(keys),)."""
        others = np.asarray(self.total - self.weights[keys])
        others[place_of(self.winner, keys, self.n_keys)] = self.rest
        return others

    def logs(self, of: Keys = ALL) -> Floats:
        """Return ln of some or all values; −∞ where a value is 0."""
        with np.errstate(all="ignore"):
            logs = np.asarray(np.log(self.values[of]))
        logs[place_of(self.winner, of, self.values.size)] = self.log_top
        return logs

    @property
    def log_top(self) -> float:
        """The logarithm of the largest value; near 1 it is ln(1 − rest)."""
        with np.errstate(all="ignore"):
            return float(np.log1p(-self.rest) if self.top > 0.9 else np.log(self.top))


Weights = ArrayLike | Split
"""Attention weights, as an array or already split."""


def split(weights: Weights, n_keys: int | None = None) -> Split:
    """Split numbers into the largest and the rest.

    Args:
        weights: Shape (n,) or (n + 1,), n ≥ 1, each ≥ 0; returned unchanged if already split.
        n_keys: n; a value after the first n is the sink's. By default, the number of values.
    """
    if isinstance(weights, Split):
        return weights
    values = np.asarray(weights, dtype=np.float64)
    winner = int(values.argmax())
    with np.errstate(invalid="ignore"):
        rest = values[:winner].sum() + values[winner + 1 :].sum()
        total = values.sum()
    n = values.size if n_keys is None else n_keys
    return Split(values, n, winner, float(values[winner]), float(total), float(rest))


def entropy(weights: Weights) -> float:
    """Return H = −Σ p ln p in nats; a weight of 0 adds 0.

    Args:
        weights: Shape (n,), summing to 1, or all 0 if every key is masked.

    >>> round(entropy(np.array([0.5, 0.25, 0.25, 0.0])) / float(np.log(2)), 12)
    1.5
    """
    parts = split(weights)
    terms = parts.logs()
    with np.errstate(all="ignore"):
        terms *= parts.values
    terms[parts.values == 0.0] = 0.0
    return 0.0 - float(terms.sum())


def participation_ratio(weights: Weights) -> float:
    """Return 1/Σp², between 1 and n for weights of shape (n,); 0 if every key is masked.

    >>> participation_ratio(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    parts = split(weights)
    return 0.0 if parts.total == 0.0 else 1.0 / float(np.square(parts.values).sum())


def jacobian(weights: Weights, of: Keys = ALL, keys: Keys = ALL) -> Floats:
    """Return the entries ∂p_i/∂z_j = p_i(δ_ij − p_j).

    Args:
        weights: Shape (n,).
        of: The keys i whose weights change; all by default.
        keys: The keys j whose logits change; all by default.

    Returns:
        Shape (len(of), len(keys)); the whole Jacobian has n² entries.

    >>> jacobian(np.array([0.5, 0.5]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    parts = split(weights)
    p = parts.weights
    with np.errstate(all="ignore"):
        # Negated, so that an entry that underflows keeps its sign: −0.
        entries = -np.multiply.outer(p[of], p[keys])
        return np.where(diagonal(of, keys, p.size), (p[of] * parts.without(of))[:, None], entries)


def diagonal(of: Keys, keys: Keys, n_keys: int) -> NDArray[np.bool_]:
    """Return where key i is key j, shape (len(of), len(keys))."""
    return np.asarray(positions(of, n_keys)[:, None] == positions(keys, n_keys))


def vjp(weights: Weights, upstream: ArrayLike) -> Floats:
    """Return J·g, shape (n,), in O(n): the vector–Jacobian product, since J is symmetric.

    Counting the sink, J·1 = 0, so the entry of g at the largest weight can be subtracted from all
    of g, whose entry at the sink is 0; then nothing cancels at the largest weight.

    Args:
        weights: Shape (n,), or split, with n keys and a sink.
        upstream: g = ∂L/∂p, shape (n,).

    >>> vjp(np.array([0.5, 0.5]), [1.0, 0.0])
    array([ 0.25, -0.25])
    """
    parts = split(weights)
    p = parts.values
    g = np.zeros(p.size)
    g[: parts.n_keys] = upstream
    h = g - g[parts.winner]
    return np.asarray(p * (h - (p * h).sum()))[: parts.n_keys]
