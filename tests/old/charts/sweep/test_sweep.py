"""The curves of a sweep: what they say without colour, at every size and however far it is."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice, pairwise, product
from math import exp, log, log2, log10
from typing import Any

import pytest

from attn_tui.charts.glyphs import DRAWN, in_ascii
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.settings import STATISTICS, Settings
from attn_tui.old.charts.sweep.curves import place_at, sweep_chart
from attn_tui.old.charts.sweep.map import sweep_map
from attn_tui.old.charts.sweep.signs import DEFAULT_LOOK, Look
from attn_tui.report.numbers import LN10
from attn_tui.report.rows import Row, plain
from attn_tui.sweep.names import name_of, others, short_place
from tests.old.charts.cases import check_block, lines, text_of
from tests.old.charts.sweep.answers import LOOKS, SIZES, SMALL, found


def crossing() -> Answer:
    return found(replace(SMALL, draws=320))


CASES = {
    "d_k": SMALL,
    "n": replace(SMALL, over="n", n_range=(2, 300)),
    "two keys": replace(SMALL, n=2, statistic="trace"),
    "ratio": replace(SMALL, ratio=True),
    "six rules": replace(
        SMALL,
        crossovers=False,
        rules=("none", "inverse-sqrt", "inverse", "fixed", "mup", "temperature:T=1e-5"),
    ),
    "far away": replace(SMALL, rules=("temperature:T=1e-300", "temperature:T=1e300")),
    "one place": replace(SMALL, d_k_range=(65_536, 65_536)),
    "one n": replace(SMALL, over="n", n_range=(2, 2)),
    "one rule": replace(SMALL, rules=("inverse",), statistic="entropy"),
}


@pytest.mark.parametrize("name", CASES)
def test_curves_have_their_size_at_every_size(name: str) -> None:
    # Each size in two looks, in others from case to case.
    looks = islice(cycle(LOOKS), [*CASES].index(name), None)
    for first, size, _ in product((True, False), SIZES, range(2)):
        rows = sweep_chart(found(CASES[name], first), "inverse-sqrt", (8, 64), *size, next(looks))
        check_block(rows, *size)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_statistic_can_be_drawn(statistic: str) -> None:
    for over, view, ratio in product(("d_k", "n"), ("curves", "map"), (True, False)):
        asked: Any = {"statistic": statistic, "over": over, "view": view, "ratio": ratio}
        each = found(replace(SMALL, crossovers=False, **asked))
        for look in LOOKS[::5]:
            check_block(sweep_chart(each, "inverse-sqrt", (8, 64), 76, 14, look), 76, 14)
            check_block(sweep_map(each, "none", "mean", (8, 64), 76, 14, look), 76, 14)


def chart(each: Answer, at: Place, width: int, height: int, look: Look = DEFAULT_LOOK) -> str:
    return plain(sweep_chart(each, others(each.rules)[0], at, width, height, look))


def test_medians_are_two_lines_with_names_that_need_no_colour() -> None:
    text = chart(crossing(), (8, 64), 100, 22)
    first, *rest = text.splitlines()
    assert first.startswith("gradient by s ‖∂p/∂s‖_F, median of 320 draws  ░ the middle half")
    assert [sum(name in row for row in rest) for name in ("unscaled", "1/√d_k")] == [1, 1]
    plain_text = in_ascii(text)
    assert "..." in plain_text
    assert set(text) - set(plain_text) <= set(DRAWN) | {"·"}


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_red_where_nothing_is_wrong(name: str) -> None:
    for size in ((38, 8), (76, 14), (116, 29)):
        rows = sweep_chart(found(CASES[name]), "inverse-sqrt", (8, 64), *size)
        assert not text_of(rows, "error")
        assert not re.search("[▲▼×](?!1|e)", plain(rows[1:]))


def heights(rows: Sequence[Row], role: str) -> dict[int, list[int]]:
    """Return the rows that hold something of a role, by column."""
    found: dict[int, list[int]] = {}
    for y, row in enumerate(rows):
        x = 0
        for text, its in row:
            for character in text:
                if its == role and character != " ":
                    found.setdefault(x, []).append(y)
                x += 1
    return found


def test_a_line_goes_through_the_medians_and_its_band_holds_the_middle_half() -> None:
    each = found(replace(SMALL, draws=320, points=14))
    rows = sweep_chart(each, "inverse-sqrt", (8, 8), 116, 40)
    drawn = lines(rows)
    ticks = [
        (y, float(row[: row.index("┤")])) for y, row in enumerate(drawn) if re.match(r"1e-\d┤", row)
    ]
    (top, one), *_, (bottom, least) = [(y, log10(value)) for y, value in ticks]
    line, band = heights(rows[1:], "unscaled"), heights(rows[1:], "unscaled_band")
    by_decade = (bottom - top) / (one - least)
    gutter = drawn[5].index("│") + 1
    checked = 0
    for point in each.points.under("none"):
        column = gutter + min(int((116 - gutter) * log2(point.d_k) / 13), 115 - gutter)
        summary = point.statistics["gradient"]
        quarter, median, three = (
            top + by_decade * (one - value / LN10) - 1
            for value in (summary.log_quarter, summary.log_median, summary.log_three_quarters)
        )
        if column in line and max(line[column]) - min(line[column]) < 4:
            checked += 1
            assert min(abs(y - median) for y in line[column]) <= 1.0
        for y in band.get(column, []):
            assert three - 1.0 <= y <= quarter + 1.0
    assert checked >= 5
    assert band


def test_a_line_that_leaves_the_picture_is_cut_where_it_ends() -> None:
    each = found(replace(SMALL, n=2, statistic="trace"))
    near, whole = (chart(each, (2, 64), 100, 24, Look(whole=whole)) for whole in (False, True))
    least = {text: float(re.findall(r"(1e-\d+)[┤│]", text)[-1]) for text in (near, whole)}
    assert least[near] > 1e-9
    medians = [point.statistics["trace"].log_median for point in each.points]
    assert min(medians) < log(least[near])
    assert least[whole] <= exp(min(medians)) * 10


MANY = (
    *("none", "inverse-sqrt", "inverse", "fixed", "mup", "log-length", "ssmax", "yarn"),
    *("temperature:T=4", "temperature:T=16"),
)


@pytest.mark.parametrize("ratio", [True, False])
def test_every_rule_is_named_or_counted(ratio: bool) -> None:
    each = found(replace(SMALL, rules=MANY, draws=40, ratio=ratio, crossovers=False))
    rules = [rule for rule in MANY if rule != "none" or not ratio]
    for width, height in ((120, 29), (80, 14), (60, 14), (38, 12)):
        text = chart(each, (8, 64), width, height)
        letters = zip("ABCDEFGHIJ", rules, strict=False)
        missing = [rule for letter, rule in letters if f"{letter} {name_of(rule)}" not in text]
        more = re.findall(r"… (\d+) more", text)
        assert [len(missing)] * bool(missing) == [int(count) for count in more]
        assert not missing or width < 80


def test_the_crossover_stands_on_the_axis_with_its_interval() -> None:
    (each,) = [c for c in crossing().crossovers if c.readout == "gradient"]
    assert each.d_k
    assert each.low
    assert each.high
    rows = lines(sweep_chart(crossing(), "inverse-sqrt", (8, 8), 100, 22))
    ends = f"{short_place(each.low)} to {short_place(each.high)}"
    row = next(
        row for row in rows if f"equal at d_k = {short_place(each.d_k)} (95 %: {ends})" in row
    )
    assert rows[rows.index(row) + 1].startswith("    └")
    gutter, columns = 5, [row.index(mark, 6) for mark in "├◆┤"]
    for column, d_k in zip(columns, (each.low, each.d_k, each.high), strict=True):
        assert column == pytest.approx(gutter + 95 * log2(d_k) / 13, abs=1)
    # The lines cross above it.
    assert sum(row[columns[1]] == "◆" for row in rows) == 2
    unfinished = tuple(replace(one, finished=False) for one in crossing().crossovers)
    assert " so far" in chart(replace(crossing(), crossovers=unfinished), (8, 8), 100, 22)


def test_a_crossing_among_several_rules_says_of_which_it_is() -> None:
    each = found(replace(SMALL, rules=("none", "inverse-sqrt", "inverse"), draws=320))
    for rule, name in (("inverse-sqrt", "1/√d_k"), ("inverse", "1/d_k")):
        assert f"{name} equals unscaled at" in plain(sweep_chart(each, rule, (8, 2), 116, 22))


def test_larger_and_smaller_are_told_apart_without_colour_where_cells_are_tall() -> None:
    each = found(replace(SMALL, view="map", ratio=True, n_range=(2, 512), draws=320))
    rows = lines(sweep_map(each, "inverse-sqrt", "median", (512, 55), 76, 16))
    checked = set()
    for above, below in pairwise(rows[1:11]):
        for match in re.finditer("[▼▲]", above):
            filled = below[match.start()]
            assert filled in {"▼": "░▒▓█", "▲": "▂▄▆█"}[match[0]]
            checked.add(match[0])
    assert checked == {"▼", "▲"}


def test_a_crossing_over_n_stands_on_the_axis_of_n() -> None:
    each = found(replace(SMALL, over="n", n_range=(2, 300), draws=320))
    met = each.crossing("inverse-sqrt", "gradient", 8)
    assert met
    assert f"equal at n = {short_place(met.at)}" in chart(each, (8, 64), 100, 22)


def test_the_curves_of_a_map_are_those_of_the_row_of_the_cursor() -> None:
    each = found(replace(SMALL, view="map", ratio=True, n_range=(2, 512), draws=320))
    for n, d_k in ((512, 8), (8, 861), (2, 1)):
        text = chart(each, (n, d_k), 60, 22)
        assert text.startswith(f"{min(each.points.ns, key=lambda m: abs(log(m / n))):,} keys  ")
        assert str(d_k) in text.splitlines()[-1]
        met = each.crossing("inverse-sqrt", "gradient", n)
        assert (met is not None) == (n == each.settings.n)
        if met:
            assert f"equal at {short_place(met.at)}" in text


@pytest.mark.parametrize(("width", "height"), [(16, 10), (38, 20), (76, 14)])
@pytest.mark.parametrize("ratio", [False, True])
def test_a_place_beyond_the_axis_is_pointed_to_at_that_edge(
    width: int, height: int, ratio: bool
) -> None:
    answers = found(Settings(n=8, points=3, d_k_range=(2, 64), draws=20, ratio=ratio))
    beyond, before, inside = (
        text_of(sweep_chart(answers, "inverse-sqrt", (8, d_k), width, height), "cursor")
        for d_k in (65_536, 1, 16)
    )
    assert ("→" in beyond, "←" in before, "→" in inside or "←" in inside) == (True, True, False)
    if width > 16:
        assert "d_k = 65,536 →" in beyond
        assert "← d_k = 1" in before


def test_a_rule_that_multiplies_says_what_it_does() -> None:
    """Of ratios what is drawn is what dividing does, and not what removing does."""
    each = found(replace(SMALL, ratio=True, draws=320))
    ratio = each.points.ratio(8, each.points.d_ks[-1], "inverse-sqrt", "gradient")
    assert ratio
    assert ratio.log_median < -5.0
    drawn = sweep_chart(each, "inverse-sqrt", (8, 2), 100, 22)
    rows, line = lines(drawn), heights(drawn, "scaled")
    assert rows[0].startswith("what dividing by √d_k does to the gradient by s")
    one = next(y for y, row in enumerate(rows) if "×1┤" in row)
    assert max(line[max(line)]) < one


def test_a_click_finds_the_place_that_is_drawn_there() -> None:
    each = crossing()
    for place in each.points.places:
        last = lines(sweep_chart(each, "inverse-sqrt", place, 100, 20))[-2]
        column = 5 + min(int(95 * log2(place[1]) / 13 + 1e-9), 94)
        assert last[column] in "┬└"
        assert place_at(each, "inverse-sqrt", place, column, 100, 20, DEFAULT_LOOK) == place
    assert place_at(each, "inverse-sqrt", (8, 1), 0, 100, 20, DEFAULT_LOOK) is None
