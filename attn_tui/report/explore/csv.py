"""An answer as CSV of full precision: one line a key, with named columns."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import Answer, VectorAnswer
from attn_tui.compute.explore.attention import Attention, attention
from attn_tui.compute.explore.precision_lab import lab as tried
from attn_tui.report.csv_text import csv_text
from attn_tui.report.explore.contents import EVERYTHING, Contents
from attn_tui.report.explore.largest import Positions, chunks, listed_keys

_SIDE = (
    *("logit", "weight", "log_weight", "complement"),
    *("gradient_wrt_logits", "gradient_wrt_scores"),
)
COLUMNS = (
    *("vector", "status", "key", "score", "masked", "gradient_of"),
    *(
        f"{side}_{name}"
        for names in (_SIDE, ("slope", "sink_weight", "key_gradient_norm"))
        for side in ("unscaled", "scaled")
        for name in names
    ),
)
"""The names of the columns, which stand in the first line."""

OF_TRIAL = ("status", "reason", "weight", "n_differ", "n_vanished", "worst", "worst_key")
"""What is said of a trial of the precision lab."""

LAB_COLUMNS = ("vector", "key", "side", "exact", "precision", "naive", *OF_TRIAL)
"""Those of the precision lab."""

PAIR_COLUMNS = (
    *("key", "gradient_of"),
    *(
        f"{which}_{name}"
        for which in ("first", "second", "difference")
        for name in ("weight", "gradient_wrt_logits", "gradient_wrt_scores")
    ),
)
"""Those of a comparison."""


AGAINST_COLUMNS = ("vector", *PAIR_COLUMNS)
"""Those of a comparison with a pinned answer, which is the first."""


def render(answer: Answer, contents: Contents = EVERYTHING) -> Iterator[str]:
    """Yield the text of an answer, piece by piece: one table.

    Raises:
        InputError: If the answer has not what is to be compared, or there is more than one table.
    """
    top, lab = contents.top, contents.lab
    if lab + contents.compare + bool(contents.pinned) > 1:
        field = "against" if contents.pinned else "compare"
        raise InputError(field, "CSV is one table", "--lab, --compare or --against, or JSON")
    if contents.pinned:
        pairs = contents.beside_pinned(answer)
        yield csv_text([AGAINST_COLUMNS])
        for each in pairs:
            for keys in chunks(listed_keys(each, top, by_weight=True)):
                yield csv_text((each.vector.name, *row) for row in _pair_rows(each, keys))
        return
    if pair := contents.first_two(answer):
        yield csv_text([PAIR_COLUMNS])
        for keys in chunks(listed_keys(pair, top, by_weight=True)):
            yield csv_text(_pair_rows(pair, keys))
        return
    yield csv_text([LAB_COLUMNS if lab else COLUMNS])
    for index, vector in enumerate(answer.vectors):
        if lab:
            yield csv_text(_lab_rows(answer, index))
            continue
        through = attention(answer.experiment, index)
        for keys in chunks(listed_keys(vector, top)):
            yield csv_text(_rows(vector, keys, through))


def _rows(
    answer: VectorAnswer, keys: Positions, through: Attention | None
) -> Iterator[tuple[Any, ...]]:
    scores = answer.vector.scores[keys]
    both = answer.sides
    sides = [column for side in both for column in _side(answer, side, keys)]
    later = [column for side in both for column in _later(answer, side, keys, through)]
    columns = (keys.tolist(), scores.tolist(), (scores == -np.inf).tolist())
    for key, score, is_masked, *numbers in zip(*columns, *sides, *later, strict=True):
        yield (answer.vector.name, answer.status, key, score, is_masked, answer.of, *numbers)


def _side(answer: VectorAnswer, side: Evaluation, keys: Positions) -> list[list[float]]:
    columns = (
        side.logits(keys),
        side.weights(keys),
        side.log_weights(keys),
        side.complements(keys),
        side.gradient(answer.of, "logits", keys),
        side.gradient(answer.of, "scores", keys),
    )
    return [column.tolist() for column in columns]


def _later(
    answer: VectorAnswer, side: Evaluation, keys: Positions, through: Attention | None
) -> list[list[float | None]]:
    through_q: list[float | None] = [None] * keys.size
    if through is not None:
        through_q = through.key_gradient_norms(side, answer.of, keys).tolist()
    return [side.slopes(keys).tolist(), [side.sink_weight] * keys.size, through_q]


def _pair_rows(pair: VectorAnswer, keys: Positions) -> Iterator[tuple[Any, ...]]:
    first, second = (
        (
            side.weights(keys),
            side.gradient(pair.of, "logits", keys),
            side.gradient(pair.of, "scores", keys),
        )
        for side in pair.sides
    )
    with np.errstate(invalid="ignore"):
        differences = [after - before for before, after in zip(first, second, strict=True)]
    columns = (column.tolist() for column in (*first, *second, *differences))
    for key, *numbers in zip(keys.tolist(), *columns, strict=True):
        yield (key, pair.of, *numbers)


def _lab_rows(answer: Answer, index: int) -> Iterator[tuple[Any, ...]]:
    name, of = answer.vectors[index].vector.name, answer.vectors[index].of
    found = tried(answer.experiment, index, of)
    for side in found.sides if found else ():
        for trial in side.trials:
            yield (
                name,
                of,
                side.name,
                side.exact,
                trial.precision.format,
                not trial.precision.stable,
                *(getattr(trial, name) for name in OF_TRIAL),
            )
