"""The table of weights and gradients as rows, column block by column block."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.rows import Row, length
from attn_tui.charts.rows import fitted as fitted_row
from attn_tui.compute.explore import SYMBOL, Evaluation, VectorAnswer
from attn_tui.report.numbers import fitted, quantity, ratio, scientific, weight

Keys = NDArray[np.intp]

EIGHTHS = " ▏▎▍▌▋▊▉█"
NUMBER, CHANGE = 10, 8
"""Cells of a weight or a gradient, the blank beside it included, and of a change."""


def bar(fraction: float, width: int, ascii: bool = False) -> str:
    """Return a bar on a scale from 0 to 1, to an eighth of a cell; blank for NaN.

    A weight above 0 that is too small for an eighth leaves the bar blank: a picture must not
    exaggerate.
    """
    if not 0.0 <= fraction <= 1.0:
        return " " * width
    if ascii:
        return ("#" * round(fraction * width)).ljust(width)
    full, eighths = divmod(round(fraction * width * 8), 8)
    return ("█" * full + EIGHTHS[eighths].strip()).ljust(width)


@dataclass(frozen=True)
class Columns:
    """How wide the columns are.

    Attributes:
        key: Cells of a key's number.
        score: Cells of a score.
        bar: Cells of each of the two bars.
        weights: Whether the weights are shown.
        gradient: Whether the gradient is shown.
    """

    key: int
    score: int
    bar: int
    weights: bool
    gradient: bool

    @classmethod
    def fit(cls, width: int, n_keys: int, narrow: str = "") -> "Columns":
        """Return columns for a table of a width; a narrow one shows one half of it, by name."""
        key = max(3, len(str(n_keys - 1)))
        score = 6 if narrow else 8
        halves = (narrow != "gradient", narrow != "weights")
        taken = 3 + key + score
        taken += 2 * NUMBER if halves[0] else 0
        taken += 2 * NUMBER + CHANGE if halves[1] else 0
        room = max((width - taken) // 2, 0) if halves[0] else 0
        return cls(key, score, min(room, 24), *halves)

    def right(self, width: int) -> int:
        """Return how many cells of a table's width the gradient's half has."""
        return width - sum(self.widths[:2])

    @property
    def widths(self) -> tuple[int, int, int, int]:
        """Cells of the four blocks: key and unscaled weight, scaled weight, the two gradients."""
        weights = NUMBER + self.bar if self.weights else 0
        gradient = NUMBER if self.gradient else 0
        first = 3 + self.key + self.score
        return (first + weights, weights, gradient, gradient + CHANGE if gradient else 0)


def title_row(text: str, width: int, focused: bool) -> Row:
    """Return a rule with a title: ``─ title ─────``."""
    title: Row = (("─", "axis"), (f" {text} ", "focus" if focused else "title"))
    rest = max(width - length(title), 0)
    return fitted_row((*title, ("─" * rest, "axis")), width)


def key_rows(
    answer: VectorAnswer, keys: Keys, columns: Columns, cursor: int, ascii: bool
) -> list[Row]:
    """Return the head and a row a key, from the key's number to the change of its gradient."""
    blocks = (
        _score_rows(answer, keys, columns, cursor, ascii),
        _weight_rows(answer.unscaled, keys, columns, "unscaled", ascii),
        _weight_rows(answer.scaled, keys, columns, "scaled", ascii),
        _gradient_rows(answer, answer.unscaled, keys, columns, "unscaled"),
        _gradient_rows(answer, answer.scaled, keys, columns, "scaled"),
        _change_rows(answer, keys, columns),
    )
    return [tuple(span for row in line for span in row) for line in zip(*blocks, strict=True)]


def _score_rows(
    answer: VectorAnswer, keys: Keys, columns: Columns, cursor: int, ascii: bool
) -> list[Row]:
    """Return the head and a row a key: the cursor, the key and its score."""
    rows: list[Row] = [((f"  {'key':>{columns.key}} {'s':>{columns.score}}", "label"),)]
    for key, score in zip(keys, answer.vector.scores[keys], strict=True):
        here = key == cursor
        mark = ("> " if ascii else "▸ ") if here else "  "
        left = f"{mark}{key:>{columns.key}} {fitted(float(score), columns.score):>{columns.score}}"
        rows.append(((left, "strong" if here else "text"),))
    return rows


