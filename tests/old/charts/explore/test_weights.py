import re
import subprocess
import sys
from itertools import pairwise

import numpy as np
import plotext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.charts.glyphs import SCALED, UNSCALED
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.old.charts.explore.weights import key_at, weights_chart
from attn_tui.report.rows import plain
from tests.old.charts.cases import INF, SCORES, ask, case, check_block, lines, text_of

sizes = st.tuples(st.integers(0, 130), st.integers(0, 20))


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(sorted(SCORES)), sizes, st.booleans(), st.integers(-1, 400))
def test_the_chart_has_the_size_asked_for(
    name: str, size: tuple[int, int], log: bool, selected: int
) -> None:
    check_block(weights_chart(case(name), *size, log, selected), *size)


@pytest.mark.parametrize("count", [3, 20, 57, 58, 59, 115, 116, 117, 1000, 100_000])
@pytest.mark.parametrize("width", [38, 76, 116])
def test_any_number_of_keys_fits(count: int, width: int) -> None:
    answer = ask(np.random.default_rng(1).normal(0, 3, count))
    check_block(weights_chart(answer, width, 10, False, count - 1), width, 10)


@pytest.mark.parametrize("count", [1, 7, 30, 45, 64, 90, 200])
def test_a_click_on_any_column_finds_a_key(count: int) -> None:
    answer = ask(np.linspace(0.0, 9.0, count))
    found = [key_at(answer, x, 100, 20, False) for x in range(100)]
    keys = [key for key in found if key is not None]
    assert keys == sorted(keys)
    # Of several in a column it is the one with the largest weight.
    assert keys[0] <= count // 100
    assert keys[-1] == count - 1


def test_values_and_both_sides_are_written_out() -> None:
    text = plain(weights_chart(case("worked"), 116, 14, False, selected=0))
    for part in ("1.93e-22", "9.36e-14", "1.0000", "0.1309", "0.2446", "0.6245", "0 to 1"):
        assert part in text
    assert "▸ key 0, s = 100: 1.93e-22 unscaled, 0.1309 scaled" in text
    assert "▒ unscaled" in text
    assert "█ scaled ÷32" in text


def test_each_side_has_its_own_glyph_and_role() -> None:
    for scores in (np.zeros(4), np.linspace(0, 3, 9), np.linspace(0, 3, 200)):
        for log in (False, True):
            rows = weights_chart(ask(scores, Setup(d_k=2)), 116, 14, log, 0)[1:-3]
            assert set(text_of(rows, "unscaled")) <= set(UNSCALED)
            assert set(text_of(rows, "scaled")) <= set(SCALED)
    rows = weights_chart(case("ties"), 116, 14, False)[1:-3]
    assert len(text_of(rows, "unscaled")) == len(text_of(rows, "scaled")) > 0


def test_what_is_said_to_be_hidden_is_hidden_and_nothing_else() -> None:
    for n_keys, height in ((20, 8), (50, 8), (200, 8), (30, 9), (50, 14)):
        rows = weights_chart(ask(np.zeros(n_keys)), 2 * n_keys + 10, height, False)
        sides = [side for side in ("unscaled", "scaled") if not text_of(rows[1:-1], side)]
        said = re.search(r"(\S+(?: and \S+)?) all below", lines(rows)[-1])
        assert sides == (said[1].split(" and ") if said else [])


def test_nearly_equal_weights_look_equal() -> None:
    logs = np.log([0.1249, 0.1251] + [0.125] * 6)
    rows = weights_chart(ask(logs, Setup(scale=Scale("none"))), 116, 14, False)
    heights = [
        sum(line[column] == "▒" for line in lines(rows)[1:11])
        for column in range(5, 116)
        if any(line[column] == "▒" for line in lines(rows)[1:11])
    ]
    assert len(set(heights)) == 1
    assert heights[0] <= 2


def test_the_logarithmic_axis_reaches_below_the_smallest_weight_even_beyond_float64() -> None:
    rows = weights_chart(ask([0, -9950]), 76, 12, True)
    text = plain(rows)
    assert "1e-4323" in text
    assert "log" in lines(rows)[0]
    assert "▼" not in text


