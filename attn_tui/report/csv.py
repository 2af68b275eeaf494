"""An answer as CSV of full precision: one line a key, with named columns."""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore import Answer, Evaluation, VectorAnswer
from attn_tui.files.plain import plain_numbers
from attn_tui.report.largest import chunks, listed_keys

_SIDE = (
    "logit",
    "weight",
    "log_weight",
    "complement",
    "gradient_wrt_logits",
    "gradient_wrt_scores",
)
COLUMNS = (
    "vector",
    "status",
    "key",
    "score",
    "masked",
    "gradient_of",
    *(f"unscaled_{name}" for name in _SIDE),
    *(f"scaled_{name}" for name in _SIDE),
)
"""The names of the columns, which stand in the first line."""


def render(answer: Answer, top: int | None = None) -> Iterator[str]:
    """Yield the text of an answer, piece by piece.

    Args:
        answer: What to write.
        top: At most so many keys of each vector, those with the largest scores.
    """
    yield _text([COLUMNS])
    for vector in answer.vectors:
        for keys in chunks(listed_keys(vector, top)):
            yield _text(_rows(vector, keys))


def _rows(answer: VectorAnswer, keys: NDArray[np.intp]) -> Iterator[tuple[Any, ...]]:
    scores = answer.vector.scores[keys]
    masked = ["true" if hidden else "false" for hidden in scores == -np.inf]
    sides = (*_side(answer, answer.unscaled, keys), *_side(answer, answer.scaled, keys))
    columns = (keys.tolist(), plain_numbers(scores.tolist()), masked)
    for key, score, is_masked, *numbers in zip(*columns, *sides, strict=True):
        yield (answer.vector.name, answer.status, key, score, is_masked, answer.of, *numbers)


def _side(
    answer: VectorAnswer, side: Evaluation, keys: NDArray[np.intp]
) -> list[list[float | str]]:
    columns = (
        side.logits(keys),
        side.weights(keys),
        side.log_weights(keys),
        side.complements(keys),
        side.gradient(answer.of, "logits", keys),
        side.gradient(answer.of, "scores", keys),
    )
    return [plain_numbers(column.tolist()) for column in columns]


def _text(rows: Any) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
