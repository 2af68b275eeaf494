from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate, Path
from attn_tui.compute.fit.model import Name, Parameters, Rows
from attn_tui.compute.fit.regress import Regression, regressed
from attn_tui.compute.fit.simulate import Arithmetic, compute, rounded_to, simulate
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

WINDOW = HeadMask("window", window=30)


def value(estimate: Estimate | None) -> float:
    assert estimate is not None
    found = estimate.at().value
    assert found is not None
    return found


def captured(
    how: Arithmetic, logit_std: float = 2.0, n_keys: int = 96
) -> tuple[HeadRows, Any, Any]:
    """A head without its output, and its logits and weights."""
    head = simulate(3, how, n_keys=n_keys, d_k=32, logit_std=logit_std, rows=16)
    z, p, _ = compute(head, how)
    return replace(head, output=None), z, p


@pytest.mark.parametrize("path", ["float32", "eager"])
@pytest.mark.parametrize(
    "extra", [{}, {"softcap": 20.0}, {"sink": 1.0}, {"mask": WINDOW}, {"mask": HeadMask("none")}]
)
def test_weights_give_the_multiplier_cap_sink_and_mask(path: Any, extra: Mapping[str, Any]) -> None:
    how = Arithmetic(0.1, path=path, **extra)
    head, _, weights = captured(how, 4.0)
    found = diagnose(replace(head, weights=weights))
    assert found.fits
    assert value(found.multiplier) == pytest.approx(0.1, rel=2e-3)
    assert found.mask is not None
    assert (found.mask.kind, found.mask.window) == (how.mask.kind, how.mask.window)
    assert found.value_scale is None
    if "softcap" in extra:
        assert value(found.softcap) == pytest.approx(20, rel=0.02)
    if "sink" in extra:
        assert value(found.sink) == pytest.approx(1.0, abs=0.05)
    else:
        assert found.sink is not None
        assert found.sink.at().value is None


@pytest.mark.parametrize("format", ["float32", "bfloat16"])
@pytest.mark.parametrize("hides", [True, False])
def test_weights_that_were_softmaxed_again_are_recognised(format: str, hides: bool) -> None:
    for m in (0.05, 0.2):
        head, _, once = captured(Arithmetic(m))
        seen = HeadMask("causal").seen(head) if hides else True
        again = np.where(seen, np.exp(once), 0.0)
        weights = rounded_to((again / again.sum(axis=1, keepdims=True)).astype(np.float32), format)
        given = replace(head, weights=weights, formats={**head.formats, "weights": format})
        found = diagnose(given)
        assert (found.fits, found.multiplier) == (False, None)
        assert found.culprit is not None
        assert found.culprit.name == "softmax twice"
        assert f"m near {m:.1g}" in found.culprit.found
        # What else fits nothing is not that.
        other = diagnose(replace(given, weights=np.roll(weights, 1, axis=0)))
        assert (other.fits, other.culprit) == (False, None)


def test_scores_that_are_weights_are_recognised() -> None:
    head, _, weights = captured(Arithmetic(0.1))
    found = diagnose(replace(head, scores=weights))
    assert value(found.multiplier) == pytest.approx(0.1, rel=1e-3)
    assert any("are weights" in note for note in found.notes)


@pytest.mark.parametrize("cap", [None, 20.0])
def test_scores_say_what_was_done_to_them(cap: float | None) -> None:
    head, logits, _ = captured(Arithmetic(0.1, softcap=cap, path="eager"), 4.0)
    found = diagnose(replace(head, scores=logits))
    assert value(found.multiplier) == pytest.approx(0.1, rel=1e-3)
    assert found.softcap is not None
    assert found.softcap.at().value == (None if cap is None else pytest.approx(cap, rel=0.02))
    assert found.mask == HeadMask("causal")


def test_scores_as_they_are_give_no_multiplier() -> None:
    head, _, _ = captured(Arithmetic(0.1))
    found = diagnose(replace(head, scores=head.queries @ head.keys.T))
    assert found.multiplier is None
    assert "captured before a multiplier" in dict(found.undetermined)["multiplier"]


def summed(how: Arithmetic, base: float) -> Diagnosis:
    head, _, _ = captured(replace(how, format="float32"))
    z, _, _ = compute(head, replace(how, format="float64"))
    sums = np.exp(z).sum(axis=1) + (0.0 if how.sink is None else np.exp(how.sink))
    return diagnose(replace(head, log_sum_exp=np.asarray(np.log(sums) / base, np.float32)))


def test_a_sink_is_sought_in_log_sum_exp_only_where_nothing_simpler_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[tuple[str, ...]] = []

    def counted(rows: Rows, start: Parameters, names: tuple[Name, ...], *rest: Any) -> Regression:
        tried.append(names)
        return regressed(rows, start, names, *rest)

    monkeypatch.setattr("attn_tui.compute.fit.from_sums.regressed", counted)
    assert summed(Arithmetic(0.1), 1.0).multiplier is not None
    assert ("multiplier", "sink") not in tried
    assert summed(Arithmetic(0.1, sink=2.0), 1.0).sink is not None
    assert ("multiplier", "sink") in tried


