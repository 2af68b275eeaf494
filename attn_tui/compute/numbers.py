"""Numbers as people read them: whatever a person reads of a number is written here.

====================  ============================================  ==========================
what                  how                                           function
====================  ============================================  ==========================
asked or given        up to six digits, as somebody types it        `general`, `fitted`
computed              three digits; whole, with commas, from 1,000  `quantity`
computed, in reports  six digits, with commas                       `six_digits`
a derivative          three digits and a power of ten               `scientific`
a weight, an output   four decimals                                 `weight`
a share               62.5 %; 62 % in a sentence; 62 in a cell      `percent`, `rough_percent`
a share among others  0.051 % beside 0.047 %                        `fine_percent`
a factor              ×24.1, from its logarithm                     `factor`
sampled               the digits that its error leaves              `with_error`, `exact`
fitted                the digits that its interval leaves           `with_interval`, `interval`
in a sentence         three digits, or two; millions in words       `amount`, `about`
a term of a formula   four digits, without trailing zeros           `term`
on an axis            0.01, 1,000, 10⁶                              `tick`, `power_of_ten`
====================  ============================================  ==========================

A power of ten is ``1.2e-5`` in text and 10⁻⁵ on axes. The minus sign is −. Below `SMALLEST_NORMAL`
numbers are written from their logarithms.

A whole number is an ``int`` and stands in a sentence as ``f"{n:,}"``, or with its noun as
`attn_tui.compute.text.counted` writes it: a function would add nothing to that. Text that is read
back exactly, such as JSON, CSV, command lines, formulas and scripts, is not for people, and not
written here. ``tests/test_formats.py`` holds all others to this.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from math import ceil, copysign, floor, inf, isfinite, isnan, log, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attn_tui.compute.sample import Number

MINUS = "−"
LN10 = log(10.0)

SMALLEST_NORMAL = 2.0**-1022
"""Below it float64 loses digits, so smaller numbers are written from their logarithms."""

LONG_POWER = 1_000_000
"""Exponents of ten from this size on are themselves written as decimal numbers."""

MOST_WHOLE = 1e7
"""A computed number from this size on is written with a power of ten."""

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_EXPONENT = re.compile(r"e([+-])0*(?=\d)")

# The parts of a text


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


def _formatted(value: float, form: str) -> str:
    """Return a finite number in a format of Python, with −, and with a power as ``e-5`` or ``e5``.

    A number that is 0, or is written as 0, has no sign.
    """
    text = f"{abs(value):{form}}"
    sign = MINUS if value < 0.0 and text.strip("0.,") else ""
    return sign + _EXPONENT.sub(lambda match: "e" + match[1].strip("+"), text)


def with_sign(size: str, value: float) -> str:
    """Return the text of a magnitude with its sign, unless it is "0" or "NaN"; −0 has a sign."""
    sign = MINUS if copysign(1.0, value) < 0.0 else "+"
    return size if size in ("0", "NaN") else sign + size


def weight_name(key: int) -> str:
    """Return the name of a key's weight: ``p₁₂``."""
    return "p" + subscript(key)


def subscript(key: int) -> str:
    """Return a key's number as a subscript: ``₁₂``."""
    return str(key).translate(_SUBSCRIPTS)


# What was asked or given


def general(value: float, digits: int = 6) -> str:
    """Return a number to some significant digits, without trailing zeros: ``100``, ``−1.5``."""
    return unusual(value) or _formatted(value, f".{digits}g")


def brief_general(value: float, digits: int = 4, most: int = 7) -> str:
    """Return a number to some significant digits, or all of its digits if they are few.

    >>> brief_general(1.0 / 64.0), brief_general(1.0 / 24.0), brief_general(0.0156250004)
    ('0.015625', '0.04167', '0.01563')
    """
    is_short = isfinite(value) and float(f"{value:.{most}g}") == value
    return general(value, most if is_short else digits)


