"""Numbers as text, the same everywhere: four decimals, or three digits and a power of ten."""

from collections.abc import Iterable
from math import ceil, copysign, expm1, floor, inf, isfinite, isnan, log, log10

MINUS = "−"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
LN10 = log(10.0)
SMALLEST_NORMAL = 2.0**-1022
"""Below it float64 loses digits, so smaller numbers are written from their logarithms."""
LONG_POWER = 1_000_000
"""Exponents of ten from this size on are themselves written as decimal numbers."""


def unusual(value: float) -> str:
    """Return the text of NaN or an infinity, or nothing for a finite number."""
    if isnan(value):
        return "NaN"
    if value == inf:
        return "∞"
    return MINUS + "∞" if value == -inf else ""


def first_fitting(texts: Iterable[str], width: int | None) -> str:
    """Return the first text of at most this many characters, or ``…`` if none fits."""
    return next((text for text in texts if width is None or len(text) <= width), "…")


def scientific(
    value: float, log_size: float = -inf, signed: bool = False, width: int | None = None
) -> str:
    """Return three significant digits with a power of ten: ``1.93e-22``.

    Args:
        value: The number.
        log_size: ln|value|, if it is known better than the value: a number below float64's normal
            numbers is written from its logarithm, ``1.23e-4321``.
        signed: Whether a positive number gets a plus sign, also if written from its logarithm.
        width: The most characters in the text, which has fewer digits if need be.
    """
    if text := unusual(value):
        return first_fitting([text], width)
    if value == 0.0 and log_size == -inf:
        return "0"
    # A number that underflowed is a signed 0.
    sign = "+" if signed else ""
    if copysign(1.0, value) < 0:
        sign = MINUS
    if abs(value) < SMALLEST_NORMAL and log_size > -inf:
        return first_fitting((sign + text for text in _powers_of_ten(log_size)), width)
    return first_fitting((f"{sign}{abs(value):.{n}e}" for n in (2, 1, 0)), width)


def _powers_of_ten(log_size: float) -> list[str]:
    """Return texts of e to a power, longest first: ``1.23e-4321``, or ``10^−2.7e+307``."""
    tens = log_size / LN10
    if abs(tens) >= LONG_POWER:
        return [f"10^{general(tens, digits)}" for digits in (2, 1)]
    return [_mantissa_and_power(tens, decimals) for decimals in (2, 1, 0)]


def weight(value: float, log_size: float = -inf, width: int | None = None) -> str:
    """Return a number from 0 to 1: with four decimals, or below 0.001 with a power of ten."""
    if isfinite(value) and float(f"{value:.2e}") >= 0.001:
        texts = (f"{value:.{decimals}f}" for decimals in (4, 3, 2, 1))
        return first_fitting((text for text in texts if float(text)), width)
    return scientific(value, log_size, width=width)


def places_of(n_keys: int) -> int:
    """Return how many decimals a percentage needs to show the average weight of n keys.

    >>> places_of(3), places_of(1000), places_of(1_000_000)
    (1, 1, 4)
    """
    return max(ceil(log10(n_keys)) - 2, 1)


def in_percent(value: float, log_size: float = -inf, places: int = 1) -> str:
    """Return a weight or a difference in percent: ``62.5 %``, with ~ if 0 or ±100 is not exact.

    A value too small for one decimal has one significant digit, within ``places`` decimals.

    >>> [in_percent(p) for p in (0.62452, 9.4e-14, 0.99998, 0.0)], in_percent(0.0, -800.0)
    (['62.5 %', '~0 %', '~100 %', '0 %'], '~0 %')
    >>> in_percent(1.0), in_percent(1.0, -1.8e-24)
    ('100 %', '~100 %')
    >>> [in_percent(p) for p in (-0.5364, -9.4e-14, -0.99998, -1.0, -0.0)]
    ['−53.6 %', '~0 %', '~−100 %', '−100 %', '0 %']
    >>> [in_percent(p, places=4) for p in (0.2, 2e-4, 1e-6, 1e-7)]
    ['20.0 %', '0.02 %', '0.0001 %', '~0 %']
    """
    if isnan(value):
        return "NaN"
    if value < 0.0:
        size = in_percent(-value, log_size, places)
        # An approximate 0 has no sign.
        return size if size == "~0 %" else f"{MINUS}{size}".replace(f"{MINUS}~", f"~{MINUS}")
    if 0.0005 <= value < 0.9995:
        return f"{100.0 * value:.1f} %"
    digit, _, power = f"{100.0 * value:.0e}".partition("e-")
    if digit != "0" and power and 1 < int(power) <= places:
        return f"{float(f'{digit}e-{power}'):.{int(power)}f} %"
    is_all = value == 1.0 and not -inf < log_size < 0.0
    exact = is_all or (value == 0.0 and log_size == -inf)
    about = "" if exact else "~"
    return f"{about}{round(value) * 100} %"


def weight_name(key: int) -> str:
    """Return the name of a key's weight: ``p₁₂``."""
    return "p" + subscript(key)


