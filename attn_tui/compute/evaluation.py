"""One vector under one map to logits: weights, their statistics, and the Jacobian on demand."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp, inf, isfinite, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute import jacobian, logits
from attn_tui.compute.formats import dtype_of, limits, rounded
from attn_tui.compute.keys import ALL, Floats, Keys, positions
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.norms import Norms, frobenius, norms
from attn_tui.compute.precision import Precision
from attn_tui.compute.softmax import shares
from attn_tui.compute.split import Split, split
from attn_tui.compute.statistics import entropy, participation_ratio

Numbers = NDArray[np.float64]

_SMALLEST = 5e-324

Wrt = Literal["scores", "logits"]
"""What a derivative is taken with respect to: s, or z."""

SYMBOL: Mapping[Wrt, str] = {"scores": "s", "logits": "z"}
"""How each is written."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Softmax of one vector of n scores.

    Scores, logits and weights are numbers of the precision's formats; all else is computed from
    them in float64, when it is asked for and for the keys asked for. Only weights are kept for
    each key. A sink takes part in softmax, in 1 − p and in the statistics; it is no key.

    Attributes:
        map: From scores to logits.
        precision: The formats and the method.
        n_keys: n, masked keys included.
        given: The scores before any rounding, shape (n,).
    """

    map: LogitMap
    precision: Precision
    n_keys: int
    given: Numbers = field(repr=False)
    _split: Split = field(repr=False)

    @property
    def multiplier(self) -> float:
        """M in z = m·s."""
        return self.map.multiplier

    def scores(self, keys: Keys = ALL) -> Numbers:
        """Return s, shape (len(keys),), as rounded before anything else."""
        return rounded(self.given[keys], self.precision.scores)

    def slopes(self, keys: Keys = ALL) -> Numbers:
        """Return ∂z/∂s, shape (len(keys),): m, less under a cap, 0 at a masked key."""
        return logits.slopes(self.scores(keys), self.map)

    def logits(self, keys: Keys = ALL) -> Numbers:
        """Return z, shape (len(keys),)."""
        z = logits.logits(self.given[keys], self.map, self.precision)
        return z.astype(np.float64, copy=False)

    def weights(self, keys: Keys = ALL) -> Numbers:
        """Return p, shape (len(keys),)."""
        return self._split.weights[keys]

    def log_weights(self, keys: Keys = ALL) -> Numbers:
        """Return ln p, shape (len(keys),).

        Stable, it is the distance of the logit from the largest plus the logarithm of the largest
        weight, so it outlives p. Naive, it is the logarithm of whatever the weight became.
        """
        if not self.precision.stable:
            return self._split.logs()[: self.n_keys][keys]
        return self._exponents(keys)[0].astype(np.float64) + self._split.log_top

    def complements(self, keys: Keys = ALL) -> Numbers:
        """Return 1 − p, shape (len(keys),), as the sum of all other weights."""
        return self._split.without(keys)

    def gradient(self, of: int, wrt: Wrt, keys: Keys = ALL) -> Numbers:
        """Return ∂p_of/∂z_j or ∂p_of/∂s_j, shape (len(keys),): one row of the Jacobian."""
        return np.asarray(self.jacobian(np.array([of]), keys, wrt)[0])

    def pulled_back(self, upstream: Numbers, wrt: Wrt) -> Numbers:
        """Return ∂L/∂z or ∂L/∂s of a loss L whose ∂L/∂p is given, each of shape (n,)."""
        through = jacobian.vjp(self._split, upstream)
        return through if wrt == "logits" else through * self.slopes()

    def log_gradient(self, of: int, wrt: Wrt, keys: Keys = ALL) -> Numbers:
        """Return the logarithm of the gradient's size; −∞ where it is 0."""
        return np.asarray(self.log_jacobian(np.array([of]), keys, wrt)[0])

    def jacobian(self, of_keys: Keys, keys: Keys, wrt: Wrt) -> Numbers:
        """Return the entries for some keys i and j, shape (len(of_keys), len(keys)).

        An entry that underflowed is 0 with its sign, −0 beside the diagonal; that of a masked key
        is +0.
        """
        entries = jacobian.jacobian(self._split, of_keys, keys)
        if wrt == "scores":
            with np.errstate(all="ignore"):
                entries *= self.slopes(keys)
        hidden = self.given[of_keys][:, None] == -inf
        entries[(hidden | (self.given[keys] == -inf)) & (entries == 0.0)] = 0.0
        return entries

    def log_jacobian(self, of_keys: Keys, keys: Keys, wrt: Wrt) -> Numbers:
        """Return the logarithms of the entries' sizes, shape (len(of_keys), len(keys))."""
        logs = jacobian.log_jacobian(
            self.log_weights(of_keys),
            self.log_weights(keys),
            self._log_complements(of_keys),
            jacobian.own(of_keys, keys, self.n_keys),
        )
        if wrt == "scores":
            logs += logits.log_slopes(self.scores(keys), self.map)
        return logs

    def frobenius(self, wrt: Wrt) -> float:
        """Return the Frobenius norm of the Jacobian, without the cost of the other norms."""
        if wrt == "scores" and self.map.softcap is None:
            return self.multiplier * self.frobenius("logits")
        return frobenius(self._split, self.slopes() if wrt == "scores" else 1.0)

    @cached_property
    def norms(self) -> Mapping[Wrt, Norms]:
        """Norms of the n×n Jacobian: J with respect to logits, J·diag(∂z/∂s) to scores."""
        of_logits = norms(self._split)
        if self.map.softcap is None:
            return {"logits": of_logits, "scores": of_logits.times(self.multiplier)}
        return {"logits": of_logits, "scores": norms(self._split, self.slopes())}

    @cached_property
    def entropy(self) -> float:
        """H in nats, the sink counted."""
        return entropy(self._split)

    @property
    def effective_keys(self) -> float:
        """e^H, the sink counted; 0 if every key is masked."""
        return exp(self.entropy) if self._split.total else 0.0

    @cached_property
    def participation_ratio(self) -> float:
        """1/Σp², the sink counted; 0 if every key is masked."""
        return participation_ratio(self._split)

    @cached_property
    def max_weight(self) -> float:
        """The largest weight of a key."""
        return float(self._split.weights.max())

    @property
    def log_max_weight(self) -> float:
        """The logarithm of the largest weight of a key, also where every one underflowed."""
        return float(self.log_weights(np.array([self.given.argmax()]))[0])

    @property
    def sink_weight(self) -> float:
        """What the sink takes, 1 − Σp; 0 without a sink."""
        return self._split.sink

    def powers(self, keys: Keys = ALL) -> Numbers:
        """Return what softmax adds up, e^z or e^(z − max z): of the keys, then of the sink."""
        with np.errstate(all="ignore"):
            powers: Floats = np.exp(np.append(*self._exponents(keys)))
        return powers.astype(np.float64)

    def padded(self, n_keys: int) -> "Evaluation":
        """Return the same for ``n_keys`` or more keys, those that were not there masked."""
        more = n_keys - self.n_keys
        if more <= 0:
            return self
        scores = np.append(self.given, np.full(more, -inf))
        return replace(self, n_keys=n_keys, given=scores, _split=self._split.padded(more))

    @cached_property
    def least(self) -> float:
        """What a statistic that came out as 0 is below, or 0 if it is exactly 0 or naive.

        The smallest positive number of the format, unless the statistic may be a little larger
        since what it is computed from underflowed: H ≤ r(1 + ln n − ln r) and ‖J‖_F ≤ tr J ≤ 2r,
        with r = 1 − p of the winner. Where slopes underflowed under a cap and r did not, only
        norms of ∂p/∂s can be 0, and column j of it is at most √2·∂z_j/∂s_j·p_j(1 − p_j) long.
        """
        n_entries = int(np.count_nonzero(self.given > -inf)) + (self.map.sink is not None)
        if n_entries < 2 or not self.precision.stable or not isfinite(self.entropy):
            return 0.0
        finfo = limits(dtype_of(self.precision.format))
        smallest = float(finfo.smallest_subnormal)
        if self._log_rest == -inf:
            return smallest
        if self.map.softcap is not None and self._split.rest >= finfo.tiny:
            logs = self.log_weights() + self._log_complements(ALL)
            logs += logits.log_slopes(self.scores(), self.map)
            return max(_SMALLEST, 2.0 * float(np.exp(logs).sum()))
        log_bound = self._log_rest + log(4.0 * (2.0 + log(n_entries) - self._log_rest))
        return max(smallest, exp(min(0.0, log_bound + log(max(1.0, self.multiplier)))))

    @cached_property
    def _largest(self) -> float:
        return float(self.given.max())

    def _exponents(self, keys: Keys) -> tuple[Floats, Floats]:
        """Return what softmax raises e to, in the format, for keys and for the sink."""
        return logits.exponents(self.given[keys], self.map, self.precision, self._largest)

    def _log_complements(self, keys: Keys) -> Numbers:
        """Return ln(1 − p), shape (len(keys),), also where 1 − p underflows to 0."""
        with np.errstate(all="ignore"):
            logs = np.log(self.complements(keys))
        logs[positions(keys, self.n_keys) == self._split.winner] = self._log_rest
        return np.asarray(logs)

    @cached_property
    def _log_rest(self) -> float:
        """The logarithm of the winner's complement."""
        rest, winner = self._split.rest, self._split.winner
        if not (self.precision.stable and rest < limits(dtype_of(self.precision.format)).tiny):
            return log(rest) if rest else -inf
        exponents = np.append(*self._exponents(ALL)).astype(np.float64)
        logs = exponents + self._split.log_top
        logs[winner] = -inf
        largest = float(logs.max())
        if largest == -inf:
            return -inf
        return largest + float(np.log(np.exp(logs - largest).sum()))


def evaluate(scores: Numbers, map: LogitMap, precision: Precision) -> Evaluation:
    """Compute the softmax of scores, shape (n,); what is asked of it is computed when asked."""
    values = shares(scores, map, precision)
    values.setflags(write=False)
    return Evaluation(map, precision, int(scores.size), scores, split(values, scores.size))
