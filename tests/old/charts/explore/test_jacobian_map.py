import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.old.charts.explore.jacobian import jacobian_map
from attn_tui.old.charts.explore.jacobian_window import cell_at, window
from attn_tui.report.rows import Row, plain
from tests.old.charts.cases import INF, SCORES, ask, case, check_block, lines, text_of

UNSCALED = Setup(scale=Scale("none"))


@settings(deadline=None, max_examples=80)
@given(
    st.sampled_from(sorted(SCORES)),
    st.integers(0, 130),
    st.integers(0, 20),
    st.booleans(),
    st.tuples(st.integers(-3, 400), st.integers(-3, 400)),
)
def test_the_map_has_the_size_asked_for(
    name: str, width: int, height: int, log: bool, cursor: tuple[int, int]
) -> None:
    rows = jacobian_map(case(name), "scaled", width, height, log, cursor)
    check_block(rows, width, height)


@given(st.integers(1, 2000), st.integers(1, 150), st.integers(1, 40), st.data())
def test_the_window_holds_the_cursor_and_stays_inside(
    n_keys: int, width: int, height: int, data: st.DataObject
) -> None:
    cursor = data.draw(st.tuples(st.integers(0, n_keys - 1), st.integers(0, n_keys - 1)))
    for zoomed in (False, True):
        seen = window(n_keys, width, height, cursor, zoomed)
        if seen is None:
            assert width < 10 or height < 3
            return
        block = seen.block_of(cursor)
        assert block[0] in seen.rows
        assert block[1] in seen.columns
        assert block[0] <= cursor[0] < block[0] + seen.rows.step
        assert block[1] <= cursor[1] < block[1] + seen.columns.step
        assert 0 <= seen.rows[0] <= seen.rows[-1] < n_keys
        assert 0 <= seen.columns[0] <= seen.columns[-1] < n_keys
        assert seen.place.left(len(seen.columns)) <= seen.map_width
        if zoomed:
            assert seen.blocks == (1, 1)
        else:
            assert seen.rows[-1] + seen.rows.step >= n_keys
            assert seen.columns[-1] + seen.columns.step >= n_keys


@pytest.mark.parametrize("size", [(116, 14), (76, 20), (38, 8)])
def test_with_few_keys_zooming_changes_nothing(size: tuple[int, int]) -> None:
    for log in (False, True):
        whole, zoomed = (
            jacobian_map(case("worked"), "scaled", *size, log, (2, 1), zoomed=zoomed)
            for zoomed in (False, True)
        )
        assert whole == zoomed


