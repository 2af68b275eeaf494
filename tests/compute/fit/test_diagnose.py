from dataclasses import replace
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate, Path, Suspect
from attn_tui.compute.fit.estimates import Beside, Number, Undecided
from attn_tui.compute.fit.noise import format_of, paths_of
from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate
from attn_tui.compute.fit.supposed import supposed
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.logit_map import LogitMap

SMALL: dict[str, Any] = {"n_keys": 96, "d_k": 32, "rows": 16}


def number(estimate: Estimate | None) -> float:
    assert estimate is not None
    value = estimate.at().value
    assert value is not None
    return value


WAYS = [
    (name, path)
    for name in ("float32", "bfloat16", "float16")
    for path in paths_of(format_of(name))
]


def why(found: Diagnosis) -> str:
    return dict(found.undetermined)["multiplier"]


@pytest.mark.parametrize(("format", "path"), [way for way in WAYS if way[0] != "float16"])
@pytest.mark.parametrize(
    ("extra", "logit_std"),
    [
        ({"value_scale": 0.707}, 1.0),
        ({"softcap": 20.0}, 5.0),
        ({"sink": 1.0}, 1.0),
        ({"mask": HeadMask("window", window=30)}, 1.0),
        ({"mask": HeadMask("window", window=30), "softcap": 20.0, "sink": 1.0}, 4.0),
    ],
)
def test_what_a_head_has_is_found(
    format: str, path: Path, extra: dict[str, Any], logit_std: float
) -> None:
    for multiplier in (32**-0.5, 1.0, 0.02):
        how = Arithmetic(multiplier, format=format, path=path, **extra)
        found = diagnose(simulate(4, how, logit_std=logit_std, **SMALL))
        assert found.fits
        assert number(found.multiplier) == pytest.approx(multiplier, rel=0.02)
        assert number(found.value_scale) == pytest.approx(how.value_scale, rel=0.01)
        assert found.mask == how.mask
        assert found.window is None if how.mask.window is None else number(found.window) == 30
        for estimate, truth in ((found.softcap, how.softcap), (found.sink, how.sink)):
            if truth is None:
                assert estimate is not None
                assert estimate.at().value is None
            else:
                assert number(estimate) == pytest.approx(truth, rel=0.2)


def test_a_head_whose_neighbour_stands_before_all_keys_is_found_as_well() -> None:
    how = Arithmetic(0.3, format="float32")
    start = supposed(LogitMap(0.3), HeadMask("causal", -1000))
    found = diagnose(simulate(4, how, **SMALL), start=start, deep=False)
    assert number(found.multiplier) == pytest.approx(0.3, rel=0.02)


def test_an_interval_of_what_tells_nothing_has_no_ends() -> None:
    beside = Beside(Number(0.0, 1.0, 0.0), pull=-1.5e308)
    interval = Undecided(Number(-1e308, 1e307, 0.0), (beside,)).at()
    assert (interval.value, interval.low) == (-1e308, None)


def test_a_multiplier_of_each_row_is_found_and_a_constant_one_is_said() -> None:
    head = simulate(4, Arithmetic(0.2), **SMALL)
    each = 0.2 * (1 + np.log1p(head.rows) / 4)
    found = diagnose(computed(head, Arithmetic(each)))
    assert found.temperature is not None
    assert found.temperature.kind == "by row"
    assert found.multiplier is None
    by_position = dict(zip(head.rows.tolist(), each.tolist(), strict=True))
    assert len(found.temperature.rows) > 10
    for row, estimate in found.temperature.rows:
        assert number(estimate) == pytest.approx(by_position[row], rel=0.02)
    plain = diagnose(head).temperature
    assert plain is not None
    assert plain.kind == "constant"


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    logit_std=st.floats(0.1, 8.0),
    way=st.sampled_from(WAYS),
    kind=st.sampled_from(["none", "causal"]),
)
def test_plain_heads_have_nothing_more(
    seed: int, logit_std: float, way: tuple[str, Path], kind: Any
) -> None:
    how = Arithmetic(0.15, mask=HeadMask(kind), format=way[0], path=way[1])
    found = diagnose(simulate(seed, how, n_keys=64, d_k=32, rows=16, logit_std=logit_std))
    assert found.fits
    assert found.mask == HeadMask(kind)
    assert found.window is None
    assert found.softcap is None or found.softcap.at().value is None
    assert found.sink is None or found.sink.at().value is None
    assert found.temperature is None or found.temperature.kind == "constant"
    assert found.value_scale is not None
    interval = found.value_scale.at(1 - 1e-5)
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low <= 1 <= interval.high


