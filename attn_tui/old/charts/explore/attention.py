"""Attention of one query as a table: its gradients over q and a key, component by component."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import Attention, lengths
from attn_tui.compute.visible import visible
from attn_tui.old.charts.axis import Floats
from attn_tui.old.charts.rows import first_text
from attn_tui.old.charts.sides import Shown, sides
from attn_tui.report.numbers import general, quantity, scientific, weight_name
from attn_tui.report.rows import Row, Span, filled, fitted, message
from attn_tui.report.sides import Side
from attn_tui.report.table import Column, laid

LEAST_TITLED, LEAST_WITH_NORMS, LEAST_WITH_OUTPUT = 5, 6, 8
"""From these heights on there is room for the titles, the norms and the output."""


def attention_chart(
    answer: VectorAnswer,
    attention: Attention,
    key: int,
    width: int,
    height: int,
    first: int = 0,
    side: Side = "scaled",
) -> tuple[Row, ...]:
    """Draw q, one key, and the gradient of a weight over the components of both.

    Args:
        answer: The weights; its ``of`` is the key whose weight is differentiated.
        attention: The query, the keys and the values they come from.
        key: The key whose components are shown; held to the vector's keys.
        width: Cells of every row returned.
        height: Number of rows returned.
        first: The first component shown, where not all fit; held to those there are.
        side: Which side to show where there is no room for both.
    """
    key = min(max(key, 0), len(attention.keys) - 1)
    n_titles = 2 if height >= LEAST_TITLED else 0
    n_norms = int(height >= LEAST_WITH_NORMS)
    n_outputs = 2 if height >= LEAST_WITH_OUTPUT and attention.values is not None else 0
    d_k, lines = attention.query.size, height - 1 - n_titles - n_norms - n_outputs
    start = min(max(first, 0), max(d_k - lines, 0))
    shown = range(start, min(start + max(lines, 0), d_k))
    gradients = [
        (
            attention.query_gradient(each.evaluation, answer.of),
            attention.key_gradient(each.evaluation, answer.of, key),
        )
        for each in sides(answer)
    ]
    table = laid(tuple(_columns(answer, attention, key, shown, gradients, side)), width)
    if table.width > width or lines < 1:
        return message("q and K: too small for a table", width, height)
    rows = [_title(answer, key, shown, d_k, width), *table.rows(width)[2 - n_titles :]]
    if n_norms and answer.reason:
        rows.append(((answer.reason, "error"),))
    elif n_norms:
        rows.append(_norms(answer, key, gradients, width))
    if n_outputs:
        rows += [_output(each, attention, first, width) for each in sides(answer)]
    return filled(rows, width, height)


def _key_name(key: int) -> str:
    return "k" + weight_name(key)[1:]


def _title(answer: VectorAnswer, key: int, shown: range, d_k: int, width: int) -> Row:
    p = weight_name(answer.of)
    some = f"components {shown[0]} to {shown[-1]} of {d_k:,}" if len(shown) < d_k else ""
    where = [f", {some}", f", c {shown[0]}–{shown[-1]} of {d_k}"] if some else ["", ""]
    texts = (
        f"{visible(answer.vector.name)}: gradient of {p} with respect to q and to key {key}"
        + where[0],
        f"gradient of {p} with respect to q and to key {key}{where[0]}",
        f"gradient of {p} w.r.t. q and key {key}{where[0]}",
        f"∂{p} over q and key {key}{where[1]}",
        f"∂{p}, key {key}{where[1]}",
        f"∂{p}, key {key}",
        f"∂{p}",
    )
    return fitted(((first_text(texts, width), "strong"),), width)


def _columns(
    answer: VectorAnswer,
    attention: Attention,
    key: int,
    shown: range,
    gradients: Sequence[tuple[Floats, Floats]],
    side: Side,
) -> Iterator[Column]:
    """Yield the components shown of q, and of a key, each beside its gradients on both sides."""
    yield Column("c", tuple((str(component), "label") for component in shown), left=True)
    p, k = weight_name(answer.of), _key_name(key)
    for which, (name, vector) in enumerate((("q", attention.query), (k, attention.keys[key]))):
        # Without room for both sides there is one; then without that of the key; then without q.
        numbers, shorter = (
            tuple((general(float(vector[component]), digits), "text") for component in shown)
            for digits in (4, 3)
        )
        column = Column("", numbers, which + 1, above=name)
        yield replace(column, shorter=replace(column, cells=shorter), at=3)
        for at, (each, found) in enumerate(zip(sides(answer), gradients, strict=True)):
            rank = 2 * which if at == (side == "scaled") else 4
            long, short = (
                tuple(_gradient(float(found[which][component]), width) for component in shown)
                for width in (None, len("+1.9e-22"))
            )
            column = Column(each.name, long, rank, role=each.role, above=f"∂{p}/∂{name}")
            yield replace(column, shorter=replace(column, cells=short), at=3)


def _gradient(value: float, width: int | None) -> Span:
    role = "error" if np.isnan(value) else "zero" if value == 0.0 else ""
    text = scientific(value, signed=True, width=width)
    return text, role or ("positive4" if value > 0.0 else "negative4")


def _norms(
    answer: VectorAnswer, key: int, gradients: Sequence[tuple[Floats, Floats]], width: int
) -> Row:
    """Return the lengths of both gradients on both sides."""
    first, second = (each.name for each in sides(answer))
    p, k = weight_name(answer.of), _key_name(key)
    of_q, of_k = (
        [quantity(float(lengths(pair[which][None])[0])) for pair in gradients] for which in (0, 1)
    )
    q_text, k_text = (
        f"‖∂{p}/∂{name}‖ = {values[0]} {first}, {values[1]} {second}"
        for name, values in (("q", of_q), (k, of_k))
    )
    texts = (f"{q_text};  {k_text}", q_text, f"‖∂{p}/∂q‖ {of_q[0]} → {of_q[1]}", "")
    return fitted(((first_text(texts, width), "label"),), width)


def _output(side: Shown, attention: Attention, first: int, width: int) -> Row:
    """Return the output from one component on, as many components as fit whole."""
    output = attention.output(side.evaluation)
    assert output is not None
    long, short = f"o = Σ p_j v_j, {side.name}: ", f"o {side.name}: "
    texts = [quantity(float(value)) for value in output[:width]]
    if len(texts) < output.size or len(short + ", ".join(texts)) > width:
        start = min(max(first, 0), output.size - 1)
        texts = [quantity(float(value)) for value in output[start : start + width]]
        if start:
            long, short = (f"{name[:-2]} from {start}: " for name in (long, short))
        texts += ["…"] * (start + len(texts) < output.size)
    name = long if len(long) <= width // 2 else short
    while len(name + ", ".join(texts)) > width and texts != ["…"]:
        texts = [*texts[: -2 if texts[-1] == "…" else -1], "…"]
    return fitted(((name + ", ".join(texts), side.role),), width)