@pytest.mark.parametrize("base", [1.0, np.log(2.0)])
@pytest.mark.parametrize("sink", [None, 2.0])
def test_log_sum_exp_gives_the_multiplier_its_base_and_the_sink(
    base: float, sink: float | None
) -> None:
    found = summed(Arithmetic(0.1, sink=sink), base)
    assert value(found.multiplier) == pytest.approx(0.1, rel=1e-4)
    assert ("natural" if base == 1.0 else "base 2") in " ".join(found.notes)
    assert found.softcap is not None
    assert found.softcap.at().value is None
    if sink is None:
        assert found.sink is None
    else:
        assert value(found.sink) == pytest.approx(sink, abs=1e-3)


@pytest.mark.parametrize("sink", [None, 2.0])
@pytest.mark.parametrize("base", [1.0, np.log(2.0)])
def test_log_sum_exp_gives_the_cap(base: float, sink: float | None) -> None:
    found = summed(Arithmetic(0.1, softcap=20.0, sink=sink), base)
    assert value(found.multiplier) == pytest.approx(0.1, rel=1e-4)
    assert value(found.softcap) == pytest.approx(20.0, rel=1e-2)
    assert (found.sink is None) == (sink is None)


def test_m_of_log_sum_exp_has_room_for_a_cap_that_may_be_there() -> None:
    for seed in range(12):
        how = Arithmetic(0.1, softcap=50.0, format="bfloat16")
        head = simulate(seed, how, n_keys=96, d_k=32, logit_std=1.0, rows=16)
        z, _, _ = compute(head, how)
        sums = np.log(np.exp(z.astype(np.float64)).sum(axis=1)).astype(np.float32)
        formats = {**head.formats, "lse": "bfloat16"}
        sums = rounded_to(sums, "bfloat16")
        found = diagnose(replace(head, output=None, values=None, log_sum_exp=sums, formats=formats))
        assert found.multiplier is not None
        assert found.softcap is not None
        interval, cap = found.multiplier.at(0.999), found.softcap.at(0.999)
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low <= 0.1 <= interval.high
        assert (cap.low or 0.0) <= 50.0


def test_the_mask_of_rows_that_see_all_keys_is_not_known() -> None:
    how = Arithmetic(0.1, mask=HeadMask("none"), format="float32")
    head = simulate(1, how, n_keys=96, d_k=32, n_queries=8)
    head = replace(head, positions=np.full(8, 95))
    z, p, _ = compute(head, how)
    sums = np.log(np.exp(z).sum(axis=1)).astype(np.float32)
    several: list[dict[str, Any]] = [{"scores": z}, {"weights": p}, {"log_sum_exp": sums}]
    for captured in several:
        found = diagnose(replace(head, output=None, **captured))
        assert (found.mask, found.sees_all) == (None, True)
        assert "mask" in dict(found.undetermined)


def test_two_roots_of_one_row_are_not_taken_for_one_multiplier() -> None:
    # lse(m·(−3, 1)) is .693147 at 0, .571 at .2 and .584 at .4: .571 again at about .33.
    head = HeadRows(
        np.array([0]), 1, np.array([[1.0]]), np.array([[-3.0], [1.0]]),
        log_sum_exp=np.array([np.log(np.exp(-0.6) + np.exp(0.2))]), formats={"lse": "float64"},
    )  # fmt: skip
    found = diagnose(head)
    assert found.multiplier is None
    assert "same sums" in dict(found.undetermined)["multiplier"]


@pytest.mark.parametrize("what", ["scores", "weights"])
@pytest.mark.parametrize(
    ("format", "path", "logit_std", "softcap"),
    [("float16", "eager", 1.0, 50.0), ("bfloat16", "eager", 2.0, 30.0),
     ("bfloat16", "float32", 1.0, 50.0)],
)  # fmt: skip
def test_m_lies_in_its_interval_where_rounding_hides_a_cap(
    what: str, format: str, path: Path, logit_std: float, softcap: float
) -> None:
    how = Arithmetic(0.11, softcap=softcap, format=format, path=path)
    for seed in range(5):
        head = simulate(seed, how, n_keys=128, d_k=32, logit_std=logit_std)
        logits, weights, _ = compute(head, how)
        made: Any = {"scores": logits, "weights": weights}
        kept: Any = {what: rounded_to(made[what], format)}
        formats = {**head.formats, what: format}
        only = replace(head, output=None, values=None, formats=formats, **kept)
        found = diagnose(only).multiplier
        assert found is not None
        interval = found.at()
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low <= 0.11 <= interval.high < 0.1102
