"""The largest entries of blocks against every entry of the Jacobian at 50 digits."""

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.logit_map import Wrt
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.old.charts.explore.jacobian import jacobian_map
from attn_tui.old.charts.explore.overview import largest_entries
from attn_tui.old.charts.explore.shading import linear_shading
from attn_tui.old.charts.explore.weights import weights_chart
from attn_tui.report.rows import plain
from tests.old.charts.cases import INF, ask, case, lines, text_of

scores = st.lists(
    st.one_of(
        st.integers(-3, 3).map(float), st.floats(-30, 30), st.sampled_from([-INF, -900.0, 400.0])
    ),
    min_size=1,
    max_size=14,
)


def entries(values: list[float], scale: Scale, wrt: Wrt) -> list[list[Any]]:
    """Return every entry of the Jacobian, at 50 digits, from its definition."""
    attended = [value for value in values if value > -INF]
    if not attended:
        return [[mpmath.mpf(0)] * len(values) for _ in values]
    m = mpmath.mpf(scale.multiplier(64, len(attended)))
    cap = None if scale.softcap is None else mpmath.mpf(scale.softcap)
    tanhs = [mpmath.tanh(m * s / cap) if cap else mpmath.mpf(0) for s in attended]
    logits = [cap * t if cap else m * s for t, s in zip(tanhs, attended, strict=True)]
    powers = [mpmath.exp(z) for z in logits]
    total = mpmath.fsum(powers) + (0 if scale.sink is None else mpmath.exp(scale.sink))
    rest = iter(zip(powers, tanhs, strict=True))
    p, slopes = [], []
    for value in values:
        power, t = next(rest) if value > -INF else (mpmath.mpf(0), mpmath.mpf(0))
        p.append(power / total)
        slopes.append(m * (1 - t**2) if wrt == "scores" else mpmath.mpf(1))
    return [
        [slopes[j] * p[i] * ((i == j) - p[j]) for j in range(len(values))]
        for i in range(len(values))
    ]


SCALES = [
    Scale(),
    Scale("none"),
    Scale("none", sink=0.0),
    Scale("none", softcap=5.0),
    Scale("inverse-sqrt", softcap=0.5, sink=-2.0),
]


@settings(deadline=None, max_examples=150)
@given(scores, st.integers(1, 6), st.integers(1, 6), st.sampled_from(SCALES), st.booleans())
def test_each_block_shows_the_largest_of_its_entries(
    values: list[float], down: int, across: int, scale: Scale, to_logits: bool
) -> None:
    wrt: Wrt = "logits" if to_logits else "scores"
    one = ask(values, Setup(d_k=64, scale=scale).put(Settings(wrt=wrt))).scaled
    n_keys = len(values)
    rows, columns = range(0, n_keys, down), range(0, n_keys, across)
    logs, own = largest_entries(one, wrt, rows, columns)
    with mpmath.workdps(1000):
        exact = entries(values, scale, wrt)
        for r, i in enumerate(rows):
            for c, j in enumerate(columns):
                block = [line[j : j + across] for line in exact[i : i + down]]
                largest = max((entry for line in block for entry in line), key=abs)
                size = abs(largest)
                if size == 0:
                    assert logs[r, c] == -INF
                    continue
                assert logs[r, c] == pytest.approx(float(mpmath.log(size)), rel=1e-11, abs=1e-11)
                positive, negative = (
                    max((sign * entry for line in block for entry in line), default=0)
                    for sign in (1, -1)
                )
                if abs(positive - negative) > 1e-9 * size:
                    assert own[r, c] == (largest > 0)


def test_blocks_of_one_entry_are_the_entries() -> None:
    one = ask([0.0, 1.0, 3.0], Setup(scale=Scale("none"))).scaled
    every = range(3)
    logs, own = largest_entries(one, "scores", every, every)
    keys = np.arange(3)
    np.testing.assert_allclose(logs, one.log_jacobian(keys, keys, "scores"), rtol=1e-12)
    assert np.array_equal(own, np.eye(3, dtype=bool))


def test_what_underflows_is_still_the_largest() -> None:
    one = ask([0.0, -3000.0, -2000.0, -4000.0], Setup(scale=Scale("none"))).scaled
    logs, own = largest_entries(one, "scores", range(0, 4, 2), range(0, 4, 2))
    np.testing.assert_allclose(logs, [[-2000.0, -2000.0], [-2000.0, -2000.0]], rtol=1e-12)
    assert own.tolist() == [[True, False], [False, True]]


