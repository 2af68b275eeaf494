"""Numbers as text, everywhere the same: four decimals, or three digits and a power of ten."""

from math import copysign, floor, inf, isfinite, isnan, log

MINUS = "−"
LN10 = log(10.0)
LONG_POWER = 1_000_000
"""Powers of ten from this on are written as decimal numbers themselves."""


def unusual(value: float) -> str:
    """Return the text of NaN or an infinity, or nothing for a finite number."""
    if isnan(value):
        return "NaN"
    if value == inf:
        return "∞"
    return MINUS + "∞" if value == -inf else ""


def scientific(value: float, log_size: float = -inf, signed: bool = False) -> str:
    """Return three significant digits with a power of ten: ``1.93e-22``.

    Args:
        value: The number.
        log_size: ln|value|, where it is known better than the value: a number too small for
            its format is written from its logarithm, ``1e-4321``, and not as 0.
        signed: Whether a number above 0 gets a plus sign; so does one written from its logarithm.
    """
    if text := unusual(value):
        return text
    if value == 0.0 and log_size == -inf:
        return "0"
    # A number that underflowed is 0 with a sign.
    sign = MINUS if copysign(1.0, value) < 0 else "+" if signed else ""
    return sign + (f"{abs(value):.2e}" if value else power_of_ten(log_size))


def power_of_ten(log_size: float) -> str:
    """Return e to a power, to one digit: ``1e-4321``, ``10^−2.7e+307`` where that is too long."""
    exponent = floor(log_size / LN10)
    if abs(exponent) >= LONG_POWER:
        return f"10^{general(log_size / LN10, 2)}"
    digit = round(10.0 ** (log_size / LN10 - exponent))
    return f"1e{exponent + 1}" if digit == 10 else f"{max(digit, 1)}e{exponent}"


def weight(value: float, log_size: float = -inf) -> str:
    """Return a number from 0 to 1: four decimals, or a power of ten where they would say little."""
    if isfinite(value) and value >= 0.001:
        return f"{value:.4f}"
    return scientific(value, log_size)


def general(value: float, digits: int = 6) -> str:
    """Return a number as a person would write it, to some significant digits: ``100``, ``−1.5``."""
    return unusual(value) or f"{value:.{digits}g}".replace("-", MINUS, 1 if value < 0 else 0)


def quantity(value: float) -> str:
    """Return a statistic: three significant digits, with a power of ten outside 0.001 to 10,000."""
    if text := unusual(value):
        return text
    if value == 0.0 or 0.001 <= abs(value) < 10_000:
        return f"{value:#.3g}".rstrip(".") if 0 < abs(value) < 1000 else f"{value:.0f}"
    return scientific(value)


def ratio(log_ratio: float) -> str:
    """Return how many times larger, from the logarithm of the ratio: ``×1.8e19``."""
    if isnan(log_ratio):
        return "–"
    if log_ratio == inf:
        return "×∞"
    if log_ratio == -inf:
        return "×0"
    tens = log_ratio / LN10
    if -2 <= tens < 4:
        return f"×{10.0**tens:.3g}"
    exponent = floor(tens)
    if abs(exponent) >= LONG_POWER:
        return f"×10^{general(tens, 2)}"
    mantissa = f"{10.0 ** (tens - exponent):.1f}"
    if mantissa == "10.0":
        mantissa, exponent = "1.0", exponent + 1
    return f"×{mantissa}e{exponent}"


def log_abs(value: float) -> float:
    """Return ln|value|, minus infinity at 0."""
    return log(abs(value)) if value else -inf