def subscript(key: int) -> str:
    """Return a key's number as a subscript: ``₁₂``."""
    return str(key).translate(_SUBSCRIPTS)


def power_of_ten(exponent: int) -> str:
    """Return a power of ten as text: ``10⁻⁴``."""
    return f"10{str(exponent).translate(_RAISED)}"


def general(value: float, digits: int = 6) -> str:
    """Return a number to some significant digits, without trailing zeros: ``100``, ``−1.5``."""
    return unusual(value) or f"{value:.{digits}g}".replace("-", MINUS, 1 if value < 0 else 0)


def fitted(value: float, width: int) -> str:
    """Return a number with as many digits as fit the width and are not noise."""
    exact = (n for n in (15, 16) if isfinite(value) and float(f"{value:.{n}g}") == value)
    most = next(exact, 17)
    # More digits than the width has room for round to the same text or do not fit.
    digits = range(min(most, max(width, 1)), 0, -1)
    return first_fitting((general(value, n) for n in digits), width)


_NO_LOGIT = 1e-4
"""A logit b closer to 0 than this counts as 0: e^b is 1 within that share."""


def fitted_logit(value: float) -> float:
    """Return a fitted logit, with 0 for one that is negligibly small.

    >>> fitted_logit(-5e-9), fitted_logit(-1.5)
    (0.0, -1.5)
    """
    return value if abs(value) > _NO_LOGIT else 0.0


def quantity(value: float, log_size: float = -inf, width: int | None = None) -> str:
    """Return a statistic: three significant digits, with a power of ten outside 0.001 to 10,000.

    Args:
        value: The number.
        log_size: As for `scientific`.
        width: The most characters in the text, which has fewer digits if need be.
    """
    if text := unusual(value):
        return first_fitting([text], width)
    if value == 0.0 and log_size == -inf:
        return first_fitting(["0"], width)
    size = abs(value)
    if not float(f"{size:.2e}") >= 0.001 or size >= 9_999.5:
        return scientific(value, log_size, width=width)
    if float(f"{size:.2e}") >= 1000:
        texts = [f"{size:.0f}"]
    else:
        texts = [f"{size:#.{digits}g}".rstrip(".") for digits in (3, 2, 1)]
    return first_fitting(((MINUS if value < 0 else "") + text for text in texts), width)


def difference(before: tuple[float, float], after: tuple[float, float]) -> tuple[float, float]:
    """Return the increase of a non-negative number, and ln of its size if that is better known.

    Args:
        before: The number, and its logarithm in case it is below float64's normal numbers.
        after: The same for the later number.
    """
    low, high = sorted((before[1], after[1]))
    if not low < high or max(before[0], after[0]) >= SMALLEST_NORMAL:
        return after[0] - before[0], -inf
    size = abs(after[0] - before[0])
    return copysign(size, after[1] - before[1]), high + log(-expm1(low - high))


def with_sign(size: str, value: float) -> str:
    """Return the text of a magnitude with its sign, unless it is "0" or "NaN"; −0 has a sign."""
    sign = MINUS if copysign(1.0, value) < 0.0 else "+"
    return size if size in ("0", "NaN") else sign + size


def change(
    before: tuple[float, float], after: tuple[float, float], width: int | None = None
) -> str:
    """Return the change of a number from 0 to 1, with its sign, or ``0``.

    Args:
        before: The number and its logarithm.
        after: The same for the later number.
        width: The most characters in the text, which has fewer digits if need be.
    """
    grown, log_size = difference(before, after)
    return with_sign(weight(abs(grown), log_size, width=width and width - 1), grown)


def ratio(log_ratio: float, width: int | None = None) -> str:
    """Return a ratio as a factor, from its logarithm: ``×1.8e19``.

    It has three digits from 0.01 to 999, otherwise two and a power of ten.
    """
    if isnan(log_ratio):
        return "–"
    if log_ratio in (inf, -inf):
        return first_fitting(["×∞" if log_ratio > 0 else "×0"], width)
    tens = log_ratio / LN10
    if -3 < tens < 3 and 0.01 <= float(f"{10.0**tens:.3g}") < 1000:
        texts = [f"{10.0**tens:.{digits}g}" for digits in (3, 2, 1)]
    elif abs(tens) >= LONG_POWER:
        texts = [f"10^{general(tens, digits)}" for digits in (2, 1)]
    else:
        texts = [_mantissa_and_power(tens, decimals) for decimals in (1, 0)]
    return first_fitting(("×" + text for text in texts), width)


def _mantissa_and_power(tens: float, decimals: int) -> str:
    """Return ten to a power, its mantissa with some decimals: ``1.8e19``."""
    exponent = floor(tens)
    mantissa = f"{10.0 ** (tens - exponent):.{decimals}f}"
    if float(mantissa) == 10.0:
        mantissa, exponent = f"{1.0:.{decimals}f}", exponent + 1
    return f"{mantissa}e{exponent}"
