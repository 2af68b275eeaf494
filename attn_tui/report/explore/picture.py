"""What table and charts show, in sentences for those who listen: who leads, and what moves it."""

from collections.abc import Sequence

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, at_d_k
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.logit_map import SYMBOL
from attn_tui.report.explore.largest import listed_keys
from attn_tui.report.explore.tables import count_noun
from attn_tui.report.numbers import quantity, scientific, subscript, weight, weight_name

MOST_NAMED = 3
"""Keys whose weights are named."""


def picture(experiment: Experiment, index: int, answer: VectorAnswer) -> tuple[str, ...]:
    """Say what the table and the charts of one vector show; nothing if it has no weights.

    Args:
        experiment: The question.
        index: Which of its vectors.
        answer: The answer about it.
    """
    if answer.status != "ok":
        return ()
    return (*_weights(answer), *_gradient(answer), *_over_d_k(experiment, index))


def _weights(answer: VectorAnswer) -> tuple[str, ...]:
    """Say which keys have the most weight, and what the others have together."""
    keys = listed_keys(answer, min(MOST_NAMED, answer.vector.n_attended))
    first, second = ([weight(*pair) for pair in side.pairs(keys)] for side in answer.sides)
    named = ", ".join(
        f"key {key} {new} ({answer.names[0]} {old})"
        for key, old, new in zip(keys, first, second, strict=True)
    )
    left = answer.vector.n_attended - keys.size
    rest = f", and {left:,} more {count_noun(left)} at most as much each" if left else ""
    return (f"Weights {answer.names[1]}, the largest first: {named}{rest}.",)


def _gradient(answer: VectorAnswer) -> tuple[str, ...]:
    """Say which keys move the weight of the chosen key the most, up and down."""
    name, symbol = weight_name(answer.of), SYMBOL[answer.wrt]
    slopes = answer.scaled.gradient(answer.of, answer.wrt)
    if not slopes.any() or np.isnan(slopes).any():
        return ()
    up, down = int(slopes.argmax()), int(slopes.argmin())
    logs = answer.scaled.log_gradient(answer.of, answer.wrt, np.array([up, down])).tolist()
    by, less = scientific(slopes[up], logs[0]), scientific(-slopes[down], logs[1])
    raised = f"{name} rises most with {symbol}{subscript(up)}, by {by} for each 1"
    if slopes[down] < 0.0:
        tied = [
            f"{symbol}{subscript(key)}" for key in np.flatnonzero(slopes == slopes[down]).tolist()
        ]
        raised += f", and falls most with {_all_of(tied)}, by {less}"
    return (f"{answer.names[1].capitalize()}, {raised}.",)


def _all_of(names: Sequence[str]) -> str:
    """Return names as a list in words, or the first and how many there are besides."""
    if len(names) > MOST_NAMED:
        return f"{names[0]} and {len(names) - 1:,} others alike"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _over_d_k(experiment: Experiment, index: int) -> tuple[str, ...]:
    """Say how entropy changes from the smallest d_k to the largest, where d_k may be moved."""
    if experiment.source.d_k is not None:
        return ()
    ends = (D_K.minimum, D_K.maximum)
    try:
        sides = [at_d_k(experiment, index, d_k) for d_k in ends]
    except InputError:
        return ()
    if not np.isfinite([side.entropy for side in sides]).all():
        return ()
    low, high = (quantity(side.entropy, side.log_entropy) for side in sides)
    if low == high:
        return ()
    return (
        f"Over d_k, the entropy of the weights goes from {low} nats at {ends[0]} to"
        f" {high} at {ends[1]:,}.",
    )
