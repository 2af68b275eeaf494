from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import OverDk, over_d_k
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.vector import Vector
from attn_tui.old.charts.axis import Axis
from attn_tui.old.charts.explore.over_d_k import over_d_k_chart
from attn_tui.old.charts.plot import Figure
from attn_tui.old.charts.sides import Quantity
from attn_tui.report.rows import plain
from tests.asking import asking
from tests.old.charts.cases import NAIVE, SCORES, check_block, lines, text_of


def over(name: str, setup: Setup | None = None) -> OverDk:
    scores, default = SCORES[name]
    vector = Vector("a", np.array(scores))
    data = over_d_k(asking(vector, setup=setup or default), 0, D_K.stops)
    assert data is not None
    return data


CASES = {name: over(name) for name in SCORES}


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(CASES)),
    st.integers(0, 120),
    st.integers(0, 16),
    st.integers(1, 65536),
    st.booleans(),
    st.sampled_from(["weights", "entropy", "norm"]),
    st.sampled_from(["", "same scores, other d_k"]),
)
def test_the_chart_has_the_size_asked_for(
    name: str,
    width: int,
    height: int,
    current: int,
    log: bool,
    quantity: Quantity,
    note: str,
) -> None:
    rows = over_d_k_chart(CASES[name], current, width, height, log, quantity, note=note)
    check_block(rows, width, height)


def test_where_the_scores_come_from_is_said_above_the_panels_where_there_is_room() -> None:
    note = "scores drawn anew, coupled, at each d_k"
    for width in (116, 76, 40):
        plain_rows = over_d_k_chart(CASES["worked"], 1024, width, 7, False)
        rows = over_d_k_chart(CASES["worked"], 1024, width, 8, False, note=note)
        assert lines(rows)[0].strip() == note
        assert rows[1:] == plain_rows
    low = over_d_k_chart(CASES["worked"], 1024, 116, 6, False, note=note)
    assert low == over_d_k_chart(CASES["worked"], 1024, 116, 6, False)


def test_three_panels_name_their_quantities_units_and_scales() -> None:
    title = lines(over_d_k_chart(CASES["worked"], 1024, 116, 14, False))[0]
    weights, entropy = "p of the 3 largest keys", "entropy H in nats, at most ln n"
    for part in (weights, "‖∂p/∂s‖_F", entropy):
        assert part in title
    logits = over_d_k_chart(CASES["worked"], 1024, 116, 14, True, wrt="logits")
    assert "‖∂p/∂z‖_F, log" in lines(logits)[0]


def test_curves_are_tagged_by_key() -> None:
    rows = over_d_k_chart(CASES["worked"], 1024, 116, 14, False)
    for tag in ("key 2", "key 1", "key 0"):
        assert tag in text_of(rows, "scaled")


def test_curves_that_lie_on_each_other_are_one_band_and_no_others() -> None:
    setup = Setup(64)
    found = over_d_k(Experiment(Drawn(512), setup), 0, D_K.stops)
    assert found is not None
    for height, named in ((8, 1), (20, 2)):
        rows = over_d_k_chart(found, 64, 38, height, False)
        assert lines(rows)[0].startswith(f"p of the 6 largest keys, {6 - named} shaded")
        assert [f"key {key}" in plain(rows[:-1]) for key in found.keys] == [
            place < named for place in range(6)
        ]
        assert "░" in text_of(rows, "scaled_band")
    apart = replace(
        found, weights=np.linspace(1.0, 0.1, 6)[:, np.newaxis] * np.ones(len(D_K.stops))
    )
    rows = over_d_k_chart(apart, 64, 38, 24, False)
    assert ("shaded" in plain(rows), "░" in plain(rows)) == (False, False)
    assert "░" not in plain(over_d_k_chart(CASES["worked"], 1024, 38, 8, False))


@pytest.mark.parametrize("width", [38, 76, 116])
def test_the_current_d_k_is_marked_and_its_values_written(width: int) -> None:
    rows = over_d_k_chart(CASES["worked"], 1024, width, 8, False)
    cursor = text_of(rows, "cursor")
    assert cursor.count("1024") == {38: 1, 76: 2, 116: 3}[width]
    assert "┊" in cursor
    assert "key 2 62.5 %" in cursor
    assert ("0.905 nats" in cursor) == (width > 76)
    assert ("0.0127" in cursor) == (width > 38)
    # Where a table has them, they are not written again.
    beside = text_of(over_d_k_chart(CASES["worked"], 1024, width, 8, False, alone=False), "cursor")
    assert set(beside.replace("1024", "")) == {"┊", "┬"}


@pytest.mark.parametrize(("width", "log"), [(76, False), (116, False), (116, True), (150, False)])
def test_all_panels_have_the_same_ticks_of_d_k(width: int, log: bool) -> None:
    for current in (1, 64, 1000, 65536):
        rows = lines(over_d_k_chart(CASES["worked"], current, width, 12, log, alone=False))
        panels = [panel.split() for panel in rows[-1].split("d_k")[1:]]
        assert len(panels) == (2 if width == 76 else 3)
        assert all(panel == panels[0] for panel in panels)


def test_an_axis_ends_where_its_curves_do_so_that_no_first_view_is_empty() -> None:
    many = replace(CASES["worked"], weights=CASES["worked"].weights / 50)
    assert lines(over_d_k_chart(many, 64, 38, 12, False))[1].startswith("2 %┤")
    norm = lines(over_d_k_chart(CASES["worked"], 64, 60, 12, False, quantity="norm"))
    assert norm[1].startswith("0.02┤")
    drawn = [row for row in norm if any("⠀" < each <= "⣿" for each in row)]
    assert len(drawn) > 4


