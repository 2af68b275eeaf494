"""The charts of a sweep: what they say without colour, at every size and however far it is."""

import re
from dataclasses import replace
from functools import lru_cache
from itertools import cycle, islice, pairwise, product
from math import exp, log
from typing import Any

import numpy as np
import pytest

from attn_tui.charts.glyphs import DRAWN, in_ascii
from attn_tui.charts.rows import plain
from attn_tui.charts.sweep.curves import place_at, sweep_chart, swept
from attn_tui.charts.sweep.map import Of, place_on_map, sweep_map
from attn_tui.charts.sweep.shading import times
from attn_tui.charts.sweep.signs import Look
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer, answer
from attn_tui.compute.sweep.settings import STATISTICS, Settings
from attn_tui.report.numbers import quantity
from attn_tui.report.sweep.names import name_of, place_text
from tests.charts.cases import check_block, lines

SIZES = [
    *((0, 0), (1, 1), (2, 2), (5, 2), (8, 1), (12, 3), (24, 4), (38, 8), (60, 5), (9, 60)),
    *((76, 6), (76, 12), (100, 7), (116, 22), (200, 60), (200, 2)),
]
SMALL = Settings(n=8, points=8, map_points=5, draws=64)
LOOKS = [Look(*each) for each in product((True, False), repeat=3)]


@lru_cache
def found(settings: Settings, first: bool = False) -> Answer:
    answers = answer(Experiment(Drawn(4), Setup(64).put(settings)))
    return next(answers) if first else list(answers)[-1]


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
        check_block(sweep_chart(found(CASES[name], first), 64, *size, next(looks)), *size)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_statistic_can_be_drawn(statistic: str) -> None:
    for over, view, ratio in product(("d_k", "n"), ("curves", "map"), (True, False)):
        asked: Any = {"statistic": statistic, "over": over, "view": view, "ratio": ratio}
        each = found(replace(SMALL, crossovers=False, **asked))
        for look in LOOKS[::5]:
            check_block(sweep_chart(each, 64, 76, 14, look), 76, 14)
            check_block(sweep_map(each, "none", "mean", (8, 64), 76, 14, look), 76, 14)


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


def test_rules_means_and_medians_are_told_apart_without_colour() -> None:
    text = plain(sweep_chart(crossing(), 64, 100, 22))
    assert "A unscaled  B 1/√d_k" in text.splitlines()[0]
    assert "A mean, ⠤ median" in text
    assert "letters mean, lines median" in plain(sweep_chart(crossing(), 64, 120, 22))
    assert text.count("A") > 3
    assert text.count("B") > 3
    plain_text = in_ascii(text)
    assert "A mean, - median" in plain_text
    assert "'--." in plain_text
    assert set(text) - set(plain_text) <= set(DRAWN)


MANY = (
    *("none", "inverse-sqrt", "inverse", "fixed", "mup", "log-length", "ssmax", "yarn"),
    *("temperature:T=4", "temperature:T=16"),
)


@pytest.mark.parametrize("ratio", [True, False])
@pytest.mark.parametrize(("width", "height"), [(120, 29), (80, 14), (60, 14), (38, 8)])
def test_every_rule_is_named_or_counted(ratio: bool, width: int, height: int) -> None:
    each = found(replace(SMALL, rules=MANY, draws=320, ratio=ratio))
    rows = lines(sweep_chart(each, 64, width, height))
    text = "\n".join(rows[: next(y for y, row in enumerate(rows) if "┤" in row)])
    letters = zip("ABCDEFGHIJ", MANY, strict=True)
    names = [f"{letter} {name_of(rule)}" for letter, rule in letters][ratio:]
    missing = [name for name in names if name not in text]
    more = re.findall(r"… (\d+) more", text)
    assert [len(missing)] * bool(missing) == [int(count) for count in more]
    assert not missing or width < 80
    if height > 6:
        shown = len(re.findall(r"[A-J] ×?\d", rows[-1]))
        assert shown
        (count,) = re.findall(r"… (\d+) more", rows[-1]) or ["0"]
        assert shown + int(count) == len(names)