def test_none_is_a_number_with_an_interval() -> None:
    found = diagnose(simulate(4, Arithmetic(0.2), logit_std=3.0, **SMALL))
    assert found.softcap is not None
    cap = found.softcap.at()
    assert cap.value is None
    assert cap.low is not None
    assert cap.low > 50
    assert found.sink is not None
    sink = found.sink.at()
    assert sink.value is None
    assert sink.low is None
    assert sink.high is not None
    assert sink.high < 0


def head_of(**changes: Any) -> HeadRows:
    return computed(replace(simulate(4, Arithmetic(0.2), **SMALL), **changes), Arithmetic(0.2))


def test_what_no_head_can_tell_is_named() -> None:
    head = simulate(4, Arithmetic(0.2), **SMALL)
    equal = diagnose(head_of(keys=np.ones_like(head.keys)))
    assert equal.multiplier is None
    assert "keys" in why(equal)
    assert "equal" in why(equal)
    same = diagnose(head_of(values=np.ones((96, 32), np.float32)))
    assert same.multiplier is None
    assert why(same) == "the values are equal"
    one = diagnose(simulate(4, Arithmetic(0.2), n_keys=96, d_k=32, rows=[0]))
    assert one.multiplier is None
    assert why(one) == "every row used sees one key"
    assert ("sink", "value_scale") in one.confounded


def test_logits_below_the_rounding_of_weights_tell_nothing() -> None:
    how = Arithmetic(0.2, mask=HeadMask("none"), path="eager")
    found = diagnose(simulate(4, how, logit_std=1e-3, **SMALL))
    assert found.multiplier is None
    assert "rounded" in why(found)
    assert ("sink", "value_scale") in found.confounded
    assert found.sink is None


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_few_rows_have_bounds_that_hold(rows: int) -> None:
    inside = 0
    for seed in range(20):
        places = [95] if rows == 1 else rows
        head = simulate(seed, Arithmetic(0.2, path="eager"), n_keys=96, d_k=32, rows=places)
        found = diagnose(head).multiplier
        assert found is not None
        interval = found.at()
        assert interval.low is not None
        assert interval.high is not None
        assert interval.high > interval.low
        inside += interval.low <= 0.2 <= interval.high
    assert inside >= 19


@pytest.mark.parametrize("power", [-100, 100])
def test_the_size_of_values_does_not_matter(power: int) -> None:
    head = simulate(4, Arithmetic(0.2), **SMALL)
    assert head.values is not None
    found = diagnose(head_of(values=head.values * np.float32(2.0**power)))
    assert number(found.multiplier) == pytest.approx(0.2, rel=1e-3)


def test_rows_that_cannot_be_used_are_left_out_and_counted() -> None:
    head = simulate(4, Arithmetic(0.2), **SMALL)
    assert head.output is not None
    output = head.output.copy()
    output[3] = 0
    output[5, 2] = np.nan
    found = diagnose(replace(head, output=output))
    assert number(found.multiplier) == pytest.approx(0.2, rel=1e-3)
    assert len(found.used) == 14
    assert len(found.notes) == 2


