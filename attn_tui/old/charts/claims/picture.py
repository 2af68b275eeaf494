"""What a claim's numbers look like: its curves, or each number beside what it is held against."""

from collections.abc import Iterator
from math import ceil, floor, isfinite, log2, log10

import numpy as np

from attn_tui.claims.claim import Case, Evidence, Finding, Picture
from attn_tui.old.charts.axis import Axis, Floats, Tick, power_text, round_up
from attn_tui.old.charts.plot import Figure
from attn_tui.old.charts.series import Interval, Series
from attn_tui.report.claims.sheet import SIGNS, beside_text, found_text
from attn_tui.report.headline import rounded
from attn_tui.report.numbers import general
from attn_tui.report.rows import Row, cells, fitted, message

ROLES = ("unscaled", "scaled", "strong", "muted")
"""The roles of curves, in their order."""

LABEL = 3
"""Cells of a name that has room beside the ticks of its axis."""

FOUND, STATED, EXACT = "●", "▲", "◆"
"""Where the number is that was found, that which the claim states, and that which is exact."""


def picture(finding: Finding, width: int, height: int) -> tuple[Row, ...]:
    """Draw what came of a claim in a block of so many cells and rows."""
    if finding.picture:
        return curves(finding.picture, width, height)
    if finding.cases:
        return beside(finding.cases, width)[: max(height, 1)]
    return message("There is nothing to draw: this claim is judged by reasons.", width, height)


def curves(given: Picture, width: int, height: int) -> tuple[Row, ...]:
    """Draw curves over one axis, each with its name."""
    x = np.concatenate([each.x for each in given.curves])
    y = np.concatenate([each.y for each in given.curves])
    series = [
        Series("", np.asarray(each.x), np.asarray(each.y), role, tag=each.name)
        for each, role in zip(given.curves, ROLES, strict=False)
    ]
    rules = [given.mark] if given.mark is not None else []
    label = given.x if cells(given.x) <= LABEL else ""
    titles = [given.title] if label else [f"{given.title}, over {given.x}", given.title]
    titles.append(given.title.rpartition(", n = ")[0] or given.title)
    note: Row = () if cells(titles[0]) <= width or label else ((f"over {given.x}", "muted"),)
    axes = _axis(x, given.log_x, label), _axis(y, given.log_y)
    intervals = [*_interval(given)]
    return Figure(
        titles, series, *axes, rules=rules, note=note, intervals=intervals,
    ).rows(width, height)  # fmt: skip


def _interval(given: Picture) -> Iterator[Interval]:
    """Yield the interval of what is marked, in words too."""
    if given.mark is not None and given.ends is not None:
        low, high = given.ends
        at, ends = rounded(given.mark), f"{rounded(low)} to {rounded(high)}"
        short = f"{given.marked.partition(' by ')[0]}: {at}"
        texts = (f"{given.marked}: {at} (95 %: {ends})", f"{short} ({ends})", short)
        yield Interval(low, given.mark, high, texts)


def _axis(values: Floats, log: bool, label: str = "") -> Axis:
    """Return an axis that holds all finite values, with a few round ticks."""
    kept = values[np.isfinite(values) & ((values > 0.0) | (not log))]
    low, high = (float(kept.min()), float(kept.max())) if kept.size else (1.0, 2.0)
    if low == high:
        low, high = (low / 2.0, high * 2.0) if log else (low - 1.0, high + 1.0)
    ticks = [*(_powers if log else _multiples)(low, high)] or [
        Tick(each, general(each, 3)) for each in (low, high)
    ]
    return Axis(label, low, high, log, tuple(ticks))


def _powers(low: float, high: float) -> Iterator[Tick]:
    """Yield powers of ten between two numbers, seven at most; of less than two powers, halves."""
    first, last = ceil(log10(low)), floor(log10(high))
    if last <= first:
        yield from _doublings(low, high)
        return
    step = -(-(last - first + 1) // 7)
    for power in range(first, last + 1):
        if power % step == 0:
            short = -3 < power < 5
            yield Tick(10.0**power, f"{10.0**power:g}" if short else power_text(power))


def _doublings(low: float, high: float) -> Iterator[Tick]:
    for power in range(ceil(log2(low)), floor(log2(high)) + 1):
        yield Tick(2.0**power, f"{2.0**power:g}")


def _multiples(low: float, high: float) -> Iterator[Tick]:
    """Yield multiples of a round number between two numbers, six at most."""
    step = round_up((high - low) / 5.0)
    for times in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1):
        yield Tick(times * step, general(times * step, 3))


def beside(cases: tuple[Case, ...], width: int) -> tuple[Row, ...]:
    """Draw each number on an axis of its own, between what it is held against."""
    rows: list[Row] = []
    for case in cases:
        rows.append(fitted(((f"{case.where}: {SIGNS[case.holds]}", "strong"),), width))
        for evidence in case.evidence:
            rows += _track(evidence, width)
    key = f"{FOUND} found, ─ two standard errors to either side  {STATED} stated  {EXACT} exact"
    return (*rows, ((key, "muted"),))


def _track(evidence: Evidence, width: int) -> list[Row]:
    others = {STATED: evidence.stated, EXACT: evidence.exact}
    named = [f"{FOUND} {found_text(evidence)}"]
    named += [
        f"{sign} {beside_text(evidence, value)}"
        for sign, value in others.items()
        if value is not None
    ]
    text = f"  {evidence.name}  {'  '.join(named)}"
    rows: list[Row] = [fitted(((text, "text"),), width)]
    places = [evidence.value, *(value for value in others.values() if value is not None)]
    if len(places) > 1 and all(map(isfinite, places)):
        rows.append((("  ", "text"), *_line(evidence, others, max(width - 4, 8))))
    return rows


def _line(evidence: Evidence, others: dict[str, float | None], width: int) -> Row:
    error = 2.0 * (evidence.standard_error or 0.0)
    ends = [evidence.value - error, evidence.value + error]
    places = [*ends, *(value for value in others.values() if value is not None)]
    log = min(places) > 0.0 and max(places) > 100.0 * min(places)
    low, high = min(places), max(places)
    if low == high:
        low, high = low - 1.0, high + 1.0
    axis = Axis("", low, high, log)
    at = {
        sign: min(int(axis.fraction([value])[0] * width), width - 1)
        for sign, value in {FOUND: evidence.value, **others}.items()
        if value is not None
    }
    first, last = (min(int(axis.fraction([end])[0] * width), width - 1) for end in ends)
    line = ["┈"] * width
    line[first : last + 1] = "━" * (last - first + 1)
    for sign, place in at.items():
        line[place] = sign
    # What is exact and what was found may be in one cell: both say so above.
    line[at[FOUND]] = FOUND
    assert cells("".join(line)) == width
    return (("".join(line), "axis"),)
