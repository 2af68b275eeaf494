"""The map of a sweep: what each cell, its shade and the legend say, at every size."""

import re
from dataclasses import replace
from itertools import pairwise, product
from math import exp, log

import pytest

from attn_tui.charts.glyphs import in_ascii
from attn_tui.compute.sweep.settings import STATISTICS
from attn_tui.old.charts.sweep.map import place_on_map, sweep_map
from attn_tui.old.charts.sweep.shading import times
from attn_tui.report.headline import Factor
from attn_tui.report.rows import plain
from attn_tui.old.report.sweep.headline import Of
from tests.old.charts.cases import check_block, lines
from tests.old.charts.sweep.answers import LOOKS, SIZES, SMALL, found


@pytest.mark.parametrize("ratio", [True, False])
def test_maps_have_their_size_at_every_size(ratio: bool) -> None:
    settings = replace(SMALL, view="map", ratio=ratio, n_range=(2, 512))
    one = replace(settings, n_range=(9, 9), d_k_range=(99, 99))
    check_block(sweep_map(found(one), "inverse-sqrt", "median", (9, 99), 76, 12), 76, 12)
    ofs: tuple[Of, ...] = ("mean", "median")
    for first, size, of in product((True, False), SIZES, ofs):
        for look in LOOKS[::3]:
            rows = sweep_map(found(settings, first), "inverse-sqrt", of, (9, 99), *size, look)
            check_block(rows, *size)


def test_every_cell_of_a_map_of_ratios_holds_what_dividing_does() -> None:
    each = found(replace(SMALL, view="map", ratio=True, n_range=(2, 512), draws=320))
    rows = lines(sweep_map(each, "inverse-sqrt", "median", (512, 55), 76, 12))
    assert rows[0].startswith("‖∂p/∂s‖_F: what dividing by √d_k does to the median of 320 draws")
    d_ks = next(row for row in rows if row.startswith("n\\d_k")).split()[1:]
    assert [*map(int, d_ks)] == [*each.points.d_ks]
    for row in rows[1 : 1 + len(each.points.ns)]:
        n, *cells = row.replace("[", " ").replace("]", " ").split()
        for d_k, cell in zip(each.points.d_ks, cells, strict=True):
            ratio = each.points.ratio(int(n), d_k, "inverse-sqrt", "gradient")
            assert ratio
            factor = Factor(-ratio.log_median, ratio.log_median_error)
            if factor.is_open:
                assert cell == "?"
            elif exp(abs(factor.log)) < 1.15:
                assert cell == "="
            else:
                assert cell == ("▼" if ratio.log_median > 0.0 else "▲") + times(factor)
    assert rows[each.points.ns[::-1].index(512) + 1].count("[") == 1
    assert any("dividing makes it 26 times smaller" in row for row in rows)
    tall = "".join(lines(sweep_map(each, "inverse-sqrt", "median", (512, 55), 76, 16)))
    assert "? these draws do not tell" in tall
    assert "one digit: about so" in tall
    few = " ".join(lines(sweep_map(each, "inverse-sqrt", "median", (512, 55), 80, 15)))
    assert "▲≫ over a million" in few
    assert "one digit: about so   ? undecided" in few
    narrow = lines(sweep_map(each, "inverse-sqrt", "median", (512, 55), 40, 8))
    assert narrow[-1].rstrip() == "▼ smaller   ▲ larger   ? undecided"


def test_shades_and_heights_of_cells_have_a_scale_where_cells_have_room_for_them() -> None:
    each = found(replace(SMALL, view="map", ratio=True, n_range=(2, 512), draws=320))
    scale = "░▒▓█ smaller  ▂▄▆█ larger  from 1.15, 2, 10 and 1,000 times on"
    for height, has_shades in ((12, False), (30, True)):
        rows = lines(sweep_map(each, "inverse-sqrt", "median", (512, 55), 80, height))
        assert any("▒▒▒▒" in row for row in rows) == has_shades
        assert (scale in [row.rstrip() for row in rows]) == has_shades


