"""Softmax and its Jacobian at 50 digits, written without regard to cost, as a reference."""

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike

from attn_tui.compute.scale import LogitMap

Big = Any

SCORES: tuple[tuple[float, ...], ...] = (
    (100.0, 120.0, 150.0),
    (3.125, 3.75, 4.6875),
    (0.0, 0.0),
    (7.0,),
    (1.0, 1.0, 1.0, 1.0, 1.0),
    (100.0, 100.0, 0.0),
    (100.0, 100.0 - 2.0**-46, 0.0),
    (5.0, 5.0 - 1e-9, 5.0 - 2e-9, -3.0),
    (-50.0, 0.0, 0.0),
    (0.0, 499.9, 0.1, 499.3),
    (0.1, 0.2, 499.7),
    (0.1, 0.3, 600.7),
    (0.0, 710.0),
    (0.0, 740.0, 745.0, 3.0),
    (-1.0, -float("inf"), 0.3, 2.2),
    (4.0, -float("inf"), -float("inf")),
    (5e-324, 1e-310, 0.0),
    (1e15, 1e15 + 0.25, 1e15 - 3.5),
    (1e308, 1e308, -1e308),
)
"""Vectors that between them saturate, tie, nearly tie, mask, and reach both ends of float64."""


def digits(compute: Callable[..., Big]) -> Callable[..., Big]:
    """Run a function at 50 digits."""

    def at_50_digits(*arguments: Any) -> Big:
        with mpmath.workdps(50):
            return compute(*arguments)

    return at_50_digits


@digits
def exponents(scores: Sequence[float], multiplier: float = 1.0) -> list[Big]:
    largest = mpmath.mpf(max(scores))
    return [mpmath.mpf(multiplier) * (mpmath.mpf(s) - largest) for s in scores]


@digits
def weights(scores: Sequence[float], multiplier: float = 1.0) -> list[Big]:
    powers = [mpmath.exp(z) for z in exponents(scores, multiplier)]
    return [power / mpmath.fsum(powers) for power in powers]


@digits
def complements(p: Sequence[Big]) -> list[Big]:
    return [mpmath.fsum([*p[:i], *p[i + 1 :]]) for i in range(len(p))]


@digits
def log_weights(scores: Sequence[float], multiplier: float = 1.0) -> list[Big]:
    p = weights(scores, multiplier)
    pairs = zip(p, complements(p), strict=True)
    return [mpmath.log1p(-c) if 2 * x > 1 else mpmath.log(x) for x, c in pairs]


@digits
def entropy(p: Sequence[Big]) -> Big:
    pairs = zip(p, complements(p), strict=True)
    logs = (mpmath.log1p(-c) if 2 * x > 1 else mpmath.log(x) if x else 0 for x, c in pairs)
    return -mpmath.fsum(x * log for x, log in zip(p, logs, strict=True))


@digits
def jacobian(p: Sequence[Big]) -> list[list[Big]]:
    c = complements(p)
    keys = range(len(p))
    return [[p[i] * c[i] if i == j else -p[i] * p[j] for j in keys] for i in keys]


@digits
def frobenius(p: Sequence[Big]) -> Big:
    return mpmath.sqrt(mpmath.fsum(x**2 for row in jacobian(p) for x in row))


@digits
def trace(p: Sequence[Big]) -> Big:
    return mpmath.fsum(x * c for x, c in zip(p, complements(p), strict=True))


@digits
def spectral(p: Sequence[Big]) -> Big:
    size = frobenius(p)
    if size == 0:
        return size
    unit = mpmath.matrix([[x / size for x in row] for row in jacobian(p)])
    return size * max(mpmath.eigsy(unit, eigvals_only=True))


@digits
def vjp(p: Sequence[Big], g: Sequence[float]) -> list[Big]:
    return [mpmath.fsum(x * b for x, b in zip(row, g, strict=True)) for row in jacobian(p)]


@digits
def relative_error(computed: float, true: Big) -> float:
    """Return |computed − true| / |true|; 0 if they are the same, infinities included."""
    value = mpmath.mpf(float(computed))
    if value == true:
        return 0.0
    return float(abs(value - true) / abs(true)) if true else float("inf")


