import re
import subprocess
import sys

import numpy as np
import plotext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.charts.rows import plain
from attn_tui.charts.weights import weights_chart
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from tests.charts.cases import INF, SCORES, ask, case, check_block, lines, text_of

sizes = st.tuples(st.integers(0, 130), st.integers(0, 20))


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(sorted(SCORES)), sizes, st.booleans(), st.integers(-1, 400), st.booleans())
def test_the_chart_has_the_size_asked_for(
    name: str, size: tuple[int, int], log: bool, selected: int, ascii: bool
) -> None:
    check_block(weights_chart(case(name), *size, log, selected, ascii), *size)


@pytest.mark.parametrize("count", [3, 20, 57, 58, 59, 115, 116, 117, 1000, 100_000])
@pytest.mark.parametrize("width", [38, 76, 116])
def test_any_number_of_keys_fits(count: int, width: int) -> None:
    answer = ask(np.random.default_rng(1).normal(0, 3, count))
    check_block(weights_chart(answer, width, 10, False, count - 1), width, 10)


def test_values_and_both_sides_are_written_out() -> None:
    text = plain(weights_chart(case("worked"), 116, 14, False, selected=0))
    for part in ("1.93e-22", "9.36e-14", "1.0000", "0.1309", "0.2446", "0.6245", "0 to 1"):
        assert part in text
    assert "▸ key 0, s = 100: 1.93e-22 unscaled, 0.1309 scaled" in text
    assert "░ unscaled" in text
    assert "█ scaled ×0.03125" in text


def test_each_side_has_its_own_glyph_and_role() -> None:
    for plain_ascii, unscaled, scaled in ((False, "⣀⣤⣶░", "▁▂▃▄▅▆▇█"), (True, ".:", "_=#")):
        for scores in (np.zeros(4), np.linspace(0, 3, 9), np.linspace(0, 3, 200)):
            for log in (False, True):
                rows = weights_chart(ask(scores, Setup(d_k=2)), 116, 14, log, 0, plain_ascii)[1:-3]
                assert set(text_of(rows, "unscaled")) <= set(unscaled)
                assert set(text_of(rows, "scaled")) <= set(scaled)
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
        sum(line[column] == "░" for line in lines(rows)[1:11])
        for column in range(5, 116)
        if any(line[column] == "░" for line in lines(rows)[1:11])
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
from attn_tui.charts import over_d_k
from tests.charts.cases import case
from attn_tui.charts.weights import weights_chart
weights_chart(case("worked"), 116, 14, True)
assert "plotext" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_name_cannot_break_the_screen() -> None:
    rows = weights_chart(ask([1, 2], name="注意\x1b[31m"), 116, 14, False)
    check_block(rows, 116, 14)
    assert "注意�[31m" in lines(rows)[0]
