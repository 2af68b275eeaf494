"""Statistics of heads in words and numbers, and what of them a report shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isfinite, isnan, log10

from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.statistic import OF_SEVERAL_KEYS, SHARES, STATISTICS, TAU
from attn_tui.engine.condition import Condition
from attn_tui.engine.plan import Question
from attn_tui.report.miss import MISSES, RULE, SAID, doubt_text, made_text, miss_text
from attn_tui.report.numbers import MINUS, general, in_percent, quantity, unusual
from attn_tui.report.words import ranges

UNCOUNTED = "?"
"""Stands at a number that does not count."""

_UNITS = {"entropy": " nats", "effective_keys": " keys", "float16_margin": " times"}


def number(name: str, value: float) -> str:
    """Return a value of a statistic as a table has it."""
    if text := unusual(value):
        return "–" if isnan(value) else text
    if name in SHARES:
        return in_percent(value)
    if 1000.0 <= abs(value) < 1e7:
        return f"{value:,.0f}".replace("-", "−")
    return quantity(value)


def value_text(name: str, value: Value, with_unit: bool = True) -> str:
    """Return a statistic with its standard error, or how it bounds what other rows may have.

    Args:
        name: Of the statistic.
        value: Of some rows.
        with_unit: Whether its unit is said; a share always is in %.

    >>> value_text("entropy", Value(1.234, 0.0321)), value_text("max_logit", Value(131.0, None))
    ('1.23 ± 0.032 nats', '≥ 131')
    >>> value_text("first_key_mass", Value(0.003, 4e-5))
    '0.3 ± 0.004 %'
    >>> value_text("effective_keys", Value(10653.0, 480.0), with_unit=False)
    '10,653 ± 480'
    """
    text, unit = number(name, value.value), ""
    if isnan(value.value):
        return text
    if with_unit and isfinite(value.value):
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
    """Return how many rows were looked at, and which of them count nowhere."""
    n, of = partial.rows, partial.n_queries
    text = f"all {of:,} rows" if n >= of > 1 else f"{n:,} of {counted(of, 'row')}"
    if partial.masked:
        text += f", {partial.masked:,} of them masked whole"
    if partial.not_finite:
        meet = "meets" if partial.not_finite == 1 else "meet"
        text += f", {partial.not_finite:,} {meet} NaN or infinity"
        text += f", the first row {partial.first_not_finite}"
    for each in partial.odd:
        text += f"; {each}"
    return text


def place_text(value: Value) -> str:
    """Return where an extreme was found, or nothing."""
    if value.row is None or value.row < 0:
        return ""
    key = "" if value.key is None or value.key < 0 else f", key {value.key:,}"
    return f"row {value.row:,}{key}"


def head_text(head: HeadId, batches: int = 1) -> str:
    """Return the name of a head in a sentence."""
    text = f"layer {head.layer} head {head.head}"
    return f"{text} of sequence {head.batch}" if batches > 1 else text


def brief(name: str, value: float) -> str:
    """Return a statistic in at most four cells, without its unit; in three wherever it can be.

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


@dataclass(frozen=True)
class Shown:
    """What is shown.

    Attributes:
        statistics: The names of those to show, at least one.
        conditions: What must not be.
        sort: A statistic by which heads are listed, those that stand out first; else they are in
            the order of the capture, as text a table of layers × heads for each statistic.
        tau: The largest logit that QK-clip leaves alone.
    """

    statistics: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    sort: str | None = None
    tau: float = TAU


def statistic_text(name: str) -> str:
    """Return what a statistic is, and of which rows."""
    rows = ", of rows with a choice" if name in OF_SEVERAL_KEYS else ""
    return STATISTICS[name].words + rows


def rows_text(question: Question, sizes: set[int]) -> str:
    """Return which rows were looked at, of heads with so many."""
    least, most = min(sizes, default=0), max(sizes, default=0)
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    if question.rows is None or question.rows >= most:
        return f"all {each} of each head" if most > 1 else "the one of each head"
    return f"{question.rows:,} of {each} of each head, drawn with seed {question.seed}"


def runs_text(name: str, numbers: Sequence[int]) -> str:
    """Return layers or heads as runs: ``layers 0–2, 5``."""
    called = name if len(numbers) == 1 else f"{name}s"
    return f"{called} {ranges(numbers)}"


KNOWN = {
    "fit": "found by the doctor's fit of one head",
    "asked": "as asked",
    "assumed": "assumed",
    "nearest": "nearest to what was captured, and does not explain it",
}
"""How it is known how weights are made."""


def mask_text(found: Reconstruction) -> str:
    """Return in words how the weights of a layer are made, with how that is known."""
    parts = [made_text(found)]
    if found.how == "output":
        parts.append(f"as {SAID[found.by]}")
    elif found.how in KNOWN:
        parts.append(KNOWN[found.how])
    if found.how == "fit" and found.sink is not None:
        parts.append("each head's own sink by its output")
    text = ", ".join(parts)
    if found.residual is None:
        return text
    if doubt := doubt_text(found.doubt):
        text += f"; {doubt}"
    miss = miss_text(found.residual)
    text += f"; {MISSES[found.by]} by {miss.replace('almost none', 'almost nothing')}"
    if not found.fits:
        text += ": try attn-tui doctor"
    elif found.missed:
        text += f", with m = {RULE} by {miss_text(found.missed)}"
    return text