def agrees(computed: ArrayLike, true: Sequence[Big] | Big, gaps: ArrayLike = 0.0) -> bool:
    """Return whether numbers are as close to the truth as the program promises.

    Args:
        computed: The numbers of the program.
        true: The numbers at 50 digits.
        gaps: By how much the logits behind each number differ.

    A number too small for the full precision of float64 only has to be as small.
    """
    values = np.asarray(computed, dtype=np.float64).ravel()
    truths = true if isinstance(true, list) else [true]
    distances = np.broadcast_to(np.asarray(gaps, dtype=np.float64).ravel(), values.shape)
    tiny = float(np.finfo(np.float64).tiny)
    assert len(truths) == values.size
    return all(
        abs(value) <= 2 * tiny
        if 0 < abs(truth) < tiny
        else relative_error(value, truth) <= (1e-13 if gap < 500 else 4 * gap * 2.0**-53)
        for value, truth, gap in zip(values, truths, distances, strict=True)
    )


def gaps(scores: Sequence[float], multiplier: float = 1.0) -> list[float]:
    """Return how far each logit lies below the largest."""
    return [-float(z) for z in exponents(scores, multiplier)]


def runner_up(scores: Sequence[float], multiplier: float = 1.0) -> float:
    """Return how far the second largest logit lies below the largest."""
    finite = sorted(gap for gap in gaps(scores, multiplier) if gap < float("inf"))
    return finite[1] if len(finite) > 1 else 0.0


def logits(scores: Sequence[Any], map: LogitMap) -> list[Big]:
    """Return z for each score from the whole formula, at the current precision."""
    m, masked = mpmath.mpf(map.multiplier), -mpmath.inf
    if map.softcap is None:
        return [masked if s == masked else m * s for s in big(scores)]
    c = mpmath.mpf(map.softcap)
    return [masked if s == masked else c * mpmath.tanh(m * s / c) for s in big(scores)]


def big(numbers: Sequence[Any]) -> list[Big]:
    return [mpmath.mpf(number) for number in numbers]


def shares(scores: Sequence[Any], map: LogitMap) -> list[Big]:
    """Return the weights of the keys and, with a sink, that of the sink in the last place."""
    z = logits(scores, map) + ([] if map.sink is None else [mpmath.mpf(map.sink)])
    largest = max(z)
    powers = [mpmath.exp(logit - largest) for logit in z]
    return [power / mpmath.fsum(powers) for power in powers]


def central_differences(
    scores: Sequence[float], map: LogitMap, wrt: str, dps: int = 300
) -> list[list[Big]]:
    """Return ∂p_i/∂s_j or ∂p_i/∂z_j for keys i and j; those of a masked key are 0.

    The step uses a third of the digits; the error is of the order of its square.
    """
    with mpmath.workdps(dps):
        step, n = mpmath.mpf(10) ** (-dps // 3), len(scores)
        given = big(scores) if wrt == "scores" else logits(scores, map)
        to_logits = map if wrt == "scores" else LogitMap(1.0, sink=map.sink)
        columns = []
        for key in range(n):
            up, down = list(given), list(given)
            up[key], down[key] = up[key] + step, down[key] - step
            ends = zip(shares(up, to_logits), shares(down, to_logits), strict=True)
            columns.append([(a - b) / (2 * step) for a, b in ends][:n])
        return [list(row) for row in zip(*columns, strict=True)]


@digits
def size(numbers: Sequence[Big]) -> Big:
    return mpmath.sqrt(mpmath.fsum(x**2 for x in numbers))


@digits
def singular_value(matrix: list[list[Big]]) -> Big:
    whole = size([x for row in matrix for x in row])
    if whole == 0:
        return whole
    unit = mpmath.matrix([[x / whole for x in row] for row in matrix])
    # mpmath's own singular values do not converge where two are equal.
    with mpmath.workdps(100):
        return whole * mpmath.sqrt(max(mpmath.eigsy(unit.T * unit, eigvals_only=True)))
