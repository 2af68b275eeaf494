"""An answer as strict JSON of full precision; ``docs/json.md`` explains each field."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore import Answer, Evaluation, VectorAnswer, Wrt
from attn_tui.files.codec import SCHEMA, experiment_to_plain
from attn_tui.files.plain import json_text, plain_number, plain_numbers
from attn_tui.report.largest import Positions, chunks, listed_keys

Pieces = Iterator[list[float | str]]
"""Pieces of one list of numbers."""

_STATISTICS = ("entropy", "effective_keys", "participation_ratio", "max_weight", "sink_weight")


def render(answer: Answer, top: int | None = None) -> Iterator[str]:
    """Yield the text of an answer, piece by piece; nothing in it is as long as all of it.

    Args:
        answer: What to write.
        top: Lists hold at most so many keys, those with the largest scores; the experiment
            keeps all.
    """
    plain = {
        "schema": SCHEMA,
        "experiment": experiment_to_plain(answer.experiment),
        "vectors": [_vector(answer, index, top) for index in range(len(answer.vectors))],
    }
    yield from json_text(plain)


def _vector(answer: Answer, index: int, top: int | None) -> dict[str, Any]:
    found = answer.vectors[index]
    keys = listed_keys(found, top)
    positions = {} if top is None else {"positions": keys.tolist()}
    masked = found.masked[np.isin(found.masked, keys)]
    return {
        "name": found.vector.name,
        "status": found.status,
        "reason": found.reason,
        "n_keys": found.vector.n_keys,
        **positions,
        "scores": _numbers(lambda some: found.vector.scores[some], keys),
        "masked": masked.tolist(),
        "unscaled": _side(found, found.unscaled, keys),
        "scaled": _side(found, found.scaled, keys),
    }


def _side(answer: VectorAnswer, side: Evaluation, keys: Positions) -> dict[str, Any]:
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
        **{name: plain_number(getattr(side, name)) for name in _STATISTICS},
        "jacobian": {
            "logits": _plain_norms(side, "logits"),
            "scores": _plain_norms(side, "scores"),
        },
        "gradient": {
            "of": of,
            "logits": _numbers(lambda some: side.gradient(of, "logits", some), keys),
            "scores": _numbers(lambda some: side.gradient(of, "scores", some), keys),
        },
    }


def _plain_norms(side: Evaluation, wrt: Wrt) -> dict[str, float | str]:
    return {name: plain_number(value) for name, value in asdict(side.norms[wrt]).items()}


def _numbers(numbers: Callable[[Positions], NDArray[np.float64]], keys: Positions) -> Pieces:
    """Yield the numbers at some keys as pieces of one list."""
    return (plain_numbers(numbers(some).tolist()) for some in chunks(keys))
