"""What stands on the curves of a sweep: where logits condense, and where two medians cross."""

from collections.abc import Iterator

import numpy as np

from attn_tui.charts.axis import Axis, cell
from attn_tui.charts.plot import Frame, Mark
from attn_tui.charts.sweep.signs import drawn_rules, letter_of, role_of
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.report.sweep.names import name_of, place_text

LEAST_COLUMNS, LEAST_LINES = 8, 3

_CROSSING = "◆"
"""Where medians cross."""

LINES_EACH = 4
"""A crossover has its interval where there are so many lines for each."""

_Text = tuple[int, int, str, str]
"""The first row that a text may stand in, its first column, it and its role."""


def condensed(answer: Answer, x: Axis) -> Iterator[tuple[str, float]]:
    """Yield the rules and the places on the axis where logits condense."""
    for each in answer.condensation:
        place = each.d_k if answer.settings.over == "d_k" else each.n
        if place is not None and x.minimum <= place <= x.maximum:
            yield each.rule, float(place)


def marks(answer: Answer, x: Axis, y: Axis, size: Frame) -> list[Mark]:
    """Return condensation points above, and below them crossovers, none over another."""
    if size.columns < LEAST_COLUMNS or size.lines < LEAST_LINES:
        return []
    texts = [*_condensed_texts(answer, x, size.columns), *_crossed_texts(answer, x, size)]
    found, taken = list[Mark](), set[tuple[int, int]]()
    for first, begin, text, role in texts:
        start = max(min(begin, size.columns - len(text)), 0)
        cells = range(start, start + len(text))
        for row in range(first, size.lines):
            if not any((row, column) in taken for column in cells):
                taken |= {(row, column) for column in cells}
                middle = _value_at(x, start + (len(text) - 1) // 2, size.columns)
                found.append(Mark(middle, _value_in(y, row, size.lines), text, role))
                break
    return found


def crossing_sign(drawn: str) -> str:
    """Return the sign of crossovers in what was drawn, and what it means."""
    return "d* medians cross (95 %)" if "d*" in drawn else f"{_CROSSING} d*, medians cross"


def _condensed_texts(answer: Answer, x: Axis, columns: int) -> Iterator[_Text]:
    places = list(condensed(answer, x))
    several = len(places) > 1
    for rule, place in places:
        column = int(cell(x.fraction([place]), columns)[0])
        text = f" σ_c {name} " if (name := _whose(answer, rule, several)) else " σ_c "
        yield 0, column - 2, text, role_of(answer, rule)


def _whose(answer: Answer, rule: str, several: bool) -> str:
    """Return what names the rule of a mark, if there are several; none has no letter in a ratio."""
    if not several:
        return ""
    return letter_of(answer, rule) if rule in drawn_rules(answer) else name_of(rule)


def _crossed_texts(answer: Answer, x: Axis, size: Frame) -> Iterator[_Text]:
    """Yield crossovers, with their intervals if they are few; many of one column stand together."""
    crossed = list(_crossed(answer, x))
    several, brief = len(crossed) > 1, len(crossed) > max(size.lines // LINES_EACH, 1)
    if brief:
        at_column: dict[int, list[str]] = {}
        for each, d_k in crossed:
            column = int(cell(x.fraction([d_k]), size.columns)[0])
            at_column.setdefault(column, []).append(each.rule)
        for column, rules in at_column.items():
            letters = "".join(letter_of(answer, rule) for rule in rules)
            role = role_of(answer, rules[0]) if len(rules) == 1 else "cursor"
            yield 1, column, f"{_CROSSING}{letters}", role
        return
    for each, d_k in crossed:
        ends = [each.low or d_k, d_k, each.high or d_k]
        columns = np.clip(x.fraction(ends), 0.0, 1.0)
        first, at, last = (int(column) for column in cell(columns, size.columns))
        letter = letter_of(answer, each.rule)
        role = role_of(answer, each.rule) if several else "cursor"
        bar = ["─"] * (last - first + 1)
        bar[0], bar[-1] = "├┤"
        bar[at - first] = _CROSSING
        name = f"{letter} " if several else ""
        text = f"{name}d* {place_text(d_k)}{'' if each.finished else ' so far'}"
        if last + 1 + len(text) < size.columns:
            yield 1, first - 1, f" {''.join(bar)} {text} ", role
        else:
            yield 1, first - len(text) - 2, f" {text} {''.join(bar)} ", role


def _crossed(answer: Answer, x: Axis) -> Iterator[tuple[Crossover, float]]:
    """Yield the crossovers in the picture, each with its d_k."""
    for found in answer.crossovers:
        shown = found.readout == answer.settings.statistic
        if shown and found.d_k and x.minimum <= found.d_k <= x.maximum:
            yield found, found.d_k


def _value_at(x: Axis, column: int, columns: int) -> float:
    """Return the value in the middle of a column."""
    return float(x.minimum * (x.maximum / x.minimum) ** ((column + 0.5) / columns))


def _value_in(y: Axis, row: int, lines: int) -> float:
    """Return the value in the middle of a row, counted from the top."""
    return y.minimum + (1.0 - (row + 0.5) / lines) * (y.maximum - y.minimum)
