"""The vertical axis of a sweep: where its labels stand."""

import re
from itertools import pairwise

import pytest

from attn_tui.old.charts.sweep.curves import sweep_chart
from attn_tui.old.charts.sweep.signs import Look
from tests.old.charts.cases import lines
from tests.old.charts.sweep.answers import found
from tests.old.charts.sweep.test_sweep import CASES


@pytest.mark.parametrize("size", [(40, 7), (38, 8), (80, 14), (100, 22), (116, 29), (116, 33)])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", ["d_k", "n", "two keys", "ratio", "one rule"])
def test_equal_factors_are_equally_many_rows_apart(
    name: str, whole: bool, size: tuple[int, int]
) -> None:
    rows = lines(sweep_chart(found(CASES[name]), "inverse-sqrt", (8, 64), *size, Look(whole=whole)))
    ticks = [(y, re.match(r" *×?(1|1e-?\d+)┤", row)) for y, row in enumerate(rows)]
    powers = [(y, float(tick[1][2:] or 0)) for y, tick in ticks if tick]
    assert len(powers) >= 2
    assert len({(b - d) / (c - a) for (a, b), (c, d) in pairwise(powers)}) == 1
