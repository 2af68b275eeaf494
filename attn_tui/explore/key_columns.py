"""Weights and gradients key by key: the columns that a report has of a vector."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import Attention
from attn_tui.compute.keys import largest
from attn_tui.compute.logit_map import SYMBOL
from attn_tui.report.numbers import change, fitted, ratio, scientific, weight, weight_name
from attn_tui.report.report import Column, Rows, same
from attn_tui.report.text import shortened

SIDES = ("unscaled", "scaled")

NUMBER, SCORE, CHANGE = 10, 11, 9
"""Columns of a weight or a gradient, of a score, and of a factor."""

OF_PAIR = ("weight", "gradient_wrt_logits", "gradient_wrt_scores")
"""What is compared of two answers, by the names in CSV."""

Values = Callable[[Rows], Iterable[Any]]
"""From some keys to their numbers."""


def listed_keys(found: VectorAnswer, top: int | None, by_weight: bool = False) -> Rows:
    """Return every position, or those of the largest keys, largest first, shape (rows,).

    The order of the scores is that of the weights too, which may be equal where the scores are
    not; of two vectors it is that of the larger of a key's two weights.

    Args:
        found: The numbers.
        top: How many keys, or None for every one in its order.
        by_weight: Whether to go by weights: the vectors on the two sides have different scores.
    """
    if top is None:
        return np.arange(found.vector.n_keys)
    if by_weight:
        return largest(np.fmax(found.unscaled.weights(), found.scaled.weights()), top)
    return largest(found.vector.scores, top)


def key_column(path: str = "") -> Column:
    """Return the positions of keys, which JSON holds at a path where they are not all."""

    def texts(keys: Rows) -> list[str]:
        return [f"{key:,}" for key in keys.tolist()]

    return Column("key", lambda keys: keys, path, "key", texts, width=4)


def vector_columns(found: VectorAnswer, path: str, through: Attention | None) -> Iterator[Column]:
    """Yield the columns of a vector.

    Args:
        found: Its numbers.
        path: Where JSON holds the positions of keys; nothing where it does not.
        through: Its query and keys, if there are any.
    """
    scores = found.vector.scores

    def texts(keys: Rows) -> list[str]:
        return [fitted(score, SCORE) for score in scores[keys].tolist()]

    yield Column("", same(found.vector.name), name="vector")
    yield Column("", same(found.status), name="status")
    yield key_column(path)
    yield Column(
        "score s", lambda keys: scores[keys], "scores", "score", texts, width=SCORE, rank=1
    )
    yield Column("", lambda keys: scores[keys] == -inf, name="masked")
    yield Column("", same(found.of), name="gradient_of")
    yield from _texts(found)
    sides = [[*_data(found, side, through)] for side in found.sides]
    # Those that came later stand behind the others.
    for places in (slice(0, 6), slice(6, None)):
        for kind, columns in zip(SIDES, sides, strict=True):
            for name, at, values in columns[places]:
                yield Column("", values, at and f"{kind}.{at}", f"{kind}_{name}")


def pair_columns(pair: VectorAnswer, path: str) -> Iterator[Column]:
    """Yield the columns of two answers beside each other, and of the second less the first.

    Args:
        pair: Both.
        path: Where JSON holds the positions of keys; nothing where it does not.
    """
    yield key_column(path)
    yield Column("", same(pair.of), name="gradient_of")
    yield from _texts(pair)
    first, second = ([*_data(pair, side, None)] for side in pair.sides)
    both = [(one, other) for one, other in zip(first, second, strict=True) if one[0] in OF_PAIR]
    for which in ("first", "second", "difference"):
        for (name, at, before), (_, _, after) in both:
            values: dict[str, Values] = {
                "first": before, "second": after, "difference": partial(_less, after, before),
            }  # fmt: skip
            yield Column("", values[which], f"{at}.{which}", f"{which}_{name}")


def _less(after: Values, before: Values, keys: Rows) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        difference: NDArray[np.float64] = np.asarray(after(keys)) - np.asarray(before(keys))
    return difference


def _data(
    found: VectorAnswer, side: Evaluation, through: Attention | None
) -> Iterator[tuple[str, str, Values]]:
    """Yield the numbers of every key on a side: names in CSV and in JSON, and values."""
    slopes = "" if side.map.softcap is None else "slopes"
    yield "logit", "logits", side.logits
    yield "weight", "weights", side.weights
    yield "log_weight", "log_weights", side.log_weights
    yield "complement", "complements", side.complements
    yield "gradient_wrt_logits", "gradient.logits", partial(side.gradient, found.of, "logits")
    yield "gradient_wrt_scores", "gradient.scores", partial(side.gradient, found.of, "scores")
    yield "slope", slopes, side.slopes
    yield "sink_weight", "", same(side.sink_weight)
    if through is None:
        yield "key_gradient_norm", "", same(None)
    else:
        norms = partial(through.key_gradient_norms, side, found.of)
        yield "key_gradient_norm", "attention.key_gradient_norms", norms


def _texts(found: VectorAnswer) -> Iterator[Column]:
    """Yield weights and gradients of both sides as text, and how they differ."""
    derivative = shortened(f"∂{weight_name(found.of)}/∂{SYMBOL[found.wrt]}", NUMBER)
    names = [shortened(name, NUMBER) for name in found.names]

    def weights(side: Evaluation, keys: Rows) -> list[str]:
        return [weight(*pair, width=NUMBER) for pair in side.pairs(keys)]

    def gradients(side: Evaluation, keys: Rows) -> list[str]:
        values, logs = (of(found.of, found.wrt, keys) for of in (side.gradient, side.log_gradient))
        pairs = zip(values.tolist(), logs.tolist(), strict=True)
        return [scientific(*pair, signed=True, width=NUMBER) for pair in pairs]

    def differences(keys: Rows) -> list[str]:
        pairs = zip(*(side.pairs(keys) for side in found.sides), strict=True)
        return [change(before, after, NUMBER) for before, after in pairs]

    for above, texts, rank in (("p", weights, 0), (derivative, gradients, 2)):
        for name, side in zip(names, found.sides, strict=True):
            yield Column(name, texts=partial(texts, side), above=above, width=NUMBER, rank=rank)
        if found.compared and above == "p":
            yield Column("difference", texts=differences, above=above, width=NUMBER, rank=3)
    yield Column("change", texts=partial(_changes, found), width=CHANGE, rank=4)


def _changes(found: VectorAnswer, keys: Rows) -> list[str]:
    """Return how many times larger the gradient at keys is on the second side."""
    before, after = (side.log_gradient(found.of, found.wrt, keys) for side in found.sides)
    with np.errstate(invalid="ignore"):
        factors = (after - before).tolist()
    # What comes of nothing is not many times that.
    from_nothing = ((before == -inf) & (after > -inf)).tolist()
    pairs = zip(factors, from_nothing, strict=True)
    return ["from 0" if new else ratio(factor, CHANGE) for factor, new in pairs]
