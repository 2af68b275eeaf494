"""The charts and tables of Dot products: exactly their size, and what they show."""

import re
from functools import lru_cache

import numpy as np
import pytest

from attn_tui.charts.axis import Axis
from attn_tui.charts.dots.chart import (
    _data,
    _in_columns,
    _resampled,
    growth_chart,
    histogram_chart,
)
from attn_tui.charts.plot import frame
from attn_tui.charts.rows import Row, length, plain
from attn_tui.charts.sides import Side
from attn_tui.compute.dots.answer import Answer, answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.law.entries import LAWS
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.report.dots.tables import derivation_rows, over_d_k_rows, readout_rows
from attn_tui.report.measured import exact, with_error
from attn_tui.report.numbers import general
from tests.asking import asking
from tests.charts.cases import check_block, lines

SIZES = [
    *((1, 1), (2, 1), (5, 2), (8, 3), (12, 3), (24, 4), (38, 8), (40, 7), (60, 5), (80, 7)),
    *((78, 9), (99, 9), (118, 20), (200, 60), (9, 60), (200, 2)),
]


@lru_cache
def found(d_k: int = 64, scale: Scale = Scale(), settings: Settings = Settings()) -> Answer:
    vector = Vector("a", np.array([1.0, 2.0]))
    (*_, last) = answer(asking(vector, setup=Setup(d_k, scale).put(settings)))
    return last


CASES: dict[str, Answer] = {
    "normal": found(),
    "d_k = 1": found(1),
    "Laplace": found(2, settings=Settings(samples=20_000)),
    "one draw": found(8, settings=Settings(samples=1)),
    "shifted far": found(65_536, settings=Settings(mean_q=1e6, mean_k=-1e6)),
    "tied": found(65_536, Scale("inverse"), Settings(tied=True)),
    "squares": found(1, settings=Settings(correlation=1.0)),
    "constant": found(8, settings=Settings("coins", correlation=-1.0)),
    "no rows": found(8, settings=Settings(d_ks=())),
}
FAR: dict[str, Answer] = {
    "far above 1": found(scale=parse_scale("temperature:T=1e-308")),
    "as far as it goes": found(scale=parse_scale("temperature:T=1.1e-140")),
    "as near to 0": found(8, parse_scale("temperature:T=0.9e140"), Settings("coins")),
    "far below 1": found(scale=parse_scale("temperature:T=1e308")),
}
CASES |= {name: found(3, Scale("none"), Settings(name, samples=3000)) for name in LAWS}


@pytest.mark.parametrize("name", [*CASES, *FAR])
@pytest.mark.parametrize("size", SIZES)
def test_everything_has_its_size(name: str, size: tuple[int, int]) -> None:
    case = (CASES | FAR)[name]
    for log in (False, True):
        check_block(histogram_chart(case, "scaled", *size, log), *size)
    check_block(histogram_chart(case, "unscaled", *size), *size)
    check_block(growth_chart(case, *size), *size)
    check_block(over_d_k_rows(case, *size, 2), *size)
    check_block(derivation_rows(case, *size, 1), *size)
    rows = readout_rows(case, "unscaled", size[0])
    assert len(rows) == 7
    assert all(length(row) == size[0] for row in rows)


@pytest.mark.parametrize("name", CASES)
def test_no_number_is_cut_at_40_columns(name: str) -> None:
    sides: tuple[Side, ...] = ("unscaled", "scaled")
    for side in sides:
        assert "…" not in plain(readout_rows(CASES[name], side, 40))


def test_both_sides_stand_side_by_side_with_labelled_curves() -> None:
    text = plain(histogram_chart(found(), "scaled", 118, 20))
    for part in ("unscaled: density of q·k", "scaled: density of m·q·k", "exact", "normal"):
        assert part in text
    assert "−32" in text
    assert "sd 8.038 ± 0.018, exact 8" in text
    assert "sd 1.0048 ± 0.0023, exact 1" in text
    assert plain(histogram_chart(found(), "unscaled", 60, 20)).startswith("unscaled")


def test_a_scale_too_far_from_1_has_no_chart_and_says_so() -> None:
    for name, m in (("far above 1", "1e+308"), ("far below 1", "1e-308")):
        assert plain(histogram_chart(FAR[name], "scaled", 50, 9)).startswith(
            f"m = {m}: too far from 1 for a chart"
        )
        assert "exact ≈ normal" in plain(histogram_chart(FAR[name], "unscaled", 50, 9))
    for name in ("as far as it goes", "as near to 0"):
        assert "m·q·k  " in plain(histogram_chart(FAR[name], "scaled", 50, 9))


def test_the_axes_stand_still_while_the_sample_grows() -> None:
    few = found(settings=Settings(samples=10))

    def axes(case: Answer) -> list[str]:
        rows = lines(histogram_chart(case, "unscaled", 60, 16))
        return [rows[-2], *(row[:6] for row in rows[1:-3])]

    assert axes(few) == axes(found())


