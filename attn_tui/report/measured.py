"""Sampled numbers as text, with as many digits as the standard error justifies."""

from math import floor, isnan, log10

from attn_tui.compute.sample import Number
from attn_tui.report.numbers import MINUS, first_fitting, general, unusual

_LARGE, _SMALL, _MOST_DIGITS = 7, -5, 8
"""Numbers with exponents from the first on, or up to the second, are written with a power of ten;
but not those from 0.001 on that have at most the third number of digits."""


def with_error(number: Number, width: int | None = None) -> str:
    """Return a value ± its standard error, which has two digits: ``64.031 ± 0.092``.

    Args:
        number: What was sampled.
        width: The most characters in the text, which has fewer digits if need be.
    """
    value, error = number.value, number.standard_error
    odd = unusual(value) or unusual(error)
    if odd or error == 0.0:
        texts = (f"{general(value, n)} ± {general(error, min(n, 2))}" for n in range(6, 0, -1))
        return first_fitting(texts, width)
    whole = (_rounded(value, error, digits) for digits in (2, 1))
    # If the error is far below the value, there is no room for all the digits it justifies.
    cut = (f"{general(value, digits)} ± {error:.0e}" for digits in range(6, 0, -1))
    return first_fitting((*whole, *cut), width)


def exact(number: Number, width: int | None = None) -> str:
    """Return the exact value, or ``–`` if none is known.

    It has six digits, or as many as `with_error` gives the sampled value; a number that ends sooner
    has no trailing zeros.
    """
    value = number.exact
    if value is None:
        return "–"
    most = 6
    if value and not unusual(number.value) and number.standard_error > 0.0:
        power, place = floor(log10(abs(value))), _place(number.standard_error, 2)
        # Whole numbers are written out, even beyond the digits that the error justifies.
        last = min(place, 0) if power < _LARGE else place
        most = min(max(most, power + 1 - last), 15)
    return first_fitting((_digits(value, digits) for digits in range(most, 0, -1)), width)


def _digits(value: float, digits: int) -> str:
    """Return a number to some digits, with trailing zeros unless it is exact without them."""
    short = general(value, digits)
    if unusual(value) or abs(float(f"{value:.{digits}g}") - value) <= 1e-12 * abs(value):
        return short
    whole = f"{value:#.{digits}g}"
    return short if whole.endswith(".") or ".e" in whole else whole.replace("-", MINUS, value < 0)


def deviations(number: Number) -> float | None:
    """Return how many standard errors a value is from the exact one; None if undefined."""
    if number.exact is None or isnan(number.value) or not number.standard_error > 0.0:
        return None
    return abs(number.value - number.exact) / number.standard_error


def _rounded(value: float, error: float, digits: int) -> str:
    """Return value and error, the error to some digits and the value to the same place."""
    place = _place(error, digits)
    power = floor(log10(max(abs(value), error)))
    if power < _LARGE and (place > _SMALL - digits or -3 <= power <= place + _MOST_DIGITS):
        decimals = max(-place, 0)
        text = f"{abs(value):.{decimals}f} ± {error:.{decimals}f}"
    elif 2.0 * abs(value) < 10.0**place:
        text = f"0 ± {error:.{digits - 1}e}"
    else:
        text = f"{abs(value):.{min(max(power - place, 0), 15)}e} ± {error:.{digits - 1}e}"
    return (MINUS if value < 0 and float(text.partition(" ")[0]) else "") + text


def _place(error: float, digits: int) -> int:
    """Return the power of ten of the last digit of an error that has ``digits`` digits."""
    return floor(log10(float(f"{error:.{digits - 1}e}"))) + 1 - digits
