"""The table of weights and gradients as rows, column block by column block."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from attn_tui.charts.glyphs import POINTER, SIZES
from attn_tui.charts.rows import Row, length
from attn_tui.charts.rows import fitted as fitted_row
from attn_tui.charts.sides import change, role_of
from attn_tui.compute.explore.answer import SYMBOL, Evaluation, VectorAnswer
from attn_tui.report.numbers import first_fitting, fitted, quantity, ratio, scientific, weight
from attn_tui.tui.explore.order import Keys

NUMBER, CHANGE = 10, 8
"""Cells of a weight or a gradient, the blank beside it included, and of a change."""


def bar(fraction: float, width: int) -> str:
    """Return a bar on a scale from 0 to 1, to an eighth of a cell; blank for NaN.

    A weight above 0 that is too small for an eighth leaves the bar blank: a picture must not
    exaggerate.
    """
    if not 0.0 <= fraction <= 1.0:
        return " " * width
    full, eighths = divmod(round(fraction * width * 8), 8)
    return ("█" * full + SIZES[eighths].strip()).ljust(width)


@dataclass(frozen=True)
class Columns:
    """How wide the columns are.

    Attributes:
        key: Cells of a key's number.
        score: Cells of a score.
        bar: Cells of each of the two bars.
        weights: Whether the weights are shown.
        gradient: Whether the gradient is shown.
        compared: Whether the difference of the weights is shown.
        both_scores: Whether both sides have scores of their own.
    """

    key: int
    score: int
    bar: int
    weights: bool
    gradient: bool
    compared: bool = False
    both_scores: bool = False

    @classmethod
    def fit(
        cls,
        width: int,
        n_keys: int,
        narrow: str = "",
        compared: bool = False,
        both_scores: bool = False,
    ) -> "Columns":
        """Return columns for a table of a width; a narrow one shows one half of it, by name."""
        key = max(3, len(str(n_keys - 1)))
        halves = (narrow != "gradient", narrow != "weights")
        compared = compared and halves[0]
        # On a narrow screen the difference of the weights stands in the place of the scores.
        score = (0 if compared else 6) if narrow else 8
        taken = 3 + key + score
        taken += (2 + compared) * NUMBER if halves[0] else 0
        taken += 2 * NUMBER + CHANGE if halves[1] else 0
        both_scores = both_scores and taken + score <= width
        room = max((width - taken - score * both_scores) // 2, 0) if halves[0] else 0
        return cls(key, score, min(room, 24), *halves, compared, both_scores)

    def right(self, width: int) -> int:
        """Return how many cells of a table's width the gradient's half has."""
        return width - sum(self.widths[:2])

    @property
    def widths(self) -> tuple[int, int, int, int]:
        """Cells of the four blocks: key and first weight, second weight, the two gradients."""
        weights = NUMBER + self.bar if self.weights else 0
        difference = NUMBER if self.compared else 0
        gradient = NUMBER if self.gradient else 0
        first = 3 + self.key + self.score * (1 + self.both_scores)
        change = gradient + CHANGE if gradient else 0
        return (first + weights, weights + difference, gradient, change)


@dataclass(frozen=True)
class Marks:
    """What is marked among the keys.

    Attributes:
        cursor: The key the cursor is on.
        span: The first and the last key of the range that is selected, or None.
    """

    cursor: int
    span: tuple[int, int] | None = None

    def mark(self, key: int) -> str:
        """Return what stands in front of a key."""
        selected = self.span is not None and self.span[0] <= key <= self.span[1]
        return (POINTER if key == self.cursor else " ") + ("▪" if selected else " ")


def title_row(text: str, width: int, focused: bool) -> Row:
    """Return a rule with a title: ``─ title ─────``."""
    title: Row = (("─", "axis"), (f" {text} ", "focus" if focused else "title"))
    rest = max(width - length(title), 0)
    return fitted_row((*title, ("─" * rest, "axis")), width)


def key_rows(
    answer: VectorAnswer,
    keys: Keys,
    columns: Columns,
    marks: Marks,
    unmasked: Sequence[float] = (),
) -> list[Row]:
    """Return the head and a row a key, from the key's number to the change of its gradient.

    Args:
        answer: The numbers.
        keys: The keys.
        columns: How wide the columns are.
        marks: What is marked.
        unmasked: The scores of the keys as they were before a mask, if there is one.
    """
    first, second = zip(answer.names, (answer.unscaled, answer.scaled), strict=True)
    blocks = (
        _score_rows(answer, keys, columns, marks, unmasked),
        _weight_rows(first, keys, columns),
        _weight_rows(second, keys, columns),
        _difference_rows(answer, keys, columns),
        _gradient_rows(answer, first, keys, columns),
        _gradient_rows(answer, second, keys, columns),
        _change_rows(answer, keys, columns),
    )
    return [tuple(span for row in line for span in row) for line in zip(*blocks, strict=True)]


def _score_rows(
    answer: VectorAnswer,
    keys: Keys,
    columns: Columns,
    marks: Marks,
    unmasked: Sequence[float],
) -> list[Row]:
    """Return the head and a row a key: the cursor, the key and its score, or its two scores.

    The score of a key that is masked stands in brackets.
    """
    if columns.score == 0:
        head: Row = ((f"  {'key':>{columns.key}} ", "label"),)
        return [head, *(_marked(marks, key, columns, "") for key in keys.tolist())]
    sides = [answer.scaled]
    heads = ["s"]
    if columns.both_scores:
        sides, heads = [answer.unscaled, answer.scaled], ["s pin", "s now"]
    titles = "".join(f"{head:>{columns.score}}" for head in heads)
    rows: list[Row] = [((f"  {'key':>{columns.key}} {titles}", "label"),)]
    lists = [side.scores(keys).tolist() for side in sides]
    for place, (key, *scores) in enumerate(zip(keys.tolist(), *lists, strict=True)):
        texts = [fitted(score, columns.score - bool(at)) for at, score in enumerate(scores)]
        if unmasked and scores[-1] == -inf < unmasked[place]:
            texts[-1] = f"({fitted(unmasked[place], columns.score - 2)})"
        numbers = "".join(f"{text:>{columns.score}}" for text in texts)
        rows.append(_marked(marks, key, columns, numbers))
    return rows


def _marked(marks: Marks, key: int, columns: Columns, numbers: str) -> Row:
    """Return a key behind its mark, with its scores."""
    left = f"{marks.mark(key)}{key:>{columns.key}} {numbers}"
    return ((left, "strong" if key == marks.cursor else "text"),)


def _weight_rows(named: tuple[str, Evaluation], keys: Keys, columns: Columns) -> list[Row]:
    """Return the head and a row a key: the weight as a number and as a bar."""
    if not columns.weights:
        return [()] * (len(keys) + 1)
    name, side = named
    role = role_of(name)
    numbers = NUMBER - 1
    rows: list[Row] = [((f" {name:<{numbers + columns.bar}}"[: NUMBER + columns.bar], role),)]
    for value, log in zip(side.weights(keys), side.log_weights(keys), strict=True):
        text = weight(float(value), float(log), width=numbers)
        rows.append(((f" {text:<{numbers}}{bar(float(value), columns.bar)}", role),))
    return rows


def _difference_rows(answer: VectorAnswer, keys: Keys, columns: Columns) -> list[Row]:
    """Return the head and a row a key: the second weight less the first."""
    if not columns.compared:
        return [()] * (len(keys) + 1)
    before, after = (
        zip(side.weights(keys).tolist(), side.log_weights(keys).tolist(), strict=True)
        for side in _sides(answer)
    )
    head: Row = ((f"{'Δp':>{NUMBER}}", "label"),)
    changes = (change(one, other) for one, other in zip(before, after, strict=True))
    texts = (first_fitting([each], NUMBER - 1) for each in changes)
    return [
        head,
        *(((f"{text:>{NUMBER}}", "text"),) for text in texts),
    ]


def _gradient_rows(
    answer: VectorAnswer, named: tuple[str, Evaluation], keys: Keys, columns: Columns
) -> list[Row]:
    """Return the head and a row a key: one side's gradient of the chosen weight."""
    if not columns.gradient:
        return [()] * (len(keys) + 1)
    name, side = named
    role = role_of(name)
    values = side.gradient(answer.of, answer.wrt, keys)
    logs = side.log_gradient(answer.of, answer.wrt, keys)
    rows: list[Row] = [((f" {name:>{NUMBER - 1}}", role),)]
    for value, log in zip(values, logs, strict=True):
        text = scientific(float(value), float(log), signed=True, width=NUMBER - 1)
        rows.append(((f" {text:>{NUMBER - 1}}", role),))
    return rows


