"""One vector under one multiplier: weights, their statistics, and the Jacobian on demand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute import jacobian, softmax
from attn_tui.compute.formats import dtype_of, limits
from attn_tui.compute.keys import ALL, Floats, Keys, positions
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.norms import Norms, norms
from attn_tui.compute.precision import Precision
from attn_tui.compute.split import Split, split
from attn_tui.compute.statistics import effective_keys, entropy, participation_ratio

Wrt = Literal["scores", "logits"]
"""What a derivative is taken with respect to: s, or z = m·s."""

SYMBOL: Mapping[Wrt, str] = {"scores": "s", "logits": "z"}
"""How each is written."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Softmax of one vector of n scores under one multiplier.

    Only the weights are kept for each key; the rest is computed for the keys asked for, in the
    precision's format.

    Attributes:
        map: From scores to logits.
        precision: The format and the method.
        n_keys: n, masked keys included.
        entropy: H in nats.
        effective_keys: e^H.
        participation_ratio: 1/Σp².
        max_weight: The largest weight.
        norms: Norms of the Jacobian: J with respect to logits, m·J with respect to scores.
    """

    map: LogitMap
    precision: Precision
    n_keys: int
    entropy: float
    effective_keys: float
    participation_ratio: float
    max_weight: float
    norms: Mapping[Wrt, Norms]
    _scores: NDArray[np.float64] = field(repr=False)
    _split: Split = field(repr=False)

    @property
    def multiplier(self) -> float:
        """M in z = m·s."""
        return self.map.multiplier

    def logits(self, keys: Keys = ALL) -> Floats:
        """Return z = m·s, shape (len(keys),)."""
        return softmax.logits(self._scores[keys], self.multiplier, self.precision)

    def weights(self, keys: Keys = ALL) -> Floats:
        """Return p, shape (len(keys),)."""
        return self._split.values[keys]

    def log_weights(self, keys: Keys = ALL) -> Floats:
        """Return ln p, shape (len(keys),); stable, it is right where p underflows to 0."""
        return softmax.log_weights(self._scores, self._split, self.multiplier, self.precision, keys)

    def complements(self, keys: Keys = ALL) -> Floats:
        """Return 1 − p, shape (len(keys),), as the sum of all other weights."""
        return self._split.without(keys)

    def gradient(self, of: int, wrt: Wrt, keys: Keys = ALL) -> Floats:
        """Return ∂p_of/∂z_j or ∂p_of/∂s_j, shape (len(keys),): one row of the Jacobian."""
        return np.asarray(self.jacobian(np.array([of]), keys, wrt)[0])

    def log_gradient(self, of: int, wrt: Wrt, keys: Keys = ALL) -> NDArray[np.float64]:
        """Return the logarithm of the gradient's size, float64; −∞ where it is 0."""
        return np.asarray(self.log_jacobian(np.array([of]), keys, wrt)[0])

    def jacobian(self, of_keys: Keys, keys: Keys, wrt: Wrt) -> Floats:
        """Return the entries for some keys i and j, shape (len(of_keys), len(keys)).

        An entry that underflowed is 0 with its sign, −0 beside the diagonal; that of a masked key
        is +0.
        """
        entries = jacobian.jacobian(self._split, of_keys, keys)
        if wrt == "scores":
            with np.errstate(all="ignore"):
                entries = np.asarray(entries * entries.dtype.type(self.multiplier))
        hidden = self._scores == -np.inf
        entries[(hidden[of_keys][:, None] | hidden[keys]) & (entries == 0.0)] = 0.0
        return entries

    def log_jacobian(self, of_keys: Keys, keys: Keys, wrt: Wrt) -> NDArray[np.float64]:
        """Return the logarithms of the entries' sizes, shape (len(of_keys), len(keys))."""
        diagonal = jacobian.own(of_keys, keys, self.n_keys)
        logs = jacobian.log_jacobian(
            self.log_weights(of_keys),
            self.log_weights(keys),
            self._log_complements(of_keys),
            diagonal,
        )
        return logs if wrt == "logits" else logs + log(self.multiplier)

    @cached_property
    def least(self) -> float:
        """What a statistic that came out as 0 is below, or 0 if it is exactly 0 or naive.

        The smallest positive number of the format, unless the statistic may be a little larger
        since what it is computed from underflowed: H ≤ r(1 + ln n − ln r) and ‖J‖_F ≤ tr J ≤ 2r,
        with r = 1 − p of the winner.
        """
        n_unmasked = int(np.count_nonzero(self._scores > -np.inf))
        if n_unmasked < 2 or not self.precision.stable or not np.isfinite(self.entropy):
            return 0.0
        smallest = float(limits(dtype_of(self.precision.format)).smallest_subnormal)
        if self._log_rest == -np.inf:
            return smallest
        log_bound = self._log_rest + log(4.0 * (2.0 + log(n_unmasked) - self._log_rest))
        return max(smallest, exp(min(0.0, log_bound + max(0.0, log(self.multiplier)))))

    def _log_complements(self, keys: Keys) -> Floats:
        """Return ln(1 − p), shape (len(keys),), also where 1 − p underflows to 0."""
        with np.errstate(all="ignore"):
            logs: Floats = np.log(self.complements(keys))
        logs[positions(keys, self.n_keys) == self._split.winner] = self._log_rest
        return logs

    @cached_property
    def _log_rest(self) -> float:
        """The logarithm of the winner's complement."""
        rest, winner = self._split.rest, self._split.winner
        if not (self.precision.stable and rest < limits(dtype_of(self.precision.format)).tiny):
            return float(np.log(rest)) if rest else -np.inf
        logs = self.log_weights()
        logs[winner] = -np.inf
        largest = logs.max()
        if largest == -np.inf:
            return -np.inf
        return float(largest + np.log(np.exp(logs - largest).sum()))


def evaluate(scores: NDArray[np.float64], map: LogitMap, precision: Precision) -> Evaluation:
    """Compute the softmax of scores, shape (n,), and its statistics."""
    multiplier = map.multiplier
    weights = softmax.softmax(scores, multiplier, precision)
    weights.setflags(write=False)
    with np.errstate(all="ignore"):
        parts = split(weights)
        of_logits = norms(parts)
        return Evaluation(
            map=map,
            precision=precision,
            n_keys=int(scores.size),
            entropy=entropy(parts),
            effective_keys=effective_keys(parts),
            participation_ratio=participation_ratio(parts),
            max_weight=float(parts.top),
            norms={"logits": of_logits, "scores": of_logits.times(multiplier)},
            _scores=scores,
            _split=parts,
        )
