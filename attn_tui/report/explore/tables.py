"""The tables of a vector: weights and gradient of both sides key by key, and their statistics."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import get_args

import numpy as np

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import Answer, VectorAnswer
from attn_tui.compute.logit_map import SYMBOL, Wrt
from attn_tui.compute.number import Number
from attn_tui.report.explore.largest import Positions, chunks, listed_keys
from attn_tui.report.measured import with_error
from attn_tui.report.numbers import (
    change,
    difference,
    fitted,
    general,
    quantity,
    ratio,
    scientific,
    weight,
    weight_name,
    with_sign,
)
from attn_tui.report.rows import Span
from attn_tui.report.sides import role_of
from attn_tui.report.table import Column, Table

NUMBER, SCORE, CHANGE = 10, 11, 9
"""Cells of a weight or a gradient, of a score and of a ratio in the text report."""


def key_column(keys: Positions, n_keys: int) -> Column:
    """Return the numbers of keys."""
    cells = tuple((str(key), "label") for key in keys.tolist())
    return Column("key", cells, width=max(4, len(str(n_keys - 1))))


def score_column(
    side: Evaluation, keys: Positions, title: str, width: int, unmasked: Sequence[float] = ()
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


def weight_columns(answer: VectorAnswer, keys: Positions, width: int) -> Iterator[Column]:
    """Yield the weights of keys on both sides."""
    for name, side in zip(answer.names, answer.sides, strict=True):
        role = role_of(name)
        cells = tuple((weight(*pair, width=width), role) for pair in side.pairs(keys))
        yield Column(short(name, width), cells, role=role, above="p", width=width)


def gradient_columns(answer: VectorAnswer, keys: Positions, width: int) -> Iterator[Column]:
    """Yield the gradient of the chosen weight at keys, on both sides."""
    for name, side in zip(answer.names, answer.sides, strict=True):
        both = (each(answer.of, answer.wrt, keys) for each in (side.gradient, side.log_gradient))
        role, pairs = role_of(name), zip(*(each.tolist() for each in both), strict=True)
        texts = (scientific(value, log, signed=True, width=width) for value, log in pairs)
        cells = tuple((text, role) for text in texts)
        yield Column(short(name, width), cells, role=role, above=_of_key(answer), width=width)


def _of_key(answer: VectorAnswer) -> str:
    return short(f"∂{weight_name(answer.of)}/∂{SYMBOL[answer.wrt]}", NUMBER)


def grown_column(answer: VectorAnswer, keys: Positions, width: int) -> Column:
    """Return how many times larger the gradient at keys is on the second side."""
    before, after = (side.log_gradient(answer.of, answer.wrt, keys) for side in answer.sides)
    # What comes of nothing is not many times that.
    from_nothing = (before == -inf) & (after > -inf)
    with np.errstate(invalid="ignore"):
        texts = (ratio(each, width) for each in (after - before).tolist())
    pairs = zip(texts, from_nothing.tolist(), strict=True)
    cells = tuple(("from 0" if new else text, "text") for text, new in pairs)
    return Column("change", cells, width=width)


def difference_column(answer: VectorAnswer, keys: Positions, title: str, width: int) -> Column:
    """Return by how much the weights of keys are larger on the second side."""
    pairs = zip(*(side.pairs(keys) for side in answer.sides), strict=True)
    cells = tuple((change(one, other, width), "text") for one, other in pairs)
    return Column(title, cells, above="p", width=width)


def _steeper_column(answer: VectorAnswer, keys: Positions) -> Column:
    of, wrt = answer.of, answer.wrt
    with np.errstate(invalid="ignore"):
        slopes = np.subtract(*(side.gradient(of, wrt, keys) for side in answer.sides[::-1]))
    texts = (scientific(each, signed=True, width=NUMBER) for each in slopes.tolist())
    cells = tuple((text, "text") for text in texts)
    return Column("difference", cells, above=_of_key(answer), width=NUMBER)


def table(answer: VectorAnswer, top: int | None) -> Iterator[str]:
    """Yield a line a key: its score, and its weight and gradient on both sides."""
    yield f"weights p; {_of(answer)}\n"

    def columns(keys: Positions) -> tuple[Column, ...]:
        return (
            key_column(keys, answer.vector.n_keys),
            score_column(answer.scaled, keys, "score s", SCORE),
            *weight_columns(answer, keys, NUMBER),
            *gradient_columns(answer, keys, NUMBER),
            grown_column(answer, keys, CHANGE),
        )

    yield from _lines(columns, answer, listed_keys(answer, top), "scores")


def differences(answer: VectorAnswer, top: int | None) -> Iterator[str]:
    """Yield a line a key: its weight and gradient in two vectors, and how they differ."""
    yield f"weights p; {_of(answer)}\ndifference: the second less the first\n"

    def columns(keys: Positions) -> tuple[Column, ...]:
        return (
            key_column(keys, answer.vector.n_keys),
            *weight_columns(answer, keys, NUMBER),
            difference_column(answer, keys, "difference", NUMBER),
            *gradient_columns(answer, keys, NUMBER),
            _steeper_column(answer, keys),
        )

    yield from _lines(columns, answer, listed_keys(answer, top, by_weight=True), "weights")


def _lines(
    columns: Callable[[Positions], tuple[Column, ...]],
    answer: VectorAnswer,
    keys: Positions,
    by: str,
) -> Iterator[str]:
    """Yield a table some keys at a time, and how many keys it leaves out."""
    for place, some in enumerate(chunks(keys)):
        yield "".join(Table(columns(some)).text(titled=place == 0))
    if left := answer.vector.n_keys - keys.size:
        yield f"{'':>5}and {left:,} more {count_noun(left)} with smaller or equal {by}\n"


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


ENTROPY = Statistic(
    "entropy H of p, nats", lambda side: _with_log(side, "entropy"), quantity,
    "entropy H", "H", "nats",
)  # fmt: skip
EFFECTIVE = Statistic(
    "effective keys e^H", lambda side: _with_log(side, "effective_keys"), quantity,
    "effective keys e^H", "e^H",
)  # fmt: skip
PARTICIPATION = Statistic(
    "participation ratio 1/Σp²", lambda side: _with_log(side, "participation_ratio"), quantity,
    "participation 1/Σp²", "1/Σp²",
)  # fmt: skip
SINK = Statistic("weight of the sink", lambda side: _with_log(side, "sink_weight"), weight, "sink")
_BITS = Statistic(
    "entropy H of p, bits", lambda side: (side.entropy / log(2.0), side.log_entropy - log(log(2.0)))
)
LARGEST = Statistic("largest weight", lambda side: _with_log(side, "max_weight"), weight)


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


def statistics(answer: VectorAnswer, compared: bool = False) -> Iterator[str]:
    """Yield a line a statistic, with its value on both sides, and how they differ if compared."""
    sides = answer.sides
    lines: list[tuple[str, list[str], str]] = [
        ("multiplier m", [general(side.multiplier) for side in sides], "")
    ]
    if sinks(answer):
        texts = ["–" if side.map.sink is None else SINK.text(side) for side in sides]
        lines.append((SINK.title, texts, ""))
    for each in _shown():
        grown, log_size = difference(*(each.of(side) for side in sides))
        steps = with_sign(quantity(abs(grown), log_size, width=11), grown)
        lines.append((each.title, [each.text(side, 12) for side in sides], steps))
    columns = [Column("", tuple((label, "label") for label, *_ in lines), left=True, width=30)]
    for at, name in enumerate(answer.names):
        cells: tuple[Span, ...] = tuple((texts[at], role_of(name)) for _, texts, _ in lines)
        columns.append(Column(short(name, 12), cells, role=role_of(name), width=12))
    if compared:
        cells = tuple((steps, "text") for *_, steps in lines)
        columns.append(Column("difference", cells, width=12))
    yield from Table(tuple(columns)).text()
    if sinks(answer):
        yield "sink counted: H, e^H and 1/Σp² take the sink as one more key\n"


def means(answer: Answer) -> Iterator[str]:
    """Yield what the statistics of the vectors are on average, with standard errors."""
    yield f"means over the {len(answer.vectors):,} vectors ± standard errors\n"
    labels = tuple((each.title, "label") for each in _shown())
    columns = [Column("", labels, left=True, width=30)]
    sides = zip(*(each.sides for each in answer.vectors), strict=True)
    for name, every in zip(("unscaled", "scaled"), sides, strict=True):
        numbers = (Number.mean([each.of(side)[0] for side in every]) for each in _shown())
        cells = tuple((with_error(number, 22), name) for number in numbers)
        columns.append(Column(name, cells, role=name, width=23))
    yield from Table(tuple(columns)).text()


def _shown() -> Iterator[Statistic]:
    yield from (ENTROPY, _BITS, EFFECTIVE, PARTICIPATION, LARGEST)
    yield from (each for wrt in get_args(Wrt) for each in norms(wrt))


def count_noun(count: int) -> str:
    """Return what so many keys are called."""
    return "key" if count == 1 else "keys"


def short(text: str, width: int) -> str:
    """Return text cut to a width, with an ellipsis where it was longer."""
    return text if len(text) <= width else text[: width - 1] + "…"


def _of(answer: VectorAnswer) -> str:
    hidden = ", which is masked," if answer.of in answer.masked else ""
    symbol = SYMBOL[answer.wrt]
    name = weight_name(answer.of)
    return f"gradient of {name}{hidden} with respect to the {answer.wrt} {symbol}"
