"""One vector under one map to logits: weights, their statistics, and the Jacobian on demand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute import softmax, weights
from attn_tui.compute.arrays import (
    ALL,
    AnyFloats,
    Floats,
    Keys,
    largest,
    place_of,
    positions,
    rounded,
)
from attn_tui.compute.norms import (
    Norms,
    frobenius,
    log_of,
    norm_of_logs,
    norms,
    norms_from_logs,
    power,
)
from attn_tui.compute.numbers import SMALLEST_NORMAL
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import LogitMap, Wrt
from attn_tui.compute.softmax import Bias
from attn_tui.compute.weights import Split, entropy, participation_ratio, split

MOST_VANISHED = 3
"""The most vanished weights whose exact values are listed."""


_FEW = 4096
"""Up to this many keys, the logarithms of the weights are kept too."""


class Vanished(NamedTuple):
    """Weights above 0 that round to 0 in a format.

    Attributes:
        number: How many there are.
        keys: The keys of those that are listed, the largest first.
        weights: The exact weight of each of these keys.
        log_weights: The natural logarithms of these weights.
    """

    number: int
    keys: NDArray[np.intp]
    weights: Floats
    log_weights: Floats


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Softmax of one vector of n scores.

    Scores, logits and weights are numbers of the precision's formats; everything else is computed
    from them in float64, on demand and for the requested keys only. Of the arrays over keys, only
    weights are kept. A sink takes part in softmax, in 1 − p and in the statistics, but is not a
    key.

    Attributes:
        map: The map from scores to logits.
        precision: The formats and the method.
        n_keys: n, masked keys included.
        unrounded: The scores before any rounding, shape (n,).
        bias: The bias added to each logit, shape (n,); None if there is none.
    """

    map: LogitMap
    precision: Precision
    n_keys: int
    unrounded: Floats = field(repr=False)
    _values: Floats = field(repr=False)
    bias: Bias = field(default=None, repr=False)

    @property
    def multiplier(self) -> float:
        """The multiplier m in z = m·s."""
        return self.map.multiplier

    @property
    def attended(self) -> NDArray[np.bool_]:
        """Which keys are not masked, shape (n,), even if their score rounds to −∞."""
        return np.asarray(self.unrounded != -inf)

    def scores(self, keys: Keys = ALL) -> Floats:
        """Return s, shape (len(keys),), rounded to the format of scores."""
        return rounded(self.unrounded[keys], self.precision.scores)

    def slopes(self, keys: Keys = ALL) -> Floats:
        """Return ∂z/∂s, shape (len(keys),): m, less under a cap, 0 at a masked key."""
        return softmax.slopes(self.scores(keys), self.map)

    def log_slopes(self, keys: Keys = ALL) -> Floats:
        """Return ln of `slopes`, even where they underflow."""
        return softmax.log_slopes(self.scores(keys), self.map)

    def logits(self, keys: Keys = ALL) -> Floats:
        """Return z, shape (len(keys),)."""
        bias = None if self.bias is None else self.bias[keys]
        z = softmax.logits(self.unrounded[keys], self.map, self.precision, bias)
        return z.astype(np.float64, copy=False)

    def ranking(self) -> Floats:
        """Return s, or z with a bias, shape (n,): it ranks keys even where weights underflow."""
        return self.scores() if self.bias is None else self.logits()

    def weights(self, keys: Keys = ALL) -> Floats:
        """Return p, shape (len(keys),)."""
        return self._values[: self.n_keys][keys]

    def log_weights(self, keys: Keys = ALL) -> Floats:
        """Return ln p, shape (len(keys),).

        In stable float64 it is the logit less the largest logit, plus the logarithm of the largest
        weight, so it is known even where p underflows. Otherwise it is ln of p as the format holds
        it.
        """
        if not self._outlives:
            return self._split.logs(positions(keys, self.n_keys))
        if self.n_keys <= _FEW:
            return self._all_logs[: self.n_keys][keys]
        return self.exponents(keys)[0].astype(np.float64) + self._split.log_top

    def pairs(self, keys: Keys = ALL) -> list[tuple[float, float]]:
        """Return p and ln p of each key."""
        return [*zip(self.weights(keys).tolist(), self.log_weights(keys).tolist(), strict=True)]

    def complements(self, keys: Keys = ALL) -> Floats:
        """Return 1 − p, shape (len(keys),), as the sum of all other weights."""
        return self._split.without(keys)

    def gradient(self, of: int, wrt: Wrt, keys: Keys = ALL) -> Floats:
        """Return ∂p_of/∂z_j or ∂p_of/∂s_j, shape (len(keys),): one row of the Jacobian."""
        return np.asarray(self.jacobian(np.array([of]), keys, wrt)[0])

    def pulled_back(self, upstream: Floats, wrt: Wrt) -> Floats:
        """Return ∂L/∂z or ∂L/∂s of a loss L, shape (n,), from ∂L/∂p of the same shape."""
        through = weights.vjp(self._split, upstream)
        return through if wrt == "logits" else through * self.slopes()

    def log_gradient(self, of: int, wrt: Wrt, keys: Keys = ALL) -> Floats:
        """Return ln of the absolute value of `gradient`, shape (len(keys),); −∞ where it is 0."""
        return np.asarray(self.log_jacobian(np.array([of]), keys, wrt)[0])

    def jacobian(self, of_keys: Keys, keys: Keys, wrt: Wrt) -> Floats:
        """Return the entries for some keys i and j, shape (len(of_keys), len(keys)).

        An entry that underflows is a signed 0, −0 off the diagonal; an entry of a masked key is
        +0. Entries below float64's normal range are computed from their logarithms.
        """
        entries = weights.jacobian(self._split, of_keys, keys)
        self.to_wrt(entries, keys, wrt, lambda: self.log_jacobian(of_keys, keys, wrt))
        hidden = self.unrounded[of_keys][:, None] == -inf
        entries[(hidden | (self.unrounded[keys] == -inf)) & (entries == 0.0)] = 0.0
        return entries

    def to_wrt(self, entries: Floats, keys: Keys, wrt: Wrt, logs: Callable[[], Floats]) -> None:
        """Turn derivatives by logits into those by logits or scores, in place.

        Args:
            entries: Derivatives by the logits of some keys, shape (…, len(keys)).
            keys: The keys.
            wrt: What they become derivatives with respect to.
            logs: Returns ln of the absolute values of the result, from which those below float64's
                normal range are computed.
        """
        with np.errstate(all="ignore"):
            few = np.abs(entries) < SMALLEST_NORMAL
            if wrt == "scores":
                entries *= self.slopes(keys)
                few |= np.abs(entries) < SMALLEST_NORMAL
            if self._outlives and few.any():
                np.copysign(np.exp(logs()), entries, out=entries, where=few)

    def log_jacobian(self, of_keys: Keys, keys: Keys, wrt: Wrt) -> Floats:
        """Return ln of the absolute values of the entries, shape (len(of_keys), len(keys)).

        They are known even where products underflow; −∞ stands for an entry of 0.
        """
        with np.errstate(all="ignore"):
            log_complements = np.log(self.complements(of_keys))
        # The winner's complement may underflow; its logarithm is known.
        log_complements[place_of(self._split.winner, of_keys, self.n_keys)] = self._log_rest
        diagonal = weights.diagonal(of_keys, keys, self.n_keys)
        second = np.where(diagonal, log_complements[:, None], self.log_weights(keys))
        with np.errstate(over="ignore"):
            logs = np.asarray(self.log_weights(of_keys)[:, None] + second)
        if wrt == "scores":
            logs += self.log_slopes(keys)
        return logs

    def frobenius(self, wrt: Wrt) -> tuple[float, float]:
        """Return the Jacobian's Frobenius norm and its ln, without computing the other norms."""
        slopes: Floats | float = 1.0
        if wrt == "scores":
            slopes = self.multiplier if self.map.softcap is None else self.slopes()
        size = frobenius(self._split, slopes)
        if self._outlives and size < SMALLEST_NORMAL:
            return self.norms[wrt].frobenius, self.norms[wrt].log_frobenius
        return size, log_of(size)

    def gradient_norm(self, of: int | None, wrt: Wrt) -> tuple[float, float]:
        """Return the norm of the gradient of one key's weight, and its ln.

        If ``of`` is None it is the Frobenius norm of the whole Jacobian, as `frobenius` has it.
        """
        if of is None:
            return self.frobenius(wrt)
        return norm_of_logs(self.log_gradient(of, wrt))

    @cached_property
    def norms(self) -> Mapping[Wrt, Norms]:
        """Norms of the n×n Jacobian: J by logits, and J·diag(∂z/∂s) by scores."""
        of_logits = self._norms("logits")
        if self.map.softcap is None:
            return {"logits": of_logits, "scores": of_logits.times(self.multiplier)}
        return {"logits": of_logits, "scores": self._norms("scores")}

    def _norms(self, wrt: Wrt) -> Norms:
        capped = wrt == "scores"
        direct = norms(self._split, self.slopes() if capped else 1.0)
        if not (self._outlives and direct.spectral < SMALLEST_NORMAL):
            return direct
        log_slopes = self.log_slopes() if capped else 0.0
        winner = self._split.winner if self._split.winner < self.n_keys else None
        return norms_from_logs(self.log_weights(), self._log_rest, winner, log_slopes)

    @cached_property
    def entropy(self) -> float:
        """H in nats, counting the sink."""
        direct = self._entropy
        return power(self.log_entropy) if self._outlives and direct < SMALLEST_NORMAL else direct

    @cached_property
    def _entropy(self) -> float:
        return entropy(self._split)

    @cached_property
    def log_entropy(self) -> float:
        """The logarithm of H, known even where H underflows; −∞ where H is exactly 0."""
        direct = self._entropy
        if not (self._outlives and direct < SMALLEST_NORMAL):
            return log_of(direct)
        # H = −p_w ln p_w − Σ p_j ln p_j, and −p_w ln p_w = 1 − p_w where that is so small.
        logs = self._all_logs.copy()
        logs[self._split.winner] = -inf
        with np.errstate(all="ignore"):
            shares = np.exp(logs - self._log_rest)
            terms = shares / shares.sum() * -logs
        return self._log_rest + log_of(1.0 + float(np.nansum(terms)))

    @property
    def effective_keys(self) -> float:
        """e^H, counting the sink; 0 if every key is masked."""
        return exp(self.entropy) if self._split.total else 0.0

    @cached_property
    def participation_ratio(self) -> float:
        """1/Σp², counting the sink; 0 if every key is masked."""
        return participation_ratio(self._split)

    @cached_property
    def max_weight(self) -> float:
        """The largest weight of a key."""
        return float(self.weights().max())

    @property
    def log_max_weight(self) -> float:
        """The logarithm of the largest weight of a key, even where all weights underflow."""
        return float(self.log_weights(self.ends[:1])[0])

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """Positions of the largest and of the smallest unmasked logit, shape (2,)."""
        above = self.unrounded if self.bias is None else self.logits()
        least = np.where(self.unrounded > -inf, above, inf).argmin()
        return np.array([above.argmax(), least])

    @cached_property
    def vanished(self) -> Vanished | None:
        """The weights that are 0 only because of the format, or None; always None in float64."""
        if self.precision.format == "float64":
            return None
        lost = np.flatnonzero((self.weights() == 0.0) & (self.unrounded > -inf))
        if not lost.size:
            return None
        exact = evaluate(self.unrounded, self.map, Precision(), self.bias)
        named = lost[largest(self.unrounded[lost], MOST_VANISHED)]
        return Vanished(lost.size, named, exact.weights(named), exact.log_weights(named))

    def settled(self) -> "Evaluation":
        """Return this evaluation with every number over all keys already computed."""
        for name in ("norms", "entropy", "participation_ratio", "max_weight", "ends", "vanished"):
            getattr(self, name)
        return self

    @property
    def sink_weight(self) -> float:
        """The weight of the sink, 1 − Σp; 0 without a sink."""
        return float(self._values[self.n_keys :].sum())

    @property
    def log_sink_weight(self) -> float:
        """The logarithm of the sink's weight, even where the weight underflows."""
        if not self._outlives or self.map.sink is None:
            return log_of(self.sink_weight)
        return float(self.exponents(slice(0, 0))[1][0]) + self._split.log_top

    def powers(self, keys: Keys = ALL) -> Floats:
        """Return the terms of the softmax sum, e^z or e^(z − max z): the keys', then the sink's."""
        with np.errstate(all="ignore"):
            powers: AnyFloats = np.exp(np.append(*self.exponents(keys)))
        return powers.astype(np.float64)

    def padded(self, n_keys: int) -> "Evaluation":
        """Return the evaluation padded with masked keys to at least ``n_keys`` keys."""
        more = n_keys - self.n_keys
        if more <= 0:
            return self
        scores = np.append(self.unrounded, np.full(more, -inf))
        bias = None if self.bias is None else np.append(self.bias, np.zeros(more))
        values = np.insert(self._values, self.n_keys, np.zeros(more))
        return replace(self, n_keys=n_keys, unrounded=scores, _values=values, bias=bias)

    @cached_property
    def _split(self) -> Split:
        return split(self._values, self.n_keys)

    @property
    def _outlives(self) -> bool:
        """Whether logarithms are known even of numbers that underflow.

        In float64 they stand for the exact numbers; in any other format the rounded numbers are
        what matters.
        """
        return not self.precision.naive and self.precision.format == "float64"

    def exponents(self, keys: Keys = ALL) -> tuple[AnyFloats, AnyFloats]:
        """Return the exponents of softmax, in its format, for the keys and for the sink."""
        top = self.ends[:1]
        biases = None if self.bias is None else (self.bias[keys], self.bias[top])
        return softmax.exponents(
            self.unrounded[keys], self.map, self.precision, self.unrounded[top], biases
        )

    @property
    def _all_logs(self) -> Floats:
        """The logarithm of every weight, then of the sink's if any, shape (n,) or (n + 1,)."""
        return self._few_logs if self.n_keys <= _FEW else self._logs()

    @cached_property
    def _few_logs(self) -> Floats:
        """The logarithms of all weights, kept where keys are few enough."""
        logs = self._logs()
        logs.setflags(write=False)
        return logs

    def _logs(self) -> Floats:
        return np.append(*self.exponents()).astype(np.float64) + self._split.log_top

    @cached_property
    def _log_rest(self) -> float:
        """The logarithm of the winner's complement."""
        rest = self._split.rest
        if not (self._outlives and rest < SMALLEST_NORMAL):
            return log_of(rest)
        logs = self._all_logs.copy()
        logs[self._split.winner] = -inf
        top = float(logs.max())
        return top if top == -inf else top + float(np.log(np.exp(logs - top).sum()))


def evaluate(scores: Floats, map: LogitMap, precision: Precision, bias: Bias = None) -> Evaluation:
    """Compute the softmax of scores, shape (n,); statistics are computed on demand."""
    values = softmax.shares(scores, map, precision, bias)
    values.setflags(write=False)
    return Evaluation(map, precision, int(scores.size), scores, values, bias)