def _weight_rows(
    side: Evaluation, keys: Keys, columns: Columns, role: str, ascii: bool
) -> list[Row]:
    """Return the head and a row a key: the weight as a number and as a bar."""
    if not columns.weights:
        return [()] * (len(keys) + 1)
    numbers = NUMBER - 1
    rows: list[Row] = [((f" {role:<{numbers + columns.bar}}"[: NUMBER + columns.bar], role),)]
    for value, log in zip(side.weights(keys), side.log_weights(keys), strict=True):
        text = weight(float(value), float(log), width=numbers)
        rows.append(((f" {text:<{numbers}}{bar(float(value), columns.bar, ascii)}", role),))
    return rows


def _gradient_rows(
    answer: VectorAnswer, side: Evaluation, keys: Keys, columns: Columns, role: str
) -> list[Row]:
    """Return the head and a row a key: one side's gradient of the chosen weight."""
    if not columns.gradient:
        return [()] * (len(keys) + 1)
    values = side.gradient(answer.of, answer.wrt, keys)
    logs = side.log_gradient(answer.of, answer.wrt, keys)
    rows: list[Row] = [((f" {role:>{NUMBER - 1}}", role),)]
    for value, log in zip(values, logs, strict=True):
        text = scientific(float(value), float(log), signed=True, width=NUMBER - 1)
        rows.append(((f" {text:>{NUMBER - 1}}", role),))
    return rows


def _change_rows(answer: VectorAnswer, keys: Keys, columns: Columns) -> list[Row]:
    """Return the head and a row a key: how many times larger the gradient is when scaled."""
    if not columns.gradient:
        return [()] * (len(keys) + 1)
    with np.errstate(invalid="ignore"):
        change = answer.scaled.log_gradient(answer.of, answer.wrt, keys) - (
            answer.unscaled.log_gradient(answer.of, answer.wrt, keys)
        )
    head: Row = ((f"{'change':>{CHANGE}}", "label"),)
    return [head, *(((f"{ratio(float(each), CHANGE - 1):>{CHANGE}}", "text"),) for each in change)]


@dataclass(frozen=True)
class Statistic:
    """One number of a vector, unscaled and scaled, as text."""

    label: str
    unscaled: str
    scaled: str
    unit: str = ""

    def spans(self) -> Row:
        """Return ``label unscaled → scaled unit``."""
        unit = f" {self.unit}" if self.unit else ""
        return (
            (f"{self.label} ", "label"),
            (self.unscaled, "unscaled"),
            (f" → {self.scaled}{unit}", "scaled"),
        )


def _statistic(
    answer: VectorAnswer, label: str, of: Callable[[Evaluation], float], unit: str = ""
) -> Statistic:
    """Return a statistic of both sides; a 0 that underflowed says what it is below."""
    sides = (answer.unscaled, answer.scaled)
    unscaled, scaled = (quantity(of(side), below=side.least) for side in sides)
    return Statistic(label, unscaled, scaled, unit)


def weight_statistics(answer: VectorAnswer, brief: bool) -> tuple[Statistic, ...]:
    """Return what is said of the weights as a whole; brief, by symbols alone."""
    names = ("", "", "") if brief else ("entropy ", "effective keys ", "participation ")
    return (
        _statistic(answer, f"{names[0]}H", lambda side: side.entropy, "nats"),
        _statistic(answer, f"{names[1]}e^H", lambda side: side.effective_keys),
        _statistic(answer, f"{names[2]}1/Σp²", lambda side: side.participation_ratio),
    )


def gradient_statistics(answer: VectorAnswer) -> tuple[Statistic, ...]:
    """Return what is said of the Jacobian as a whole, with respect to what the user chose."""
    wrt = answer.wrt
    return (
        _statistic(answer, f"‖∂p/∂{SYMBOL[wrt]}‖_F", lambda side: side.norms[wrt].frobenius),
        _statistic(answer, "‖·‖₂", lambda side: side.norms[wrt].spectral),
        _statistic(answer, "trace", lambda side: side.norms[wrt].trace),
    )


def statistics_row(statistics: Sequence[Statistic]) -> Row:
    """Return statistics side by side."""
    gaps = (" ", *["   "] * (len(statistics) - 1))
    return tuple(
        span
        for gap, statistic in zip(gaps, statistics, strict=True)
        for span in ((gap, "text"), *statistic.spans())
    )