def test_nan_is_seen_in_every_block_that_has_one() -> None:
    setup = Setup(scale=Scale("none"), precision=Precision("float32", stable=False))
    values = [0.0] * 40
    values[7] = 200.0
    one = ask(values, setup).scaled
    logs, _ = largest_entries(one, "scores", range(0, 40, 8), range(0, 40, 2))
    nan = np.isnan(one.jacobian(np.arange(40), np.arange(40), "scores"))
    assert 0 < nan.sum() < nan.size
    assert np.array_equal(np.isnan(logs), nan.reshape(5, 8, 20, 2).any(axis=(1, 3)))


def test_masked_blocks_are_0() -> None:
    rows = jacobian_map(ask([0.0] * 100 + [-INF] * 100), "scaled", 76, 9, True, (0, 0))
    assert "·" in lines(rows)[5]
    assert "−" not in lines(rows)[5]


@pytest.mark.parametrize("n_keys", [1000, 1_000_000])
@pytest.mark.parametrize("size", [(116, 14), (76, 6), (38, 8), (24, 20)])
def test_an_overview_covers_all_keys_and_says_of_how_many_entries(
    n_keys: int, size: tuple[int, int]
) -> None:
    values = np.zeros(n_keys)
    values[-1] = 3.0
    answer = ask(values, Setup(scale=Scale("none")))
    text = plain(jacobian_map(answer, "scaled", *size, False, (n_keys - 1, 5)))
    title = text.splitlines()[0]
    assert "…" not in title
    assert "scaled" in title
    assert " × " in title
    assert "largest of" in title or size[0] == 24
    assert f"∂p_{n_keys - 1}/∂s_5" in text


def test_the_cursor_is_in_its_block_and_its_own_entry_is_read_out() -> None:
    values = np.zeros(300)
    values[299] = 1.0
    rows = jacobian_map(ask(values, Setup(scale=Scale("none"))), "scaled", 76, 20, False, (299, 12))
    at = [line for line in lines(rows) if "[" in line]
    assert len(at) == 1
    assert at[0].startswith("280")
    p = 1 / (299 + np.e)
    assert f"∂p_299/∂s_12 = −{np.e * p * p:.2e} unscaled" in plain(rows)


def test_shades_by_decades_reach_down_to_the_smallest_of_what_is_shown() -> None:
    for zoomed, least in ((False, "≥1e-9 "), (True, "≥1e-21 ")):
        rows = jacobian_map(case("many"), "scaled", 116, 14, True, (0, 0), zoomed=zoomed)
        assert least in lines(rows)[-1]
        shades = {role for row in rows[2:-2] for _, role in row}
        assert {"negative1", "negative2"} & shades or {"negative3", "negative4"} <= shades


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("zoomed", [False, True])
def test_blocks_of_keys_make_no_difference(
    log: bool, zoomed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(5).normal(0, 20, 70_000)
    values[[0, 40_000, -1]] = -INF
    answer = ask(values, Setup(d_k=4, scale=Scale(softcap=30.0, sink=1.0)))
    in_blocks = jacobian_map(answer, "scaled", 116, 20, log, (9, 9), zoomed=zoomed)
    weights_in_blocks = weights_chart(answer, 116, 20, log, 9)
    for module in ("overview", "weights_layout"):
        monkeypatch.setattr(
            f"attn_tui.old.charts.explore.{module}.key_blocks", lambda one: [slice(0, one.n_keys)]
        )
    assert jacobian_map(answer, "scaled", 116, 20, log, (9, 9), zoomed=zoomed) == in_blocks
    assert weights_chart(answer, 116, 20, log, 9) == weights_in_blocks


def test_no_entry_exceeds_the_bound_and_what_is_hidden_is() -> None:
    capped = ask([500.0, 480.0, 0.0], Setup(scale=Scale("temperature", (("T", 0.5),), 50.0)))
    shading = linear_shading(capped)
    assert shading.bound == 0.5
    # Near the cap the slopes are next to nothing, though the weights are not.
    assert capped.scaled.weights().min() < 0.5 <= capped.scaled.weights().max()
    assert "scaled" in shading.hidden
    without = ask([500.0, 499.9, 0.0], Setup(scale=Scale("temperature", (("T", 0.5),))))
    assert "scaled" not in linear_shading(without).hidden


def test_a_multiplier_of_0_leaves_nothing_but_zeros() -> None:
    nothing = ask([3.0], Setup(scale=Scale("ssmax")))
    assert nothing.scaled.multiplier == 0.0
    for log in (False, True):
        answer = compare(nothing, nothing)
        rows = jacobian_map(answer, "scaled", 116, 9, log, (0, 0))
        assert "∂p_0/∂s_0 = 0 pinned, 0 now" in plain(rows)
        assert text_of(rows, "error") == ""