def fitted(value: float, width: int) -> str:
    """Return a number with as many digits as fit the width and are not noise."""
    exact = (n for n in (15, 16) if isfinite(value) and float(f"{value:.{n}g}") == value)
    most = next(exact, 17)
    # More digits than the width has room for round to the same text or do not fit.
    digits = range(min(most, max(width, 1)), 0, -1)
    return first_fitting((general(value, n) for n in digits), width)


def fixed(value: float, decimals: int) -> str:
    """Return a number with some decimals, and with commas: ``1,234.50``."""
    return unusual(value) or _formatted(value, f",.{decimals}f")


def whole(value: float) -> str:
    """Return a number rounded to a whole one, with commas: ``−1,234``."""
    return fixed(value, 0)


# What was computed


def quantity(value: float, log_size: float = -inf, width: int | None = None) -> str:
    """Return a statistic: three significant digits; whole from 1,000 on; or with a power of ten.

    The power comes below 0.001 and from `MOST_WHOLE` on.

    Args:
        value: The number.
        log_size: As for `scientific`.
        width: The most characters in the text, which has fewer digits if need be.

    >>> [quantity(value) for value in (0.4051, 2.0, 131.2, 65504.0, 1.5e7, 4.2e-5)]
    ['0.405', '2.00', '131', '65,504', '1.50e7', '4.20e-5']
    """
    if text := unusual(value):
        return first_fitting([text], width)
    if value == 0.0 and log_size == -inf:
        return first_fitting(["0"], width)
    rounded = float(f"{abs(value):.2e}")
    if not 0.001 <= rounded < MOST_WHOLE:
        return scientific(value, log_size, width=width)
    if rounded >= 1000.0:
        text = whole(value)
        return text if width is None or len(text) <= width else scientific(value, width=width)
    texts = (_formatted(value, f"#.{digits}g").rstrip(".") for digits in (3, 2, 1))
    return first_fitting(texts, width)


def six_digits(value: float, digits: int = 6) -> str:
    """Return a number to six digits, with commas; it has trailing zeros if it was rounded.

    >>> six_digits(1024.0), six_digits(2.9986049), six_digits(2.0 / 3.0e9)
    ('1,024', '2.99860', '6.66667e-10')
    """
    if text := unusual(value):
        return text
    short = _marked(value, digits)
    if abs(float(f"{value:.{digits}g}") - value) <= 1e-12 * abs(value):
        return short
    full = _formatted(value, f"#,.{digits}g")
    return short if full.endswith(".") or ".e" in full else full


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
    texts = (sign + _formatted(abs(value), f".{digits}e") for digits in (2, 1, 0))
    return first_fitting(texts, width)


def _powers_of_ten(log_size: float) -> list[str]:
    """Return texts of e to a power, longest first: ``1.23e-4321``, or ``10^−2.7e307``."""
    tens = log_size / LN10
    if abs(tens) >= LONG_POWER:
        return [f"10^{general(tens, digits)}" for digits in (2, 1)]
    return [_mantissa_and_power(tens, decimals) for decimals in (2, 1, 0)]


def _mantissa_and_power(tens: float, decimals: int) -> str:
    """Return ten to a power, its mantissa with some decimals: ``1.8e19``."""
    exponent = floor(tens)
    mantissa = f"{10.0 ** (tens - exponent):.{decimals}f}"
    if float(mantissa) == 10.0:
        mantissa, exponent = f"{1.0:.{decimals}f}", exponent + 1
    return f"{mantissa}e{exponent}"


def weight(value: float, log_size: float = -inf, width: int | None = None) -> str:
    """Return a weight, or what weights average: four decimals, or a power of ten below 0.001.

    The arguments are those of `scientific`, which also writes what is as large as `MOST_WHOLE`.
    """
    if not isfinite(value) or not 0.001 <= float(f"{abs(value):.2e}") < MOST_WHOLE:
        return scientific(value, log_size, width=width)
    texts = (fixed(value, decimals) for decimals in (4, 3, 2, 1, 0))
    return first_fitting((text for text in texts if text.strip("−0.")), width)


