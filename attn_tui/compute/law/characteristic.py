"""The characteristic function of one product q_i·k_i less its mean, for entries with a density."""

from collections.abc import Callable
from math import pi, sqrt

import numpy as np

from attn_tui.compute.arrays import Complexes, Floats
from attn_tui.compute.law.entries import Pair

END = sqrt(3.0)
"""Uniform entries of variance 1 go so far to either side of their mean."""

_LEGENDRE = np.polynomial.legendre.leggauss(64)
_NODES, _WEIGHTS = (_LEGENDRE[0] + 1.0) / 2.0, _LEGENDRE[1] / 2.0
"""Gauss–Legendre on [0, 1]: full precision for integrands that turn through `_TURNS` radians."""

_TURNS = 40.0
_TERMS = 24
"""Of an asymptotic series beyond `_TURNS`, or of one in powers up to 2: all but 1e-14 or less."""


def characteristic(pair: Pair, t: Floats) -> Complexes:
    """Return E[exp(it·x)] at t > 0, shape (n,), for x = q_i·k_i − E[q_i·k_i].

    Args:
        pair: How q_i and k_i are drawn; normal or uniform entries.
        t: Shape (n,).
    """
    if pair.entries == "normal":
        return np.exp(_log_normal(pair, t.astype(np.complex128)))
    parts = [t[start : start + 2**13] for start in range(0, t.size, 2**13)]
    return np.concatenate([_uniform(pair, part) for part in parts])


def log_moments(pair: Pair, s: Floats) -> Floats:
    """Return ln E[exp(s·x)] for normal entries; every s is between −1/(1 − ρ) and 1/(1 + ρ)."""
    return _log_normal(pair, (-1j * s).astype(np.complex128)).real


def _log_normal(pair: Pair, t: Complexes) -> Complexes:
    """Return −½ ln D + (2iabt − (a² + b² − 2ρab)t²)/2D − it(ab + ρ), D = (1 − iρt)² + t².

    a and b are the means. Source: Craig 1936, Annals of Mathematical Statistics 7 (1).
    """
    a, b = pair.means
    rho = pair.correlation
    rest = 2j * rho * t - (1.0 - rho**2) * t**2
    logs = (np.log1p(-1j * (1.0 + rho) * t) + np.log1p(1j * (1.0 - rho) * t)) / 2.0
    # What the means add, brought over D by hand: the variance (a² + b² + 2ρab) and a third power.
    size = ((1.0 + rho) * (a + b) ** 2 + (1.0 - rho) * (a - b) ** 2) / 4.0
    shift = -(size + 1j * a * b * (1.0 - rho**2) * t) * t**2 / (1.0 - rest)
    return np.asarray(shift - logs - 1j * rho * t)


def _uniform(pair: Pair, t: Floats) -> Complexes:
    """Return it for a k_i that is independent of q_i, or with probability |ρ| goes with it."""
    a, b = pair.means
    rho = pair.correlation
    values = (1.0 - abs(rho)) * _apart(a, b, t)
    if rho > 0.0:
        values += rho * _together(a + b, t)
    elif rho < 0.0:
        # −x² + (b − a)x is minus what x² + (a − b)x is.
        values += -rho * np.conj(_together(a - b, t))
    return values * _turned(-rho * t)


def _apart(a: float, b: float, t: Floats) -> Complexes:
    """Return E[exp(it(ay + bx + xy))] for independent x and y from −√3 to √3.

    Over the rectangle of q_i and k_i, ∫∫exp(itqk) is [∫₀^z (e^{iu} − 1)/u du]/it taken between its
    corners, z = t·(corner's q·k).
    """

    def few(t: Floats) -> Complexes:
        x = END * _LEGENDRE[0]
        return _mean(_turned(t[:, None] * (b * x)) * np.sinc(t[:, None] * ((a + x) * END / pi)))

    def many(t: Floats) -> Complexes:
        ends_q, ends_k = ([mean - END or 1e-100, mean + END or 1e-100] for mean in (a, b))
        # Logarithms of z cancel between the corners; what is left of them are halves of turns.
        turns = np.diff(np.sign(ends_q))[0] * np.diff(np.sign(ends_k))[0] * pi / 2.0
        total = 1j * turns * _turned(-a * b * t)
        for i, x in enumerate((-END, END)):
            for j, y in enumerate((-END, END)):
                corner = ends_q[i] * ends_k[j]
                sign = 1.0 if i == j else -1.0
                total = total + sign * _corner(corner * t, (a * y + b * x + x * y) * t)
        return np.asarray(total / (12j * t))

    return _either(t, END * (abs(a) + abs(b) + END), few, many)


