"""The vertical axis of a sweep: where its labels stand, and what it reaches down to."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from attn_tui.charts.sweep.curves import sweep_chart
from attn_tui.charts.sweep.signs import Look
from tests.charts.cases import lines
from tests.charts.sweep.test_sweep import CASES, SMALL, found


@pytest.mark.parametrize("size", [(40, 7), (38, 8), (80, 14), (100, 22), (116, 29), (116, 33)])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", ["d_k", "n", "two keys", "ratio", "one rule"])
def test_equal_factors_are_equally_many_rows_apart(
    name: str, whole: bool, size: tuple[int, int]
) -> None:
    rows = lines(sweep_chart(found(CASES[name]), 64, *size, Look(whole=whole)))
    ticks = [(y, re.match(r" *×?(1|1e-?\d+)┤", row)) for y, row in enumerate(rows)]
    powers = [(y, float(tick[1][2:] or 0)) for y, tick in ticks if tick]
    assert len(powers) >= 2
    assert len({(b - d) / (c - a) for (a, b), (c, d) in pairwise(powers)}) == 1


@pytest.mark.parametrize("size", [(76, 8), (80, 14), (100, 22), (116, 33)])
def test_a_mean_stands_in_the_row_that_is_nearest_to_it(size: tuple[int, int]) -> None:
    each = found(replace(SMALL, rules=("inverse-sqrt",), crossovers=False))
    rows = lines(sweep_chart(each, 64, *size, Look(bands=False)))
    ticked = [(y, row[: row.index("┤")].strip()) for y, row in enumerate(rows) if "┤" in row]
    (top, one), *_, (bottom, least) = [(y, text) for y, text in ticked if text]
    assert one == "1"
    by_decade = (bottom - top) / -float(least[2:])
    means = [point.statistics["gradient"].mean for point in each.points]
    expected = [top - by_decade * np.log10(mean) for mean in means]
    drawn = [y for y, row in enumerate(rows) if y >= top and "┤" not in row[6:]]
    letters = [
        y for y in drawn for character in rows[y].partition("d_k")[0][5:] if character == "A"
    ]
    assert len(letters) >= len(means) / 2
    assert all(min(abs(y - row) for row in expected) <= 0.51 for y in letters)


def test_lower_ends_of_bands_do_not_stretch_the_axis() -> None:
    each = found(replace(SMALL, over="n", n_range=(2, 300), statistic="trace"))
    assert any(p.statistics["trace"].log_low < np.log(1e-6) for p in each.points)
    medians = [p.statistics["trace"].log_median for p in each.points]
    least = np.floor(min(medians) / np.log(10.0))
    rows = lines(sweep_chart(each, 64, 100, 33))
    labels = [row[: row.index("┤")].strip() for row in rows if "┤" in row]
    assert min(float(text[2:]) for text in labels if text[:2] == "1e") >= least - 1
    (said,) = (row for row in rows if "below" in row)
    assert "lower ends" in said
    assert "medians" not in said