@pytest.mark.parametrize(("width", "height"), [(116, 14), (76, 6), (38, 8), (101, 30)])
@pytest.mark.parametrize("n_keys", [1, 3, 8, 300])
@pytest.mark.parametrize("zoomed", [False, True])
def test_a_click_finds_the_entry_whose_brackets_are_drawn_around_it(
    n_keys: int, width: int, height: int, zoomed: bool
) -> None:
    answer = ask(np.linspace(0, 3, n_keys))
    for cursor in ((0, 0), (n_keys - 1, n_keys // 2), (n_keys // 2, n_keys - 1)):
        shown = jacobian_map(answer, "scaled", width, height, False, cursor, zoomed=zoomed)
        rows = lines(shown)
        seen = window(n_keys, width, height, cursor, zoomed)
        assert seen is not None
        brackets = [(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c == "["]
        assert brackets
        for x, y in brackets:
            found = cell_at(x + 1, y, n_keys, width, height, cursor, zoomed)
            assert found == (cursor if zoomed else seen.block_of(cursor))


@given(st.integers(-5, 140), st.integers(-5, 30), st.booleans())
def test_every_place_is_an_entry_or_none(x: int, y: int, zoomed: bool) -> None:
    found = cell_at(x, y, 50, 116, 14, (20, 30), zoomed)
    seen = window(50, 116, 14, (20, 30), zoomed)
    assert seen is not None
    assert found is None or (found[0] in seen.rows and found[1] in seen.columns)
    if y < seen.top:
        assert found is None


def test_most_steps_of_the_cursor_leave_the_window_where_it_is() -> None:
    windows = {str(window(1000, 116, 14, (key, 0), True)) for key in range(1000)}
    assert len(windows) <= 250


def test_signs_are_text_and_sizes_are_shades() -> None:
    rows = jacobian_map(ask([0, 0], UNSCALED), "scaled", 76, 9, False, (0, 0))
    assert set(text_of(rows[2:-2], "positive4")) == {"█", "+"}
    assert set(text_of(rows[2:-2], "negative4")) == {"█", "−"}
    far = jacobian_map(ask([0, 50], Setup(1)), "unscaled", 76, 9, None, (0, 0))
    assert plain(far) == plain(
        jacobian_map(ask([0, 50], Setup(1)), "unscaled", 76, 9, True, (0, 0))
    )


def test_a_quarter_of_the_linear_scale_is_the_second_shade() -> None:
    # p = (1/16 + …): p(1 − p) with p chosen so that the diagonal is a known part of 1/4.
    for part, shade in ((0.1, "positive1"), (0.3, "positive2"), (0.6, "positive3")):
        p = (1 - (1 - part) ** 0.5) / 2
        rows = jacobian_map(ask([np.log(p / (1 - p)), 0], UNSCALED), "scaled", 76, 9, False, (1, 1))
        assert text_of(rows, shade).count("+") == 2


def test_the_bound_is_common_to_both_sides_and_grows_with_the_multiplier() -> None:
    hot = Setup(scale=Scale("temperature", (("T", 0.5),)))
    title = lines(jacobian_map(ask([0, 1, 2], hot), "scaled", 116, 14, False, (0, 0)))[0]
    assert title.count("±0.5") == 2
    logits = hot.put(Settings(wrt="logits"))
    rows = jacobian_map(ask([0, 1, 2], logits), "scaled", 116, 14, False, (0, 2))
    assert lines(rows)[0].count("∂p_i/∂z_j") == 2
    assert lines(rows)[0].count("±0.25") == 2
    assert "∂p_0/∂z_2" in plain(rows)


def test_the_value_under_the_cursor_is_written_for_both_sides() -> None:
    wide = plain(jacobian_map(case("worked"), "scaled", 116, 14, False, (0, 1)))
    assert "∂p_0/∂s_1 = −1.80e-35 unscaled, −1.00e-03 scaled" in wide
    narrow = plain(jacobian_map(case("worked"), "scaled", 38, 8, False, (0, 1)))
    assert "∂p_0/∂s_1: −1.80e-35 → −1.00e-03" in narrow


def test_logarithmic_shades_reach_what_underflows() -> None:
    rows = jacobian_map(case("far apart"), "unscaled", 76, 9, True, (0, 1))
    assert "−5.08e-435" in plain(rows)
    shades = {role for row in rows[2:-2] for _, role in row if role[-1].isdigit()}
    assert "zero" not in {role for row in rows[2:-2] for _, role in row}
    assert len(shades) >= 2
    assert "≥1e-" in lines(rows)[-1]


def test_entries_so_small_that_the_sum_of_their_logarithms_overflows_are_drawn() -> None:
    rows = jacobian_map(ask([8e307, -8e307, -8e307], UNSCALED), "scaled", 76, 9, True, (0, 0))
    check_block(rows, 76, 9)
    assert "≥10^−" in lines(rows)[-1]


def test_entries_grow_with_the_room_up_to_five_rows() -> None:
    for height, tall in ((9, 1), (10, 2), (14, 3), (16, 4), (20, 5), (40, 5)):
        rows = lines(jacobian_map(case("worked"), "scaled", 76, height, False, (2, 2)))
        brackets = [y for y, row in enumerate(rows) if "[" in row]
        assert len(brackets) == tall
        for y in range(height):
            found = cell_at(40, y, 3, 76, height, (2, 2))
            assert (found is not None and found[0] == 2) == (y in brackets)


@pytest.mark.parametrize("width", [38, 76, 116])
def test_where_nothing_is_large_enough_for_a_shade_the_scale_is_logarithmic(width: int) -> None:
    def shown(answer: VectorAnswer, log: bool | None) -> tuple[Row, ...]:
        return jacobian_map(answer, "scaled", width, 14, log, (0, 1))

    gone = ask([0, 400], Setup(d_k=1024))
    rows = shown(gone, None)
    assert rows == shown(gone, True)
    assert "█" in plain(rows[1:-1])
    # A linear one that was asked for has none.
    assert "█" not in plain(shown(gone, False)[1:-1])
    large = ask([0, 0], UNSCALED)
    assert shown(large, None) == shown(large, False) != shown(large, True)


def test_masked_keys_are_0() -> None:
    rows = jacobian_map(ask([0, -INF]), "scaled", 76, 9, True, (0, 1))
    assert "∂p_0/∂s_1 = 0 unscaled, 0 scaled" in plain(rows)


def test_nan_is_an_error_and_not_hidden() -> None:
    for width in (116, 38):
        rows = jacobian_map(case("naive"), "unscaled", width, 9, False, (0, 1))
        assert text_of(rows, "error").count("NaN") == 9
    assert "NaN unscaled, −1.00e-03 scaled" in plain(
        jacobian_map(case("naive"), "scaled", 76, 9, False, (0, 1))
    )


def test_the_other_side_is_shown_where_there_is_room_for_one() -> None:
    for side in ("unscaled", "scaled"):
        rows = jacobian_map(case("worked"), side, 76, 9, False, (1, 1))
        sign = "×" if side == "unscaled" else "÷"
        assert f" {side} {sign}" in lines(rows)[0]


def test_a_side_has_shades_unless_it_is_gone_beside_the_other() -> None:
    faint = ask([100, 100, 0], Setup(d_k=1024))
    both, alone = (jacobian_map(faint, "scaled", w, 14, None, (0, 0)) for w in (116, 76))
    for rows in (both, alone):
        assert "log 1e-4 to 0.25" in lines(rows)[0]
        assert "+ positive" in lines(rows)[-1]
        assert "▒" in plain(rows[1:-1])
    assert "sign alone: below 1e-4" in lines(both)[-1]
    assert "█" in plain(both[1:-1])
    # What is gone on one side is seen to be, wherever the other has shades.
    for scores, scale in (([0, 12], "linear ±0.25"), ([100, 120, 150], "log 1e-4 to 0.25")):
        rows = jacobian_map(ask(scores, Setup(d_k=36)), "scaled", 116, 14, None, (0, 0))
        assert scale in lines(rows)[0]
        assert "unscaled all below " in lines(rows)[-1]
        alone = jacobian_map(ask(scores, Setup(d_k=36)), "scaled", 76, 14, None, (0, 0))
        assert "+ positive" in lines(alone)[-1]
        assert "unscaled" not in lines(alone)[-1]


def test_the_sides_of_a_comparison_keep_their_names() -> None:
    answer = compare(ask([0, 1], Setup(d_k=4)), ask([0, 2], Setup(scale=Scale("none", sink=0.0))))
    wide = lines(jacobian_map(answer, "scaled", 116, 14, False, (0, 1)))
    assert "pinned ÷2" in wide[0]
    assert "now ×1 sink 0" in wide[0]
    for side, name in (("unscaled", "pinned"), ("scaled", "now")):
        narrow = plain(jacobian_map(answer, side, 38, 9, False, (0, 1)))  # type: ignore[arg-type]
        assert name in narrow.splitlines()[0]
        assert "scaled" not in narrow
    # p₀p₁ at logits (0, ½); and e²/(1 + 1 + e²)² with a sink.
    p = 1 / (1 + np.e**0.5)
    now = np.e**2 / (2 + np.e**2) ** 2
    assert f"−{p * (1 - p) / 2:.2e} pinned, −{now:.2e} now" in "\n".join(wide)


@pytest.mark.parametrize("cursor", [(0, 0), (500, 99_000)])
def test_zoomed_the_decades_span_the_keys_in_view_on_both_sides(cursor: tuple[int, int]) -> None:
    values = np.random.default_rng(7).normal(0, 22, 100_000)
    answer = ask(values, Setup(d_k=512))
    rows = jacobian_map(answer, "scaled", 116, 14, True, cursor, zoomed=True)
    for half in (slice(None, 57), slice(59, None)):
        shades = {c for row in lines(rows)[2:-2] for c in row[half] if c in "█▓▒░"}
        assert len(shades) >= 2
    assert "·" not in plain(rows[2:-2])
    assert "scale: keys in view" in lines(rows)[-1]
    overview = jacobian_map(answer, "scaled", 116, 14, True, cursor)
    assert "scale: all keys" in lines(overview)[-1]
    assert "scale: " not in plain(jacobian_map(case("worked"), "scaled", 116, 14, True, (0, 0)))


def test_zoomed_the_scale_ends_where_the_entries_in_view_do() -> None:
    # Far below the winner every p is about e^-300 and differs by a factor from key to key.
    values = np.arange(400.0)
    values[-1] = 1000.0
    answer = ask(values, UNSCALED)
    rows = lines(jacobian_map(answer, "scaled", 76, 14, True, (100, 100), zoomed=True))
    low, high = rows[0].rpartition("log 1e")[2].split(" to 1e")
    assert -800 < int(low) < int(high) <= -385
    assert "0.25" not in rows[0]
    even = jacobian_map(ask([0.0] * 2 + [-9.0] * 400), "scaled", 76, 14, True, (0, 0), zoomed=True)
    assert lines(even)[0].rstrip().endswith("to 0.25")
    nothing = ask([-INF] * 400 + [0.0], UNSCALED)
    masked = jacobian_map(nothing, "scaled", 76, 14, True, (9, 9), zoomed=True)
    assert "scale: keys in view" in lines(masked)[-1]
