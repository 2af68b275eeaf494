"""Weights and gradients key by key: the columns of a vector in a report."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from math import copysign, expm1, inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import largest
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import Attention
from attn_tui.compute.explore.loss import loss_gradient
from attn_tui.compute.numbers import (
    SMALLEST_NORMAL,
    factor,
    fitted,
    scientific,
    weight,
    weight_name,
    with_sign,
)
from attn_tui.compute.scale import SYMBOL, Wrt
from attn_tui.report.report import SIDES, Column, Rows, same
from attn_tui.report.text import shortened

NUMBER, SCORE, CHANGE = 10, 11, 9
"""Widths in columns: of a weight or a gradient, of a score, and of a factor."""

OF_PAIR = ("weight", "gradient_wrt_logits", "gradient_wrt_scores")
"""The numbers in which two answers are compared, by their names in CSV."""

KeyNumbers = Callable[[Rows], Iterable[Any]]
"""A function from keys to their numbers."""


def differentiated(answer: VectorAnswer) -> str:
    """Return the symbol of what the gradient key by key is of: ``p₂``, or ``L``."""
    return weight_name(answer.of) if answer.target is None else "L"


def listed_keys(answer: VectorAnswer, top: int | None, by_weight: bool = False) -> Rows:
    """Return every position, or those of the largest keys, largest first, shape (rows,).

    Keys are ordered by score. This is the order of weights too, but weights may be equal where
    scores are not. Two vectors are ordered by the larger of each key's two weights.

    Args:
        answer: The numbers.
        top: How many keys, or None for all of them in order.
        by_weight: Whether to order by weight, since the two sides have different scores.
    """
    if top is None:
        return np.arange(answer.vector.n_keys)
    if by_weight:
        return largest(np.fmax(answer.unscaled.weights(), answer.scaled.weights()), top)
    return largest(answer.vector.scores, top)


def key_column(path: str = "") -> Column:
    """Return the column of the positions of keys, which JSON has at a path unless it is empty."""

    def texts(keys: Rows) -> list[str]:
        return [f"{key:,}" for key in keys.tolist()]

    return Column("key", lambda keys: keys, path, "key", texts, width=4)


def vector_columns(answer: VectorAnswer, path: str, through: Attention | None) -> Iterator[Column]:
    """Yield the columns of a vector.

    Args:
        answer: Its numbers.
        path: The path of the positions of keys in JSON; empty if JSON has none.
        through: Its query and keys, if it has them.
    """
    scores = answer.vector.scores

    def texts(keys: Rows) -> list[str]:
        return [fitted(score, SCORE) for score in scores[keys].tolist()]

    yield Column("", same(answer.vector.name), name="vector")
    yield Column("", same(answer.status), name="status")
    yield key_column(path)
    yield Column(
        "score s", lambda keys: scores[keys], "scores", "score", texts, width=SCORE, rank=1
    )
    yield Column("", lambda keys: scores[keys] == -inf, name="masked")
    yield Column("", same(answer.of), name="gradient_of")
    yield from _texts(answer)
    sides = [[*_data(answer, side, through)] for side in answer.sides]
    # Columns added in later versions follow the older ones, to keep those where they were.
    for places in (slice(0, 6), slice(6, None)):
        for kind, columns in zip(SIDES, sides, strict=True):
            for name, json_path, values in columns[places]:
                yield Column("", values, json_path and f"{kind}.{json_path}", f"{kind}_{name}")


def pair_columns(pair: VectorAnswer, path: str) -> Iterator[Column]:
    """Yield the columns of two answers side by side, and of the second minus the first.

    Args:
        pair: Both answers.
        path: The path of the positions of keys in JSON; empty if JSON has none.
    """
    yield key_column(path)
    yield Column("", same(pair.of), name="gradient_of")
    yield from _texts(pair)
    first, second = ([*_data(pair, side, None)] for side in pair.sides)
    both = [(one, other) for one, other in zip(first, second, strict=True) if one[0] in OF_PAIR]
    for which in ("first", "second", "difference"):
        for (name, json_path, before), (_, _, after) in both:
            values: dict[str, KeyNumbers] = {
                "first": before, "second": after, "difference": partial(_less, after, before),
            }  # fmt: skip
            yield Column("", values[which], f"{json_path}.{which}", f"{which}_{name}")


def _less(after: KeyNumbers, before: KeyNumbers, keys: Rows) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        difference: NDArray[np.float64] = np.asarray(after(keys)) - np.asarray(before(keys))
    return difference


def _data(
    answer: VectorAnswer, side: Evaluation, through: Attention | None
) -> Iterator[tuple[str, str, KeyNumbers]]:
    """Yield the numbers of every key on a side: name in CSV, path in JSON, and values."""
    slopes = "" if side.map.softcap is None else "slopes"
    yield "logit", "logits", side.logits
    yield "weight", "weights", side.weights
    yield "log_weight", "log_weights", side.log_weights
    yield "complement", "complements", side.complements
    yield "gradient_wrt_logits", "gradient.logits", partial(side.gradient, answer.of, "logits")
    yield "gradient_wrt_scores", "gradient.scores", partial(side.gradient, answer.of, "scores")
    yield "slope", slopes, side.slopes
    yield "sink_weight", "", same(side.sink_weight)
    if through is None:
        yield "key_gradient_norm", "", same(None)
    else:
        norms = partial(through.key_gradient_norms, side, answer.of)
        yield "key_gradient_norm", "attention.key_gradient_norms", norms
    if answer.target is not None:
        ways: tuple[Wrt, ...] = ("logits", "scores")
        for wrt in ways:
            values = partial(loss_gradient, side, answer.target, wrt)
            yield f"loss_gradient_wrt_{wrt}", f"loss.{wrt}", values


def _texts(answer: VectorAnswer) -> Iterator[Column]:
    """Yield the columns of text: weights and gradients of both sides, and how they differ."""
    derivative = shortened(f"∂{differentiated(answer)}/∂{SYMBOL[answer.wrt]}", NUMBER)
    names = [shortened(name, NUMBER) for name in answer.names]

    def weights(side: Evaluation, keys: Rows) -> list[str]:
        return [weight(*pair, width=NUMBER) for pair in side.pairs(keys)]

    def gradients(side: Evaluation, keys: Rows) -> list[str]:
        values, logs = answer.gradient(side, keys), answer.log_gradient(side, keys)
        pairs = zip(values.tolist(), logs.tolist(), strict=True)
        return [scientific(*pair, signed=True, width=NUMBER) for pair in pairs]

    def differences(keys: Rows) -> list[str]:
        pairs = zip(*(side.pairs(keys) for side in answer.sides), strict=True)
        return [change(before, after, NUMBER) for before, after in pairs]

    for above, texts, rank in (("p", weights, 0), (derivative, gradients, 2)):
        for name, side in zip(names, answer.sides, strict=True):
            yield Column(name, texts=partial(texts, side), above=above, width=NUMBER, rank=rank)
        if answer.compared and above == "p":
            yield Column("difference", texts=differences, above=above, width=NUMBER, rank=3)
    yield Column("change", texts=partial(_changes, answer), width=CHANGE, rank=4)


def _changes(answer: VectorAnswer, keys: Rows) -> list[str]:
    """Return how many times larger the gradient at keys is on the second side."""
    before, after = (answer.log_gradient(side, keys) for side in answer.sides)
    with np.errstate(invalid="ignore"):
        factors = (after - before).tolist()
    # No factor leads from 0 to another number.
    from_nothing = ((before == -inf) & (after > -inf)).tolist()
    pairs = zip(factors, from_nothing, strict=True)
    return ["from 0" if new else factor(size, CHANGE) for size, new in pairs]


def difference(before: tuple[float, float], after: tuple[float, float]) -> tuple[float, float]:
    """Return the increase of a non-negative number, and ln of its size if that is better known.

    Args:
        before: The number, and its logarithm in case it is below float64's normal numbers.
        after: The same for the later number.
    """
    low, high = sorted((before[1], after[1]))
    if not low < high or max(before[0], after[0]) >= SMALLEST_NORMAL:
        return after[0] - before[0], -inf
    size = abs(after[0] - before[0])
    return copysign(size, after[1] - before[1]), high + log(-expm1(low - high))


def change(before: tuple[float, float], after: tuple[float, float], width: int) -> str:
    """Return the change of a number from 0 to 1, with its sign, or ``0``.

    Args:
        before: The number and its logarithm.
        after: The same for the later number.
        width: The most characters in the text, which has fewer digits if need be.
    """
    grown, log_size = difference(before, after)
    return with_sign(weight(abs(grown), log_size, width=width - 1), grown)
