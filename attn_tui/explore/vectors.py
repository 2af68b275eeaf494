"""What there is to show of q, K and V: gradients through them, and the output."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.table import Column, Table
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import Attention
from attn_tui.compute.keys import largest
from attn_tui.report.numbers import fitted, scientific, weight_name

MOST = 40
"""Rows of the table."""


def vectors_table(through: Attention, answer: VectorAnswer) -> Table:
    """Return a row a component of q, with the gradient by it and the output on both sides."""
    sides, name = answer.sides, weight_name(answer.of)
    gradients = [through.query_gradient(side, answer.of) for side in sides]
    outputs = [through.output(side) for side in sides]
    longest = max(array.size for array in (through.query, *outputs) if array is not None)
    rows = min(longest, MOST)

    def texts(values: NDArray[np.float64], write: Callable[[float], str]) -> list[str]:
        shown = [write(value) for value in values[:rows].tolist()]
        return shown + [""] * (rows - len(shown))

    def short(value: float) -> str:
        return fitted(value, 9)

    columns = [
        Column("i", [str(place) for place in range(rows)], "muted"),
        Column("q_i", texts(through.query, short)),
    ]
    for gradient, kind in zip(gradients, ("unscaled", "scaled"), strict=True):
        columns.append(Column(f"∂{name}/∂q_i {kind}", texts(gradient, scientific), kind))
    for output, kind in zip(outputs, ("unscaled", "scaled"), strict=True):
        if output is not None:
            columns.append(Column(f"output {kind}", texts(output, short), kind, rank=1))
    keys = largest(answer.scaled.ranking(), 3)
    norms = [through.key_gradient_norms(side, answer.of, keys) for side in sides]
    sizes = [("q", [float(np.linalg.norm(gradient)) for gradient in gradients])]
    for key, pair in zip(keys.tolist(), zip(*norms, strict=True), strict=True):
        sizes.append((f"k{key}", [float(norm) for norm in pair]))
    notes = [
        f"‖∂{name}/∂{by}‖: {scientific(before)} unscaled, {scientific(after)} scaled"
        for by, (before, after) in sizes
    ]
    return Table(columns, notes=notes)