def factor(log_ratio: float, width: int | None = None) -> str:
    """Return a ratio as a factor, from its logarithm: ``×1.8e19``.

    It has three digits from 0.01 to 999, otherwise two and a power of ten.
    """
    if isnan(log_ratio):
        return "–"
    if log_ratio in (inf, -inf):
        return first_fitting(["×∞" if log_ratio > 0 else "×0"], width)
    tens = log_ratio / LN10
    if -3 < tens < 3 and 0.01 <= float(f"{10.0**tens:.3g}") < 1000:
        texts = [general(10.0**tens, digits) for digits in (3, 2, 1)]
    elif abs(tens) >= LONG_POWER:
        texts = [f"10^{general(tens, digits)}" for digits in (2, 1)]
    else:
        texts = [_mantissa_and_power(tens, decimals) for decimals in (1, 0)]
    return first_fitting(("×" + text for text in texts), width)


_short = partial(general, digits=3)


def interval(low: float | None, high: float | None, write: Callable[[float], str] = _short) -> str:
    """Return an interval, or one number if its ends look alike; an open end is None.

    >>> interval(256, 512), interval(None, 512), interval(256, None), interval(None, None)
    ('256 to 512', '≤ 512', '≥ 256', 'any')
    """
    if low is None:
        return "any" if high is None else f"≤ {write(high)}"
    if high is None:
        return f"≥ {write(low)}"
    return " to ".join(dict.fromkeys((write(low), write(high))))


# Shares


def percent(value: float, log_size: float = -inf, places: int = 1, digits: int = 1) -> str:
    """Return a share or a difference in percent: ``62.5 %``, with ~ if 0 or ±100 is not exact.

    A value below 0.095 % has some significant digits, within ``places`` decimals. One above 100 %
    is written as a `quantity`.

    >>> [percent(p) for p in (0.62452, 9.4e-14, 0.99998, 0.0)], percent(0.0, -800.0)
    (['62.5 %', '~0 %', '~100 %', '0 %'], '~0 %')
    >>> percent(1.0), percent(1.0, -1.8e-24), percent(1.7)
    ('100 %', '~100 %', '170 %')
    >>> [percent(p) for p in (-0.5364, -9.4e-14, -0.99998, -1.0, -0.0)]
    ['−53.6 %', '~0 %', '~−100 %', '−100 %', '0 %']
    >>> [percent(p, places=4) for p in (0.2, 2e-4, 1e-6, 1e-7)]
    ['20.0 %', '0.02 %', '0.0001 %', '~0 %']
    """
    if isnan(value):
        return "NaN"
    if value < 0.0:
        size = percent(-value, log_size, places)
        # An approximate 0 has no sign.
        return size if size == "~0 %" else f"{MINUS}{size}".replace(f"{MINUS}~", f"~{MINUS}")
    if value < 0.9995:
        is_small = 0.0 < value < 0.00095
        decimals = min(places, -_place(100.0 * value, digits)) if is_small else 1
        text = f"{100.0 * value:.{decimals}f}"
        if float(text):
            return f"{text} %"
    if value >= 1.0005:
        return f"{quantity(100.0 * value)} %"
    is_all = value == 1.0 and not -inf < log_size < 0.0
    exact = is_all or (value == 0.0 and log_size == -inf)
    about = "" if exact else "~"
    return f"{about}{round(value) * 100} %"


def fine_percent(value: float, log_size: float = -inf) -> str:
    """Return a share that stands among others, to be compared with the smallest of them.

    >>> [fine_percent(p) for p in (0.62452, 0.00151, 5.11e-4, 4.73e-4, 1.2e-6, 1e-7)]
    ['62.5 %', '0.2 %', '0.051 %', '0.047 %', '0.0001 %', '~0 %']
    """
    return percent(value, log_size, places=4, digits=2)


