"""Headlines of Explore, against the table of sentences and against softmax written out."""

import re
from math import exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, answer_vector
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.models import MODELS
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft, parse
from attn_tui.old.report.explore.headline import headline
from attn_tui.report.headline import FULL, SHORT, Factor, Headline, wrapped


def of(
    text: str,
    d_k: int = 1024,
    scale: Scale = Scale(),
    precision: Precision = Precision(),
    source: str = "typed",
    typical: Factor | None = None,
) -> Headline:
    experiment = parse(Draft(text, Setup(d_k, scale, precision), source))
    return headline(answer_vector(experiment, 0), experiment, typical)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            of("100 120 150"),
            "Unscaled, key 2 takes practically all the weight, and small changes of scores change "
            "almost nothing. Divided by 32 it takes 62 %, and the gradient is back.",
        ),
        (
            of("1 2 3 10", 64),
            "Unscaled, key 3 takes 99.9 %. Divided by 8 it takes 47 %, and the gradient is 24 "
            "times larger.",
        ),
        (
            of("0 .1 .2", 64),
            "Even unscaled the 3 keys share almost equally. Dividing by 8 evens them out further "
            "and makes the gradient 8 times smaller.",
        ),
        (
            of("2 2 2 2 2"),
            "All scores are equal, so the 5 keys share equally at any scale. Dividing by 32 only "
            "makes the gradient 32 times smaller.",
        ),
        (
            of("100 100 0"),
            "Keys 0 and 1 are tied and split the weight; no scale parts them. Dividing by 32 makes "
            "the gradient 33 times smaller.",
        ),
        (
            of("7"),
            "One key has all the weight at any scale, and every gradient is 0: there is nothing to "
            "choose.",
        ),
        (
            of("7 -inf"),
            "Key 0 alone is not masked, so it has all the weight at any scale, and every gradient "
            "is 0.",
        ),
        (of("-inf -inf"), "Every key is masked: all weights and all gradients are 0."),
        (
            of("n = 512, seed = 1", 64, source="drawn", typical=Factor(-log(32.0))),
            "In this draw key 60 takes 94 % unscaled. Divided by 8, about 210 of 512 keys share "
            "the weight, and the gradient is 6.5 times smaller (typically 32 times).",
        ),
        (
            of("100 120 150", scale=Scale(softcap=50.0)),
            "Unscaled, key 2 takes practically all the weight. Divided by 32 and capped at 50 it "
            "takes 62 %, and the gradient is back; the cap hardly matters.",
        ),
        (
            of("100 120 150", scale=Scale(sink=0.0)),
            "Unscaled, key 2 takes practically all the weight. Divided by 32 it takes 62 % and the "
            "sink 0.6 %; the gradient is back.",
        ),
        (
            of("100 120 150", precision=Precision("float16", stable=False, arithmetic="stepwise")),
            "Unscaled, e^150 is too large for float16 and every weight is NaN (not a number). "
            "Divided by 32, key 2 takes 62 %.",
        ),
        (
            of("100 120 150", MODELS["gemma-2-27b"].d_k, MODELS["gemma-2-27b"].scale),
            "Unscaled, key 2 takes practically all the weight. Divided by 12 and capped at 50 it "
            "takes 90 %, and the gradient is back; d_k changes nothing here.",
        ),
        (
            of("100 120 150", 16_384, Scale("inverse")),
            "Unscaled, key 2 takes practically all the weight. Divided by 16,384, the 3 keys share "
            "almost equally, and the gradient is larger, but still small.",
        ),
        (
            of("100 120 150", 1),
            "Nothing is divided here (√1 = 1), so both sides are the same: key 2 takes practically "
            "all the weight.",
        ),
        (
            of("-70000 1", scale=Scale(softcap=5.0), precision=Precision(scores="float16")),
            "Unscaled, key 1 takes practically all the weight. Divided by 32 and capped at 5 it "
            "takes 99.4 %, and the gradient is larger, but still small.",
        ),
        (
            of("-70000 -inf", 1, Scale(softcap=5.0), Precision(scores="float16")),
            "Unscaled, the numbers leave the range of float16 and every weight is NaN (not a "
            "number). Capped at 5, key 0 takes practically all the weight.",
        ),
        (
            of("1 2 3", scale=Scale("none")),
            "Nothing is divided here (rule none), so both sides are the same: key 2 takes 67 %.",
        ),
    ],
)  # fmt: skip
def test_it_says_what_there_is_to_say(asked: Headline, expected: str) -> None:
    assert asked.full == expected


