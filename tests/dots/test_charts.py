"""The pictures of Dot products: sampled and exact densities, and numbers that are never cut."""

from functools import cache
from itertools import product
from math import erf, sqrt

import numpy as np
import pytest

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Depth, Palette
from attn_tui.charts.figure import BLANK
from attn_tui.charts.glyphs import FILLS
from attn_tui.compute.dots.answer import Answer, answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.numbers import term, tick
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.dots.charts import (
    HEIGHTS,
    Bells,
    Moments,
    line_of,
    spread_figure,
)
from attn_tui.files.draft import EXAMPLE, parse
from tests.pairs import covering

SOURCE = parse(EXAMPLE).source

COLOURS = Palette(
    {
        "unscaled": "#e29d04", "scaled": "#4795ed", "text": "#e6e8ee", "muted": "#7a7d86",
        "accent": "#b9a3ff", "background": "#0e1016",
    }
)  # fmt: skip

NAMES = ("q·k", "q·k/√d_k")

CASES: dict[str, tuple[Settings, int, str]] = {
    "normal": (Settings(samples=100_000), 1024, "inverse-sqrt"),
    "one": (Settings(samples=1), 1024, "inverse-sqrt"),
    "smallest": (Settings(samples=2_000), 1, "inverse-sqrt"),
    "largest": (Settings(samples=2_000), 65_536, "inverse-sqrt"),
    "coins": (Settings(samples=2_000, entries="coins"), 4, "inverse-sqrt"),
    "dice": (Settings(samples=2_000, entries="die"), 1024, "inverse-sqrt"),
    "tied": (Settings(samples=2_000, tied=True), 1024, "inverse-sqrt"),
    "shifted": (Settings(samples=2_000, mean_q=1e6, mean_k=-1e6), 65_536, "inverse"),
    "constant": (Settings(samples=2_000, entries="coins", correlation=1.0), 64, "inverse-sqrt"),
    "multiplied": (Settings(samples=2_000), 64, "temperature:0.3"),
    "vanishing": (Settings(samples=2_000), 64, "temperature:1e30"),
    "none": (Settings(samples=2_000), 64, "none"),
    "yarn": (Settings(samples=2_000), 64, "yarn"),
}


@cache
def answer_of(name: str) -> Answer:
    settings, d_k, rule = CASES[name]
    *_, last = answer(Experiment(SOURCE, Setup(d_k, parse_scale(rule)).put(settings)))
    return last


def is_dot(character: str) -> bool:
    return BLANK < ord(character) < BLANK + 256


def words(text: str) -> set[str]:
    """Return the words of a picture, without bars, brackets, axes and dots."""
    drawn = {*HEIGHTS, *"─┬├┤┴│┈●"}
    kept = "".join(" " if c in drawn - {" "} or is_dot(c) else c for c in text)
    return set(kept.split())


def filled(cells: Cells, top: int, height: int) -> np.ndarray:
    """Return how many eighths of each column the bars fill."""
    block = slice(top, top + height)
    eighths = 8 * (cells.backgrounds[block] != "").sum(axis=0)
    for row in cells.characters[block]:
        eighths = eighths + np.array([max(HEIGHTS.find(character), 0) for character in row])
    return np.asarray(eighths)


def rows_of_dots(dots: np.ndarray) -> np.ndarray:
    """Return which dots are set, shape (4 · lines, 2 · columns)."""
    bits = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
    lines, columns = dots.shape
    is_set = (dots[:, None, :, None] & bits[None, :, None, :]) > 0
    return np.asarray(is_set.reshape(4 * lines, 2 * columns))


# The bells


@pytest.mark.parametrize(("m", "stretched"), [(1.0, False), (1.0 / 32.0, True)])
def test_the_bars_are_the_density_that_was_drawn(m: float, stretched: bool) -> None:
    last = answer_of("normal")
    chart = Bells(last, NAMES, stretched)
    axis = line_of(last, stretched)
    shares, _ = chart.density(120, 10, m, axis)
    edges = axis.edges(120)
    below = np.array([0.5 * (1.0 + erf(edge / (32.0 * m * sqrt(2.0)))) for edge in edges])
    exact = np.diff(below) / np.diff(edges)
    # With 100,000 draws, each column is right to a few hundredths of the highest.
    assert shares / shares.max() == pytest.approx(exact / exact.max(), abs=0.06)
    assert shares.max() <= 1.0


def test_the_unscaled_bell_is_wide_and_the_scaled_one_a_needle_on_the_same_axis() -> None:
    last = answer_of("normal")
    cells = Bells(last, NAMES, stretched=False).draw(100, 22, COLOURS)
    height = (22 - 2) // 2 - 1
    rows = [filled(cells, top, height) for top in (0, height + 1)]
    wide, needle = (np.flatnonzero(row > 0.55 * row.max()).size for row in rows)
    # The axis spans 8 σ, and a bell is above 0.55 of its top within about 1.1 σ of its mean.
    assert wide == pytest.approx(100 / 8 * 2.2, abs=6)
    assert needle <= 3
    assert abs(rows[1].argmax() - 50) <= 1
    # A bracket below each reaches from one deviation below the mean to one above.
    axis = line_of(last, stretched=False)
    for line, sigma in ((height, 32.0), (2 * height + 1, 1.0)):
        row = "".join(cells.characters[line])
        ends = [place for place, character in enumerate(row) if character in "├┤┴"]
        expected = axis.share(np.array([-sigma, sigma])) * 99
        assert [ends[0], ends[-1]] == pytest.approx(expected.tolist(), abs=0.51)


