"""Verdicts about one head, and how often healthy captures are said to differ."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.fit.diagnosis import Diagnosis, Temperature
from attn_tui.compute.fit.estimates import Number
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.doctor.verdict import TESTED, Judgement, confidence, half_ulp, judge
from attn_tui.files.models.expected import LEARNED, NONE, Expected
from tests.doctor.fakes import Cap, Log, Sink, Straight, diagnosis

PLAIN = Expected(0.125, NONE, NONE, "causal", None, 1.0, "config.json")


def verdict(found: Diagnosis, expected: Expected | None = PLAIN, **given: Any) -> Judgement:
    return judge(found, expected, given.pop("level", 0.999), masks=("causal",), **given)


def test_what_is_as_expected_agrees() -> None:
    assert verdict(diagnosis()) == Judgement("agrees")


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("multiplier", {"multiplier": Log(0.25, 1e-3)}),
        ("value_scale", {"value_scale": Straight(0.707, 1e-3)}),
        ("softcap", {"softcap": Cap(1 / 2500, 1e-6)}),
        ("sink", {"sink": Sink(1.0, 1e-3)}),
        ("temperature", {"temperature": Temperature("by row"), "multiplier": None}),
    ],
)
def test_each_number_that_is_another_differs_by_name(name: str, changes: dict[str, Any]) -> None:
    assert verdict(diagnosis(**changes)) == Judgement("differs", (name,))


@pytest.mark.parametrize(
    ("expected", "changes", "said"),
    [
        (replace(PLAIN, softcap=50.0), {"softcap": Cap(1 / 2500, 1e-6)}, "agrees"),
        (replace(PLAIN, softcap=50.0), {"softcap": Cap(1 / 900, 1e-6)}, "differs"),
        (replace(PLAIN, softcap=50.0), {}, "differs"),
        (replace(PLAIN, softcap=50.0), {"softcap": Cap(1 / 2500, 1.0)}, "cannot tell"),
        (replace(PLAIN, softcap=50.0), {"softcap": None}, "cannot tell"),
        (PLAIN, {"softcap": None}, "agrees"),
        (PLAIN, {"softcap": Cap(1 / 2500, 1.0)}, "agrees"),
        (replace(PLAIN, sink=LEARNED), {"sink": Sink(1.0, 1e-3)}, "agrees"),
        (replace(PLAIN, sink=LEARNED), {}, "cannot tell"),
        (replace(PLAIN, sink=0.0), {"sink": Sink(1.0, 1e-3)}, "agrees"),
        (replace(PLAIN, sink=0.0), {}, "differs"),
        (replace(PLAIN, sink=0.0), {"sink": Sink(0.0, 5.0)}, "cannot tell"),
        (PLAIN, {"sink": None}, "agrees"),
        (PLAIN, {"value_scale": None}, "agrees"),
        (replace(PLAIN, value_scale=0.707), {"value_scale": None}, "cannot tell"),
        (replace(PLAIN, value_scale=0.707), {"value_scale": Straight(0.707, 1e-3)}, "agrees"),
        (PLAIN, {"mask": None}, "cannot tell"),
        (replace(PLAIN, mask="none"), {"mask": None}, "agrees"),
        (replace(PLAIN, mask="none"), {}, "differs"),
        (replace(PLAIN, mask=None), {"mask": None}, "agrees"),
        (PLAIN, {"multiplier": None}, "cannot tell"),
        (PLAIN, {"multiplier": Log(0.13, 0.5)}, "cannot tell"),
        (PLAIN, {"fits": False, "multiplier": None}, "cannot tell"),
    ],
)
def test_only_what_a_verdict_needs_makes_it_unknown(
    expected: Expected, changes: dict[str, Any], said: str
) -> None:
    assert verdict(diagnosis(**changes), expected).verdict == said


@pytest.mark.parametrize(
    ("length", "found", "said"),
    [(4096, 4096, ()), (4096, 4095, ("window",)), (None, 128, ("mask",))],
)
def test_a_window_counts_the_querys_own_key(
    length: int | None, found: int, said: tuple[str, ...]
) -> None:
    expected = replace(PLAIN, mask="window" if length else "none", window=length)
    head = diagnosis(mask=HeadMask("window", 0, found))
    assert judge(head, expected, 0.999).differs == said


def test_what_differs_goes_before_what_is_unknown() -> None:
    found = diagnosis(multiplier=Log(0.5, 1e-3), softcap=None)
    judged = verdict(found, replace(PLAIN, softcap=50.0))
    assert (judged.verdict, judged.differs) == ("differs", ("multiplier",))
    assert dict(judged.undetermined)["softcap"]


def test_without_expectation_only_an_unknown_m_cannot_be_told() -> None:
    assert verdict(diagnosis(), None).verdict == "no expectation"
    assert verdict(diagnosis(softcap=None, mask=None), None).verdict == "no expectation"
    assert verdict(diagnosis(multiplier=None), None).verdict == "cannot tell"
    by_row = diagnosis(multiplier=None, temperature=Temperature("by row"))
    assert verdict(by_row, None).verdict == "no expectation"


def test_half_an_ulp_of_the_captures_format_is_forgiven() -> None:
    found = diagnosis(multiplier=Log(0.08838834764831845 * 1.0015, 1e-6))
    expected = replace(PLAIN, multiplier=0.08838834764831845)
    assert verdict(found, expected, format="bfloat16").verdict == "agrees"
    assert verdict(found, expected, format="float16").verdict == "differs"
    assert half_ulp(1.0, "float16") == 2.0**-11
    assert half_ulp(0.0, "float16") == 0.0


@pytest.mark.parametrize("df", [3.0, 7.0, 31.0])
def test_a_healthy_capture_of_2000_heads_agrees(df: float) -> None:
    """Errors of Student's t, at 2,000 heads and all numbers of each."""
    heads, seeds = 2000, 100
    failed = dict.fromkeys((confidence(heads), 0.999), 0)
    for seed in range(seeds):
        t = np.random.default_rng(seed).standard_t(df, (heads, TESTED))
        # Of heads with the same intervals one differs if the furthest of some number does.
        worst = {*np.abs(t).argmax(axis=0).tolist(), *t.argmax(axis=0).tolist()}
        for level in failed:
            failed[level] += any(
                verdict(
                    diagnosis(
                        multiplier=Log(0.125 * float(np.exp(1e-3 * m)), 1e-3, df),
                        value_scale=Straight(1.0 + 1e-3 * float(c), 1e-3, df),
                        softcap=Cap(1e-5 * float(g), 1e-5, df),
                        sink=Sink(1e-3 * float(b), 1e-3, df),
                    ),
                    level=level,
                ).verdict
                != "agrees"
                for m, c, g, b, _ in t[sorted(worst)]
            )
    corrected, hasty = failed.values()
    assert corrected <= 5
    assert hasty > 90


def test_a_bound_of_few_rows_grows_with_the_confidence() -> None:
    bound = Number(0.125, 3e-4, 0.0)
    shown, sure = bound.half(0.95), bound.half(confidence(2000))
    assert shown == 3e-4
    assert 6.0 < sure / 1e-4 < 20.0