@pytest.mark.parametrize("name", ["d_k = 1", "tied", "squares"])
def test_a_density_that_is_infinite_at_0_leaves_room_for_the_rest(name: str) -> None:
    """The normal curve, whose peak is finite, still takes a fifth of the rows."""
    rows = histogram_chart(CASES[name], "unscaled", 80, 26)
    curved = sum("·" in plain([row]) for row in rows[1:-4])
    assert curved >= 5


def test_curves_that_coincide_are_one_and_say_how_far_apart_they_are() -> None:
    one = found(512)
    text = plain(histogram_chart(one, "unscaled", 80, 12))
    assert "density of q·k, 100,000 drawn  ⠤ exact ≈ normal, ±0.15 % of peak" in text
    assert "·" not in "".join(text.splitlines()[1:])
    exact, normal = one.curves.exact, one.curves.normal
    assert exact is not None
    assert 0.1 < 100 * abs(exact - normal).max() / exact.max() <= 0.15
    assert "scaled: density of m·q·k  ⠤" in plain(histogram_chart(one, "scaled", 118, 12))
    assert "m·q·k  ⠤ exact ≈ normal, ±0.15 % of peak" in plain(
        histogram_chart(one, "scaled", 40, 9)
    )
    assert "exact ≈ normal" in plain(histogram_chart(one, "scaled", 30, 9))
    # In the tails, and at small d_k, they are two.
    for apart in (histogram_chart(one, "unscaled", 80, 40, log=True), _laplace(80, 20)):
        assert "· normal  ⠤ exact" in plain(apart)
        assert "·" in plain(apart[1:])


def _laplace(width: int, height: int) -> tuple[Row, ...]:
    return histogram_chart(CASES["Laplace"], "unscaled", width, height)


def test_bars_have_the_area_that_the_curves_have() -> None:
    """At the peak of many draws the bars end where the curve is."""
    rows = lines(histogram_chart(found(settings=Settings(samples=10**6)), "unscaled", 80, 40))
    peak = next(n for n, row in enumerate(rows) if "⣀" in row[20:] or "⡀" in row[20:])
    highest = next(n for n, row in enumerate(rows[1:], 1) if "░" in row)
    assert 0 <= highest - peak <= 2


@pytest.mark.parametrize("d_k", [1, 2, 8])
def test_a_law_on_few_values_has_a_bar_for_each_and_a_normal_curve_over_the_range(
    d_k: int,
) -> None:
    case = found(d_k, settings=Settings("coins"))
    rows = histogram_chart(case, "unscaled", 80, 24)
    assert plain(rows).startswith("unscaled: probability of q·k")
    seen = np.count_nonzero(case.histogram.counts * 30 > case.drawn)
    bars = re.split(r" +", re.sub(r"[^░⣀⣤⣶]", " ", lines(rows)[18]).strip())
    assert len(bars) == seen, "bars with gaps between them"
    dots = {
        column
        for row in rows[1:-3]
        for column, (_, role) in enumerate((each, role) for text, role in row for each in text)
        if role == "label"
    }
    assert len(dots) > 40, "the normal curve is drawn over the range"


def test_the_ends_of_the_bars_of_values_are_probabilities() -> None:
    case = found(1, settings=Settings("coins"))
    rows = lines(histogram_chart(case, "unscaled", 80, 24))
    place = next(n for n, row in enumerate(rows) if row.startswith(" 0.5┤"))
    highest = next(n for n, row in enumerate(rows[1:], 1) if set(row) & set("░⣀⣤⣶"))
    assert abs(place - highest) <= 1


@pytest.mark.parametrize("name", ["normal", "die", "coins", "Laplace"])
def test_both_sides_of_a_sample_take_as_much_of_the_height(name: str) -> None:
    peaks = [
        float(data.density.max()) / data.top
        for data in (_data(CASES[name], m, 70) for m in (1.0, 0.3, 0.077))
    ]
    assert peaks == pytest.approx(peaks[:1] * 3)
    assert 0.5 < peaks[0] < 1.0


def test_the_slopes_are_named_and_the_present_d_k_is_marked() -> None:
    text = plain(growth_chart(found(), 118, 20))
    for part in ("×1: slope 1/2", "×1/√d_k: slope 0", "×1/d_k: slope −1/2", "○", "┃"):
        assert part in text
    assert "at 64: ×1 → 8, ×1/√d_k → 1, ×1/d_k → 0.125" in text
    assert "slope 1 " in plain(growth_chart(CASES["tied"], 118, 20))