def test_a_neighbour_is_a_start_and_a_wrong_one_is_left() -> None:
    how = Arithmetic(0.2, softcap=20.0, mask=HeadMask("window", window=30))
    first = diagnose(simulate(4, how, logit_std=4.0, **SMALL))
    second = diagnose(simulate(5, how, logit_std=4.0, **SMALL), start=first)
    assert number(second.softcap) == pytest.approx(20, rel=0.02)
    assert number(second.window) == 30
    other = diagnose(simulate(6, Arithmetic(0.7), logit_std=2.0, **SMALL), start=first)
    assert number(other.multiplier) == pytest.approx(0.7, rel=0.01)
    assert other.mask == HeadMask("causal")


def test_suspects_are_tested_where_nothing_fits() -> None:
    head = simulate(4, Arithmetic(0.2), logit_std=2.0, **SMALL)
    assert head.output is not None
    mixing = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)
    projected = diagnose(replace(head, output=head.output @ mixing))
    assert projected.multiplier is None
    assert not projected.fits
    assert projected.culprit is None
    said, padding = projected.suspects
    assert (said.name, said.verdict) == ("softmax twice", "no")
    assert said.left is not None
    assert 0.1 < said.left <= 1.0
    assert padding == Suspect("padding", "no", "nor does it fit without keys at one end")
    twice = diagnose(computed(head, Arithmetic(0.2, softmaxes=2)))
    assert twice.multiplier is None
    assert twice.culprit is not None
    assert twice.culprit.name == "softmax twice"
    assert twice.culprit.found.startswith("the output fits softmax taken twice")
    assert float(twice.culprit.found.split("near ")[1]) == pytest.approx(0.2, rel=0.1)
    keys = head.keys.copy()
    keys[:20] = 0
    seen = HeadMask("causal").seen(head) & (np.arange(96) >= 20)
    padded = computed(replace(head, keys=keys, seen=seen), Arithmetic(0.2, mask=HeadMask("given")))
    found = diagnose(replace(padded, seen=None))
    assert found.fits
    assert found.mask == HeadMask("causal", hidden=(0, 19))


@pytest.mark.parametrize(
    ("mask", "claimed", "said"),
    [
        (HeadMask("causal"), HeadMask("none"), "a causal one"),
        (HeadMask("none"), HeadMask("causal"), "none"),
        (HeadMask("window", window=9), HeadMask("causal"), "a window of 9 keys"),
    ],
)
def test_a_captured_mask_that_was_not_used_is_said(
    mask: HeadMask, claimed: HeadMask, said: str
) -> None:
    head = simulate(4, Arithmetic(0.2, mask=mask), **SMALL)
    head = replace(head, seen=claimed.seen(head))
    found = diagnose(head)
    again = diagnose(head, start=found, deep=False)
    for each in (found, again):
        assert each.mask == mask
        assert f"A mask was captured, and the output was computed with {said}." in each.notes


def test_a_captured_mask_is_used() -> None:
    head = simulate(4, Arithmetic(0.2), **SMALL)
    used = diagnose(replace(head, seen=HeadMask("causal").seen(head)))
    assert used.mask == HeadMask("given")


def test_m_of_saturated_rows_is_unknown_because_they_are() -> None:
    how = Arithmetic(0.2, format="bfloat16", path="flash")
    found = diagnose(simulate(4, how, logit_std=300.0, **SMALL))
    assert found.fits
    assert found.multiplier is None
    assert "saturated" in dict(found.undetermined)["multiplier"]
    found = diagnose(simulate(4, how, logit_std=1e-3, **SMALL))
    assert "differ by less than" in dict(found.undetermined)["multiplier"]


@pytest.mark.parametrize("seed", [0, 5])
def test_a_cap_that_rounding_hides_in_part_lies_in_its_interval(seed: int) -> None:
    how = Arithmetic(0.11, softcap=50.0, format="float16", path="eager")
    found = diagnose(simulate(seed, how, n_keys=128, d_k=32, logit_std=1.0, rows=32))
    assert found.softcap is not None
    shown = found.softcap.at()
    assert shown.low is not None
    assert shown.high is not None
    assert shown.low < 50 < shown.high < 80


