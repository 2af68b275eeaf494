"""An answer as strict JSON of full precision; ``docs/json.md`` explains each field."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, VectorAnswer
from attn_tui.compute.explore.attention import Attention, attention
from attn_tui.compute.explore.precision_lab import MOST_DIFFERING, Trial
from attn_tui.compute.explore.precision_lab import lab as tried
from attn_tui.compute.number import Number
from attn_tui.files.codec import experiment_to_plain, report_text
from attn_tui.files.plain import named
from attn_tui.report.explore.contents import EVERYTHING, Contents
from attn_tui.report.explore.csv import OF_TRIAL
from attn_tui.report.explore.headline import headline
from attn_tui.report.explore.largest import Positions, chunks, listed_keys

Pieces = Iterator[NDArray[np.float64]]
"""Pieces of one list of numbers."""

_STATISTICS = ("entropy", "effective_keys", "participation_ratio", "max_weight", "sink_weight")


def render(answer: Answer, contents: Contents = EVERYTHING) -> Iterator[str]:
    """Yield the text of an answer, piece by piece; nothing in it is as long as all of it.

    Raises:
        InputError: If the answer has not what is to be compared.
    """
    top, pairs, pair = contents.top, contents.beside_pinned(answer), contents.first_two(answer)
    plain: dict[str, Any] = {
        "experiment": experiment_to_plain(answer.experiment),
        "vectors": [_vector(answer, index, contents) for index in range(len(answer.vectors))],
    }
    for vector, beside in zip(plain["vectors"], pairs, strict=False):
        vector["comparison"] = _comparison(beside, answer.experiment, top)
    if answer.drawn:
        plain["means"] = _means(answer)
    if pair:
        plain["comparison"] = _comparison(pair, answer.experiment, top)
    yield from report_text(plain)


def _means(answer: Answer) -> dict[str, Any]:
    """Return the mean of each statistic over vectors, with its standard error, for both sides."""
    sides = zip(*(each.sides for each in answer.vectors), strict=True)
    return {
        name: {
            statistic: _mean([getattr(side, statistic) for side in each])
            for statistic in _STATISTICS
        }
        for name, each in zip(("unscaled", "scaled"), sides, strict=True)
    }


def _mean(values: list[float]) -> dict[str, float]:
    return named(Number.mean(values), ("value", "standard_error"))


def _vector(answer: Answer, index: int, contents: Contents) -> dict[str, Any]:
    experiment, found, top = answer.experiment, answer.vectors[index], contents.top
    keys = listed_keys(found, top)
    through = attention(experiment, index)
    positions = {} if top is None else {"positions": keys}
    masked = found.masked[np.isin(found.masked, keys)]
    return {
        "name": found.vector.name,
        "headline": headline(found, experiment),
        "status": found.status,
        "reason": found.reason,
        "n_keys": found.vector.n_keys,
        **positions,
        "scores": _numbers(lambda some: found.vector.scores[some], keys),
        "masked": masked,
        "unscaled": _side(found, found.unscaled, keys, through),
        "scaled": _side(found, found.scaled, keys, through),
        **(_lab(answer, index, top) if contents.lab else {}),
    }


def _side(
    answer: VectorAnswer, side: Evaluation, keys: Positions, through: Attention | None
) -> dict[str, Any]:
    of = answer.of
    slopes = {} if side.map.softcap is None else {"slopes": _numbers(side.slopes, keys)}
    return {
        "multiplier": side.multiplier,
        "softcap": side.map.softcap,
        "sink": side.map.sink,
        "precision": side.precision.format,
        "logits": _numbers(side.logits, keys),
        **slopes,
        "weights": _numbers(side.weights, keys),
        "log_weights": _numbers(side.log_weights, keys),
        "complements": _numbers(side.complements, keys),
        **named(side, (*_STATISTICS, "log_entropy")),
        "jacobian": {"logits": side.norms["logits"], "scores": side.norms["scores"]},
        "gradient": {
            "of": of,
            "logits": _numbers(lambda some: side.gradient(of, "logits", some), keys),
            "scores": _numbers(lambda some: side.gradient(of, "scores", some), keys),
        },
        **({} if through is None else {"attention": _attention(through, side, of, keys)}),
    }


def _attention(through: Attention, side: Evaluation, of: int, keys: Positions) -> dict[str, Any]:
    return {
        "query_gradient": through.query_gradient(side, of),
        "key_gradient_norms": _numbers(
            lambda some: through.key_gradient_norms(side, of, some), keys
        ),
        "output": through.output(side),
    }


def _lab(answer: Answer, index: int, top: int | None) -> dict[str, Any]:
    of, most = answer.vectors[index].of, top or MOST_DIFFERING
    found = tried(answer.experiment, index, of, most=most)
    if found is None:
        return {}
    sides = {
        side.name: {"exact": side.exact, "trials": [*map(_trial, side.trials)]}
        for side in found.sides
    }
    return {"lab": {"key": found.key, **sides}}


def _trial(trial: Trial) -> dict[str, Any]:
    return {
        "precision": trial.precision.format,
        "arithmetic": trial.precision.arithmetic,
        "naive": not trial.precision.stable,
        **named(trial, OF_TRIAL),
        "differing": [
            named(each, ("key", "exact", "weight", "difference")) for each in trial.differing
        ],
    }


def _comparison(pair: VectorAnswer, experiment: Experiment, top: int | None) -> dict[str, Any]:
    sides, of = pair.sides, pair.of
    keys = listed_keys(pair, top, by_weight=True)
    positions = {} if top is None else {"positions": keys}

    def both(numbers: Callable[[Evaluation, Positions], NDArray[np.float64]]) -> dict[str, Any]:
        def difference(some: Positions) -> NDArray[np.float64]:
            with np.errstate(invalid="ignore"):
                return numbers(sides[1], some) - numbers(sides[0], some)

        return {
            "first": _numbers(lambda some: numbers(sides[0], some), keys),
            "second": _numbers(lambda some: numbers(sides[1], some), keys),
            "difference": _numbers(difference, keys),
        }

    return {
        "vectors": list(pair.names),
        "headline": headline(pair, experiment),
        "status": pair.status,
        "reason": pair.reason,
        "n_keys": pair.vector.n_keys,
        **positions,
        "weights": both(lambda side, some: side.weights(some)),
        "gradient": {
            "of": of,
            "logits": both(lambda side, some: side.gradient(of, "logits", some)),
            "scores": both(lambda side, some: side.gradient(of, "scores", some)),
        },
        "differences": {
            name: getattr(sides[1], name) - getattr(sides[0], name) for name in _STATISTICS
        },
    }


def _numbers(numbers: Callable[[Positions], NDArray[np.float64]], keys: Positions) -> Pieces:
    """Yield the numbers at some keys as pieces of one list."""
    return (numbers(some) for some in chunks(keys))
