"""Statistics of many drawn vectors at once, as logarithms, from each vector's winner and the rest.

The logits of a vector are z = σ·g. With w the key of the largest logit, L = ln((1 − p_w)/p_w) and
q_j the other keys' shares of 1 − p_w, every statistic is a function of L and of sums over q. The
q_j are computed relative to the runner-up, so nothing cancels or underflows however large σ is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from attn_tui.compute.arrays import Floats

_WIDE, _AT_ONCE = 1 << 13, 1 << 17
"""Numbers processed at a time, of one vector and in all: few enough for BLAS to stay on one thread
and for the numbers to stay in the cache."""

_BUFFER = 64
"""A buffer size for NumPy, which copies a column that it broadcasts over vectors shorter than its
buffer, by default 8,192 numbers; the copy takes longer than the product."""

_NEGLIGIBLE = -80.0
"""Lower limit of exponents: e^−80 adds nothing to 1, and its square and cube are not subnormal.
Keys below it are left out of long vectors."""

_TINY = 1e-300
"""Added to numerator and denominator of a quotient that tends to 1 where both vanish."""


@dataclass(frozen=True, eq=False)
class DrawnVectors:
    """B vectors of n ≥ 2 keys, with their winners set apart.

    Attributes:
        behind: How far g of each key but the winner lies below that of the runner-up, which is
            included, at 0; logits lie σ times as far. Shape (B, n − 1).
        runner_up: How far g of the runner-up lies below that of the winner, shape (B,).
        upstream: v_j − v_w, the upstream gradient V·∂L/∂o at the other keys less that at the
            winner, shape (B, n − 1).
        furthest: The largest ``behind`` of each vector, shape (B,).
        spread: The standard deviation of each vector's n numbers g, shape (B,).
        first: g of key 0, shape (B,).
        ahead: How far it lies below that of the winner, shape (B,).
    """

    behind: Floats
    runner_up: Floats
    upstream: Floats
    furthest: Floats
    spread: Floats
    first: Floats
    ahead: Floats


def rows(draws: Floats, upstream: Floats, out: Floats | None = None) -> DrawnVectors:
    """Set the winners of vectors apart.

    Args:
        draws: g, shape (B, n), n ≥ 2.
        upstream: v = V·∂L/∂o, the derivative of the loss by each weight, shape (B, n).
        out: Memory for the result, shape (2, B, n); it may hold the two inputs. None for new
            memory.
    """
    every, spread = np.arange(len(draws)), draws.std(axis=1)
    winners = draws.argmax(axis=1)
    tops, at_tops = draws[every, winners], upstream[every, winners]
    first = draws[:, 0].copy()
    behind, differences = np.empty((2, *draws.shape)) if out is None else out
    with _small_buffer():
        np.copyto(behind, draws)
        np.subtract(upstream, at_tops[:, None], out=differences)
        for values in (behind, differences):
            # No statistic depends on the order of the others: the first takes the winner's place.
            values[every, winners] = values[:, 0]
        behind, differences = behind[:, 1:], differences[:, 1:]
        second = behind.max(axis=1)
        np.subtract(second[:, None], behind, out=behind)
    vectors = DrawnVectors(
        behind, tops - second, differences, behind.max(axis=1), spread, first, tops - first
    )
    for array in vars(vectors).values():
        array.setflags(write=False)
    return vectors


class DrawnWeights:
    """The weights of B vectors; natural logarithms of their statistics, each of shape (B,).

    Args:
        vectors: The vectors.
        logit_std: σ = m‖q‖ of each vector, shape (B,), at least 0.
        across: χ² with d_k − 1 degrees of freedom for each vector, shape (B,), at least 0; NaN if
            the components of the keys across q are unknown.
        sink: b, the logit of a sink beside which key 0 has its weight; None for no sink.
    """

    def __init__(
        self, vectors: DrawnVectors, logit_std: Floats, across: Floats, sink: float | None = None
    ) -> None:
        self._vectors, self._logit_std, self._across = vectors, logit_std, across
        self._sink = sink
        with _small_buffer():
            total, self._behind, *others = _sums(vectors, logit_std)
        self._upstream, self._both, self._squares, self._up, self._up_up, self._cubes = others
        self._log_total = np.log(total)
        log_odds = self._log_total - logit_std * vectors.runner_up
        self._odds = np.exp(log_odds)
        self._top, self._log_sum = 1.0 / (1.0 + self._odds), np.log1p(self._odds)
        self._rest, self._log_rest = self._odds * self._top, log_odds - self._log_sum

    def max_weight(self) -> Floats:
        """Return ln of the largest weight."""
        return np.asarray(-self._log_sum)

    def entropy(self) -> Floats:
        """Return ln of H in nats.

        H = −p_w ln p_w − Σ p_j ln p_j is computed relative to 1 − p_w; the first term over 1 − p_w
        is 1 where the odds underflow.
        """
        surprise = (self._log_sum + _TINY) / (self._odds + _TINY)
        others = self._log_total + self._logit_std * self._behind - self._log_rest
        return np.asarray(self._log_rest + np.log(surprise + others))

    def effective_keys(self) -> Floats:
        """Return ln of e^H, which is H."""
        return np.exp(self.entropy())

    def jacobian(self) -> Floats:
        """Return ln of ‖J‖_F, as in `norms.frobenius`."""
        squares = self._squares
        winning, lost = self._top * self._top, self._rest * squares
        others = squares - 2.0 * self._rest * self._cubes + winning * squares + lost * lost
        return np.asarray(self._log_rest + 0.5 * np.log(winning * (1.0 + squares) + others))

    def trace(self) -> Floats:
        """Return ln of tr J."""
        lost = self._rest * self._squares
        return np.asarray(self._log_rest + np.log(self._top + (1.0 - lost)))

    def query_gradient(self) -> Floats:
        """Return ln of ‖Kᵀ J v‖, the gradient with respect to q up to a factor m.

        Given q, a key consists of its score along q and of normal numbers across q, so
        ‖Kᵀu‖² = (u·g)² + ‖u‖²·χ² with d_k − 1 degrees of freedom, and no key is needed. With
        u = J v, d = v − v_w and c = 1 − p_w, u_j = c·q_j·(d_j − c·q·d) and u_w = −c·p_w·q·d.
        """
        pull, push = self._rest * self._upstream, self._top * self._upstream
        along = self._both - pull * self._behind + self._vectors.runner_up * push
        spread = self._up_up + pull * (pull * self._squares - 2.0 * self._up)
        size = along * along + (np.maximum(spread, 0.0) + push * push) * self._across
        with np.errstate(divide="ignore"):
            return np.asarray(self._log_rest + 0.5 * np.log(size))

    def lead_weight(self) -> Floats:
        """Return ln of the weight of key 0, beside the sink if there is one."""
        log_weight = -self._log_sum - self._logit_std * self._vectors.ahead
        if self._sink is None:
            return np.asarray(log_weight)
        of_sink = self._sink - self._logit_std * self._vectors.first
        return np.asarray(-np.logaddexp(-log_weight, of_sink))

    def logit_std(self) -> Floats:
        """Return ln of the standard deviation of the logits."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._logit_std * self._vectors.spread))


