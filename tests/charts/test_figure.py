"""Curves between axes: everything is drawn where it belongs, at every size."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.charts import figure
from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Depth, Palette
from attn_tui.charts.figure import BLANK, Axis, Band, Curve, Figure, d_k_axis
from attn_tui.charts.glyphs import LINES, in_ascii

COLOURS = Palette(
    {
        "unscaled": "#e29d04", "scaled": "#4795ed", "text": "#e6e8ee", "muted": "#7a7d86",
        "background": "#0e1016",
    }
)  # fmt: skip

UNIT = Axis(0.0, 1.0)

D_K = d_k_axis()

SHARES = Axis(0.0, 1.0, ((0.0, "0 %"), (1.0, "100 %"), (0.5, "50 %")))


def drawn(
    y: Sequence[float], x: Axis = UNIT, up: Axis = UNIT, columns: int = 41, lines: int = 11
) -> Cells:
    """Return one curve through points that are evenly spaced on the axis."""
    places = np.linspace(0.0, 1.0, len(y))
    values = (
        x.low * (x.high / x.low) ** places if x.logarithmic else x.low + places * (x.high - x.low)
    )
    return Figure([Curve(values, np.array(y), "scaled")], x, up).draw(columns, lines, COLOURS)


def dots(cells: Cells) -> np.ndarray:
    """Return which braille dots are set, shape (4 lines, 2 columns)."""
    codes = np.array([[ord(character) for character in row] for row in cells.characters])
    codes = np.where((codes >= BLANK) & (codes < BLANK + 256), codes - BLANK, 0)
    is_set = np.zeros((4 * cells.lines, 2 * cells.columns), dtype=bool)
    for bit, (row, column) in enumerate(
        [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]
    ):
        is_set[row::4, column::2] = codes >> bit & 1
    return is_set


def heights(cells: Cells) -> dict[int, float]:
    """Return the average height of each column of dots, from the bottom."""
    is_set = dots(cells)
    rows = np.arange(is_set.shape[0], 0, -1)
    return {
        column: float(rows[is_set[:, column]].mean())
        for column in np.flatnonzero(is_set.any(axis=0)).tolist()
    }


def test_a_line_that_rises_is_seen_to_rise_from_corner_to_corner() -> None:
    cells = drawn([0.0, 0.25, 0.5, 0.75, 1.0])
    up = heights(cells)
    # One column for the blank after no tick; then every column has the line.
    assert sorted(up) == list(range(2, 2 * 41))
    values = np.array([up[column] for column in sorted(up)])
    assert (np.diff(values) >= 0.0).all()
    expected = np.linspace(values[0], values[-1], values.size)
    assert np.abs(values - expected).max() <= 1.5
    assert dots(cells)[-5, 2:6].any()
    assert dots(cells)[0, -3:].any()


def test_equal_factors_are_equally_far_on_a_logarithmic_axis() -> None:
    chart = Figure([], D_K, UNIT)
    columns = [chart.column(2.0**power, 129 + 1) for power in range(0, 17, 2)]
    assert columns == [1 + 16 * place for place in range(9)]
    cells = drawn([1.0, 4.0, 16.0], up=Axis(1.0, 16.0, logarithmic=True), lines=21)
    up = heights(cells)
    middle = up[2 + 40]
    assert middle == pytest.approx((up[2] + up[max(up)]) / 2.0, abs=1.5)


@pytest.mark.parametrize("hole", [nan, inf, -inf])
def test_where_there_is_no_number_there_is_no_line(hole: float) -> None:
    values = [0.2] * 10 + [hole] * 6 + [0.8] * 10
    cells = drawn(values, columns=53)
    up = heights(cells)
    # Two halves at two heights, and nothing that joins them.
    assert {round(height) for height in up.values()} <= {*range(10, 16), *range(34, 40)}
    gap = set(range(2, 106)) - set(up)
    assert len(gap) > 20
    assert gap == set(range(min(gap), max(gap) + 1))


def test_a_value_outside_the_axis_is_cut_off_where_the_line_leaves() -> None:
    cells = drawn([0.5, 0.5, 0.5, 10.5, 10.5, 10.5, 0.5, 0.5, 0.5], columns=82)
    up = heights(cells)
    gap = set(range(2, 164)) - set(up)
    # The line reaches the top within a twentieth of a step, and is not drawn along the edge.
    assert len(gap) > 50
    assert not dots(cells)[:2, min(gap) + 2 : max(gap) - 2].any()
    low = drawn([0.5, -9.5, -9.5, 0.5], columns=82)
    assert not dots(low)[-5:, 60:100].any()


def test_infinities_never_reach_plotext(monkeypatch: pytest.MonkeyPatch) -> None:
    plotted: list[float] = []
    plot = figure._plotted

    def watched(width: int, height: int, x: Sequence[float], y: Sequence[float]) -> list[str]:
        plotted.extend([*x, *y])
        return plot(width, height, x, y)

    monkeypatch.setattr(figure, "_plotted", watched)
    figure._braille.cache_clear()
    drawn([0.1, inf, 0.2, -inf, nan, 0.3, 1e308, 0.4, -1e308, 0.5])
    x = np.array([-0.0005, 0.5, 1.0005])
    Figure([Curve(x, x, "scaled")], UNIT, UNIT).draw(41, 9, COLOURS)
    drawn([0.0, 1.0, 10.0], up=Axis(1.0, 10.0, logarithmic=True))
    assert plotted
    assert np.isfinite(plotted).all()
    assert min(plotted) >= 0.0
    assert max(plotted) <= 1.0


def test_a_mark_that_moves_leaves_nothing_behind() -> None:
    x = np.array([0.0, 1.0])
    curve = Curve(x, x, "scaled", "end", filled=True)

    def marked(place: float) -> Cells:
        figure = Figure([curve], UNIT, UNIT, (place, f"{place}"), [(place, "scaled")])
        return figure.draw(41, 9, COLOURS)

    before = marked(0.25)
    marked(0.75)
    assert before.differences(marked(0.25)) == []
    assert before.differences(marked(0.75)) != []


def test_the_mark_stands_where_its_value_is_with_a_dot_on_each_curve() -> None:
    chart = Figure([], D_K, SHARES, mark=(256.0, "256"), dots=[(1.0, "unscaled"), (0.5, "scaled")])
    cells = chart.draw(49, 12, COLOURS)
    lines = cells.text().split("\n")
    column = chart.column(256.0, 49)
    gutter, _ = chart.edges(49)
    assert column == gutter + (49 - gutter) // 2
    assert [lines[line][column] for line in (0, 5, 10)] == ["●", "●", "│"]
    assert cells.colours[0, column] == COLOURS["unscaled"]
    assert cells.colours[5, column] == COLOURS["scaled"]
    assert lines[0].startswith("100 %")
    assert lines[5].startswith(" 50 %")
    assert lines[11].split() == ["1", "256", "65,536"]


NUMBERS = st.one_of(
    st.floats(-2, 3), st.sampled_from([nan, inf, -inf, 0.0, 1.0, 1e308, -1e308, 1e-320])
)
CURVES = st.lists(
    st.builds(
        lambda values, kind, name, filled: Curve(
            np.geomspace(1.0, 65_536.0, len(values)), np.array(values), kind, name, filled
        ),
        st.lists(NUMBERS, min_size=1, max_size=12),
        st.sampled_from(["unscaled", "scaled"]),
        st.sampled_from(["", "key 3", "key 12,345"]),
        st.booleans(),
    ),
    max_size=4,
)


CROWDED = Axis(1.0, 8192.0, tuple((2.0**p, f"{2**p:,}") for p in (0, 13, 3, 6, 9)), True)
"""An axis with ticks closer to each other than most blocks have room for."""


@pytest.mark.slow
@settings(max_examples=100, derandomize=True)
@given(
    CURVES,
    st.sampled_from([D_K, CROWDED]),
    st.sampled_from([SHARES, Axis(1e-3, 1e3, ((1.0, "1"), (1e3, "1,000")), logarithmic=True)]),
    st.sampled_from([None, (1.0, "1"), (64.0, "64"), (65_536.0, "65,536"), (1e9, "1,000,000,000")]),
    st.lists(st.tuples(NUMBERS, st.sampled_from(["unscaled", "scaled"])), max_size=3),
    st.integers(8, 200),
    st.integers(2, 60),
)
def test_every_size_is_drawn_and_no_number_is_cut(
    curves: Sequence[Curve],
    x: Axis,
    y: Axis,
    mark: tuple[float, str] | None,
    dots: Sequence[tuple[float, str]],
    columns: int,
    lines: int,
) -> None:
    chart = Figure(curves, x, y, mark, dots)
    cells = chart.draw(columns, lines, COLOURS)
    assert cells.characters.shape == (lines, columns)
    rows = cells.text().split("\n")
    numbers = {text for _, text in (*x.ticks, *([mark] if mark else []))}
    assert set(rows[-1].split()) <= numbers
    beside = {text for _, text in y.ticks}
    gutter = max(chart.edges(columns)[0] - 1, 0)
    # All ticks are as given, on lines of their own.
    written = [row[:gutter].strip() for row in rows[:-1]]
    assert {text for text in written if text} <= beside
    assert len([text for text in written if text]) == len({text for text in written if text})
    for row in rows[:-1]:
        end = row.rstrip().rpartition("key ")
        assert not end[1] or end[2] in ("3", "12,345")


@settings(max_examples=60, derandomize=True)
@given(st.integers(1, 40), st.integers(2, 12), st.sampled_from(["", "key 3", "key 12,345"]))
def test_curves_are_drawn_at_any_size_before_their_ticks_and_names(
    columns: int, lines: int, name: str
) -> None:
    places = np.geomspace(1.0, 65_536.0, 9)
    curve = Curve(places, np.linspace(0.0, 1.0, 9), "scaled", name)
    cells = Figure([curve], D_K, SHARES, (64.0, "64"), [(0.4, "scaled")]).draw(
        columns, lines, COLOURS
    )
    assert "●" in cells.text()
    assert dots(cells).any() or columns == 1
    assert not columns - len(name) - len("100 %  ") >= 8 or name in cells.text()


def flat(value: float, lines: int) -> Figure:
    """Return a curve that is flat, with a mark and a tick at its value."""
    places, level = np.linspace(0.0, 1.0, 9), np.full(9, value)
    curve = Curve(places, level, "scaled", filled=True)
    ticks = Axis(0.0, 1.0, ((value, "here"),))
    return Figure([curve], UNIT, ticks, (0.5, "now"), [(value, "scaled")])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 1.0), st.integers(4, 30))
def test_marks_and_ticks_lie_on_the_curve_of_their_value_and_the_fill_below_it(
    value: float, lines: int
) -> None:
    chart = flat(value, lines)
    cells = chart.draw(40, lines, COLOURS)
    bare = replace(chart, mark=None, dots=()).draw(40, lines, COLOURS)
    curve = {line for line in range(lines) if dots(bare)[4 * line : 4 * line + 4].any()}
    mark = np.argwhere(cells.characters == "●").tolist()
    assert [line in curve for line, _ in mark] == [True]
    assert bare.text().split("\n")[mark[0][0]].startswith("here")
    filled = {line for line in range(lines) if (bare.backgrounds[line] != "").any()}
    highest = int(np.flatnonzero(dots(bare).any(axis=1))[0])
    assert all(4 * line >= highest for line in filled)
    assert filled >= {*range(max(curve) + 1, lines - 1)}


@pytest.mark.parametrize("row", range(4, 20))
def test_a_fill_reaches_up_to_its_curve_wherever_in_a_cell_that_is(row: int) -> None:
    lines, last = 7, 4 * 6 - 1
    cells = replace(flat(1.0 - row / last, lines), mark=None, dots=()).draw(40, lines, COLOURS)
    lowest = int(np.flatnonzero(dots(cells).any(axis=1))[-1])
    top = min(line for line in range(lines) if (cells.backgrounds[line] != "").any())
    assert 4 * top - (lowest + 1) <= 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.integers(8, 90), st.integers(4, 30), st.floats(-9.0, 9.0))
def test_a_mark_lies_on_a_dot_of_a_curve_however_steep(
    place: int, columns: int, lines: int, slope: float
) -> None:
    x = np.linspace(0.0, 1.0, 41)
    y = 1.0 / (1.0 + np.exp(slope * (x - 0.5) * 4.0))
    here = (float(x[place]), "")
    chart = Figure([Curve(x, y, "scaled")], UNIT, UNIT, here, [(float(y[place]), "scaled")])
    cells = chart.draw(columns + 2, lines, COLOURS)
    bare = replace(chart, mark=None, dots=()).draw(columns + 2, lines, COLOURS)
    ((line, column),) = np.argwhere(cells.characters == "●").tolist()
    assert BLANK < ord(bare.characters[line, column]) < BLANK + 256
    # The line of the mark runs behind the curve: nothing else of it is lost.
    hidden = cells.characters != bare.characters
    hidden &= [[BLANK < ord(sign) < BLANK + 256 for sign in signs] for signs in bare.characters]
    assert np.argwhere(hidden).tolist() == [[line, column]]


# Without colours

PLAIN = Palette(COLOURS, Depth.TEXTURES)


def test_without_colours_each_side_is_drawn_with_a_mark_of_its_own_and_a_legend_names_it() -> None:
    places = np.linspace(0.0, 1.0, 50)
    curves = [
        Curve(places, np.full(50, 0.5), "unscaled"),
        Curve(places, places, "scaled", filled=True),
    ]
    cells = Figure(curves, UNIT, UNIT).draw(60, 15, PLAIN)
    text = cells.text()
    for kind, mark in LINES.items():
        assert f"{mark} {kind}" in text
    is_braille = np.vectorize(lambda character: BLANK < ord(character) < BLANK + 256)(
        cells.characters
    )
    marks = cells.characters == LINES["unscaled"]
    # Outside the legend, each column has its mark unless the other curve runs through it.
    assert 50 <= marks.any(axis=0).sum() <= 60
    assert is_braille.any(axis=0).sum() >= 55
    assert set(cells.backgrounds.flat) == {""}
    assert set(in_ascii(text)).isdisjoint(map(chr, range(BLANK, BLANK + 256)))


def test_what_lies_between_two_lines_is_tinted_and_nothing_else_is() -> None:
    x = np.array([0.0, 0.5, 1.0])
    band = Band(x, np.array([0.2, 0.4, nan]), np.array([0.6, 0.6, nan]), "scaled")
    chart = Figure([Curve(x, x, "scaled")], Axis(0.0, 1.0), Axis(0.0, 1.0), bands=[band])
    cells = chart.draw(41, 21, COLOURS)
    width, height = chart.room(41, 21)
    gutter, _ = chart.edges(41)
    tinted = (cells.backgrounds != "")[:height, gutter : gutter + width]
    for column in range(width):
        share = (column + 0.5) / width
        heights = [(height - 0.5 - line) / height for line in np.flatnonzero(tinted[:, column])]
        if share > 0.5:
            assert not heights
        else:
            assert min(heights) == pytest.approx(0.2 + 0.4 * share, abs=1.0 / height)
            assert max(heights) == pytest.approx(0.6, abs=1.0 / height)
    assert not (
        Figure(chart.curves, chart.x, chart.y).draw(41, 21, COLOURS).backgrounds != ""
    ).any()


def test_a_step_draws_no_curve_again_whose_numbers_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = []
    draw_curves = Figure.draw_curves

    def counted(figure: Figure, columns: int, lines: int, colours: Palette) -> Cells:
        times.append(figure)
        return draw_curves(figure, columns, lines, colours)

    monkeypatch.setattr(Figure, "draw_curves", counted)
    for place in (0.25, 0.75):
        # Every step has arrays of its own.
        x, high = np.linspace(0.0, 1.0, 7), np.full(7, 0.7)
        figure = Figure(
            [Curve(x, x, "scaled")], UNIT, UNIT, (place, "here"), bands=[Band(x, x, high, "scaled")]
        )
        figure.draw(43, 17, PLAIN)
    assert len(times) == 1