def test_the_table_marks_the_cursor_and_keeps_it_in_sight() -> None:
    text = plain(over_d_k_rows(found(), 80, 10, 1))
    assert text.splitlines()[2].split()[:2] == ["▸", "4"]
    two = plain(over_d_k_rows(found(), 80, 3, 3))
    assert two.splitlines()[-1].split()[:2] == ["▸", "1,024"]
    assert "d_k" in two


@pytest.mark.parametrize("name", ["normal", "tied"])
def test_each_curve_of_the_growth_has_its_name_where_there_is_little_room(name: str) -> None:
    text = plain(growth_chart(CASES[name], 40, 7))
    for tag in (" ×1 ", " ×1/√d_k ", " ×1/d_k "):
        assert tag in text.rpartition("\n")[0]


def test_arrows_say_where_there_are_other_rows() -> None:
    def marks(rows: tuple[Row, ...]) -> str:
        return "".join(line[:1] for line in lines(rows))

    assert marks(derivation_rows(found(), 80, 7)) == "      ↓"
    assert marks(derivation_rows(found(), 80, 5, 2)) == "↑   ↓"
    assert marks(derivation_rows(found(), 80, 7, 9)) == "↑" + " " * 6
    assert marks(derivation_rows(found(), 80, 8)) == " " * 8
    many = found(settings=Settings(d_ks=tuple(range(1, 10)), samples=10))
    assert marks(over_d_k_rows(many, 80, 4, 0)) == " ▸ ↓"
    assert marks(over_d_k_rows(many, 80, 4, 4)) == " ↑▸↓"
    assert marks(over_d_k_rows(many, 80, 4, 8)) == " ↑ ▸"


def test_why_a_coverage_is_not_known_is_never_cut() -> None:
    case = found(settings=Settings("coins", mean_q=2**0.5, mean_k=3**0.5, samples=10))
    text = plain(over_d_k_rows(case, 40, 9, 0))
    assert "…" not in text
    assert "–: the values of q·k are not evenly spaced" in " ".join(text.split())


@pytest.mark.parametrize("width", [40, 60, 118])
@pytest.mark.parametrize("name", ["normal", "Laplace", "shifted far", "die"])
def test_as_many_deviations_are_labelled_to_either_side(name: str, width: int) -> None:
    case = CASES[name]
    axis = lines(histogram_chart(case, "unscaled", width, 12))[-2]
    labels = axis[: 58 if width == 118 else width].split()
    middle = general(
        case.law.mean, 3 if abs(case.law.mean) < 100 * case.law.standard_deviation else 6
    )
    assert len(labels) in (1, 3, 5, 9)
    assert labels[len(labels) // 2] == middle


def test_the_table_has_errors_where_there_is_room() -> None:
    coverage = found().table[1].coverage
    assert coverage.exact is not None
    both = with_error(coverage), exact(coverage, 10)
    for width in (120, 80):
        assert lines(over_d_k_rows(found(), width, 10, 1))[2].split()[-4:] == " ".join(both).split()
    assert f"{coverage.value:.4f}, 0.9451" in plain(over_d_k_rows(found(), 40, 10, 1))


def test_a_variance_is_called_so_at_any_width() -> None:
    titles = [lines(over_d_k_rows(found(), width, 10, 1))[0] for width in range(40, 72)]
    assert all("variance" in title for title in titles)
    assert any("exact variance" in title for title in titles)


def test_the_derivation_has_reasons_where_there_is_room() -> None:
    assert "because" in plain(derivation_rows(found(), 118, 8))
    assert "uncorrelated" in plain(derivation_rows(found(), 78, 15))
    assert "uncorrelated" not in plain(derivation_rows(found(), 78, 8))
    assert "exact 64" in plain(derivation_rows(found(), 40, 16))
    assert "Var(m·q·k)" in plain(derivation_rows(found(), 40, 4, 99))


def test_each_rule_of_the_growth_keeps_its_colour() -> None:
    spans = [span for row in growth_chart(found(), 120, 24) for span in row]
    for tag, role in (("×1:", "unscaled"), ("×1/√d_k:", "scaled"), ("×1/d_k:", "series2")):
        assert {each for text, each in spans if tag in text} == {role}


def test_probabilities_and_bars_are_shared_out_over_the_same_columns() -> None:
    # A tied die at d_k = 6 has its values 6 apart, and columns are wider than that.
    answer = found(6, settings=Settings(entries="die", tied=True))
    size = frame(Axis("", 0.0, 1.0), 59, 22, noted=True)
    data = _data(answer, 1.0, size.columns)
    starts = np.linspace(data.edges[0], data.edges[-1], size.columns + 1)
    assert size.columns < data.density.size
    bars = _resampled(data.edges, data.density, starts)
    exact = _in_columns(data, starts).exact
    assert exact is not None
    width = starts[1] - starts[0]
    assert np.abs(bars - exact).max() * width < 5 * 0.5 / np.sqrt(answer.drawn)