def _change_rows(answer: VectorAnswer, keys: Keys, columns: Columns) -> list[Row]:
    """Return the head and a row a key: how many times larger the second gradient is."""
    if not columns.gradient:
        return [()] * (len(keys) + 1)
    with np.errstate(invalid="ignore"):
        changes = answer.scaled.log_gradient(answer.of, answer.wrt, keys) - (
            answer.unscaled.log_gradient(answer.of, answer.wrt, keys)
        )
    head: Row = ((f"{'change':>{CHANGE}}", "label"),)
    return [head, *(((f"{ratio(float(each), CHANGE - 1):>{CHANGE}}", "text"),) for each in changes)]


@dataclass(frozen=True)
class Statistic:
    """One number of a vector on both sides, as text."""

    label: str
    sides: tuple[str, str]
    roles: tuple[str, str]
    unit: str = ""

    def spans(self) -> Row:
        """Return ``label first → second unit``."""
        unit = f" {self.unit}" if self.unit else ""
        return (
            (f"{self.label} ", "label"),
            (self.sides[0], self.roles[0]),
            (f" → {self.sides[1]}{unit}", self.roles[1]),
        )


def _statistic(
    answer: VectorAnswer, label: str, of: Callable[[Evaluation], object], name: str, unit: str = ""
) -> Statistic:
    """Return a statistic of both sides, by its name in what has it, from its logarithm if tiny."""
    owners = [of(side) for side in _sides(answer)]
    first, second = (
        quantity(getattr(each, name), getattr(each, f"log_{name}", -inf)) for each in owners
    )
    return Statistic(label, (first, second), _roles(answer), unit)


