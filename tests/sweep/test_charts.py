"""The pictures of Sweep: levels and texts of the map, its border, one place, medians."""

from dataclasses import replace
from math import exp, log, log10

import numpy as np
import pytest

from attn_tui.charts.colour import Palette
from attn_tui.compute.numbers import quantity
from attn_tui.compute.scale import NONE, Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.crossover import Crossing
from attn_tui.compute.sweep.points import Points
from attn_tui.compute.sweep.settings import Settings
from attn_tui.sweep import charts
from attn_tui.sweep.change import LogFactor
from attn_tui.sweep.names import quarters
from tests.sweep.asked import MAP, swept

COLOURS = Palette(
    dict.fromkeys(("text", "unscaled", "scaled", "larger", "smaller", "accent"), "#e6e8ee")
    | {"muted": "#7a7d86", "background": "#0e1016"}
)

RULES = (NONE, Scale())


@pytest.mark.slow
def test_levels_are_those_of_the_factors_and_colours_end_at_ten_to_the_five() -> None:
    result = swept()
    grid = charts.Grid(result)
    drawn = grid.heat_map(result)
    for (row, column), level in np.ndenumerate(drawn.levels):
        place = grid.ns[row], grid.d_ks[column]
        ratio = result.points.ratio(*place, Scale(), "gradient")
        assert ratio
        low, high = (-ratio.log_median + sign * 1.96 * ratio.log_median_error for sign in (-1, 1))
        if low > log(1.15):
            assert level > 0.0
            assert drawn.texts[row][column] not in ("?", "=")
        elif high < -log(1.15):
            assert level < 0.0
        elif low < -log(1.15) and high > log(1.15):
            assert (level, drawn.texts[row][column]) == (0.0, "?")
    assert [charts.level(LogFactor(log(10.0**ten))) for ten in (0, 5, 9, -5)] == [
        0.0,
        1.0,
        1.0,
        -1.0,
    ]
    assert charts.level(LogFactor(log(10.0))) == pytest.approx(0.2**0.6)
    assert drawn.bar
    ticks = {text: level for level, text in drawn.bar.ticks}
    assert ticks["▲10³"] == pytest.approx(0.6**0.6) == -ticks["▼10³"]


@pytest.mark.slow
def test_the_border_is_where_the_map_turns_and_the_row_of_the_cursor_knows_it_better() -> None:
    result = swept()
    grid = charts.Grid(result)
    bare = grid.border(replace(result, crossovers={}))
    assert bare
    for row, n in enumerate(grid.ns):
        ratios = [result.points.ratio(n, d_k, Scale(), "gradient") for d_k in grid.d_ks]
        logs = [ratio.log_median for ratio in ratios if ratio]
        if np.isfinite(bare.at[row]):
            # Middles of columns are half a column from their edges.
            left = int(bare.at[row] - 0.5)
            assert logs[left] >= 0.0 >= logs[left + 1]
            assert bare.low[row] <= bare.at[row] <= bare.high[row]
    better = grid.border(result)
    assert better
    met = result.crossing(Scale(), "gradient", 8)
    assert isinstance(met, Crossing)
    assert met.at is not None
    own = grid.ns.index(8)
    assert better.at[own] - 0.5 == pytest.approx(log10(met.at / 2.0) / log10(2.0))
    assert (np.delete(better.at, own) == np.delete(bare.at, own))[
        np.isfinite(np.delete(bare.at, own))
    ].all()
    # A statistic that is not a gradient has no border.
    other = replace(result, settings=replace(MAP, statistic="entropy"))
    assert charts.Grid(other).border(other) is None


@pytest.mark.slow
def test_a_place_has_the_median_and_the_middle_half_of_both_sides() -> None:
    points = [swept().points.at(8, 64, rule) for rule in RULES]
    known = [point for point in points if point]
    numbers = charts.PlaceNumbers(known, "gradient")
    lines = numbers.draw(90, 2, COLOURS).text().split("\n")
    for point, side, text in zip(known, ("unscaled", "1/√d_k"), lines, strict=True):
        summary = point.statistics["gradient"]
        median = quantity(summary.median, summary.log_median)
        assert text.startswith(f"● {side}")
        assert f" {median} " in text
        assert f"half of the draws: {quarters(summary)}" in text
        assert f"mean {quantity(summary.mean, summary.log_mean)}" in text
        assert f"● {side} {median}" in numbers.draw(80, 1, COLOURS).text()
    assert "mean" not in numbers.draw(60, 2, COLOURS).text()


@pytest.mark.slow
def test_medians_are_followed_as_powers_of_ten_with_the_middle_half() -> None:
    result = swept()
    figure = charts.medians(result)
    for curve, band, rule in zip(figure.curves, figure.bands, RULES, strict=True):
        for x, y, low, high in zip(curve.x, curve.y, band.low, band.high, strict=True):
            point = result.points.at(8, int(x), rule)
            assert point
            summary = point.statistics["gradient"]
            assert y == pytest.approx(summary.log_median / log(10.0))
            assert low == pytest.approx(summary.log_quarter / log(10.0))
            assert high == pytest.approx(summary.log_three_quarters / log(10.0))
            assert low <= y <= high
    assert figure.y.low == -5.0 < figure.curves[0].y.min() < -4.0
    assert figure.y.high >= max(curve.y.max() for curve in figure.curves)
    assert len(figure.dots) == 2
    # A curve that falls far is followed to five powers of ten below the other.
    far = swept(Settings(n=2, d_k_range=(2, 8192), points=13, draws=200))
    axis = charts.medians(far).y
    least = min(point.statistics["gradient"].median for point in far.points.under(Scale()))
    assert axis.low == np.floor(np.log10(least) - 5.0)
    over_n = charts.medians(result, over_n=True)
    assert [*over_n.curves[0].x] == [2, 4, 8, 16, 32, 64, 128]
    # The axis is that of the question even while only some points are drawn.
    some = replace(result, points=Points([point for point in result.points if point.d_k == 64]))
    axis = charts.medians(some).x
    assert (axis.low, axis.high) == result.settings.d_k_range


def test_what_equal_others_would_leave_is_a_curve_beside_each_rule() -> None:
    asked = Settings(
        statistic="lead_weight", over="n", n=64, n_range=(2, 1024), points=4, draws=40
    )  # fmt: skip
    answer = swept(asked, 64, Setup(lead=5.0))
    curves = charts.medians(answer, over_n=True).curves
    assert [curve.name for curve in curves] == ["unscaled", "1/√d_k", "of equals"]
    expected = exp(5.0) / (exp(5.0) + curves[2].x - 1.0)
    assert 10.0 ** curves[2].y == pytest.approx(expected)