def test_amber_widens_with_d_k_and_blue_stands_still_on_the_axis_that_is_shown_first() -> None:
    axes, widths = set(), []
    for name in ("smallest", "coins", "normal", "largest"):
        chart = Bells(answer_of(name), NAMES)
        axes.add(line_of(chart.answer, chart.stretched))
        cells = chart.draw(116, 22, COLOURS)
        brackets = [row.strip() for row in cells.text().split("\n") if "├" in row or "┴" in row]
        widths.append([len(bracket) for bracket in brackets])
    assert len(axes) == 1
    amber, blue = zip(*widths, strict=True)
    assert [*amber] == sorted(set(amber))
    assert amber[-1] > 5 * amber[0]
    assert len(set(blue)) == 1


def test_the_axis_of_dice_has_no_half_that_nothing_reaches() -> None:
    axis = line_of(answer_of("dice"), stretched=True)
    low, zero, middle = axis.share(np.array([axis.low, 0.0, 12.25 * 1024])).tolist()
    assert low == 0.0
    assert zero < 0.3
    assert zero < middle < 1.0


@pytest.mark.parametrize(
    ("name", "stretched"), product(["normal", "coins", "dice", "tied"], [False, True])
)
def test_bars_and_line_are_as_high_at_every_width_of_a_column(name: str, stretched: bool) -> None:
    last = answer_of(name)
    chart = Bells(last, NAMES, stretched)
    axis = line_of(last, stretched)
    for m in (1.0, last.multiplier):
        shares, dots = chart.density(100, 10, m, axis)
        peak = int(shares.argmax())
        top = 40 - np.flatnonzero(rows_of_dots(dots)[:, 2 * peak : 2 * peak + 2].any(axis=1))[0]
        # Of 2,000 draws a bin at the peak holds some 80: within a fifth, or two dots.
        assert top / 40 == pytest.approx(shares[peak], rel=0.2, abs=0.05)


@pytest.mark.parametrize(("name", "stretched"), covering(CASES, [False, True]))
def test_no_number_of_the_bells_is_cut_at_any_size(name: str, stretched: bool) -> None:
    last = answer_of(name)
    chart = Bells(last, NAMES, stretched)
    whole = {*NAMES, "±σ", "="} | {tick(place) for place in line_of(last, stretched).ticks()}
    whole |= {"±" + term(m * last.law.standard_deviation, 3) for m in (1.0, last.multiplier)}
    for columns in (30, 58, 120):
        for lines in (4, 8):
            cells = chart.draw(columns, lines, COLOURS)
            assert words(cells.text()) <= whole, (columns, lines)
            assert ("σ" in cells.text()) == (lines >= 8)
    for columns, lines in ((19, 30), (60, 3), (1, 1)):
        assert not chart.draw(columns, lines, COLOURS).text().strip()


@pytest.mark.parametrize("name", CASES)
def test_no_moment_is_cut_or_replaced_by_dots_at_any_width(name: str) -> None:
    chart = Moments(answer_of(name), NAMES)
    for columns in (12, 24, 34, 48, 80, 139):
        table = chart.table(columns)
        kept = table.fitting(columns - 2)
        text = chart.draw(columns, 8, COLOURS).text()
        assert "…" not in text
        if columns >= 34:
            assert [column.title for column in kept] == [column.title for column in table.columns]
            assert "q·k" in text
            # No error without its number, and no number without its error.
            assert all(" ± " in value for value in kept[1].texts)
    heads = [column.title for column in chart.table(140).columns]
    assert heads == ["", "q·k", "exact", "q·k/√d_k", "exact"]


# The spread over d_k


def test_the_spread_is_that_of_the_law_under_the_rule_that_is_asked() -> None:
    for name in CASES:
        last = answer_of(name)
        _, d_k, rule = CASES[name]
        figure = spread_figure(last, d_k, NAMES)
        curves = {curve.kind: curve for curve in figure.curves}
        assert set(curves) == ({"unscaled"} if rule == "none" else {"unscaled", "scaled"})
        for kind, curve in curves.items():
            for x, y in zip(curve.x.tolist()[::40], curve.y.tolist()[::40], strict=True):
                m = parse_scale(rule).multiplier(int(x), 3) if kind == "scaled" else 1.0
                growth = x if CASES[name][0].tied else sqrt(x)
                assert y == pytest.approx(m * growth * sqrt(last.law.product.variance), rel=1e-9)
        sigma = last.law.standard_deviation
        dots = {kind: value for value, kind in figure.dots}
        assert dots["unscaled"] == sigma
        if "scaled" in dots:
            assert dots["scaled"] == pytest.approx(last.multiplier * sigma)
        assert figure.mark == (float(d_k), f"{d_k:,}")


def test_without_colours_each_bell_is_filled_with_the_glyph_before_its_name() -> None:
    plain = Palette(COLOURS, Depth.TEXTURES)
    cells = Bells(answer_of("normal"), NAMES, stretched=False).draw(118, 21, plain)
    rows = cells.text().split("\n")
    height = (21 - 2) // 2 - 1
    assert rows[0].startswith(f" {FILLS['unscaled']} q·k")
    assert rows[height + 1].startswith(f" {FILLS['scaled']} q·k/√d_k")
    bell, needle = "".join(rows[1:height]), "".join(rows[height + 2 : 2 * height + 1])
    assert bell.count(FILLS["unscaled"]) > 50
    assert 0 < needle.count(FILLS["scaled"]) < 20
    assert FILLS["scaled"] not in bell
    assert FILLS["unscaled"] not in needle
    assert set(cells.backgrounds.flat) == {""}
