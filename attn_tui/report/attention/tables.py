"""What there is to say of each row of a head, as columns of a table."""

from collections.abc import Callable, Sequence

from attn_tui.compute.attention.answer import Answer
from attn_tui.compute.attention.rows import Side
from attn_tui.report.numbers import in_percent, quantity
from attn_tui.report.sides import role_of
from attn_tui.report.table import Column


def row_columns(answer: Answer, rows: Sequence[int], cursor: int | None = None) -> list[Column]:
    """Return the columns of some rows: what a query sees, and its statistics on both sides.

    Args:
        answer: The numbers.
        rows: Which rows, in their order; each is known.
        cursor: The row that has the cursor, if one has.
    """
    names = tuple((f"{row:,}", "cursor" if row == cursor else "label") for row in rows)
    seen = tuple((f"{answer.attended[row]:,}", "label") for row in rows)
    columns = [Column("query", names), Column("sees", seen, 3)]
    for above, write, rank in _STATISTICS:
        for name, side in zip(answer.names, answer.sides, strict=True):
            texts = tuple((write(side, row), role_of(name)) for row in rows)
            columns.append(Column(name, texts, rank, role=role_of(name), above=above))
    return columns


_STATISTICS: tuple[tuple[str, Callable[[Side, int], str], int], ...] = (
    ("largest", lambda side, row: in_percent(float(side.largest[row])), 0),
    ("on key", lambda side, row: f"{side.key[row]:,}" if side.largest[row] > 0.0 else "–", 2),
    ("effective keys", lambda side, row: quantity(float(side.effective_keys[row])), 1),
    (
        "‖∂p/∂s‖",
        lambda side, row: quantity(float(side.gradient[row]), float(side.log_gradient[row])),
        4,
    ),
    ("entropy", lambda side, row: quantity(float(side.entropy[row])), 5),
)
"""What stands above each pair of columns, what writes it, and when it is left out."""


def output_columns(answer: Answer, rows: Sequence[int], cursor: int | None = None) -> list[Column]:
    """Return the columns of the output of some rows: its gradient, and its components."""
    names = tuple((f"{row:,}", "cursor" if row == cursor else "label") for row in rows)
    columns = [Column("query", names)]
    if gradients := answer.query_gradients(rows):
        for name, sizes in zip(answer.names, gradients, strict=True):
            role = role_of(name)
            numbers = tuple((quantity(size), role) for size in sizes.tolist())
            columns.append(Column(name, numbers, 2, role=role, above="‖∂o/∂q‖"))
    outputs = answer.outputs(rows)
    for component in range(min(outputs[0].shape[1], _MOST)):
        for name, output in zip(answer.names, outputs, strict=True):
            role = role_of(name)
            numbers = tuple((quantity(value), role) for value in output[:, component].tolist())
            columns.append(Column(name, numbers, component, role=role, above=f"o_{component}"))
    return columns


_MOST = 32
"""Components of an output that a table has at most."""
