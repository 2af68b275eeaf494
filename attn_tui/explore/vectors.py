"""Tables of q, K and V: the gradients through them, and the output."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.table import TableDrawing
from attn_tui.compute.arrays import largest
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import Attention, lengths
from attn_tui.compute.numbers import fitted, scientific, weight, weight_name
from attn_tui.explore.key_columns import SIDES, key_column
from attn_tui.report import report
from attn_tui.report.report import Fact, Facts, Part, Rows
from attn_tui.report.text import TextColumn

MOST = 40
"""The most rows of the table on the screen."""

READ = 16
"""The most numbers of q and of the output that a report lists as text; JSON has all."""


def vectors_table(through: Attention, answer: VectorAnswer) -> TableDrawing:
    """Return a table of the components of q, their gradients and the output, on both sides."""
    sides, name = answer.sides, weight_name(answer.of)
    gradients = [through.query_gradient(side, answer.of) for side in sides]
    outputs = [through.output(side) for side in sides]
    longest = max(array.size for array in (through.query, *outputs) if array is not None)
    rows = min(longest, MOST)

    def texts(values: NDArray[np.float64], write: Callable[[float], str]) -> list[str]:
        cells = [write(value) for value in values[:rows].tolist()]
        return cells + [""] * (rows - len(cells))

    def short(value: float) -> str:
        return fitted(value, 9)

    def average(value: float) -> str:
        return weight(value, width=9)

    columns = [
        TextColumn("i", [str(place) for place in range(rows)], "muted"),
        TextColumn("q_i", texts(through.query, short)),
    ]
    for gradient, kind in zip(gradients, ("unscaled", "scaled"), strict=True):
        columns.append(TextColumn(f"∂{name}/∂q_i {kind}", texts(gradient, scientific), kind))
    for output, kind in zip(outputs, ("unscaled", "scaled"), strict=True):
        if output is not None:
            columns.append(TextColumn(f"output {kind}", texts(output, average), kind, rank=1))
    keys = largest(answer.scaled.ranking(), 3)
    norms = [through.key_gradient_norms(side, answer.of, keys) for side in sides]
    sizes = [("q", [float(np.linalg.norm(gradient)) for gradient in gradients])]
    for key, pair in zip(keys.tolist(), zip(*norms, strict=True), strict=True):
        sizes.append((f"k{key}", [float(norm) for norm in pair]))
    notes = [
        f"‖∂{name}/∂{by}‖: {scientific(before)} unscaled, {scientific(after)} scaled"
        for by, (before, after) in sizes
    ]
    return TableDrawing(columns, notes=notes)


def vectors_tables(through: Attention, answer: VectorAnswer, keys: Rows) -> Iterator[Part]:
    """Yield the tables of a report: gradients by q and by some of the keys, and the output.

    Keys are in the order given. Without values, the output is null in JSON.
    """
    name, sides = weight_name(answer.of), answer.sides
    gradients = [through.query_gradient(side, answer.of) for side in sides]
    signed = partial(scientific, signed=True)
    lost = [scientific(float(size)) for size in lengths(np.array(gradients))]
    places = report.Column("i", texts=lambda rows: map(str, rows.tolist()), width=4)
    yield report.Table(
        [
            places,
            _numbers("q_i", lambda rows: through.query[rows]),
            *_both([row.__getitem__ for row in gradients], "attention.query_gradient", signed),
        ],
        np.arange(through.query.size),
        f"gradient of {name} with respect to the query q",
        notes=[f"‖∂{name}/∂q‖: {lost[0]} unscaled, {lost[1]} scaled"],
        most=READ,
    )
    norms = [partial(through.key_gradient_norms, side, answer.of) for side in sides]
    yield report.Table(
        [key_column(), _numbers("‖k‖", lambda rows: lengths(through.keys[rows])), *_both(norms)],
        keys,
        f"norm of the gradient of {name} with respect to each key k",
    )
    outputs = [output for side in sides if (output := through.output(side)) is not None]
    if not outputs:
        yield Facts([Fact("", [None, None], "attention.output")], SIDES, SIDES)
        return
    yield report.Table(
        [places, *_both([output.__getitem__ for output in outputs], "attention.output", weight)],
        np.arange(outputs[0].size),
        "output V·p: the values weighted by p",
        most=READ,
    )


Numbers = Callable[[Rows], NDArray[Any]]
"""A function from rows to their numbers."""


def _numbers(title: str, of: Numbers) -> report.Column:
    """Return a column that only the text has."""
    return report.Column(
        title, texts=lambda rows: [fitted(value, 11) for value in of(rows).tolist()], width=11
    )


def _both(
    sides: Iterable[Numbers], path: str = "", write: Callable[[float], str] = scientific
) -> Iterator[report.Column]:
    """Yield a column for each side; with a path, JSON has it too."""

    def texts(of: Numbers, rows: Rows) -> list[str]:
        return [write(value) for value in of(rows).tolist()]

    for kind, of in zip(SIDES, sides, strict=True):
        key = f"{kind}.{path}" if path else ""
        yield report.Column(kind, of, key, texts=partial(texts, of), width=12)