def test_every_crossover_of_several_rules_says_which_rule_it_is_of() -> None:
    each = found(replace(SMALL, rules=MANY, draws=320))
    letters = [
        "ABCDEFGHIJ"[each.rules.index(c.rule)]
        for c in each.crossovers
        if c.readout == "gradient" and c.d_k and c.d_k <= 8192
    ]
    assert len(letters) > 5
    for size in ((116, 22), (76, 12)):
        text = plain(sweep_chart(each, 8192, *size))
        assert set(letters) <= set("".join(re.findall(r"◆([A-J]+)", text)))
        assert "◆ d*, medians cross" in text or size != (116, 22)
    few = replace(SMALL, rules=("none", "inverse-sqrt", "inverse"), draws=320)
    text = plain(sweep_chart(found(few), 64, 116, 22))
    assert len(re.findall(r"├─*◆─*┤ [BC] d\* \d+", text)) == 2


def test_the_crossover_stands_on_the_chart_with_its_interval() -> None:
    text = plain(sweep_chart(crossing(), 64, 100, 22))
    (each,) = [c for c in crossing().crossovers if c.readout == "gradient"]
    assert each.d_k is not None
    line = next(line for line in text.splitlines() if "d* " in line)
    assert line.index("├") < line.index("◆") < line.index("┤", line.index("◆"))
    assert "σ_c" in text
    assert "┊" in text
    assert "so far" not in text
    unfinished = tuple(replace(one, finished=False) for one in crossing().crossovers)
    text = plain(sweep_chart(replace(crossing(), crossovers=unfinished), 64, 100, 22))
    assert f"d* {place_text(each.d_k)} so far" in text


def test_exact_curves_and_asymptotes_are_labelled_with_what_they_are_of() -> None:
    text = plain(sweep_chart(found(CASES["two keys"]), 64, 120, 22))
    assert "- mean asymptote, = exact mean, ~ exact median" in text
    assert "mean → m_n·E[1/σ]" in text
    text = plain(sweep_chart(found(replace(SMALL, n=512)), 64, 120, 22))
    assert "- RMS asymptote" in text
    assert "RMS → m·√(r(1 − r)/3)" in text


def test_exact_values_stand_beside_the_sampled_ones_at_the_cursor() -> None:
    each = found(replace(SMALL, statistic="trace"))
    point = each.points.at(8, 48, "inverse-sqrt")
    assert point is not None
    exact = point.exact("trace").mean
    assert exact is not None
    assert f"(exact {quantity(exact)}), median" in lines(sweep_chart(each, 48, 160, 22))[-1]
    assert "exact" not in lines(sweep_chart(found(SMALL), 48, 160, 22))[-1]


SIGNS = ("= exact", "- RMS", "- mean", "σ_c logits", "d* medians")


@pytest.mark.parametrize(
    ("settings", "signs"),
    [
        (replace(SMALL, draws=320), "- RMS, σ_c logits, d* medians"),
        (replace(SMALL, draws=320, d_k_range=(1, 3)), ""),
        (replace(SMALL, draws=320, d_k_range=(1, 40)), "- RMS, σ_c logits"),
        (replace(SMALL, draws=320, d_k_range=(32, 400)), "- RMS, d* medians"),
        (replace(SMALL, draws=320, ratio=True), "σ_c logits, d* medians"),
        (replace(SMALL, rules=("inverse",), statistic="trace"), "= exact"),
        (replace(SMALL, d_k_range=(1, 40), statistic="trace"), "= exact, - mean, σ_c logits"),
        (replace(SMALL, over="n", n_range=(2, 300), rules=("inverse",)), ""),
    ],
)
def test_only_signs_that_are_in_the_picture_are_explained(settings: Settings, signs: str) -> None:
    row = lines(sweep_chart(found(settings), 64, 140, 22))[-2]
    assert ", ".join(sign for sign in SIGNS if sign in row) == signs, row


def test_errors_and_exact_values_are_the_last_numbers_to_be_left_out() -> None:
    each = found(replace(SMALL, n=2, statistic="trace", draws=320))
    for width in (76, 100, 120, 140, 200):
        *_, before, last = lines(sweep_chart(each, 64, width, 22))
        numbers = last if "A " in last else f"{before} {last}"
        assert numbers.count("±") == 2, numbers
        assert numbers.count("exact") + numbers.count(" = ") + numbers.count(" ~ ") == 4, numbers


@pytest.mark.parametrize("width", [76, 80, 100, 116])
def test_the_crossover_is_explained_wherever_it_is_drawn(width: int) -> None:
    for settings in (SMALL, replace(SMALL, n=2), replace(SMALL, rules=MANY)):
        each = found(replace(settings, draws=320))
        rows = lines(sweep_chart(each, 64, width, 14))
        assert any("d*" in row and "mean" in row for row in rows[-4:-1]), "\n".join(rows)


