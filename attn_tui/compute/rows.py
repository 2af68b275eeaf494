"""Statistics of many drawn vectors at once, as logarithms, from each vector's winner and the rest.

The logits of a vector are z = σ·g. With w the largest, L = ln((1 − p_w)/p_w) and q_j the others'
shares of 1 − p_w, every statistic is a function of L and of sums over q. The q_j are taken
relative to the runner-up, so nothing cancels and nothing underflows however large σ is.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Readout = Literal["max_weight", "entropy", "effective_keys", "jacobian", "trace", "query_gradient"]
"""What `log_statistics` returns, in its order; the last is short of the multiplier m."""

READOUTS: tuple[Readout, ...] = get_args(Readout)

_WIDE, _AT_ONCE = 1 << 13, 1 << 16
"""So many numbers of a vector, and so many in all, are worked on at a time: BLAS stays on one
thread, and the numbers in the cache."""

_NEGLIGIBLE = -80.0
"""Exponents are held above this: e^−80 adds nothing to 1, and no square or cube is subnormal. Keys
below it are left out of long vectors."""


@dataclass(frozen=True, eq=False)
class Rows:
    """B vectors of n ≥ 2 keys, their winners apart.

    Attributes:
        behind: How far each key but the two largest lies below the runner-up, in units in which
            the logits are σ times as far; the runner-up is among them, at 0. Shape (B, n − 1).
        runner_up: How far the runner-up lies below the winner, shape (B,).
        upstream: v_j − v_w, how an upstream gradient V·∂L/∂o at the other keys differs from that
            at the winner, shape (B, n − 1).
    """

    behind: Floats
    runner_up: Floats
    upstream: Floats


def rows(draws: Floats, upstream: Floats) -> Rows:
    """Set the winners of vectors apart.

    Args:
        draws: g, shape (B, n), n ≥ 2; overwritten.
        upstream: v = V·∂L/∂o, the derivative of the loss by each weight, (B, n); overwritten.
    """
    every = np.arange(len(draws))
    winners = draws.argmax(axis=1)
    tops, at_tops = draws[every, winners], upstream[every, winners]
    for values in (draws, upstream):
        # No statistic asks for the order of the others: the first takes the winner's place.
        values[every, winners] = values[:, 0]
    second = draws[:, 1:].max(axis=1)
    behind = np.subtract(second[:, None], draws[:, 1:], out=draws[:, 1:])
    upstream[:, 1:] -= at_tops[:, None]
    runner_up = tops - second
    for array in (behind, runner_up, upstream):
        array.setflags(write=False)
    return Rows(behind, runner_up, upstream[:, 1:])


def log_statistics(given: Rows, logit_std: Floats, across: Floats) -> Floats:
    """Return the natural logarithm of each of `READOUTS`, shape (6, B).

    They are the largest weight, H in nats, e^H, ‖J‖_F, tr J and ‖Kᵀ J v‖, with respect to
    logits. Given q, the keys are their scores along q and normal numbers across it, so
    ‖Kᵀu‖² = (u·g)² + ‖u‖²·χ² with d_k − 1 degrees of freedom, and no key is needed.

    Args:
        given: B vectors.
        logit_std: σ = m‖q‖ of each, shape (B,), at least 0.
        across: χ² with d_k − 1 degrees of freedom for each, shape (B,), at least 0.

    >>> two = rows(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0]]))
    >>> np.exp(log_statistics(two, np.array([0.0]), np.array([0.0]))).round(4)
    array([[0.5   ],
           [0.6931],
           [2.    ],
           [0.5   ],
           [0.5   ],
           [0.25  ]])
    """
    s = _sums(given, logit_std)
    q_behind, q_up = s.behind / s.total, s.upstream / s.total
    s_2, s_3 = s.squares / s.total**2, s.cubes / s.total**3
    log_total = np.log(s.total)
    log_odds = log_total - logit_std * given.runner_up
    # ln(1 + e^L), never below 0 and right at both ends.
    log_sum = np.logaddexp(0.0, log_odds)
    top, log_rest = np.exp(-log_sum), log_odds - log_sum
    rest = np.exp(log_rest)
    # H = −p_w ln p_w − Σ p_j ln p_j, over 1 − p_w.
    surprise = np.where(log_odds < -40.0, 1.0, log_sum * np.exp(-np.maximum(log_odds, -40.0)))
    others = log_total + logit_std * q_behind - log_rest
    log_entropy = log_rest + np.log(surprise + others)
    # As in norms.frobenius.
    squared = s_2 - 2.0 * rest * s_3 + s_2 * (top**2 + rest**2 * s_2)
    log_jacobian = log_rest + 0.5 * np.log(top**2 * (1.0 + s_2) + squared)
    log_trace = log_rest + np.log(top + (1.0 - rest * s_2))
    # u = J v: u_j = c·q_j·(d_j − c·q·d) with d = v − v_w, c = 1 − p_w, and u_w = −c·p_w·q·d.
    pull = rest * q_up
    along = s.both / s.total - pull * q_behind + given.runner_up * top * q_up
    spread = (s.up_up - 2.0 * pull * s.up + pull**2 * s.squares) / s.total**2
    size = along**2 + (np.maximum(spread, 0.0) + (top * q_up) ** 2) * across
    with np.errstate(divide="ignore"):
        log_query = log_rest + 0.5 * np.log(size)
    return np.stack(
        [-log_sum, log_entropy, np.exp(log_entropy), log_jacobian, log_trace, log_query]
    )


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over the keys but the winner, with e = e^{−σ·behind}, b = behind, d = upstream; (B,)."""

    total: Floats
    squares: Floats
    cubes: Floats
    behind: Floats
    upstream: Floats
    both: Floats
    up: Floats
    up_up: Floats


