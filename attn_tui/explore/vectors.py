"""What there is to show of q, K and V: gradients through them, and the output."""

import numpy as np

from attn_tui.charts.table import Column, Table
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import Attention
from attn_tui.compute.keys import largest
from attn_tui.report.numbers import fitted, scientific, weight_name

MOST = 40
"""Rows of the table."""


def vectors_table(through: Attention, answer: VectorAnswer) -> Table:
    """Return a row a component of q, with the gradient by it and the output on both sides."""
    sides = answer.sides
    query = through.query[:MOST]
    gradients = [through.query_gradient(side, answer.of)[:MOST] for side in sides]
    name = weight_name(answer.of)
    columns = [
        Column("i", [str(place) for place in range(query.size)], "muted"),
        Column("q_i", [fitted(float(value), 9) for value in query]),
        *(
            Column(f"∂{name}/∂q_i", [scientific(float(value)) for value in gradient], kind)
            for gradient, kind in zip(gradients, ("unscaled", "scaled"), strict=True)
        ),
    ]
    outputs = [through.output(side) for side in sides]
    for output, kind in zip(outputs, ("unscaled", "scaled"), strict=True):
        if output is not None:
            texts = [fitted(float(value), 9) for value in output[:MOST]]
            texts += [""] * (query.size - len(texts))
            columns.append(Column("output", texts[: max(query.size, 1)], kind, rank=1))
    keys = largest(answer.scaled.ranking(), 3)
    norms = [through.key_gradient_norms(side, answer.of, keys) for side in sides]
    by_query = [float(np.linalg.norm(gradient)) for gradient in gradients]
    notes = [f"‖∂{name}/∂q‖: {scientific(by_query[0])} unscaled, {scientific(by_query[1])} scaled"]
    for key, before, after in zip(keys.tolist(), *norms, strict=True):
        sizes = scientific(float(before)), scientific(float(after))
        notes.append(f"‖∂{name}/∂k{key}‖: {sizes[0]} unscaled, {sizes[1]} scaled")
    return Table(columns, notes=notes)
