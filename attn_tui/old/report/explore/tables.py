"""The tables of a vector: weights and gradient of both sides key by key, and their statistics."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.logit_map import SYMBOL, Wrt
from attn_tui.report.numbers import (
    change,
    fitted,
    quantity,
    ratio,
    scientific,
    weight_name,
)
from attn_tui.report.report import Rows
from attn_tui.report.sides import role_of
from attn_tui.report.table import Column

NUMBER, SCORE, CHANGE = 10, 11, 9
"""Cells of a weight or a gradient, of a score and of a ratio in the text report."""


def score_column(
    side: Evaluation, keys: Rows, title: str, width: int, unmasked: Sequence[float] = ()
) -> Column:
    """Return the scores of keys.

    Args:
        side: Whose scores.
        keys: The keys.
        title: What the column is called.
        width: Its cells.
        unmasked: The scores as they were before a mask, if there is one: they stand in brackets.
    """
    texts = [fitted(score, width) for score in side.scores(keys).tolist()]
    for place, before in enumerate(unmasked):
        if side.given[keys[place]] == -inf < before:
            texts[place] = f"({fitted(before, width - 2)})"
    return Column(title, tuple((text, "text") for text in texts), width=width)


def gradient_columns(answer: VectorAnswer, keys: Rows, width: int) -> Iterator[Column]:
    """Yield the gradient of the chosen weight at keys, on both sides."""
    for name, side in zip(answer.names, answer.sides, strict=True):
        both = (each(answer.of, answer.wrt, keys) for each in (side.gradient, side.log_gradient))
        role, pairs = role_of(name), zip(*(each.tolist() for each in both), strict=True)
        texts = (scientific(value, log, signed=True, width=width) for value, log in pairs)
        cells = tuple((text, role) for text in texts)
        yield Column(short(name, width), cells, role=role, above=_of_key(answer), width=width)


def _of_key(answer: VectorAnswer) -> str:
    return short(f"∂{weight_name(answer.of)}/∂{SYMBOL[answer.wrt]}", NUMBER)


def grown_column(answer: VectorAnswer, keys: Rows, width: int) -> Column:
    """Return how many times larger the gradient at keys is on the second side."""
    before, after = (side.log_gradient(answer.of, answer.wrt, keys) for side in answer.sides)
    # What comes of nothing is not many times that.
    from_nothing = (before == -inf) & (after > -inf)
    with np.errstate(invalid="ignore"):
        texts = (ratio(each, width) for each in (after - before).tolist())
    pairs = zip(texts, from_nothing.tolist(), strict=True)
    cells = tuple(("from 0" if new else text, "text") for text, new in pairs)
    return Column("change", cells, width=width)


def difference_column(answer: VectorAnswer, keys: Rows, title: str, width: int) -> Column:
    """Return by how much the weights of keys are larger on the second side."""
    pairs = zip(*(side.pairs(keys) for side in answer.sides), strict=True)
    cells = tuple((change(one, other, width), "text") for one, other in pairs)
    return Column(title, cells, above="p", width=width)


@dataclass(frozen=True)
class Statistic:
    """One number of a vector on a side.

    Attributes:
        title: What it is called in a table.
        of: Returns it and its logarithm, −∞ where the number itself says all.
        write: Returns it as text.
        words: What it is called in a line.
        symbol: The same in a formula.
        unit: What it is counted in, behind the number.
    """

    title: str
    of: Callable[[Evaluation], tuple[float, float]]
    write: Callable[..., str] = quantity
    words: str = ""
    symbol: str = ""
    unit: str = ""

    def text(self, side: Evaluation, width: int | None = None) -> str:
        """Return it as text, of at most so many characters."""
        return self.write(*self.of(side), width=width)


def _with_log(of: object, name: str) -> tuple[float, float]:
    return getattr(of, name), getattr(of, f"log_{name}", -inf)


def norms(wrt: Wrt) -> tuple[Statistic, ...]:
    """Return the norms of the Jacobian with respect to scores or logits, and its trace."""
    map_ = f"∂p/∂{SYMBOL[wrt]}"

    def norm(title: str, name: str, words: str) -> Statistic:
        return Statistic(title, lambda side: _with_log(side.norms[wrt], name), words=words)

    return (
        norm(f"‖{map_}‖_F, Frobenius norm", "frobenius", f"‖{map_}‖_F"),
        norm(f"‖{map_}‖₂, spectral norm", "spectral", "‖·‖₂"),
        norm(f"tr {map_}, trace", "trace", "trace"),
    )


def sinks(answer: VectorAnswer) -> bool:
    """Return whether a side has a sink: then H, e^H and 1/Σp² count it as one more key."""
    return any(side.map.sink is not None for side in answer.sides)


def short(text: str, width: int) -> str:
    """Return text cut to a width, with an ellipsis where it was longer."""
    return text if len(text) <= width else text[: width - 1] + "…"
