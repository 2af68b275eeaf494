"""Tables of q, K and V: the gradients through them, and the output."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.table import TableDrawing
from attn_tui.compute.arrays import largest
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import Attention, lengths
from attn_tui.compute.numbers import fitted, scientific, weight, weight_name
from attn_tui.explore.key_columns import key_column
from attn_tui.report import report
from attn_tui.report.report import SIDES, Fact, Facts, ReportPart, Rows

MOST = 40
"""The most rows of the table on the screen."""

READ = 16
"""The most numbers of q and of the output that a report lists as text; JSON has all."""


def components(through: Attention, answer: VectorAnswer) -> report.Table:
    """Return the table of the components of q, of the gradient by q and of the output.

    A vector may be longer than another. Without values there is no output.
    """
    name, sides = weight_name(answer.of), answer.sides
    gradients = [through.query_gradient(side, answer.of) for side in sides]
    outputs = [output for side in sides if (output := through.output(side)) is not None]
    rows = np.arange(max(map(len, (through.query, *outputs))))
    columns = [
        report.Column("i", texts=lambda rows: map(str, rows.tolist()), width=2, kind="muted"),
        _component("q_i", through.query, partial(fitted, width=8)),
    ]
    signed = partial(scientific, signed=True)
    for side, gradient in zip(SIDES, gradients, strict=True):
        path = f"{side}.attention.query_gradient"
        columns.append(
            _component(side, gradient, signed, above=f"∂{name}/∂q_i", path=path, kind=side)
        )
    for side, output in zip(SIDES, outputs, strict=bool(outputs)):
        path = f"{side}.attention.output"
        columns.append(
            _component(side, output, weight, above="output", path=path, kind=side, rank=1)
        )
    title = f"gradient of {name} with respect to the query q"
    title += ", and output V·p: the values weighted by p" if outputs else ""
    lost = lengths(np.array(gradients)).tolist()
    return report.Table(columns, rows, title, notes=[_norms(name, "q", lost)], most=READ)


def _component(
    title: str, vector: NDArray[np.float64], write: Callable[[float], str], **more: Any
) -> report.Column:
    """Return the column of a vector, which may end before the last row."""

    def values(rows: Rows) -> NDArray[np.float64]:
        return vector[rows[rows < vector.size]]

    def texts(rows: Rows) -> list[str]:
        written = [write(value) for value in values(rows).tolist()]
        return written + [""] * (rows.size - len(written))

    return report.Column(title, values, texts=texts, width=8, **more)


def _norms(name: str, by: str, norms: Iterable[float]) -> str:
    before, after = map(scientific, norms)
    return f"‖∂{name}/∂{by}‖: {before} unscaled, {after} scaled"


def vectors_drawing(through: Attention, answer: VectorAnswer) -> TableDrawing:
    """Return that table for the screen, with the norms of the gradient by the three first keys."""
    table, keys = components(through, answer), largest(answer.scaled.ranking(), 3)
    norms = [through.key_gradient_norms(side, answer.of, keys) for side in answer.sides]
    notes = [
        _norms(weight_name(answer.of), f"k{key}", pair)
        for key, pair in zip(keys.tolist(), np.transpose(norms).tolist(), strict=True)
    ]
    return TableDrawing.of(replace(table, rows=table.rows[:MOST], notes=[*table.notes, *notes]))


def vectors_tables(through: Attention, answer: VectorAnswer, keys: Rows) -> Iterator[ReportPart]:
    """Yield the tables of a report: that of components, and one of some of the keys.

    Keys are in the order given. Without values, the output is null in JSON.
    """
    yield components(through, answer)
    norms = [partial(through.key_gradient_norms, side, answer.of) for side in answer.sides]
    yield report.Table(
        [
            key_column(),
            _of_keys(
                "‖k‖", lambda rows: lengths(through.keys[rows]), partial(fitted, width=11), 11
            ),
            *(_of_keys(side, of, scientific, 12) for side, of in zip(SIDES, norms, strict=True)),
        ],
        keys,
        f"norm of the gradient of {weight_name(answer.of)} with respect to each key k",
    )
    if through.values is None:
        yield Facts([Fact("", [None, None], "attention.output")], SIDES, SIDES)


def _of_keys(
    title: str, norms: Callable[[Rows], NDArray[np.float64]], write: Callable[[float], str],
    width: int,
) -> report.Column:  # fmt: skip
    """Return the column of a norm of each key, which is computed once it is written."""
    return report.Column(
        title, texts=lambda rows: [write(norm) for norm in norms(rows).tolist()], width=width
    )
