"""Statistics of heads in words and numbers."""

from math import floor, isfinite, isnan, log10

from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import SHARES, STATISTICS
from attn_tui.compute.text import counted
from attn_tui.report.numbers import MINUS, general, in_percent, quantity, unusual

UNCOUNTED = "?"
"""The mark after a number that does not count."""

_UNITS = {"entropy": " nats", "effective_keys": " keys", "float16_margin": " times"}


def number(name: str, value: float) -> str:
    """Return a value of a statistic as text for a table, without its unit except %."""
    if text := unusual(value):
        return "–" if isnan(value) else text
    if name in SHARES:
        return in_percent(value)
    if 1000.0 <= abs(value) < 1e7:
        return f"{value:,.0f}".replace("-", MINUS)
    return quantity(value)


def value_text(name: str, value: Value) -> str:
    """Return a statistic with its unit and standard error, or with ≥ or ≤ if it is a bound.

    >>> value_text("entropy", Value(1.234, 0.0321)), value_text("max_logit", Value(131.0, None))
    ('1.23 ± 0.032 nats', '≥ 131')
    >>> value_text("first_key_mass", Value(0.003, 4e-5))
    '0.3 ± 0.004 %'
    """
    text, unit = number(name, value.value), ""
    if isnan(value.value):
        return text
    if isfinite(value.value):
        unit = _UNITS.get(name, "")
    if value.error == 0.0:
        return text + unit
    if value.error is None:
        sign = "≤" if STATISTICS[name].worst == "small" else "≥"
        return f"{sign} {text}{unit}"
    error, digits = value.error, 2
    if name in SHARES:
        text, unit, error, digits = text.removesuffix(" %"), " %", 100.0 * error, 1
    if error < 99.5:
        return f"{text} ± {general(error, digits)}{unit}"
    return f"{text} ± {number('', error)}{unit}"


def looked_at(partial: Partial) -> str:
    """Return how many rows of a head were taken, and how many of them do not count."""
    n, of = partial.rows, partial.n_queries
    text = f"all {of:,} rows" if n >= of > 1 else f"{n:,} of {counted(of, 'row')}"
    if partial.masked:
        text += f", {partial.masked:,} of them masked whole"
    if partial.not_finite:
        meet = "meets" if partial.not_finite == 1 else "meet"
        text += f", {partial.not_finite:,} {meet} NaN or infinity"
        text += f", the first row {partial.first_not_finite}"
    for odd in partial.odd:
        text += f"; {odd}"
    return text


def head_text(head: HeadId, batches: int = 1) -> str:
    """Return the name of a head in a sentence."""
    text = f"layer {head.layer} head {head.head}"
    return f"{text} of sequence {head.batch}" if batches > 1 else text


def brief(name: str, value: float) -> str:
    """Return a statistic in at most four cells, in three if possible, without its unit.

    >>> [brief("entropy", x) for x in (0.0, 0.004, 0.123, 1.26, 131.4, 1.5e5, -0.5)]
    ['0', '~0', '.12', '1.3', '131', '150k', '−.50']
    >>> [brief("sink_mass", x) for x in (0.0, 0.001, 0.87, 0.999, 1.0)]
    ['0', '<1', '87', '>99', '100']
    """
    if text := unusual(value):
        return text
    if name in SHARES:
        percent = 100.0 * value
        if 0.0 < percent < 0.5:
            return "<1"
        return ">99" if 99.5 <= percent < 100.0 else f"{percent:.0f}"
    size, sign = abs(value), MINUS if value < 0 else ""
    if size == 0.0:
        return "0"
    if size < 0.005:
        return "~0"
    if size < 0.995:
        return f"{sign}{size:.2f}".replace("0.", ".")
    if size < 9.95:
        return f"{sign}{size:.1f}"
    if size < 999.5:
        return f"{sign}{size:.0f}"
    for factor, letter in ((1e3, "k"), (1e6, "M"), (1e9, "G")):
        if size < 999.5 * factor:
            return f"{sign}{size / factor:.0f}{letter}"
    return f"{sign}1e{floor(log10(size) + 1e-9)}"
