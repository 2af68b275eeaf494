"""Matrices as colours: each entry has its own, at every size of matrix and block."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Depth, Palette, both_signs, contrast, ramp, saturation
from attn_tui.charts.glyphs import LESS, MORE, in_ascii
from attn_tui.charts.heat_map import DOTS, FRAME, HALF, Border, ColourBar, HeatMapDrawing

BACKGROUND = "#0e1016"

COLOURS = Palette(
    {
        "text": "#e6e8ee", "muted": "#7a7d86", "accent": "#b9a3ff", "background": BACKGROUND,
    }
)  # fmt: skip

KINDS = {
    "unscaled": ramp("unscaled", BACKGROUND),
    "both signs": both_signs(BACKGROUND),
    "saturation": saturation(BACKGROUND),
}


def colour_of(level: float, kind: str) -> str:
    """Return the colour of a level, empty for NaN."""
    if not np.isfinite(level):
        return ""
    share = (level + 1.0) / 2.0 if kind == "both signs" else level
    steps = KINDS[kind]
    return steps[round(min(max(share, 0.0), 1.0) * (len(steps) - 1))]


def halves(cells: Cells, chart: HeatMapDrawing) -> np.ndarray:
    """Return the colour of each half cell beside the margin, shape (2 lines, columns)."""
    shades = np.full((2 * cells.lines, cells.columns), "", dtype=object)
    is_half = cells.characters == HALF
    lower = np.where(cells.colours == BACKGROUND, "", cells.colours)
    shades[0::2] = cells.backgrounds
    shades[1::2] = np.where(is_half, lower, cells.backgrounds)
    return shades[:, chart.left :]


def spread(rows: int, columns: int) -> np.ndarray:
    """Return a matrix in which no two neighbours have the same colour."""
    return np.linspace(0.0, 1.0, rows * columns).reshape(rows, columns)


def test_an_entry_that_has_room_is_seen_at_its_own_place_in_its_own_colour() -> None:
    for shape, room, entry in [
        # A line has two halves: rows of half a line, one line and two lines.
        ((4, 10), (10, 2), (1, 1)),
        ((4, 10), (14, 2), (1, 1)),
        ((4, 10), (10, 4), (2, 1)),
        ((4, 10), (29, 4), (2, 2)),
        ((4, 10), (30, 7), (2, 3)),
        ((4, 10), (30, 8), (4, 3)),
        ((3, 3), (10, 2), (1, 3)),
        ((1, 1), (5, 1), (2, 5)),
        ((5, 1), (3, 3), (1, 3)),
    ]:
        levels = spread(*shape)
        chart = HeatMapDrawing(levels, "unscaled")
        shades = halves(chart.draw(*room, COLOURS), chart)
        high, wide = entry
        expected = np.full(shades.shape, "", dtype=object)
        for (row, column), level in np.ndenumerate(levels):
            block = slice(row * high, (row + 1) * high), slice(column * wide, (column + 1) * wide)
            expected[block] = colour_of(level, "unscaled")
        assert (shades == expected).all()


@pytest.mark.parametrize("kind", KINDS)
def test_of_several_entries_in_a_place_the_largest_is_seen_with_its_sign(kind: str) -> None:
    levels = np.full((40, 60), 0.1)
    levels[0, 0], levels[17, 31], levels[39, 59] = 0.9, 1.0, 0.8
    if kind == "both signs":
        levels[17, 31] = -1.0
        levels[18, 31] = 0.9
    levels[20:, :6] = nan
    levels[21, 1] = 0.5
    chart = HeatMapDrawing(levels, kind)
    shades = halves(chart.draw(20, 10, COLOURS), chart)
    assert shades.shape == (20, 20)
    expected = np.full((20, 20), colour_of(0.1, kind), dtype=object)
    expected[0, 0], expected[19, 19] = colour_of(0.9, kind), colour_of(0.8, kind)
    expected[8, 10] = colour_of(levels[17, 31], kind)
    if kind == "both signs":
        expected[9, 10] = colour_of(0.9, kind)
    expected[10:, :2] = ""
    expected[10, 0] = colour_of(0.5, kind)
    assert (shades == expected).all()


LEVELS = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.77, 1.0, nan])
SIGNED = st.sampled_from([-1.0, -0.4, 0.0, 0.2, 0.9, 1.0, nan, inf])


@settings(max_examples=50, derandomize=True)
@given(
    st.sampled_from([*KINDS]).flatmap(
        lambda kind: st.tuples(
            st.just(kind),
            arrays(
                np.float64,
                st.tuples(st.integers(1, 50), st.integers(1, 50)),
                elements=SIGNED if kind == "both signs" else LEVELS,
            ),
        )
    ),
    st.integers(1, 60),
    st.integers(1, 30),
    st.booleans(),
)
def test_what_is_under_the_mouse_is_what_is_drawn_there(
    kind_and_levels: tuple[str, np.ndarray], columns: int, lines: int, labelled: bool
) -> None:
    kind, levels = kind_and_levels
    rows, across = levels.shape
    labels = [f"row {row}" for row in range(rows)] if labelled else ()
    chart = HeatMapDrawing(levels, kind, labels)
    cells = chart.draw(columns, lines, COLOURS)
    shades = halves(cells, chart)
    seen = set()
    for line in range(lines):
        for column in range(columns):
            entry = chart.entry(column, line, columns, lines)
            if entry is None:
                # Empty entries are not drawn.
                if column >= chart.left:
                    assert not shades[2 * line : 2 * line + 2, column - chart.left].any()
                continue
            seen.add(entry)
            pair = set(shades[2 * line : 2 * line + 2, column - chart.left])
            assert colour_of(levels[entry], kind) in pair
    wide, high = chart.room(columns, lines)
    if rows * 2 <= high and across <= wide:
        assert len(seen) == rows * across


TEXTS = (("1", "22", "333"), ("4444", "55555", ""))


def test_all_texts_stand_whole_in_their_entries_with_blanks_between_or_none_does() -> None:
    # With some of its texts a map would say less of its strongest entries than of others.
    every = {"1", "22", "333", "4444", "55555"}
    for columns, expected in [(3 * 2, set()), (3 * 5 + 2, set()), (3 * 6, every), (3 * 7, every)]:
        chart = HeatMapDrawing(
            np.array([[0.0, 0.5, 1.0], [0.2, nan, 0.9]]), "unscaled", texts=TEXTS
        )
        cells = chart.draw(columns, 6, COLOURS)
        assert set(cells.text().split()) == expected
        width = columns // 3
        for row, texts in enumerate(TEXTS):
            line = 3 * row + 1
            for column, text in enumerate(texts):
                own = slice(column * width, (column + 1) * width)
                written = "".join(cells.characters[line, own])
                assert written.strip() == (text if text in expected else "")
                assert not written.strip() or " " in (written[0], written[-1])
                assert written[0] == " "
                for behind, ink in zip(
                    cells.backgrounds[line, own], cells.colours[line, own], strict=True
                ):
                    assert not ink or contrast(ink, behind or BACKGROUND) >= 4.5


def test_two_digits_stand_in_three_columns_and_no_frame_covers_them() -> None:
    for cursor, expected in ((0, "22  1 22"), (1, "22 ▏1▕22")):
        chart = HeatMapDrawing(
            np.array([[0.5, 0.1, 1.0]]), "unscaled", texts=[["22", "1", "22"]], cursor=(0, cursor)
        )
        assert expected in chart.draw(chart.left + 9, 2, COLOURS).text()
        # Glyphs in place of colours would be covered.
        assert "22" not in chart.draw(chart.left + 9, 2, PLAIN).text()


def label_lines(rows: int, lines: int, cursor: tuple[int, int] | None) -> list[str]:
    labels = [f"L{row}" for row in range(rows)]
    chart = HeatMapDrawing(np.zeros((rows, 3)), "unscaled", labels, cursor=cursor)
    text = chart.draw(chart.left + 3, lines, COLOURS).text().split("\n")
    return [line[: chart.left].strip() for line in text]


def test_labels_are_whole_and_the_row_of_the_cursor_always_has_its_own() -> None:
    for lines in range(3, 40):
        for cursor in ((0, 0), (7, 1), (13, 2)):
            labels = [text for text in label_lines(14, lines, cursor) if text and text[0] == "L"]
            assert f"L{cursor[0]} ▸" in labels or f"L{cursor[0]}▸" in labels
            assert {text.rstrip(" ▸") for text in labels} <= {f"L{row}" for row in range(14)}
            order = [int(text.rstrip(" ▸")[1:]) for text in labels]
            assert order == sorted(order)


def bottom(labels: Sequence[str], columns: int, cursor: int | None) -> str:
    place = None if cursor is None else (0, cursor)
    chart = HeatMapDrawing(np.zeros((2, 12)), "unscaled", column_labels=labels, cursor=place)
    return chart.draw(columns, 3, COLOURS).text().split("\n")[-1]


@pytest.mark.parametrize("cursor", [None, 0, 4, 11])
def test_labels_below_are_whole_and_apart_and_the_cursors_is_among_them(cursor: int | None) -> None:
    labels = [f"{100 * column:,}" for column in range(12)]
    for columns in range(7, 90):
        written = bottom(labels, columns, cursor).split()
        assert set(written) <= set(labels)
        assert written == [label for label in labels if label in written]
        assert cursor is None or labels[cursor] in written


# Without colours

PLAIN = Palette(COLOURS, Depth.TEXTURES)


def test_without_colours_glyphs_tell_more_from_less_and_one_sign_from_the_other() -> None:
    levels = np.array([[-1.0, -0.7, -0.4, -0.2, 0.0, 0.2, 0.4, 0.7, 1.0, nan]])
    cells = HeatMapDrawing(levels, "both signs").draw(10, 1, PLAIN)
    glyphs = cells.text().ljust(10)
    assert glyphs[9] == " "
    for row in (glyphs[:9], in_ascii(glyphs[:9])):
        assert len({row[0], row[1], row[2], row[6], row[7], row[8]}) == 6
        assert row[3] != row[5]
    assert [MORE.index(glyph) for glyph in glyphs[4:9]] == [0, 1, 2, 3, 4]
    assert [LESS.index(glyph) for glyph in glyphs[3::-1]] == [1, 2, 3, 4]
    assert set(cells.backgrounds.flat) == {""}


# Beside the entries and over them


def test_the_cursor_is_framed_and_hides_no_colour() -> None:
    plain = HeatMapDrawing(spread(3, 4), "unscaled", ["a", "b", "c"], [*"wxyz"])
    marked = replace(plain, cursor=(1, 2))
    before, after = (chart.draw(30, 7, COLOURS) for chart in (plain, marked))
    left = marked.left + 2 * (marked.room(30, 7)[0] // 4)
    width = marked.room(30, 7)[0] // 4
    for line in (2, 3):
        assert after.characters[line, left] == FRAME[0]
        assert after.characters[line, left + width - 1] == FRAME[1]
    assert (after.characters == FRAME[0]).sum() == 2
    own = slice(0, 6), slice(marked.left, marked.left + 4 * width)
    assert set(before.backgrounds[own].flat) == set(after.backgrounds[own].flat)
    assert "b ▸" in after.text()
    assert "◂" in after.text().split("\n")[2]
    assert after.colours[6, left + width // 2] == COLOURS["accent"]
    small = replace(marked, levels=spread(14, 4), row_labels=[*"abcdefghijklmn"])
    assert FRAME[0] not in small.draw(30, 8, COLOURS).text()


def test_the_longest_texts_that_all_have_room_are_written() -> None:
    chart = HeatMapDrawing(
        np.zeros((1, 2)), "scaled", texts=[["1", "2"]],
        longer=([["long 1", "long 2"]], [["no 1", "2"]]),
    )  # fmt: skip
    texts = {width: chart.draw(2 * width, 2, COLOURS).text().split() for width in (8, 7, 6, 3)}
    assert texts == {
        8: ["long", "1", "long", "2"], 7: ["no", "1", "2"], 6: ["no", "1", "2"], 3: ["1", "2"],
    }  # fmt: skip


def test_a_bar_says_what_colours_mean_and_where_the_cursor_is_on_it() -> None:
    bar = ColourBar("both signs", [(1.0, "most"), (0.0, "same"), (-1.0, "least")], 0.5)
    cells = bar.draw(bar.width, 9, COLOURS)
    lines = cells.text().split("\n")
    assert [line for line, text in enumerate(lines) if "most" in text] == [0]
    assert [line for line, text in enumerate(lines) if "same" in text] == [4]
    assert [line for line, text in enumerate(lines) if "least" in text] == [8]
    assert [line for line, text in enumerate(lines) if "◂" in text] == [2]
    steps = both_signs(BACKGROUND)
    assert cells.backgrounds[0, 0] == steps[-1]
    assert cells.colours[8, 0] == steps[0]
    chart = HeatMapDrawing(spread(3, 4), "unscaled", ["a", "b", "c"], bar=bar)
    assert "same" in chart.draw(60, 9, COLOURS).text()
    assert "same" not in chart.draw(30, 9, COLOURS).text()
    # The mouse finds entries where they are drawn, and none in the colour bar.
    assert chart.entry(chart.left, 0, 60, 9) == (0, 0)
    assert chart.entry(59, 0, 60, 9) is None


@given(st.integers(1, 14), st.integers(1, 40))
def test_where_glyphs_stand_for_colours_a_number_stands_in_its_row_and_a_click_finds_it(
    rows: int, lines: int
) -> None:
    names = [f"row {row}" for row in range(rows)]
    texts = [[f"n{row}"] for row in range(rows)]
    chart = HeatMapDrawing(spread(rows, 1), "unscaled", names, texts=texts)
    drawn = chart.draw(20, lines, replace(COLOURS, depth=Depth.TEXTURES)).text().split("\n")
    for y, line in enumerate(drawn):
        row, _ = chart.entry(chart.left, y, 20, lines, halves=1) or (None, 0)
        assert (row is None) == (y >= chart.room(20, lines, 1)[1])
        if " n" in line:
            assert f"row {row} " in line
            assert f" n{row} " in line


def dots(cells: Cells) -> set[tuple[int, int]]:
    """Return the braille dots: column and line, counted in dots."""
    return {
        (2 * x + side, 4 * y + down)
        for (y, x), character in np.ndenumerate(cells.characters)
        if 0x2800 <= ord(character) < 0x2900
        for side in (0, 1)
        for down in range(4)
        if (ord(character) - 0x2800) & DOTS[side][down]
    }


def test_a_border_goes_through_its_place_in_each_row_without_a_gap() -> None:
    places = np.array([3.0, 2.0, 0.5, np.nan])
    border = Border(places, places - 0.5, places + 0.5)
    chart = HeatMapDrawing(np.zeros((4, 4)), "scaled", border=border)
    cells = chart.draw(16, 8, COLOURS)
    line_dots = dots(cells)
    for row, place in enumerate(places[:3]):
        x, y = 2 * 4 * place, (row + 0.5) * 2 * 4
        assert min(abs(x - dot[0]) + abs(y - dot[1]) for dot in line_dots) <= 2.5
    assert max(y for _, y in line_dots) < 3 * 8
    by_line = {y: {x for x, line in line_dots if line == y} for _, y in line_dots}
    for y in range(min(by_line), max(by_line)):
        assert min(abs(a - b) for a in by_line[y] for b in by_line[y + 1]) <= 1
    plain = HeatMapDrawing(np.zeros((4, 4)), "scaled").draw(16, 8, COLOURS)
    lighter = (cells.backgrounds != plain.backgrounds).sum(axis=1)
    assert lighter[:6].min() >= 3
    assert lighter[6:].max() == 0
    few = replace(COLOURS, depth=Depth.FEW)
    plain, cells = (drawing.draw(16, 8, few) for drawing in (replace(chart, border=None), chart))
    assert (plain.backgrounds == cells.backgrounds).all()
    assert dots(cells) == line_dots


def test_rows_that_share_lines_are_equally_high() -> None:
    labels = ["0", "1", "2", "3"]
    small = HeatMapDrawing(np.eye(4), "both signs", labels, labels)
    # Four rows in three lines would be two half lines high and one in turn.
    _, high = small.room(20, 4)
    assert high == 4
    lines = small.draw(20, 4, COLOURS).text().split("\n")
    assert [line[:1] for line in lines[:2]] == ["0", "2"]