def test_two_answers_are_told_side_by_side() -> None:
    def at(text: str) -> tuple[Experiment, VectorAnswer]:
        experiment = parse(Draft(text, Setup(64)))
        return experiment, answer_vector(experiment, 0)

    (_, pinned), (experiment, now) = at("1 2 3 10"), at("2 4 6 20")
    found = headline(compare(pinned, now), experiment)
    assert found.full == (
        "Pinned: key 3 takes 47 %. Now it takes 71 %, and the gradient is 1.3 times smaller."
    )
    assert headline(compare(now, now), experiment).full == (
        "Pinned and now are the same: key 3 takes 71 %."
    )


@pytest.mark.parametrize("n_keys", [600, 5000])
def test_both_sides_of_many_keys_have_a_line_where_there_is_little_room(n_keys: int) -> None:
    found = of(f"n = {n_keys}, seed = 1", source="drawn")
    first, second = wrapped(found.short, SHORT)
    assert "unscaled" in first.lower()
    assert second.startswith("Divided by 32: about ")


def test_a_narrow_terminal_gets_the_short_one() -> None:
    found = of("100 120 150")
    assert found.lines(80) == wrapped(found.full, 80)
    assert found.lines(38) == [
        "Unscaled: practically all on key 2.",
        "Divided by 32: 62 %. Gradient back.",
    ]
    assert len(found.lines(20)) == 2


_SCORES = st.one_of(
    st.lists(st.floats(-200, 200, width=16), min_size=1, max_size=14),
    st.lists(st.sampled_from([0.0, 0.1, 1.0, 5.0, -inf]), min_size=1, max_size=14),
    st.lists(st.floats(-3, 3), min_size=9, max_size=40),
)
_RULES = ["inverse-sqrt", "none", "inverse", "temperature:T=0.3", "ssmax", "fixed:a=144"]
_SCALES = st.builds(
    lambda rule, cap, sink: Scale(rule.rule, rule.given, softcap=cap, sink=sink),
    st.sampled_from([*map(parse_scale, _RULES)]),
    st.sampled_from([None, None, 5.0, 50.0]),
    st.sampled_from([None, None, 0.0, 8.0]),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(_SCORES, st.sampled_from([1, 2, 64, 1000, 65_536]), _SCALES)
def test_every_sentence_is_true_and_fits(scores: list[float], d_k: int, scale: Scale) -> None:
    text = " ".join("-inf" if each == -inf else repr(float(each)) for each in scores)
    found = of(text, d_k, scale)
    assert len(wrapped(found.full, FULL)) <= 2
    assert len(wrapped(found.short, SHORT)) <= 2
    assert "…" not in found.full
    assert "e-" not in found.full + found.short
    numbers = np.array(scores)
    n = int((numbers > -inf).sum())
    if not n:
        return
    m = scale.multiplier(d_k, n)
    sides = [_plain(numbers, 1.0, None, None), _plain(numbers, m, scale.softcap, scale.sink)]
    before, after = (_norm(*side) for side in sides)
    _check_shares(found.full, [side[0] for side in sides])
    _check_factor(found.full, before, after)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from([-inf, -65_520.0, -4.0, 0.0, 65_520.0, 1e38, -1e300]), min_size=1),
    st.sampled_from([1, 1000]),
    _SCALES,
    st.builds(
        Precision,
        st.sampled_from(["float64", "float16", "bfloat16"]),
        st.booleans(),
        st.sampled_from(["float64", "float32", "float16", "bfloat16"]),
    ),
)
def test_what_a_format_cannot_hold_is_told(
    scores: list[float], d_k: int, scale: Scale, precision: Precision
) -> None:
    text = " ".join("-inf" if each == -inf else repr(each) for each in scores)
    found = of(text, d_k, scale, precision)
    assert len(wrapped(found.full, FULL)) <= 2
    answer = answer_vector(parse(Draft(text, Setup(d_k, scale, precision))), 0)
    if "every key is masked" in found.full.lower():
        assert max(scores) == -inf
    if "All scores are equal" in found.full:
        assert np.unique(answer.unscaled.scores()[np.array(scores) > -inf]).size == 1


