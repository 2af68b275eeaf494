"""Student's t: tails and quantiles, with NumPy only."""

from functools import lru_cache
from math import exp, expm1, inf, lgamma, log, log1p, pi, sqrt


def t_tail(t: float, df: float) -> float:
    """Return P(T > t) for t ≥ 0 with so many degrees of freedom, to about 1e-12 relative.

    It is I_x(df/2, 1/2)/2 with x = df/(df + t²) (Abramowitz and Stegun 26.7.1), by the continued
    fraction of 26.5.8, evaluated as Lentz does.

    >>> round(t_tail(2.0, 3.0), 10)
    0.0696629843
    """
    if df == inf:
        from math import erfc

        return erfc(t / sqrt(2.0)) / 2
    a, b = df / 2, 0.5
    square = t * t
    log_x = -log1p(square / df)
    log_1x = log(square / (df + square)) if square > 0 else -inf
    if square == 0:
        return 0.5
    front = exp(a * log_x + b * log_1x + _log_ratio(a) - log(pi) / 2)
    x = exp(log_x)
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a / 2
    return 0.5 - front * _fraction(b, a, -expm1(log_x)) / b / 2


def _log_ratio(a: float) -> float:
    """Return ln Γ(a + ½) − ln Γ(a), by its series where the difference would cancel."""
    if a < 1e3:
        return lgamma(a + 0.5) - lgamma(a)
    return 0.5 * log(a) - 1 / (8 * a) + 1 / (192 * a**3)


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for k in range(1, 10_000):
        for numerator in (
            k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)),
            -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            change = c * d
            value *= change
        if abs(change - 1) < 1e-15:
            break
    return value


def t_quantile(confidence: float, df: float) -> float:
    """Return t with P(|T| ≤ t) = confidence, also for confidences within 1e-12 of 1.

    Args:
        confidence: Above 0 and below 1.
        df: Degrees of freedom, above 0; infinity is the normal law.

    >>> round(t_quantile(0.95, 3.0), 6)
    3.182446
    """
    return t_above((1 - confidence) / 2, df)


@lru_cache(maxsize=1 << 16)
def t_above(tail: float, df: float) -> float:
    """Return t with P(T > t) = tail, for a tail of at most ½.

    Ln P falls along ln t, ever more steeply: Newton's steps from above it stay there.
    """
    if tail >= 0.5:
        return 0.0
    high = 2.0
    while t_tail(high, df) > tail and high < 1e150:
        high *= high
    for _ in range(100):
        above = t_tail(high, df)
        nearer = high * exp(log(above / tail) * above / (high * _density(high, df)))
        if not nearer < high * (1 - 1e-15):
            break
        high = nearer
    return high


def _density(t: float, df: float) -> float:
    if df == inf:
        return exp(-t * t / 2) / sqrt(2 * pi)
    return exp(_log_ratio(df / 2) - log(df * pi) / 2 - (df + 1) / 2 * log1p(t * t / df))
