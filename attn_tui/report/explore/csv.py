"""An answer as CSV of full precision: one line a key, with named columns."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import Answer, VectorAnswer
from attn_tui.compute.explore.attention import Attention, attention
from attn_tui.compute.explore.precision_lab import lab as tried
from attn_tui.files.plain import plain_number, plain_numbers
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

LAB_COLUMNS = (
    *("vector", "key", "side", "exact", "precision", "naive", "status", "reason", "weight"),
    *("n_differ", "n_vanished", "worst", "worst_key"),
)
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
    masked = ["true" if hidden else "false" for hidden in scores == -np.inf]
    both = answer.sides
    sides = [column for side in both for column in _side(answer, side, keys)]
    sides += [column for side in both for column in _later(answer, side, keys, through)]
    columns = (keys.tolist(), plain_numbers(scores), masked)
    for key, score, is_masked, *numbers in zip(*columns, *sides, strict=True):
        yield (answer.vector.name, answer.status, key, score, is_masked, answer.of, *numbers)


def _side(answer: VectorAnswer, side: Evaluation, keys: Positions) -> list[list[float | str]]:
    columns = (
        side.logits(keys),
        side.weights(keys),
        side.log_weights(keys),
        side.complements(keys),
        side.gradient(answer.of, "logits", keys),
        side.gradient(answer.of, "scores", keys),
    )
    return [*map(plain_numbers, columns)]


def _later(
    answer: VectorAnswer, side: Evaluation, keys: Positions, through: Attention | None
) -> list[list[float | str]]:
    empty: list[float | str] = [""] * keys.size
    return [
        plain_numbers(side.slopes(keys)),
        [plain_number(side.sink_weight)] * keys.size,
        empty
        if through is None
        else plain_numbers(through.key_gradient_norms(side, answer.of, keys)),
    ]


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
    columns = map(plain_numbers, (*first, *second, *differences))
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
                plain_number(side.exact),
                trial.precision.format,
                "false" if trial.precision.stable else "true",
                trial.status,
                trial.reason,
                plain_number(trial.weight),
                trial.n_differ,
                trial.n_vanished,
                plain_number(trial.worst),
                trial.worst_key,
            )
