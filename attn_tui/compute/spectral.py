"""The largest singular value of ∂p/∂s = J·diag(d), from a secular equation in O(n) per step.

With the largest weight p_w and c = 1 − p_w taken out (`Deflated`), J/c is
diag(q) − c·qqᵀ − p_w(q e_wᵀ + e_w qᵀ) + p_w e_w e_wᵀ, and nothing in it cancels. Its square between
two diag(d) has the singular values' squares as eigenvalues: a diagonal t² = (dq)², plus C between
two sides (u, v) = (t, tq), bordered by the row of w. Key w and the key with the largest t are kept;
all others are eliminated, so that the largest eigenvalue μ is where that of a 2×2 matrix N(μ) is 0.
Beyond the others' largest eigenvalue it falls and is convex, so Newton's method from the left
rises to the root and never passes it; bisection brings it there.

Source: Golub 1973, SIAM Review 15 (2), for secular equations; inertia of Schur complements.
"""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.keys import blocks

_EPS = float(np.finfo(np.float64).eps)

_MOST_STEPS = 100
"""More than bisection alone needs; Newton's method takes about six."""


@dataclass(frozen=True, eq=False)
class Deflated:
    """Weights with the largest taken out, the sink's included.

    Attributes:
        q: p_j/c for every key but the winner, where it is 0; shape (n,).
        p: The largest weight p_w.
        c: 1 − p_w.
        winner: Its key, or None if it is the sink's.
    """

    q: Floats
    p: float
    c: float
    winner: int | None

    @property
    def squares(self) -> float:
        """Σq²."""
        return float(np.square(self.q).sum())

    @property
    def power_sum(self) -> float:
        """Σp² over the keys."""
        return self.c**2 * self.squares + (0.0 if self.winner is None else self.p**2)


@dataclass(frozen=True, eq=False)
class _Secular:
    """N(μ): what the others leave of the kept keys' block, for slopes scaled to a size of 1.

    v is t(q − r), with r the q of the other key that has the largest t: near its pole only the
    sum that does not hold q − r grows beyond bounds, and nothing cancels.

    Attributes:
        kept: The kept keys' own block, shape (2, 2).
        links: How u and v enter the rows of the kept keys, in columns, shape (2, 2).
        core: The first entry of C.
        c: Minus the off-diagonal entries of C; the last is 0.
        r: The shift of q.
        q: Shape (n,).
        t_squared: t², 0 at the kept keys; shape (n,).
    """

    kept: Floats
    links: Floats
    core: float
    c: float
    r: float
    q: Floats
    t_squared: Floats

    def at(self, mu: float) -> tuple[float, float]:
        """Return the largest eigenvalue of N(μ) and its derivative.

        It is infinite below the largest eigenvalue of the others, and so below μ's.
        """
        (g0, g1, g2), falls = self._sums(mu)
        c, core = self.c, self.core
        determinant = (1.0 + c * g1) ** 2 - g0 * (core + c * c * g2)
        if not determinant > 0.0:
            return inf, -inf
        # Γ(1 − CΓ)⁻¹ and (1 − CΓ)⁻¹ for Γ = [[g0, g1], [g1, g2]], multiplied out.
        spread = g0 * g2 - g1 * g1
        corner = g1 - c * spread
        pressed = np.array([[g0, corner], [corner, g2 - core * spread]]) / determinant
        inverse = np.array(
            [[1.0 + c * g1, core * g1 - c * g2], [-c * g0, 1.0 - core * g0 + c * g1]]
        )
        values, vectors = np.linalg.eigh(self.kept + self.links.T @ pressed @ self.links)
        through = inverse @ (self.links @ vectors[:, 1]) / determinant
        fall = through @ np.array([[falls[0], falls[1]], [falls[1], falls[2]]]) @ through
        return float(values[1] - mu), float(-1.0 - fall)

    def _sums(self, mu: float) -> tuple[list[float], list[float]]:
        """Return Σt²/(μ − t²) times 1, q and q², and how fast these fall."""
        sums = np.zeros((2, 3))
        for block in blocks(self.q.size):
            q, t_squared = self.q[block] - self.r, self.t_squared[block]
            gaps = mu - t_squared
            terms = t_squared / gaps
            for row in sums:
                # Not as dot products: those of a threaded BLAS cost more than they save here.
                first = terms * q
                row += terms.sum(), first.sum(), np.multiply(first, q, out=first).sum()
                terms /= gaps
        return sums[0].tolist(), sums[1].tolist()


def largest_singular_value(weights: Deflated, t: Floats) -> float:
    """Return ‖(J/c)·diag(d)‖_2 for slopes d ≥ 0, given t = d·q, d·p_w at the winner; shape (n,)."""
    scale = float(t.max())
    if not 0.0 < scale < inf:
        return scale
    t = t / scale
    own = 0.0
    if weights.winner is not None:
        own, t[weights.winner] = float(t[weights.winner]), 0.0
    secular, low, high = _secular(weights, t, own)
    return scale * sqrt(_root(secular, low, high))


def _secular(weights: Deflated, t: Floats, own: float) -> tuple[_Secular, float, float]:
    """Return N(μ) and two bounds of its root for the winner's own d·p_w; t becomes t²."""
    p, c, squares, power_sum = weights.p, weights.c, weights.squares, weights.power_sum
    first = int(t.argmax())
    t1, q1 = float(t[first]), float(weights.q[first])
    t_squared = np.square(t, out=t)
    border = own * own * (1.0 + squares)
    # All columns' sizes, squared: the Frobenius norm.
    sizes = weights.q * (-2.0 * c)
    sizes += 1.0 + power_sum
    sizes *= t_squared
    high, size = border + float(sizes.sum()), float(sizes[first])
    del sizes
    t_squared[first] = 0.0
    second = int(t_squared.argmax())
    r = float(weights.q[second])
    core = power_sum - 2.0 * c * r
    side = t1 * np.array([1.0, q1 - r])
    link = own * np.array([c * squares - p - r, -1.0])
    kept = np.array([[border, link @ side], [link @ side, size]])
    links = np.column_stack([link, [core * side[0] - c * side[1], -c * side[0]]])
    low = max(float(np.linalg.eigvalsh(kept)[1]), float(t_squared[second]) * (1.0 + 4.0 * _EPS))
    secular = _Secular(kept, links, core, c, r, weights.q, t_squared)
    return secular, low, max(high, low) * (1.0 + 8.0 * _EPS)


def _root(secular: _Secular, low: float, high: float) -> float:
    """Return where N's largest eigenvalue is 0, between two bounds."""
    mu = low
    for _ in range(_MOST_STEPS):
        if high - low <= 4.0 * _EPS * high:
            break
        value, slope = secular.at(mu)
        if value > 0.0:
            low = mu
        else:
            high = mu
        step = mu - value / slope if value < inf else inf
        if value > 0.0:
            # Next to a pole steps are short far from the root: only one that passes it ends this.
            step = max(step, mu * (1.0 + 4.0 * _EPS))
        elif abs(step - mu) <= 2.0 * _EPS * mu:
            return step
        mu = step if low < step < high else sqrt(low * high)
        if not low < mu < high:
            break
    return low