def _sums(vectors: DrawnVectors, logit_std: Floats) -> Floats:
    """Return sums over all keys but the winner, shape (8, B).

    Let b = behind, e = e^{−σ·b}, q = e/Σe and d = upstream. The sums are Σe, Σq·b, Σq·d, Σq·d·b,
    Σq², Σq²·d, Σq²·d² and Σq³. They are accumulated block by block.
    """
    count, others = vectors.behind.shape
    sums = np.zeros((8, count))
    wide = min(others, _WIDE)
    high = 1 if others > wide else min(count, _AT_ONCE // wide)
    work = np.empty((2, high, wide))
    for row in range(0, count, high):
        down = slice(row, row + high)
        behind, upstream = vectors.behind[down], vectors.upstream[down]
        hold = bool((vectors.furthest[down] * logit_std[down]).max() > -_NEGLIGIBLE)
        if others > wide:
            counted = behind[0] < -_NEGLIGIBLE / max(float(logit_std[row]), 1.0)
            if 2 * np.count_nonzero(counted) < others:
                behind, upstream = behind[:, counted], upstream[:, counted]
        for column in range(0, behind.shape[1], wide):
            block = slice(None), slice(column, column + wide)
            _add(behind[block], upstream[block], logit_std[down], hold, work, sums[:, down])
    # Normalise e to q: once for all but Σe, again for squares and cubes, a third time for cubes.
    for first in (1, 4, 7):
        sums[first:] /= sums[0]
    return sums


def _add(
    behind: Floats, upstream: Floats, logit_std: Floats, hold: bool, work: Floats, sums: Floats
) -> None:
    """Add the sums of one block, shape (B, n), to those of its vectors, shape (8, B)."""
    e, product = work[:, : behind.shape[0], : behind.shape[1]]
    np.multiply(behind, -logit_std[:, None], out=e)
    if hold:
        np.maximum(e, _NEGLIGIBLE, out=e)
    np.exp(e, out=e)
    sums[0] += np.vecdot(e, np.ones(e.shape[1]))
    sums[1] += np.vecdot(e, behind)
    sums[2] += np.vecdot(e, upstream)
    sums[4] += np.vecdot(e, e)
    np.multiply(e, e, out=product)
    sums[7] += np.vecdot(product, e)
    np.multiply(e, upstream, out=product)
    sums[3] += np.vecdot(product, behind)
    sums[5] += np.vecdot(product, e)
    sums[6] += np.vecdot(product, product)


@contextmanager
def _small_buffer() -> Iterator[None]:
    """Give NumPy a small buffer, so that it does not copy the columns that it broadcasts."""
    with np.errstate():
        np.setbufsize(_BUFFER)
        yield