def _plain(
    scores: np.ndarray, m: float, cap: float | None, sink: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return softmax with its sink, and ∂z/∂s, as a textbook writes them, in long doubles."""
    s = scores.astype(np.longdouble)
    with np.errstate(invalid="ignore"):
        z = m * s if cap is None else cap * np.tanh(m * s / cap)
        slopes = np.full(z.shape, m) if cap is None else m * (1.0 - np.tanh(m * s / cap) ** 2)
    z = np.where(s > -inf, z, -inf)
    z = np.append(z, [] if sink is None else [sink])
    powers = np.exp(z - z.max())
    return powers / powers.sum(), np.where(s > -inf, slopes, 0.0)


def _norm(weights: np.ndarray, slopes: np.ndarray) -> float:
    keys = weights[: slopes.size]
    jacobian = -np.outer(keys, keys)
    # 1 − p as the sum of the others: where softmax saturates it would be 0.
    others = [np.delete(weights, key).sum() for key in range(keys.size)]
    np.fill_diagonal(jacobian, keys * others)
    jacobian *= slopes
    return float(np.sqrt((jacobian**2).sum()))


def _check_shares(text: str, sides: list[np.ndarray]) -> None:
    shares = np.concatenate(sides).astype(float)
    for number in re.findall(r"([\d.]+) %", text):
        half = 0.5 if "." not in number else 0.05
        assert (np.abs(100.0 * shares - float(number)) <= half + 1e-9).any(), (text, shares)
    for key in re.findall(r"key (\d+) takes practically all", text):
        assert max(side[int(key)] for side in sides) >= 0.9995
    for key in re.findall(r"key (\d+) (?:takes|leads)", text):
        assert any(side[int(key)] == side[: len(side)].max() for side in sides), (text, sides)
    if found := re.search(r"about ([\d,]+) of", text):
        counts = [exp(-sum(p * log(p) for p in side if p > 0)) for side in sides]
        assert any(abs(count - float(found[1].replace(",", ""))) <= 0.5 for count in counts)
    if "share almost equally" in text:
        assert any(side.max() < 2.0 * side[side > 0].min() for side in sides)


def _check_factor(text: str, before: float, after: float) -> None:
    if not (before > 1e-250 and after > 1e-250):
        return
    factor = after / before
    if found := re.search(r"([\d.,]+) times (larger|smaller)", text):
        told = float(found[1].replace(",", "")) ** (1 if found[2] == "larger" else -1)
        assert abs(log(told / factor)) < 0.06, (text, factor)
    elif (
        "over a million" in text
        or "gradient is back" in text
        or "gradient is gone" in text
        or "still" in text
    ):
        assert abs(log(factor)) > log(0.99e6)
        assert ("larger, but still small" in text) == (factor > 1.0 and 1e-6 < after < 1e-3)
    elif "stays about the same" in text or "leaves the gradient" in text:
        assert abs(log(factor)) < 0.06


def test_the_factor_of_two_tied_keys_is_that_of_the_law() -> None:
    # Two keys, gap Δ: ‖∂p/∂s‖_F is √4·p(1 − p)/τ on either side.
    gap, tau = 6.0, 8.0
    p, q = 1.0 / (1.0 + exp(-gap)), 1.0 / (1.0 + exp(-gap / tau))
    factor = sqrt(4) * q * (1 - q) / tau / (sqrt(4) * p * (1 - p))
    assert f"the gradient is {factor:.2g} times larger" in of(f"0 {gap}", 64).full


def test_it_speaks_of_the_gradient_that_is_asked() -> None:
    # Of two keys ‖∂p/∂z‖_F is 2·p·(1 − p), on either side.
    p, q = 1.0 / (1.0 + exp(-5.0)), 1.0 / (1.0 + exp(-5.0 / 32.0))
    setup = Setup(1024).put(Settings(wrt="logits"))
    experiment = parse(Draft("5, 0", setup, "typed"))
    found = headline(answer_vector(experiment, 0), experiment, Factor(1.0)).full
    assert f"the gradient by logits is {q * (1 - q) / (p * (1 - p)):.2g} times larger" in found
    assert "typically" not in found


@pytest.mark.parametrize(
    ("error", "expected"), [(0.0, "14 times"), (0.1, "about 14"), (0.3, "8 to 26")]
)
def test_what_is_typical_has_the_digits_that_its_error_leaves(error: float, expected: str) -> None:
    found = of("n = 512, seed = 1", 64, source="drawn", typical=Factor(-log(14.4), error))
    assert f"(typically {expected})" in found.full


def test_what_cannot_be_told_from_nothing_stays() -> None:
    assert Factor(0.5, 0.3).stays
    assert Factor(0.5, float("nan")).stays
    assert not Factor(0.5, 0.2).stays


def test_a_key_that_only_the_sink_competes_with_has_no_gradient_to_bring_back() -> None:
    said = of("20", 256, Scale(sink=0.0)).full
    assert said.startswith(
        "Unscaled, nothing competes with key 0: it has all the weight and no gradient."
    )
    assert said.endswith(f" it takes {100 / (1 + exp(-20 / 16)):.0f} % beside the sink.")