@pytest.mark.parametrize(
    ("format", "path", "logit_std", "rows", "softcap"),
    [
        ("float16", "eager", 1.0, 32, 50.0),  # Found, and rounding hides a part of it.
        ("bfloat16", "eager", 1.0, 32, 20.0),
        ("bfloat16", "flash", 0.5, 32, 50.0),  # Never found, and m is less for it.
        ("bfloat16", "flash", 1.0, 8, 50.0),  # Found in every other head.
    ],
)
def test_m_of_a_capped_head_lies_in_its_interval(
    format: str, path: Any, logit_std: float, rows: int, softcap: float
) -> None:
    how = Arithmetic(0.11, softcap=softcap, format=format, path=path)
    inside = 0
    for seed in range(12):
        head = simulate(seed, how, n_keys=128, d_k=32, logit_std=logit_std, rows=rows)
        found = diagnose(head).multiplier
        assert found is not None
        interval = found.at()
        assert interval.low is not None
        assert interval.high is not None
        inside += interval.low <= 0.11 <= interval.high
        assert interval.high - interval.low < 0.0004
    assert inside >= 10


def test_what_is_undecided_widens_a_number_by_the_reach_of_their_ellipse() -> None:
    alone = Number(2.0, 0.3, inf)
    weight = Number(1.0, 0.5, inf)
    pulled = Undecided(alone, (Beside(weight, 0.4),)).at(0.6826894921370859)
    assert pulled.low == pytest.approx(1.7)
    assert pulled.high == pytest.approx(2.4 + sqrt(0.3**2 + 0.2**2))
    absent = Undecided(alone, (Beside(replace(weight, value=-1.0), 0.4),)).at()
    assert absent == alone.at()
    free = Undecided(alone, (Beside(Number(0.0, inf, 4.0), -0.4, 2.0),)).at(0.6826894921370859)
    assert free.low == pytest.approx(2.0 - 0.8 - 0.3)
    assert free.high == pytest.approx(2.3)


@pytest.mark.parametrize(
    ("how", "logit_std"),
    [
        (Arithmetic(0.2), 1.0),
        (Arithmetic(1.0, path="eager", sink=1.0), 2.0),
        (Arithmetic(0.2, softcap=20.0, mask=HeadMask("window", window=30)), 4.0),
    ],
)
def test_rows_that_do_not_fit_are_named_and_the_others_fitted(
    how: Arithmetic, logit_std: float
) -> None:
    head = simulate(4, how, logit_std=logit_std, **SMALL)
    assert head.output is not None
    output = head.output.copy()
    output[[5, 9]] = output[[4, 12]]
    found = diagnose(replace(head, output=output))
    assert found.odd == tuple(head.rows[[5, 9]])
    assert len(found.used) == 14
    assert found.mask == how.mask
    assert number(found.multiplier) == pytest.approx(float(how.multiplier), rel=0.01)
    output[[1, 2, 3]] = output[[4, 12, 14]]
    assert not diagnose(replace(head, output=output)).fits
    assert diagnose(head).odd == ()
    for factor in (1.1, 0.5, -1.0):
        output = head.output.copy()
        output[9] *= factor
        found = diagnose(replace(head, output=output))
        assert found.odd == (head.rows[9],)
        assert number(found.multiplier) == pytest.approx(float(how.multiplier), rel=0.01)


def test_rows_that_fit_what_others_do_are_not_odd() -> None:
    # At logits so large the sink stretches the first rows alone, as a factor would.
    for seed in range(4):
        how = Arithmetic(0.11, sink=2.0, path="flash")
        head = simulate(seed, how, n_keys=128, d_k=32, logit_std=8.0)
        assert head.output is not None
        output = head.output.copy()
        output[20] *= 2.0
        assert diagnose(replace(head, output=output)).odd == (head.rows[20],)