def test_a_low_chart_says_which_signs_are_means_and_which_medians() -> None:
    for settings, said in (
        (SMALL, "A mean, a median"),
        (CASES["ratio"], "B ratio of means, b of medians"),
    ):
        assert said in lines(sweep_chart(found(settings), 64, 40, 7))[0]


def test_condensation_points_of_several_rules_say_which_rule_they_are_of() -> None:
    rules = ("none", "fixed:a=16", "temperature:T=2")
    text = plain(sweep_chart(found(replace(SMALL, rules=rules)), 64, 116, 22))
    assert set(re.findall(r" σ_c ([A-C])\b", text)) == {"A", "B", "C"}
    ratio = replace(SMALL, rules=rules, ratio=True)
    assert " σ_c unscaled" in plain(sweep_chart(found(ratio), 64, 116, 22))


def test_marks_stand_free_of_what_is_drawn() -> None:
    for size in ((76, 12), (80, 14), (100, 22), (116, 29)):
        text = plain(sweep_chart(crossing(), 64, *size))
        assert re.search(r" σ_c ", text)
        assert re.search(r" ├─*◆─*┤ d\* \d+ ", text)


def test_numbers_stand_below_the_curves_at_the_cursor() -> None:
    each = crossing()
    places = swept(each)
    last = lines(sweep_chart(each, places[3], 110, 14))[-1]
    assert last.startswith(f"d_k {places[3]}: A mean ")
    assert "±" in last
    far = plain(sweep_chart(each, 10**9, 150, 14))
    assert "\nd_k 8,192, nearest to 1,000,000,000: A mean" in far


def test_a_click_finds_the_place_that_is_drawn_there() -> None:
    each = crossing()
    for place in swept(each):
        rows = lines(sweep_chart(each, place, 100, 20))
        column = max(row.find(mark) for row in rows for mark in "┃┿")
        assert place_at(each, column, 100, 18) == place
    assert place_at(each, 0, 100, 18) is None


def test_what_lies_below_the_axis_is_said_of_each_curve() -> None:
    each = found(replace(SMALL, n=2, statistic="trace"))
    (said,) = (line for line in lines(sweep_chart(each, 64, 100, 20)) if "below" in line)
    points = [p.statistics["trace"] for p in each.points if p.rule == "none"]
    least = float(said.split()[-1])
    assert least < 1e-8
    for name, logs in (
        ("medians", [point.log_median for point in points]),
        ("lower ends", [point.log_low for point in points]),
    ):
        assert f"{sum(log < np.log(least) for log in logs)} of A's {name}" in said
    assert "of B" not in said


def test_no_number_is_lost_below_the_axis() -> None:
    each = found(replace(CASES["far away"], n=2, statistic="trace"))
    text = plain(sweep_chart(each, 64, 100, 20))
    assert "below" in text
    near = replace(SMALL, n=2, statistic="trace")
    assert "below" in plain(sweep_chart(found(near), 64, 100, 20))
    assert "below" not in plain(sweep_chart(found(near), 64, 100, 20, Look(whole=True)))


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
            factor = exp(abs(ratio.log_median))
            if factor < 1.15:
                assert cell == "="
                continue
            assert cell[0] == ("▼" if ratio.log_median > 0.0 else "▲")
            assert cell[1:] == times(abs(ratio.log_median))
    assert rows[each.points.ns[::-1].index(512) + 1].count("[") == 1
    assert "dividing makes it 26 times smaller" in rows[-1]


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (1.2, "1.2"), (2.9, "2.9"), (2.96, "3"), (26.4, "26"), (999.0, "999"), (1000.0, "10³"),
        (9_999.0, "10³"), (123_456.0, "10⁵"), (999_999.0, "10⁵"), (1e6, "≫"), (1e300, "≫"),
    ],
)  # fmt: skip
def test_factors_are_short_and_powers_of_ten_round_down(factor: float, text: str) -> None:
    assert times(log(factor)) == text


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
    assert "· less" in wide[-1]
    assert ". less" in in_ascii(wide[-1])


def test_the_shades_of_a_map_are_spread_over_what_it_shows_and_named() -> None:
    for statistic in STATISTICS:
        each = found(replace(SMALL, view="map", n_range=(2, 512), statistic=statistic))
        narrow, wide = (
            lines(sweep_map(each, "none", "median", (2, 1), width, 12)) for width in (50, 100)
        )
        cells = "".join(narrow[1:6])
        shades = [cells.count(shade) for shade in "█▓▒░"]
        named = re.findall(r"[█▓▒░] ≥(\S+)", wide[-1])
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