@pytest.mark.parametrize(
    ("size", "error", "text"),
    [
        (1.2, 0.0, "1.2"), (2.9, 0.0, "2.9"), (2.96, 0.0, "3"), (26.4, 0.0, "26"),
        (999.0, 0.0, "999"), (1000.0, 0.0, "10³"), (9_999.0, 0.0, "10³"), (123_456.0, 0.0, "10⁵"),
        (999_999.0, 0.0, "10⁵"), (1e6, 0.0, "≫"), (1e300, 0.0, "≫"),
        (314.0, 0.01, "314"), (314.0, 0.1, "310"), (314.0, 0.3, "300"), (12.4, 0.3, "10"),
        (960.0, 0.3, "10³"), (2.3, 0.1, "2.3"), (2.3, 0.3, "2"), (1.6, 0.3, "1.6"),
    ],
)  # fmt: skip
def test_factors_have_the_digits_that_errors_leave_and_powers_of_ten_round_down(
    size: float, error: float, text: str
) -> None:
    for sign in (1.0, -1.0):
        assert times(Factor(sign * log(size), error)) == text


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_every_sign_of_a_map_is_explained(width: int) -> None:
    settings = replace(SMALL, view="map", n_range=(2, 512), draws=320)
    *_, last = lines(sweep_map(found(settings), "none", "median", (2, 1), width, 8))
    assert re.search(r"· ?less.*┃ ?σ_c", last)
    ratio = found(replace(settings, ratio=True))
    *_, last = lines(sweep_map(ratio, "inverse-sqrt", "median", (2, 1), width, 8))
    assert re.search(r"▼.* smaller +▲.* ?larger", last)


def test_what_is_too_small_for_a_shade_is_marked_as_the_legend_says() -> None:
    each = found(replace(SMALL, view="map", n_range=(2, 512)))
    narrow, wide = (
        lines(sweep_map(each, "none", "median", (2, 1), width, 12)) for width in (50, 100)
    )
    assert "·" in narrow[5]
    legend = next(row for row in wide if "≥" in row)
    assert "· less" in legend
    assert ". less" in in_ascii(legend)


def test_the_shades_of_a_map_are_spread_over_what_it_shows_and_named() -> None:
    for statistic in STATISTICS:
        each = found(replace(SMALL, view="map", n_range=(2, 512), statistic=statistic))
        narrow, wide = (
            lines(sweep_map(each, "none", "median", (2, 1), width, 12)) for width in (50, 100)
        )
        cells = "".join(narrow[1:6])
        shades = [cells.count(shade) for shade in "█▓▒░"]
        named = re.findall(r"[█▓▒░] ≥(\S+)", "".join(wide))
        assert sum(count > 0 for count in shades) == len(named) >= 3
        # Of the largest weights, more than two fifths are 1 to three digits.
        assert max(shades) <= 0.65 * sum(shades)
        values = [float(text) for text in named]
        assert values == sorted(values, reverse=True)
        medians = [p.statistics[statistic].median for p in each.points if p.rule == "none"]
        reached = [sum(median >= size for median in medians) for size in values]
        counts = [after - before for before, after in pairwise([0, *reached])]
        body = 8
        for count, drawn in zip(counts, filter(None, shades), strict=True):
            # The line where logits condense stands over some.
            assert body * count - cells.count("┃") <= drawn <= body * count


def test_the_rows_of_a_map_are_equally_far_apart_and_the_cursor_is_on_one() -> None:
    each = found(replace(SMALL, view="map", map_points=9, n_range=(2, 512)))
    ns = sorted({point.n for point in each.points}, reverse=True)
    for n, height in product(ns, range(4, 24)):
        rows = lines(sweep_map(each, "none", "median", (n, 8), 50, height))
        labels = [int(row.split()[0]) for row in rows if re.match(r" *\d+ ", row)]
        steps = {after - before for before, after in pairwise(map(ns.index, labels))}
        assert n in labels
        assert len(steps) <= 1
        if height >= len(ns) + 4:
            assert labels == ns
        if height >= 5:
            assert re.search(
                r"\d \[\d", plain(sweep_map(each, "none", "median", (n, 8), 50, height))
            )


def test_a_click_finds_the_cell() -> None:
    each = found(replace(SMALL, view="map", n_range=(2, 512)))
    for n, d_k in {(point.n, point.d_k) for point in each.points}:
        rows = lines(sweep_map(each, "none", "median", (n, d_k), 76, 14))
        y = next(y for y, row in enumerate(rows) if "[" in row)
        x = rows[y].index("[") + 1
        assert place_on_map(each, x, y, (n, d_k), 76, 14) == (n, d_k)
    assert place_on_map(each, 0, 3, (2, 1), 76, 14) is None
    assert place_on_map(each, 20, 0, (2, 1), 76, 14) is None
