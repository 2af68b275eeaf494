"""The gradient of the chosen weight, key by key from left to right, above its Jacobian."""

import numpy as np

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.keys import largest
from attn_tui.compute.logit_map import SYMBOL
from attn_tui.old.report.explore.tables import gradient_columns
from attn_tui.report.numbers import weight_name
from attn_tui.report.rows import Row
from attn_tui.report.sides import role_of
from attn_tui.report.table import Column, Table

NUMBER = 9


def gradient_head(answer: VectorAnswer, key: int, width: int) -> tuple[Row, ...]:
    """Return the gradient of both sides at the keys there is room for.

    Args:
        answer: The numbers.
        key: One that is shown besides the chosen weight's own; then come the largest.
        width: Cells of each row.
    """
    title = f" ∂{weight_name(answer.of)}/∂{SYMBOL[answer.wrt]} at key"
    names = Column(title, tuple((f" {name}", role_of(name)) for name in answer.names), left=True)
    most = max((width - len(title)) // (NUMBER + 1), 1)
    first = [each for each in (answer.of, key) if each < answer.vector.n_keys]
    keys = list(dict.fromkeys([*first, *largest(answer.vector.scores, most).tolist()]))[:most]
    shown = np.array(sorted(keys), dtype=np.intp)
    sides = [each.cells for each in gradient_columns(answer, shown, NUMBER)]
    columns = [
        Column(str(each), pair, width=NUMBER)
        for each, pair in zip(shown.tolist(), zip(*sides, strict=True), strict=True)
    ]
    return Table((names, *columns)).rows(width)