def _corner(z: Floats, phase: Floats) -> Complexes:
    """Return ∫₀^z (e^{iu} − 1)/u du + γ + ln|z| ∓ iπ/2, turned from e^{iz} to e^{i·phase}."""

    def series(z: Floats) -> Complexes:
        ratio = -1j / z
        total = np.ones(z.shape, dtype=np.complex128)
        for k in range(_TERMS, 0, -1):
            total = 1.0 + k * ratio * total
        return np.asarray(ratio * total)

    def powers(z: Floats) -> Complexes:
        total = np.zeros(z.shape, dtype=np.complex128)
        for k in range(_TERMS, 0, -1):
            total = 1j * z / k * (1.0 / k + total)
        return total

    def nodes(z: Floats) -> Complexes:
        return _mean(np.expm1(1j * z[:, None] * _NODES) / _NODES)

    def integral(z: Floats) -> Complexes:
        # Where a corner is next to 0, as with a mean of √3, its z is small for every t.
        inner = _either(z, _TURNS / 2.0, powers, nodes)
        return (inner + np.euler_gamma + np.log(np.abs(z)) - 0.5j * pi * np.sign(z)) * _turned(-z)

    return _either(z, 1.0, integral, series) * _turned(phase)


def _together(g: float, t: Floats) -> Complexes:
    """Return E[exp(it(x² + gx))] for x from −√3 to √3: Fresnel's integral between its ends."""

    def few(t: Floats) -> Complexes:
        x = END * _LEGENDRE[0]
        return _mean(_turned(t[:, None] * (x * (x + g))))

    def many(t: Floats) -> Complexes:
        root, middle = np.sqrt(t), -g / 2.0
        turns = (np.sign(END - middle) - np.sign(-END - middle)) * sqrt(pi) / 2.0
        # The phase is large only where there are no turns; it must be finite then too.
        total = turns * _turned(pi / 4.0 - middle**2 * t)
        for sign, x in ((1.0, END), (-1.0, -END)):
            total = total + sign * _fresnel(root * (x - middle), x * (x + g) * t)
        return np.asarray(total / (2.0 * END * root))

    return _either(t, END * (END + abs(g)), few, many)


def _fresnel(u: Floats, phase: Floats) -> Complexes:
    """Return ∫₀^u exp(iv²)dv ∓ ½√π·e^{iπ/4}, turned from e^{iu²} to e^{i·phase}."""

    def series(u: Floats) -> Complexes:
        ratio = -0.5j / (u * u)
        total = np.ones(u.shape, dtype=np.complex128)
        for k in range(_TERMS, 0, -1):
            total = 1.0 + (2 * k - 1) * ratio * total
        return np.asarray(total / (2j * u))

    def integral(u: Floats) -> Complexes:
        half = sqrt(pi) / 2.0 * np.exp(0.25j * pi) * np.sign(u)
        inner = _mean(_turned(u[:, None] ** 2 * _NODES**2))
        return np.asarray((u * inner - half) * _turned(-u * u))

    return _either(u, np.abs(u), integral, series) * _turned(phase)


def _turned(phase: Floats) -> Complexes:
    """Return e^{i·phase}."""
    turned = np.empty(phase.shape, dtype=np.complex128)
    turned.real, turned.imag = np.cos(phase), np.sin(phase)
    return turned


def _mean(values: Complexes) -> Complexes:
    """Return the integrals over [0, 1] of functions given at `_NODES`, shape (n, 64)."""
    return np.asarray(values @ _WEIGHTS)


def _either(
    values: Floats,
    turns: float | Floats,
    few: Callable[[Floats], Complexes],
    many: Callable[[Floats], Complexes],
) -> Complexes:
    """Return one function of values that turn a little, and another of those that turn a lot."""
    results = np.empty(values.shape, dtype=np.complex128)
    little = np.abs(values) * turns < _TURNS
    for where, function in ((little, few), (~little, many)):
        if where.any():
            results[where] = function(values[where])
    return results