def rough_percent(share: float, places: int = 1) -> str:
    """Return a share as a sentence needs it: whole from 1 to 99 %, otherwise as `percent` does.

    >>> [rough_percent(p) for p in (0.6245, 0.9984, 0.0061, 0.99999, 1e-9, 1.0)]
    ['62 %', '99.8 %', '0.6 %', '~100 %', '~0 %', '100 %']
    """
    if 0.0095 <= abs(share) <= 0.99:
        return f"{whole(100.0 * share)} %"
    return percent(share, places=places)


def brief_percent(share: float, log_size: float = -inf) -> str:
    """Return a share in whole percent without the sign, for a cell.

    >>> [brief_percent(p) for p in (0.0, 1e-9, 0.678, 0.9999, 1.0)]
    ['0', '<1', '68', '>99', '100']
    >>> brief_percent(0.0, -800.0), brief_percent(1.0, -1.8e-24)
    ('<1', '>99')
    """
    is_exact = percent(share, log_size) in ("0 %", "100 %")
    if share < 0.005 and not is_exact:
        return "<1"
    return ">99" if share >= 0.995 and not is_exact else whole(100.0 * share)


def progress(share: float) -> str:
    """Return how much is done: ``45 %``, and 100 % only when all of it is."""
    return f"{int(100.0 * share)} %"


# What was sampled or fitted

_LARGE, _SMALL, _MOST_DIGITS = 7, -5, 8
"""Numbers with exponents from the first on, or up to the second, are written with a power of ten;
but not those from 0.001 on that have at most the third number of digits."""


def with_error(number: "Number", width: int | None = None) -> str:
    """Return a value ± its standard error, which has two digits: ``64.031 ± 0.092``.

    Args:
        number: What was sampled.
        width: The most characters in the text, which has fewer digits if need be.
    """
    value, error = number.value, number.standard_error
    odd = unusual(value) or unusual(error)
    if odd or error == 0.0:
        texts = (f"{_marked(value, n)} ± {_marked(error, min(n, 2))}" for n in range(6, 0, -1))
        return first_fitting(texts, width)
    complete = (_rounded(value, error, digits) for digits in (2, 1))
    # If the error is far below the value, there is no room for all the digits it justifies.
    small = _formatted(error, ".0e")
    cut = (f"{_marked(value, digits)} ± {small}" for digits in range(6, 0, -1))
    return first_fitting((*complete, *cut), width)


def exact(number: "Number", width: int | None = None) -> str:
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
    return first_fitting((six_digits(value, digits) for digits in range(most, 0, -1)), width)


def _marked(value: float, digits: int) -> str:
    return unusual(value) or _formatted(value, f",.{digits}g")


def _rounded(value: float, error: float, digits: int) -> str:
    """Return value and error, the error to some digits and the value to the same place."""
    place = _place(error, digits)
    power = floor(log10(max(abs(value), error)))
    if power < _LARGE and (place > _SMALL - digits or -3 <= power <= place + _MOST_DIGITS):
        decimals = max(-place, 0)
        return f"{fixed(value, decimals)} ± {fixed(error, decimals)}"
    text = _formatted(error, f".{digits - 1}e")
    if 2.0 * abs(value) < 10.0**place:
        return f"0 ± {text}"
    return f"{_formatted(value, f'.{min(max(power - place, 0), 15)}e')} ± {text}"


def _place(error: float, digits: int) -> int:
    """Return the power of ten of the last digit of an error that has ``digits`` digits."""
    return floor(log10(float(f"{error:.{digits - 1}e}"))) + 1 - digits


def place(value: float) -> str:
    """Return a d_k or an n: ``65,536``, or to three digits where it is estimated: ``12.5``."""
    return whole(value) if isinstance(value, int) else quantity(value)


