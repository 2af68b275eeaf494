"""Sums of all entries but one, which is how a complement 1 − p is computed without cancellation."""

from dataclasses import dataclass

import numpy as np

from attn_tui.compute.keys import ALL, Floats, Keys, positions


@dataclass(frozen=True, eq=False)
class Split:
    """Numbers ≥ 0 told apart into the largest, the winner, and the rest.

    All minus one loses nothing while that one is at most half of all. Only the winner can be
    more, so only the sum without the winner is added up anew. Unlike prefix and suffix sums this
    keeps NumPy's pairwise summation, and one scalar is all there is to remember.

    Attributes:
        values: Shape (n,); for weights, they sum to 1.
        winner: Position of a largest value.
        top: That value.
        total: Sum of all values.
        rest: Sum of all values but the winner's.
    """

    values: Floats
    winner: int
    top: float
    total: float
    rest: float

    def without(self, keys: Keys = ALL) -> Floats:
        """Return, for each of the keys, the sum of all values but its own; shape (len(keys),)."""
        others = np.asarray(self.total - self.values[keys])
        others[positions(keys, self.values.size) == self.winner] = self.rest
        return others

    def logs(self, keys: Keys = ALL) -> Floats:
        """Return ln p at the keys, −∞ where p is 0; near 1 it is ln(1 − rest)."""
        with np.errstate(all="ignore"):
            logs: Floats = np.log(self.values[keys])
            if self.top > 0.5:
                logs[positions(keys, self.values.size) == self.winner] = np.log1p(-self.rest)
        return logs


Weights = Floats | Split
"""Attention weights, or the same already split."""


def split(weights: Weights) -> Split:
    """Tell the largest of some numbers from the rest.

    Args:
        weights: Shape (n,), n ≥ 1, each ≥ 0; returned as they are if already split.
    """
    if isinstance(weights, Split):
        return weights
    values = np.asarray(weights)
    at = int(values.argmax())
    rest = values[:at].sum() + values[at + 1 :].sum()
    return Split(values, at, values[at], values.sum(), rest)


def leave_one_out(values: Weights) -> Floats:
    """Return, for each number, the sum of all the others: shape (n,), as that of the values ≥ 0.

    >>> leave_one_out(np.array([1e-20, 1.0]))
    array([1.e+00, 1.e-20])
    """
    return split(values).without()


def complements(weights: Weights) -> Floats:
    """Return 1 − p_i for weights that sum to 1, shape (n,), accurate where softmax saturates.

    >>> complements(np.array([1e-20, 1.0]))
    array([1.e+00, 1.e-20])
    """
    return leave_one_out(weights)
