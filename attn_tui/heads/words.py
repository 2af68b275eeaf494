"""Statistics of heads in words and numbers."""

from math import isfinite, isnan

from attn_tui.captures.capture import HeadId
from attn_tui.compute import numbers
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import SHARES, STATISTICS
from attn_tui.compute.numbers import brief_percent, percent, quantity, unusual, with_error
from attn_tui.compute.sample import Number
from attn_tui.compute.text import counted

UNCOUNTED = "?"
"""The mark after a number that does not count."""

_UNITS = {"entropy": " nats", "effective_keys": " keys", "float16_margin": " times"}


def number(name: str, value: float) -> str:
    """Return a value of a statistic as text for a table, without its unit except %."""
    if text := unusual(value):
        return "–" if isnan(value) else text
    if name in SHARES:
        return percent(value)
    return quantity(value)


def value_text(name: str, value: Value) -> str:
    """Return a statistic with its unit and standard error, or with ≥ or ≤ if it is a bound.

    >>> value_text("entropy", Value(1.234, 0.0321)), value_text("max_logit", Value(131.0, None))
    ('1.234 ± 0.032 nats', '≥ 131')
    >>> value_text("first_key_mass", Value(0.003, 4e-5))
    '0.3000 ± 0.0040 %'
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
    sampled = Number(value.value, value.error)
    if name in SHARES:
        sampled, unit = sampled.times(100.0), " %"
    return with_error(sampled) + unit


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
    """Return a statistic in at most four cells, in three if possible, without its unit."""
    if name in SHARES and isfinite(value):
        return brief_percent(value)
    return numbers.brief(value)
