"""An answer as strict JSON of full precision; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore import Answer, Evaluation, VectorAnswer, Wrt
from attn_tui.files.codec import SCHEMA, experiment_to_plain
from attn_tui.files.plain import json_text, plain_number, plain_numbers
from attn_tui.report.largest import listed_keys


def render(answer: Answer, top: int | None = None) -> Iterator[str]:
    """Yield the text of an answer, piece by piece.

    Args:
        answer: What to write.
        top: Lists hold at most so many keys, those with the largest scores; the experiment
            keeps all.
    """
    plain = {
        "schema": SCHEMA,
        "experiment": experiment_to_plain(answer.experiment),
        "vectors": [vector_to_plain(vector, top) for vector in answer.vectors],
    }
    yield from json_text(plain)


def vector_to_plain(answer: VectorAnswer, top: int | None = None) -> dict[str, Any]:
    """Return the plain values of the answer about one vector."""
    keys = listed_keys(answer, top)
    positions = {} if top is None else {"positions": keys.tolist()}
    masked = answer.masked[np.isin(answer.masked, keys)]
    return {
        "name": answer.vector.name,
        "status": answer.status,
        "reason": answer.reason,
        "n_keys": answer.vector.n_keys,
        **positions,
        "scores": plain_numbers(answer.vector.scores[keys].tolist()),
        "masked": masked.tolist(),
        "unscaled": _side(answer, answer.unscaled, keys),
        "scaled": _side(answer, answer.scaled, keys),
    }


def _side(answer: VectorAnswer, side: Evaluation, keys: NDArray[np.intp]) -> dict[str, Any]:
    return {
        "multiplier": side.multiplier,
        "precision": side.precision.format,
        "logits": plain_numbers(side.logits(keys).tolist()),
        "weights": plain_numbers(side.weights(keys).tolist()),
        "log_weights": plain_numbers(side.log_weights(keys).tolist()),
        "complements": plain_numbers(side.complements(keys).tolist()),
        "entropy": plain_number(side.entropy),
        "effective_keys": plain_number(side.effective_keys),
        "participation_ratio": plain_number(side.participation_ratio),
        "max_weight": plain_number(side.max_weight),
        "jacobian": {
            "logits": _plain_norms(side, "logits"),
            "scores": _plain_norms(side, "scores"),
        },
        "gradient": {
            "of": answer.of,
            "logits": plain_numbers(side.gradient(answer.of, "logits", keys).tolist()),
            "scores": plain_numbers(side.gradient(answer.of, "scores", keys).tolist()),
        },
    }


def _plain_norms(side: Evaluation, wrt: Wrt) -> dict[str, float | str]:
    return {name: plain_number(value) for name, value in asdict(side.norms[wrt]).items()}
