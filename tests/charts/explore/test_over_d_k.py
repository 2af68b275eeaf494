from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.charts.explore.over_d_k import over_d_k_chart
from attn_tui.charts.plot import Axis, Figure
from attn_tui.charts.rows import plain
from attn_tui.charts.sides import Quantity
from attn_tui.compute.explore.answer import OverDk, over_d_k
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from tests.asking import asking
from tests.charts.cases import NAIVE, SCORES, check_block, lines, text_of


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
    for part in ("p of the 3 largest keys, 0 to 1", "H, nats, 0 to ln n", "‖∂p/∂s‖_F, 0 to 0.5"):
        assert part in title
    logits = over_d_k_chart(CASES["worked"], 1024, 116, 14, True, wrt="logits")
    assert "‖∂p/∂z‖_F, log" in lines(logits)[0]


def test_curves_are_tagged_by_key() -> None:
    rows = over_d_k_chart(CASES["worked"], 1024, 116, 14, False)
    for index, tag in enumerate(("k2", "k1", "k0")):
        assert tag in text_of(rows, f"series{index}")


@pytest.mark.parametrize("width", [38, 76, 116])
def test_the_current_d_k_is_marked_and_its_values_written(width: int) -> None:
    rows = over_d_k_chart(CASES["worked"], 1024, width, 8, False)
    cursor = text_of(rows, "cursor")
    assert cursor.count("1024") == (1 if width == 38 else 3)
    assert "┃" in cursor
    assert "k2 0.6245" in cursor
    assert ("0.905 nats" in cursor) == (width > 38)
    assert ("0.0127" in cursor) == (width > 38)


def test_values_of_another_d_k_are_never_passed_off_as_those_of_the_current() -> None:
    rows = over_d_k_chart(CASES["worked"], 1000, 38, 8, False)
    assert lines(rows)[-1].startswith("at 1024:")
    assert "1000" in lines(rows)[-2]


def test_a_narrow_chart_shows_the_quantity_asked_for() -> None:
    for quantity, title in (("weights", "p of the"), ("entropy", "H, nats"), ("norm", "‖∂p/∂s‖_F")):
        rows = over_d_k_chart(CASES["worked"], 64, 38, 8, False, quantity=quantity)  # type: ignore[arg-type]
        assert lines(rows)[0].startswith(title)


def test_the_scale_of_the_norm_is_fixed_unless_a_multiplier_exceeds_1() -> None:
    assert "0 to 0.5" in plain(over_d_k_chart(CASES["ties"], 65536, 38, 8, False, quantity="norm"))
    hot = over("ties", Setup(scale=Scale("temperature", (("T", 0.01),))))
    assert "0 to 50" in plain(over_d_k_chart(hot, 64, 38, 8, False, quantity="norm"))


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

    monkeypatch.setattr("attn_tui.charts.explore.over_d_k.Figure", kept)
    hot = over("ties", Setup(scale=Scale("temperature", (("T", temperature),))))
    rows = lines(over_d_k_chart(hot, 64, 38, 12, True, quantity="norm"))
    assert rows[1].lstrip().startswith(top)
    assert all(axes[0].minimum <= tick.value <= axes[0].maximum for tick in axes[0].ticks)
    assert sum("┤" in row for row in rows) >= 2


def test_the_note_says_where_a_norm_too_small_to_see_is_largest() -> None:
    def note(name: str, current: int, width: int = 116) -> str:
        return lines(over_d_k_chart(CASES[name], current, width, 8, False))[-1]

    peak = int(CASES["worked"].d_k[np.argmax(CASES["worked"].frobenius)])
    assert note("worked", 1024).rstrip().endswith(f"at 1024: 0.0127, largest 0.0154 at {peak}")
    assert note("worked", peak).rstrip().endswith("0.0154, largest here")
    assert "largest" not in note("worked", 1024, 76)
    assert note("worked", 1024, 76).rstrip().endswith("at 1024: 0.0127")
    assert "largest" not in note("one key", 1024)
    assert "largest" not in lines(over_d_k_chart(over("naive", NAIVE), 1, 116, 8, False))[-1][:70]


@pytest.mark.parametrize("log", [False, True])
def test_in_the_narrowest_panels_the_line_is_whole_and_the_curves_are_seen_to_cross_it(
    log: bool,
) -> None:
    line, crossing = "┃", "┿"
    rows = over_d_k_chart(CASES["worked"], 1024, 74, 9, log)
    columns = ["".join(column) for column in zip(*lines(rows)[1:-3], strict=True)]
    crossed = [column for column in columns if line in column and crossing in column]
    assert len(crossed) == 3
    assert all(set(column) == {line, crossing} for column in crossed)


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
    assert "0 to ln(n + 1)" in lines(rows)[0]
    assert not text_of(rows, "error")
    assert "ln(n" not in plain(over_d_k_chart(CASES["ties"], 64, 116, 12, False))
