"""Sums over the weights of each row of a block, in which nothing cancels where softmax saturates.

With w the winner, the key or sink with the largest logit, e_j = e^(z_j − z_w) and S = 1 + Σ' e_j,
where Σ' leaves w out. So 1 − p_w = Σ' e_j/S is a sum of what is small, and so are H = ln S +
Σ' e_j (z_w − z_j)/S and, with slopes d = ∂z/∂(m·s),

    ‖J·d‖_F² = d_w² p_w² ((1 − p_w)² + Σ' p_j²) + Σ' d_j² p_j² (1 − 2p_j + Σ p_i²).

The sink counts in Σ' e_j, but not in sums of squares, which are over keys. Where all other weights
are next to nothing, they are taken relative to the largest of them, in float64.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.row_statistics import Numbers, Places
from attn_tui.compute.heads.rows import Reals

HIDDEN = -1e5
"""Exponent of a masked key: finite, so that 0 times it is 0."""

_CLEAR = 50.0
"""An exponent that is larger by so much has no part in sums that count."""

_NEXT_TO_NOTHING = {4: 1e-15, 8: 1e-140}
"""Σ' e_j below which squares would underflow, by the bytes of a number."""


@dataclass(frozen=True, eq=False)
class Exponents:
    """What e is raised to, for the rows of a block.

    Attributes:
        x: z_j − z_w, shape (r, n); `HIDDEN` at a masked key.
        winner: The key with the largest logit, shape (r,).
        wins: Whether it is w; else that is the sink, or every key is masked, shape (r,).
        below: z_w − b, shape (r,); infinite without a sink.
        slopes: d, shape (r, n); None if they are 1.
    """

    x: Reals
    winner: Places
    wins: NDArray[np.bool_]
    below: Numbers
    slopes: Reals | None = None


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of each row, shape (r,), in float64.

    Attributes:
        rest: Σ' e_j.
        total: S; 0 if every key is masked and there is no sink.
        entropy: H in nats.
        gradient: ‖J·d‖_F.
        log_gradient: ln of that, also where it underflows; −∞ near what `HIDDEN` makes of it.
        sink: The e of the sink.
    """

    rest: Numbers
    total: Numbers
    entropy: Numbers
    gradient: Numbers
    log_gradient: Numbers
    sink: Numbers


def sums(given: Exponents, e: Reals, spare: Reals | None = None) -> Sums:
    """Return the sums of rows.

    Args:
        given: The exponents; x is written over.
        e: e^x, shape (r, n); what it is at winners is 0 meanwhile, and 1 again in the end.
        spare: Memory shaped like e, where there are slopes.
    """
    x, every = given.x, np.arange(len(e))
    won = every[given.wins], given.winner[given.wins]
    e[won] = 0
    wins, sink = given.wins.astype(np.float64), np.exp(-given.below)
    rest = (e @ np.ones(e.shape[1], e.dtype)).astype(np.float64) + sink * wins
    terms = np.where(sink > 0.0, sink * given.below, 0.0) - np.vecdot(e, x)
    squares = np.vecdot(e, e).astype(np.float64)
    faint = np.flatnonzero((rest < _NEXT_TO_NOTHING[e.itemsize]) & (given.wins | (sink > 0.0)))
    of_faint = _faint(given, faint) if faint.size else None

    scaled, own, own_squares = e, wins, squares
    if given.slopes is not None:
        own = wins * given.slopes[every, given.winner].astype(np.float64) ** 2
        scaled = np.multiply(given.slopes, e, out=spare)
        own_squares = np.vecdot(scaled, scaled).astype(np.float64)
    np.multiply(scaled, scaled, out=x)
    cubes = np.vecdot(x, e).astype(np.float64)
    e[won] = 1

    total = rest + (given.wins | (sink > 0.0))
    per_total = np.divide(1.0, total, out=np.zeros_like(total), where=total != 0.0)
    power_sum = (wins + squares) * per_total**2
    gradient = own * (rest**2 + squares) * per_total**4
    gradient += ((1.0 + power_sum) * own_squares - 2.0 * cubes * per_total) * per_total**2
    size = np.sqrt(gradient)
    found = Sums(rest, total, np.log1p(rest) + terms * per_total, size, np.log(size), sink)
    if of_faint is not None:
        found.rest[faint], found.entropy[faint], log_of = of_faint
        found.gradient[faint], found.log_gradient[faint] = np.exp(log_of), log_of
    return found


def _faint(given: Exponents, rows: Places) -> tuple[Numbers, Numbers, Numbers]:
    """Return Σ' e_j, H and ln ‖J·d‖_F of rows whose other weights are next to nothing."""
    wins, every = given.wins[rows], np.arange(len(rows))
    x = given.x[rows].astype(np.float64)
    x[every[wins], given.winner[rows][wins]] = -np.inf
    sink = np.where(wins, -given.below[rows], -np.inf)
    # Lower than any weight there is in float64, but so that differences stay finite.
    largest = np.maximum(np.maximum(x.max(axis=1), sink), HIDDEN)
    g, g_sink = np.exp(x - largest[:, None]), np.exp(sink - largest)
    x[g == 0.0] = 0.0
    scale, rest = np.exp(largest), g.sum(axis=1) + g_sink
    terms = np.where(g_sink > 0.0, g_sink * given.below[rows], 0.0) - np.vecdot(g, x)
    squares = np.vecdot(g, g)
    own, own_squares = wins.astype(np.float64), squares
    if given.slopes is not None:
        slopes = given.slopes[rows].astype(np.float64)
        own = own * slopes[every, given.winner[rows]] ** 2
        own_squares = np.vecdot(slopes * g, slopes * g)
    gradient = np.sqrt(own * (rest**2 + squares) + (1.0 + wins) * own_squares)
    # Near that of masked keys it may be made of these.
    log_gradient = np.where(largest > HIDDEN + _CLEAR, largest + np.log(gradient), -np.inf)
    return scale * rest, scale * (rest + terms), log_gradient