def test_values_of_another_d_k_are_never_passed_off_as_those_of_the_current() -> None:
    rows = over_d_k_chart(CASES["worked"], 1000, 38, 8, False)
    assert lines(rows)[-1].startswith("at 1024:")
    assert "1000" in lines(rows)[-2]


def test_a_narrow_chart_shows_the_quantity_asked_for() -> None:
    titles = {"weights": "p of the", "entropy": "entropy H", "norm": "‖∂p/∂s‖_F"}
    for quantity, title in titles.items():
        rows = over_d_k_chart(CASES["worked"], 64, 38, 8, False, quantity=quantity)  # type: ignore[arg-type]
        assert lines(rows)[0].startswith(title)


def test_the_scale_of_the_norm_is_fixed_unless_a_multiplier_exceeds_1() -> None:
    cold = lines(over_d_k_chart(CASES["ties"], 65536, 38, 8, False, quantity="norm"))
    assert cold[1].strip().startswith("0.5┤")
    hot = over("ties", Setup(scale=Scale("temperature", (("T", 0.01),))))
    hottest = lines(over_d_k_chart(hot, 64, 38, 8, False, quantity="norm"))
    assert hottest[1].strip().startswith("50┤")


@pytest.mark.parametrize(
    ("temperature", "top"), [(0.001, "500"), (1e-5, "5e+04"), (1e-307, "5e+306")]
)
def test_a_logarithmic_axis_reaches_any_multiplier_and_its_ticks_lie_on_it(
    temperature: float, top: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    axes: list[Axis] = []

    def kept(titles: Any, series: Any, x: Axis, y: Axis, **rest: Any) -> Figure:
        axes.append(y)
        return Figure(titles, (), x, y, **rest)

    monkeypatch.setattr("attn_tui.old.charts.explore.over_d_k.Figure", kept)
    hot = over("ties", Setup(scale=Scale("temperature", (("T", temperature),))))
    rows = lines(over_d_k_chart(hot, 64, 38, 12, True, quantity="norm"))
    assert rows[1].lstrip().startswith(top)
    assert all(axes[0].minimum <= tick.value <= axes[0].maximum for tick in axes[0].ticks)
    assert sum("┤" in row for row in rows) >= 2


def test_where_the_norm_is_largest_is_said() -> None:
    def title(name: str, current: int, alone: bool = False) -> str:
        rows = lines(over_d_k_chart(CASES[name], current, 116, 8, False, alone=alone))
        return rows[-1] if alone else rows[0]

    peak = int(CASES["worked"].d_k[np.argmax(CASES["worked"].frobenius)])
    assert f"‖_F, largest at d_k {peak} " in title("worked", 1024)
    assert ", largest here " in title("worked", peak)
    assert f"at 1024: 0.0127, largest at d_k {peak}" in title("worked", 1024, True)
    assert "largest at" not in title("one key", 1024)


@pytest.mark.parametrize(
    ("scores", "name"),
    [([5.0, 5, 1], "keys 0, 1"), ([2.0, 2, 2, 2], "4 keys alike"), ([5.0, 1], "key 1")],
)
def test_keys_of_equal_scores_have_one_curve_that_names_them(
    scores: list[float], name: str
) -> None:
    data = over_d_k(asking(Vector("a", np.array(scores))), 0, D_K.stops)
    assert data is not None
    rows = over_d_k_chart(data, 64, 116, 14, False)
    assert name in text_of(rows, "scaled")


@pytest.mark.parametrize("log", [False, True])
def test_the_cursor_is_thin_and_leaves_a_mark_on_each_curve(log: bool) -> None:
    rows = over_d_k_chart(CASES["worked"], 1024, 116, 12, log)
    assert text_of(rows, "scaled").count("●") >= 3
    columns = ["".join(column) for column in zip(*lines(rows)[1:-3], strict=True)]
    marked = [column for column in columns if "┊" in column]
    assert len(marked) == 3
    assert all("●" in column and column.count("┊") >= 2 for column in marked)


def test_nan_is_marked() -> None:
    rows = over_d_k_chart(over("worked", NAIVE), 64, 116, 14, False)
    assert text_of(rows, "error").count("NaN") == 3


def test_what_underflows_to_0_is_marked_below_a_logarithmic_axis() -> None:
    rows = over_d_k_chart(CASES["far apart"], 64, 38, 10, True)
    assert "▼" in text_of(rows, "error")
    assert "below 1e-" in plain(rows)


def test_the_axis_of_entropy_has_room_for_a_sink() -> None:
    setup = Setup(scale=Scale(sink=0.0))
    rows = over_d_k_chart(over("ties", setup), 64, 38, 12, False, quantity="entropy")
    assert ", at most ln(n + 1)" in lines(rows)[0]
    assert not text_of(rows, "error")
    assert "ln(n" not in plain(over_d_k_chart(CASES["ties"], 64, 116, 12, False))


def test_readings_of_many_keys_have_the_digits_they_need() -> None:
    scores = np.linspace(0.0, 1.0, 20_000)
    data = over_d_k(asking(Vector("a", scores), setup=Setup(64)), 0, D_K.stops)
    assert data is not None
    last = lines(over_d_k_chart(data, 64, 76, 12, False))[-1]
    assert "~0 %" not in last
    assert "0.005 %" in last
