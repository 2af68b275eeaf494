"""Sums of all entries but one, which is how a complement 1 − p is computed without cancellation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attn_tui.compute.arrays import Floats
from attn_tui.compute.keys import ALL, Keys, place_of


@dataclass(frozen=True, eq=False)
class Split:
    """Floats ≥ 0 told apart into the largest, the winner, and the rest.

    All minus one loses nothing while that one is at most half of all. Only the winner can be
    more, so only the sum without the winner is added up anew. Unlike prefix and suffix sums this
    keeps NumPy's pairwise summation, and one scalar is all there is to remember.

    Attributes:
        values: Shape (n,), or (n + 1,) with a sink in the last place; they sum to about 1.
        n_keys: n.
        winner: Position of a largest value; n if it is the sink's.
        top: That value.
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
        """Return ln of some values, or all, −∞ where one is 0."""
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
"""Attention weights, or the same already split."""


def split(weights: Weights, n_keys: int | None = None) -> Split:
    """Tell the largest of some numbers from the rest.

    Args:
        weights: Shape (n,) or (n + 1,), n ≥ 1, each ≥ 0; returned as they are if already split.
        n_keys: n; a value beyond is the sink's. As many as there are values by default.
    """
    if isinstance(weights, Split):
        return weights
    values = np.asarray(weights, dtype=np.float64)
    at = int(values.argmax())
    with np.errstate(invalid="ignore"):
        rest = values[:at].sum() + values[at + 1 :].sum()
        total = values.sum()
    n = values.size if n_keys is None else n_keys
    return Split(values, n, at, float(values[at]), float(total), float(rest))