def with_interval(value: float, low: float, high: float) -> str:
    """Return a number with as many digits as its interval justifies, and the interval.

    >>> with_interval(0.0416667, 0.0416601, 0.0416733)
    '0.0416667 (0.0416601 to 0.0416733)'
    >>> with_interval(1 / 24, 1 / 24, 1 / 24)
    '0.0416667'
    """
    if low == high:
        return general(value, 6)
    decimals = min(max(ceil(-log10((high - low) / 2.0)) + 1, 0), 15)
    text, *ends = (fixed(number, decimals) for number in (value, low, high))
    return f"{text} ({' to '.join(ends)})"


# In sentences and in cells


def amount(value: float) -> str:
    """Return a number to three digits or whole: ``45.3``, ``−1,024``, ``12.3 million``.

    >>> [amount(value) for value in (32.0, 999.7, -1234.5, 2e30, 0.000044, 1e-30)]
    ['32', '1,000', '−1,234', 'over a trillion', '0.000044', 'under a millionth']
    """
    size = abs(value)
    if 0.0 < size < 1e-6:
        return "under a millionth"
    if size >= 1e12:
        return "over a trillion" if value > 0.0 else f"under {MINUS}1 trillion"
    short = float(f"{value:.3g}")
    for unit, name in ((1e9, "billion"), (1e6, "million")):
        if abs(short) >= unit:
            return f"{general(short / unit)} {name}"
    if abs(short) >= 1000.0 or isnan(value):
        return whole(value)
    return fixed(short, 9).rstrip("0").rstrip(".") or "0"


def about(value: float) -> str:
    """Return a rough number, to two digits: ``6.5``, ``1,900``."""
    return amount(float(f"{value:.2g}"))


def brief(value: float) -> str:
    """Return a number in at most four cells, in three if possible.

    >>> [brief(x) for x in (0.0, 0.004, 0.123, 1.26, 131.4, 1.5e5, -0.5)]
    ['0', '~0', '.12', '1.3', '131', '150k', '−.50']
    """
    size = abs(value)
    if text := unusual(value):
        return text
    if size < 0.005:
        return "~0" if size else "0"
    if size < 0.995:
        return fixed(value, 2).replace("0.", ".")
    if size < 999.5:
        return fixed(value, 1 if size < 9.95 else 0)
    for unit, letter in ((1e3, "k"), (1e6, "M"), (1e9, "G")):
        if size < 999.5 * unit:
            return f"{whole(value / unit)}{letter}"
    return f"{MINUS if value < 0.0 else ''}1e{floor(log10(size) + 1e-9)}"


def byte_size(count: int) -> str:
    """Return a number of bytes: ``512 bytes``, ``14 kB``, ``1.3 GB``."""
    value = float(count)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000.0:
            return f"{whole(value)} {unit}"
        value /= 1000.0
    return f"{fixed(value, 1)} GB"


# In formulas and on axes


def term(value: float, digits: int = 4) -> str:
    """Return a number in a formula: four digits without trailing zeros, or whole from 1,000 on."""
    return whole(value) if 1000.0 <= abs(value) < MOST_WHOLE else general(value, digits)


def power_of_ten(exponent: int) -> str:
    """Return a tick of an axis that goes far down or up: ``10⁻⁴``, ``1``, ``100``, ``10³``."""
    return f"{10**exponent}" if 0 <= exponent <= 2 else f"10{str(exponent).translate(_RAISED)}"


def tick(value: float) -> str:
    """Return a tick of an axis: ``0.01``, ``1,000``, ``10⁶``, ``2·10⁻⁴``."""
    size = abs(value)
    if not size or 1e-3 <= size < 1e6:
        return term(value)
    power = floor(log10(size) + 1e-9)
    mantissa = general(value / 10.0**power, 2)
    raised = power_of_ten(power)
    return raised if mantissa == "1" else f"{mantissa}·{raised}"


def percent_tick(share: float) -> str:
    """Return a tick of an axis of shares: ``50 %``, ``0.02 %``."""
    return f"{tick(100.0 * share)} %"
