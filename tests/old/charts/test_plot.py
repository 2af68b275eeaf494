import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import plotext
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from attn_tui.charts.glyphs import SCALED, SHADES, UNSCALED, in_ascii
from attn_tui.old.charts.axis import Axis, Tick, even_step, round_up, rows_for
from attn_tui.old.charts.curves import drawn
from attn_tui.old.charts.plot import Figure, Mark, frame
from attn_tui.old.charts.series import Band, Interval, Series
from attn_tui.report.rows import Row, plain
from tests.old.charts.cases import check_block, lines, text_of

Rows = tuple[Row, ...]

X = Axis("x", 0, 10, ticks=(Tick(0, "0"), Tick(10, "10")))
Y = Axis("y", 0, 1, ticks=(Tick(1, "1"), Tick(0, "0")))
LOG = Axis("y", 1e-3, 1, log=True, ticks=(Tick(1, "1"), Tick(1e-3, "1e-3")))


def curve(y: ArrayLike, kind: Any = "line", **more: Any) -> Series:
    values = np.asarray(y, dtype=np.float64)
    return Series("", np.linspace(0, 10, values.size), values, "scaled", kind, **more)


def plot(series: Sequence[Series], x: Axis, y: Axis, width: int, height: int, **more: Any) -> Rows:
    return Figure([y.label], series, x, y, **more).rows(width, height)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the points that reach plotext."""
    drawn.cache_clear()
    counts: list[int] = []

    def counting(draw: Callable[..., None]) -> Callable[..., None]:
        def wrapper(x: list[float], y: list[float], **how: Any) -> None:
            counts.append(len(x))
            assert np.all(np.isfinite([x, y]))
            draw(x, y, **how)

        return wrapper

    monkeypatch.setattr(plotext, "plot", counting(plotext.plot))
    monkeypatch.setattr(plotext, "scatter", counting(plotext.scatter))
    return counts


numbers = st.one_of(st.floats(), st.floats(0, 1), st.sampled_from([0.0, -0.0, 1.0, 5e-324]))


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 60),
    st.integers(0, 14),
    st.lists(numbers, max_size=40),
    st.sampled_from(["line", "points", "bars", "caps"]),
    st.sampled_from([Y, LOG]),
)
def test_every_size_and_every_number_gives_a_block_of_that_size(
    width: int, height: int, values: list[float], kind: str, y: Axis
) -> None:
    series = curve(values, kind, glyph="#" if kind in ("bars", "caps") else "", tag="k0")
    note: Row = (("note", "label"),)
    rows = plot(
        [series], X, y, width, height, marks=[Mark(5, 0.5, "mark", "muted")], rules=[3], note=note
    )
    check_block(rows, width, height)


def test_a_chart_does_not_depend_on_the_chart_before() -> None:
    series = [curve([0, 0.5, 1])]
    first = plot(series, X, Y, 40, 10)
    plot([curve([1, 0], "points", glyph="o")], X, LOG, 70, 20, rules=[2])
    plotext.title("left over")
    plotext.scatter([1, 2], [3, 4])
    plotext.xlabel("left over")
    plotext.subplots(2, 2)
    plotext.subplot(1, 2)
    drawn.cache_clear()
    assert plot(series, X, Y, 40, 10) == first


def test_an_error_of_plotext_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing() -> str:
        plotext.subplots(2, 2)
        raise ValueError("on purpose")

    first = plot([curve([0, 0.5, 1])], X, Y, 40, 10)
    monkeypatch.setattr(plotext, "build", failing)
    with pytest.raises(ValueError, match="on purpose"):
        plot([curve([0, 0.25, 1])], X, Y, 40, 10)
    monkeypatch.undo()
    assert plotext.active() is plotext.main()
    drawn.cache_clear()
    assert plot([curve([0, 0.5, 1])], X, Y, 40, 10) == first


def test_equal_curves_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counted(monkeypatch)
    first = plot([curve([0, 0.5, 0.5])], X, Y, 40, 10, rules=[0.5])
    again = plot([curve([0, 0.5, 0.5])], X, Y, 40, 10, rules=[1.0])
    assert len(counts) == 1
    assert first != again


def test_a_chart_may_be_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = plot([curve([0, 1])], X, Y, 150, 40)
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("LINES", "5")
    drawn.cache_clear()
    assert plot([curve([0, 1])], X, Y, 150, 40) == wide
    assert lines(wide)[1][-1] != " "


@pytest.mark.parametrize("count", [1000, 100_000])
def test_long_series_are_thinned_before_plotext(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    counts = counted(monkeypatch)
    values = np.random.default_rng(0).random(count)
    plot([curve(values), curve(values, "points")], X, Y, 80, 12)
    columns = frame(Y, 80, 12).columns
    assert len(counts) == 2
    assert max(counts) <= 2 * columns


def test_thinning_keeps_the_extremes(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.full(100_000, 0.5)
    values[12_345], values[67_890] = 1.0, 0.0
    rows = lines(plot([curve(values)], X, Y, 80, 12))
    assert rows[1][2 + 9] != " "
    assert rows[9][2 + 52] != " "


def test_thinning_keeps_gaps_and_many_gaps_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counted(monkeypatch)
    values = np.full(100_000, 0.5)
    values[40_000:60_000] = np.nan
    values[::2] = np.nan
    rows = lines(plot([curve(values)], X, Y, 80, 12))
    assert sum(counts) <= 2 * 78
    assert "⠒" not in rows[5][38:42]
    assert len(counts) == 2


def test_what_cannot_be_drawn_is_marked_where_it_is_and_counted() -> None:
    values = [0.5, np.nan, np.inf, -np.inf, 2, -1, 0.5]
    rows = plot([curve(values, "points")], X, Y, 72, 12)
    shown = lines(rows)
    assert text_of(rows, "error").replace(" ", "") == "▲▲×▼▼×1NaN▲2above1▼2below0"
    columns = frame(Y, 72, 12, True).columns
    assert shown[1].index("▲") == 2 + columns * 2 // 6
    assert shown[-4].index("×") == 2 + columns * 1 // 6


def test_on_a_logarithmic_axis_zero_is_below_and_a_negative_number_is_none() -> None:
    rows = plot([curve([0.1, 0, -1, 1])], X, LOG, 60, 10)
    assert text_of(rows, "error").split() == ["▼××", "1", "NaN", "▼", "1", "below", "1e-3"]


def test_a_line_does_not_bridge_what_is_missing() -> None:
    whole = plain(plot([curve([0.5] * 5)], X, Y, 50, 8))
    broken = plain(plot([curve([0.5, 0.5, np.nan, 0.5, 0.5])], X, Y, 50, 8))
    drawn = [sum("⠀" < character <= "⣿" for character in text) for text in (whole, broken)]
    assert drawn[0] == 48
    assert 20 <= drawn[1] <= 26


def test_the_axis_does_not_follow_the_data() -> None:
    small = [Series("", np.array([2.0]), np.array([y]), "scaled", "bars", "█") for y in (0.1249,)]
    other = [Series("", np.array([2.0]), np.array([y]), "scaled", "bars", "█") for y in (0.1251,)]
    assert plot(small, X, Y, 40, 12) == plot(other, X, Y, 40, 12)


@pytest.mark.parametrize(("value", "filled"), [(0, 0), (0.001, 0), (0.25, 2), (0.5, 4), (1, 8)])
def test_the_height_of_a_bar_is_its_value(value: float, filled: int) -> None:
    bar = Series("", np.array([2.0]), np.array([value]), "scaled", "bars", "█", span=0.1)
    assert text_of(plot([bar], X, Y, 40, 11), "scaled") == "█" * filled


@pytest.mark.parametrize("height", [0.125, 0.25, 0.4, 0.5, 0.875, 1.0])
def test_bars_that_end_where_a_curve_is_are_whole(height: float) -> None:
    at = np.arange(20.0)
    bars = Series("", at, np.full(20, height), "scaled", "bars", SCALED)
    curve = Series("", at, np.full(20, height), "rule2")
    axes = Axis("", 0, 20), Axis("", 0, 1)
    alone = text_of(plot([bars], *axes, 21, 5), "scaled")
    assert text_of(plot([bars, curve], *axes, 21, 5), "scaled") == alone


@pytest.mark.parametrize(("kind", "role"), [("line", "rule2"), ("points", "label")])
def test_a_curve_is_seen_beyond_and_deep_inside_bars(
    kind: Literal["line", "points"], role: str
) -> None:
    at = np.arange(20.0)
    bars = Series("", at, np.where(at < 10, 1.0, 0.1), "unscaled", "bars", UNSCALED)
    middle = Series("", at, np.full(20, 0.5), role, kind, SHADES[0] * (kind == "points"))
    rows = plot([bars, middle], Axis("", 0, 20), Axis("", 0, 1), 21, 7)
    assert len(text_of(rows, role).strip()) >= 19


def test_points_on_both_ends_of_the_axes_are_drawn_in_the_corners() -> None:
    rows = lines(plot([curve([0, 1], "points", glyph="o")], X, Y, 40, 10))
    assert rows[1][-1] == "o"
    assert rows[7][2] == "o"


def test_series_keep_their_roles_and_tags() -> None:
    one = Series("", np.array([0.0, 10]), np.array([0.1, 0.1]), "rule1", tag="k1")
    two = Series("", np.array([0.0, 10]), np.array([0.9, 0.9]), "rule2", tag="k2")
    rows = plot([one, two], X, Y, 60, 12)
    assert "k1" in text_of(rows[8:10], "rule1")
    assert "k2" in text_of(rows[1:3], "rule2")
    assert text_of(rows[1:4], "rule1") == ""


def test_tags_of_equal_lines_stand_beside_each_other() -> None:
    same = [curve([0.5, 0.5], tag=f"k{index}") for index in range(4)]
    row = next(line for line in lines(plot(same, X, Y, 60, 12)) if "k0" in line)
    assert all(f"k{index}" in row for index in range(4))


def test_a_rule_stands_over_its_tick() -> None:
    x = Axis("d_k", 1, 65536, log=True, ticks=(Tick(1024, "1024", "cursor"), Tick(1000, "1000")))
    rows = plot([], x, Y, 60, 12, rules=[1024])
    shown = lines(rows)
    column = shown[2].index("┊")
    assert all(row[column] == "┊" for row in shown[1:10])
    assert shown[10][column] == "┬"
    assert "1024" in shown[11][column - 3 : column + 4]
    assert "1000" not in shown[11]
    assert "1024" in text_of(rows, "cursor")


def test_without_block_glyphs_only_ascii_is_drawn() -> None:
    series = [curve([0, 1, np.nan, 2]), curve([0.3, 0.8], "bars", glyph=":")]
    rows = plain(plot(series, X, Y, 60, 12, rules=[5]))
    assert in_ascii(rows).replace("×", "").isascii()


def test_an_axis_must_have_finite_rising_ends_and_a_logarithmic_one_ends_above_zero() -> None:
    for minimum, maximum, log in ((1, 1, False), (0, float("inf"), False), (0, 1, True)):
        with pytest.raises(ValueError, match="axis"):
            Axis("y", minimum, maximum, log)


@given(st.floats(5e-324, 1e300))
def test_an_axis_ends_at_a_round_number_not_far_above_the_data(value: float) -> None:
    end = round_up(value)
    assert value * (1 - 1e-9) <= end
    assert end <= 1.34 * value or value < 1e-300
    assert value < 1e-300 or len(f"{end / 2:.12g}".split("e")[0].replace(".", "").strip("0")) <= 3


def test_what_is_cut_off_is_neither_marked_nor_counted() -> None:
    (rows, cut) = (
        plain(plot([curve([0, 2, 0.5], cut=each)], X, Y, 60, 10)) for each in (False, True)
    )
    assert "▲ 1 above 1" in rows
    assert not {"▲", "×"} & set(cut)
    assert "above" not in cut


def test_a_band_is_shaded_behind_what_is_drawn_and_an_interval_stands_on_the_axis() -> None:
    x = np.linspace(0.0, 10.0, 50)
    band = Band(x, np.full(50, 0.25), np.full(50, 0.75), "unscaled")
    interval = Interval(4.0, 5.0, 7.0, ["much too long " * 9, "here"])
    figure = Figure(("t",), [curve([0.5, 0.5])], X, Y, bands=[band], intervals=[interval])
    rows = [plain([row]) for row in figure.rows(60, 24)]
    shaded = [y for y, row in enumerate(rows) if "░" in row]
    whole = shaded[-1] - shaded[0] + 1
    assert whole == pytest.approx(20 / 2, abs=1)
    assert len(shaded) == whole - 1, "the curve stands before the band"
    last = next(row for row in rows if "├" in row)
    assert rows[rows.index(last) + 1].lstrip().startswith("└")
    assert re.search("├─+◆─+┤ here", last)


@given(st.integers(0, 40), st.integers(0, 400), st.integers(2, 60), st.integers(1, 8))
def test_equal_steps_stand_equally_far_apart_and_hold_all(
    above: int, below: int, lines: int, most: int
) -> None:
    assume(above + below > 0)
    step, rows = even_step(above, below, lines, most)
    assert rows >= 1
    assert above + below <= most * step
    if lines > 2 or not above * below:
        assert rows_for(above, step, rows) + rows_for(below, step, rows) <= lines - 1
    if not above and lines > 8:
        # No more than two rows of five are left over.
        assert 3 * (lines - 1) * step <= 5 * below * rows
