"""The table of weights and gradients as rows, column block by column block."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.rows import Row, length
from attn_tui.charts.rows import fitted as fitted_row
from attn_tui.compute.explore import Evaluation, Norms, VectorAnswer
from attn_tui.report.numbers import general, quantity, ratio, scientific, weight

Keys = NDArray[np.intp]

EIGHTHS = " ▏▎▍▌▋▊▉█"
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
NUMBER, CHANGE = 10, 9


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


def fitted(value: float, width: int) -> str:
    """Return a score in at most ``width`` characters, with as many digits as that leaves."""
    texts = (general(value, digits) for digits in range(10, 0, -1))
    return next((text for text in texts if len(text) <= width), general(value, 1)).rjust(width)


def weight_name(key: int) -> str:
    """Return a key's weight as a symbol: ``p₁₂``."""
    return "p" + str(key).translate(SUBSCRIPTS)


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
        taken += 2 * (NUMBER + 1) + CHANGE if halves[1] else 0
        room = max((width - taken) // 2, 0) if halves[0] else 0
        return cls(key, score, min(room, 24), *halves)

    @property
    def widths(self) -> tuple[int, int, int, int]:
        """Cells of the four blocks: key and unscaled weight, scaled weight, the two gradients."""
        weights = NUMBER + self.bar if self.weights else 0
        gradient = NUMBER + 1 if self.gradient else 0
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
        left = f"{mark}{key:>{columns.key}} {fitted(float(score), columns.score)}"
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
        text = weight(float(value), float(log))
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
    rows: list[Row] = [((f"{role:>{NUMBER}} ", role),)]
    for value, log in zip(values, logs, strict=True):
        text = scientific(float(value), float(log), signed=True)
        rows.append(((f"{text:>{NUMBER}} ", role),))
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
    return [head, *(((f"{ratio(float(each)):>{CHANGE}}", "text"),) for each in change)]


@dataclass(frozen=True)
class Statistic:
    """One number of a vector, unscaled and scaled."""

    label: str
    unscaled: float
    scaled: float
    unit: str = ""

    def spans(self) -> Row:
        """Return ``label unscaled → scaled unit``."""
        unit = f" {self.unit}" if self.unit else ""
        return (
            (f"{self.label} ", "label"),
            (quantity(self.unscaled), "unscaled"),
            (f" → {quantity(self.scaled)}{unit}", "scaled"),
        )


def weight_statistics(answer: VectorAnswer, brief: bool) -> tuple[Statistic, ...]:
    """Return what is said of the weights as a whole; brief, by symbols alone."""
    a, b = answer.unscaled, answer.scaled
    names = ("", "", "") if brief else ("entropy ", "effective keys ", "participation ")
    return (
        Statistic(f"{names[0]}H", a.entropy, b.entropy, "nats"),
        Statistic(f"{names[1]}e^H", a.effective_keys, b.effective_keys),
        Statistic(f"{names[2]}1/Σp²", a.participation_ratio, b.participation_ratio),
    )


def gradient_statistics(answer: VectorAnswer) -> tuple[Statistic, ...]:
    """Return what is said of the Jacobian as a whole, with respect to what the user chose."""
    variable = "s" if answer.wrt == "scores" else "z"
    a: Norms = answer.unscaled.norms[answer.wrt]
    b: Norms = answer.scaled.norms[answer.wrt]
    return (
        Statistic(f"‖∂p/∂{variable}‖_F", a.frobenius, b.frobenius),
        Statistic("‖·‖₂", a.spectral, b.spectral),
        Statistic("trace", a.trace, b.trace),
    )


def statistics_row(statistics: Sequence[Statistic]) -> Row:
    """Return statistics side by side."""
    gaps = (" ", *["   "] * (len(statistics) - 1))
    return tuple(
        span
        for gap, statistic in zip(gaps, statistics, strict=True)
        for span in ((gap, "text"), *statistic.spans())
    )