def _sides(answer: VectorAnswer) -> tuple[Evaluation, Evaluation]:
    return answer.unscaled, answer.scaled


def _roles(answer: VectorAnswer) -> tuple[str, str]:
    return role_of(answer.names[0]), role_of(answer.names[1])


def weight_statistics(answer: VectorAnswer, brief: bool) -> tuple[Statistic, ...]:
    """Return what is said of the weights as a whole; brief, by symbols alone."""
    names = ("", "", "") if brief else ("entropy ", "effective keys ", "participation ")
    sinks = [side.map.sink for side in _sides(answer)]
    sink: list[Statistic] = []
    if sinks != [None, None]:
        # H, e^H and 1/Σp² count the sink as one more key.
        names = ("", "", "") if brief else ("sink counted: ", "", "")
        texts = [weight(side.sink_weight, side.log_sink_weight) for side in _sides(answer)]
        sink = [Statistic("sink", (texts[0], texts[1]), _roles(answer))]
    return (
        *sink,
        _statistic(answer, f"{names[0]}H", lambda side: side, "entropy", "nats"),
        _statistic(answer, f"{names[1]}e^H", lambda side: side, "effective_keys"),
        _statistic(answer, f"{names[2]}1/Σp²", lambda side: side, "participation_ratio"),
    )


def gradient_statistics(answer: VectorAnswer) -> tuple[Statistic, ...]:
    """Return what is said of the Jacobian as a whole, with respect to what the user chose."""
    wrt = answer.wrt
    return (
        _statistic(answer, f"‖∂p/∂{SYMBOL[wrt]}‖_F", lambda side: side.norms[wrt], "frobenius"),
        _statistic(answer, "‖·‖₂", lambda side: side.norms[wrt], "spectral"),
        _statistic(answer, "trace", lambda side: side.norms[wrt], "trace"),
    )


def statistics_row(statistics: Sequence[Statistic]) -> Row:
    """Return statistics side by side."""
    gaps = (" ", *["   "] * (len(statistics) - 1))
    return tuple(
        span
        for gap, statistic in zip(gaps, statistics, strict=True)
        for span in ((gap, "text"), *statistic.spans())
    )