def test_masked_keys_are_marked_on_both_scales() -> None:
    for log in (False, True):
        text = plain(weights_chart(case("some masked"), 116, 14, log))
        assert text.count("masked") == 3
        assert "m 2 masked" in text


def test_nan_is_marked_with_its_reason() -> None:
    rows = weights_chart(case("naive"), 116, 14, False)
    errors = text_of(rows, "error")
    assert errors.count("×") == 4
    assert "3 NaN" in errors
    assert "overflows float32" in errors
    assert "0.6245" in plain(rows)


def test_many_keys_share_columns_and_the_chart_says_so() -> None:
    scores = np.zeros(1000)
    scores[500] = 20.0
    rows = weights_chart(ask(scores, Setup(d_k=1)), 116, 14, False)
    text = plain(rows)
    assert "keys a column: largest shown" in text
    top = lines(rows)[1]
    assert top.count("█") == 1
    assert abs(top.index("█") - (5 + 111 // 2)) <= 1


def test_what_the_fixed_scale_hides_is_said() -> None:
    answer = ask(np.append(np.zeros(1000), 30.0))
    assert "scaled all below 0.0063: see log" in plain(weights_chart(answer, 116, 14, False))
    assert "see log" not in plain(weights_chart(answer, 116, 14, True))


def test_columns_of_masked_keys_are_marked() -> None:
    text = plain(weights_chart(ask([0.0] * 500 + [-INF] * 500), 116, 14, True, selected=-1))
    assert "m 500 masked" in text
    assert 50 <= text.count("m") <= 65


def test_many_keys_never_reach_plotext(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*data: object, **how: object) -> None:
        raise AssertionError("bars are drawn without plotext")

    monkeypatch.setattr(plotext, "plot", refuse)
    monkeypatch.setattr(plotext, "scatter", refuse)
    weights_chart(ask(np.arange(100_000.0)), 116, 14, True)


def test_plotext_is_not_loaded_until_a_curve_is_drawn() -> None:
    program = """
import sys
from attn_tui.old.charts.explore import over_d_k
from tests.old.charts.cases import case
from attn_tui.old.charts.explore.weights import key_at, weights_chart
from attn_tui.charts.glyphs import SCALED, UNSCALED
weights_chart(case("worked"), 116, 14, True)
assert "plotext" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_name_cannot_break_the_screen() -> None:
    rows = weights_chart(ask([1, 2], name="注意\x1b[31m"), 116, 14, False)
    check_block(rows, 116, 14)
    assert r"注意\x1b[31m" in lines(rows)[0]


SUNK = Setup(d_k=4, scale=Scale(sink=0.0))


def test_what_goes_to_the_sink_has_a_bar_of_its_own_and_is_written_out() -> None:
    # z = (0, 0) and a sink of 0: a third each.
    rows = weights_chart(ask([0, 0], SUNK), 116, 14, False)
    assert "sink" in text_of(rows, "strong")
    assert "sink 0.3333" in lines(rows)[-1]
    assert plain(rows).count("0.3333") == 5
    tall = [sum(line[column] == "█" for line in lines(rows)[1:11]) for column in range(116)]
    assert sorted(set(tall)) == [0, 3]
    assert len([1 for before, here in pairwise(tall) if here > before]) == 3
    bars = weights_chart(ask([0, 0]), 116, 14, False)
    assert "sink" not in plain(bars)


@pytest.mark.parametrize("width", [116, 76, 38])
def test_many_keys_leave_the_sink_a_note(width: int) -> None:
    # But for key 0 no key has a weight, so that half goes to the sink.
    scores = np.full(1000, -2000.0)
    scores[0] = 0.0
    rows = weights_chart(ask(scores, SUNK), width, 8, False)
    assert ("sink 0.5000" in lines(rows)[-1]) == (width > 38)
    assert "sink" not in plain(rows[1:-1])


def test_a_sink_that_underflows_is_known_from_its_logit() -> None:
    answer = ask([0, 5000], Setup(scale=Scale("none", sink=0.0)))
    rows = weights_chart(answer, 116, 14, True)
    assert answer.scaled.sink_weight == 0.0
    assert "sink 3.37e-2172" in lines(rows)[-1]
    assert "▼" not in plain(rows)


def test_what_is_done_to_scores_besides_the_multiplier_is_named_where_there_is_room() -> None:
    setup = Setup(d_k=4, scale=Scale(softcap=50.0, sink=-1.0))
    assert "█ scaled ÷2 cap 50 sink −1" in lines(weights_chart(ask([0, 1], setup), 76, 8, False))[0]
    narrow = lines(weights_chart(ask([0, 1], setup), 38, 8, False))[0]
    assert "█ scaled ÷2" in narrow
    assert "cap" not in narrow


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("width", [116, 76, 38])
def test_two_answers_are_compared_by_name_and_by_their_difference(width: int, log: bool) -> None:
    # 1/(1 + e) = .2689 and 1/(1 + e²) = .1192; the sink is too far below to count.
    sunk = Setup(d_k=1, scale=Scale(sink=-20.0))
    answer = compare(ask([0, 1], Setup(d_k=1)), ask([0, 2], sunk))
    rows = weights_chart(answer, width, 8, log)
    check_block(rows, width, 8)
    assert "pinned ×1" in lines(rows)[0] or width == 38
    assert "pinned" in lines(rows)[0]
    assert "now" in lines(rows)[0]
    assert "scaled" not in plain(rows)
    assert text_of(rows, "pinned")
    assert text_of(rows, "scaled")
    assert "−0.1497" in lines(rows)[-1]
    assert ("p now − p pinned = −0.1497" in lines(rows)[-1]) == (width > 76)


@pytest.mark.parametrize("longer", [False, True])
def test_each_of_two_answers_has_its_own_masked_keys(longer: bool) -> None:
    # The shorter vector is masked where it has no key.
    answers = [ask([0, -INF]), ask([0, 1, -INF])]
    answer = compare(*(answers[::-1] if longer else answers))
    rows = weights_chart(answer, 116, 14, True)
    assert plain(rows[1:-1]).count("masked") == 1
    assert "m 1 masked" in lines(rows)[-1]
    assert not text_of(rows, "error")


def test_the_difference_of_weights_that_underflow_keeps_its_sign_and_size() -> None:
    unscaled = Setup(scale=Scale("none"))
    answer = compare(ask([0, 2000], unscaled), ask([0, 1900], unscaled))
    assert "+6.93e-826" in lines(weights_chart(answer, 116, 8, False))[-1]
    back = compare(ask([0, 1900], unscaled), ask([0, 2000], unscaled))
    assert "−6.93e-826" in lines(weights_chart(back, 116, 8, False))[-1]
    near = compare(ask([0, 1900.5], unscaled), ask([0, 1900], unscaled))
    assert "+2.73e-826" in lines(weights_chart(near, 116, 8, False))[-1]
    same = compare(ask([0, 1900], unscaled), ask([0, 1900], unscaled))
    assert lines(weights_chart(same, 116, 8, False))[-1].rstrip().endswith("= 0")


@pytest.mark.parametrize("height", range(7, 17))
@pytest.mark.parametrize("share", [2, 4])
def test_a_bar_ends_in_the_line_of_its_tick(share: int, height: int) -> None:
    _, *rows = lines(weights_chart(ask([0] * share, Setup(d_k=4)), 76, height, False))
    at = [y for y, row in enumerate(rows) if row.startswith(f"{1 / share:g}┤".rjust(5))]
    top = next(y for y, row in enumerate(rows) if {*row} & {*"▂▄▆█"})
    count = sum(row[4:5] in ("┤", "│") or row[3:4] in ("┤", "│") for row in rows)
    assert all(abs(y - top) <= (count >= 8) for y in at)
    assert at or count < 8
