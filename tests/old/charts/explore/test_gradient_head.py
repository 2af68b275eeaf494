"""The gradient above the Jacobian."""

import pytest

from attn_tui.compute.explore.answer import answer_vector
from attn_tui.files.draft import Draft, parse
from attn_tui.old.charts.explore.gradient_head import gradient_head
from attn_tui.report.rows import length


@pytest.mark.parametrize("width", range(1, 60))
def test_there_is_a_head_at_every_width(width: int) -> None:
    rows = gradient_head(answer_vector(parse(Draft("1, 2, 3, 4, 5")), 0), 4, width)
    assert len(rows) == 3
    assert all(length(row) <= width for row in rows)