def _sums(given: Rows, logit_std: Floats) -> _Sums:
    """Add up e, e², e³, e·b, e·d, e·d·b, e²·d, e²·d², a block at a time."""
    count, others = given.behind.shape
    sums = np.zeros((8, count))
    wide = min(others, _WIDE)
    high = 1 if others > wide else min(count, _AT_ONCE // wide)
    work = np.empty((2, high, wide))
    for row in range(0, count, high):
        down = slice(row, row + high)
        behind, upstream = given.behind[down], given.upstream[down]
        if others > wide:
            near = behind[0] < -_NEGLIGIBLE / max(float(logit_std[row]), 1.0)
            if 2 * np.count_nonzero(near) < others:
                kept = np.flatnonzero(near)
                behind, upstream = behind[:, kept], upstream[:, kept]
        for column in range(0, behind.shape[1], wide):
            block = slice(None), slice(column, column + wide)
            _add(behind[block], upstream[block], logit_std[down], work, sums[:, down])
    return _Sums(*sums)


def _add(behind: Floats, upstream: Floats, logit_std: Floats, work: Floats, sums: Floats) -> None:
    """Add the sums of one block, shape (B, n), to those of its vectors, shape (8, B)."""
    e, product = work[:, : behind.shape[0], : behind.shape[1]]
    np.multiply(behind, -logit_std[:, None], out=e)
    np.maximum(e, _NEGLIGIBLE, out=e)
    np.exp(e, out=e)
    one = np.ones(e.shape[1])
    sums[0] += np.vecdot(e, one)
    sums[1] += np.vecdot(e, e)
    sums[3] += np.vecdot(e, behind)
    np.multiply(e, e, out=product)
    sums[2] += np.vecdot(product, e)
    np.multiply(e, upstream, out=product)
    sums[4] += np.vecdot(product, one)
    sums[5] += np.vecdot(product, behind)
    sums[6] += np.vecdot(product, e)
    sums[7] += np.vecdot(product, product)
