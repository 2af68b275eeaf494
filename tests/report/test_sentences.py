from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.explore import Settings, VectorAnswer, Wrt
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.report import sentences
from tests.asking import answer_to


def answered(
    scores: list[float],
    rule: str = "inverse-sqrt",
    d_k: int = 1024,
    wrt: Wrt = "scores",
    precision: Precision = Precision(),
) -> tuple[VectorAnswer, Setup]:
    setup = Setup(d_k, parse_scale(rule), precision).put(Settings(wrt=wrt))
    return answer_to(Vector("a", np.array(scores)), setup), setup


def said(
    scores: list[float],
    rule: str = "inverse-sqrt",
    d_k: int = 1024,
    wrt: Wrt = "scores",
    precision: Precision = Precision(),
) -> str:
    answer, setup = answered(scores, rule, d_k, wrt, precision)
    return " ".join(sentences.explore(answer, setup.d_k, setup.scale))


def test_the_example_saturates_unscaled_and_is_shared_when_scaled() -> None:
    assert said([100, 120, 150]) == (
        "Unscaled, key 2 takes all but 9.36e-14 of the weight and every |∂p/∂s| is below 1e-13. "
        "Divided by 32, the weight is shared as among 2.47 of 3 keys and ‖∂p/∂s‖_F grows, ×6.8e10."
    )


@pytest.mark.parametrize(
    ("scores", "rule", "d_k", "expected"),
    [
        ([-inf, -inf], "none", 64, "Every key is masked, so every weight and every gradient is 0."),
        ([-inf, 5], "none", 64, "Key 1 alone has all the weight at any scale"),
        ([5], "inverse-sqrt", 64, "Key 0 alone has all the weight at any scale"),
        ([7, 7], "inverse-sqrt", 64, "2 keys share the weight equally"),
        ([7, 7, -inf], "inverse-sqrt", 64, "2 keys share the weight equally"),
        ([0, 0.1, 0.2], "inverse-sqrt", 64, "3 keys share the weight almost equally"),
        ([0, 0.1, 0.2], "inverse-sqrt", 64, "‖∂p/∂s‖_F falls, ×0.125"),
        ([100, 100, 0], "inverse-sqrt", 64, "shared as among 2.00 of 3 keys"),
        ([1, 2, 3], "none", 64, "The rule none multiplies by 1, which changes nothing"),
        ([1, 2, 3], "inverse-sqrt", 1, "At d_k = 1 the rule inverse-sqrt multiplies by 1"),
        ([1, 2, 3], "temperature:T=0.1", 64, "Multiplied by 10, key 2 takes all but 4.54e-05"),
        ([1, 2, 3], "temperature:T=0.1", 64, "every |∂p/∂s| is below 0.001."),
        ([0, 5000], "inverse", 1, "all but 3e-2172 of the weight"),
        ([0, 0.09], "none", 64, "2 keys share the weight almost equally"),
        ([0, 0.1], "none", 64, "shared as among 2.00 of 2 keys"),
        ([0, 1], "inverse", 65_536, "Divided by 65536, 2 keys"),
        ([1e4, 0, 1e4 - 1] * 999, "none", 64, "shared as among 1788 of 2997 keys"),
        ([0, 1e200], "inverse", 4, "all but <1e-9999 of the weight"),
    ],
)
def test_each_case_is_said_as_it_is(
    scores: list[float], rule: str, d_k: int, expected: str
) -> None:
    assert expected in said(scores, rule, d_k)


def test_a_norm_that_underflowed_is_said_to_be_below_the_least_number() -> None:
    assert "‖∂p/∂s‖_F goes from below 5e-324 to 4.48e-06" in said([0, 100_000], "inverse", 65_536)


def test_d_k_moves_the_divisor_where_the_rule_has_it() -> None:
    assert sentences.what_d_k_moves(parse_scale("inverse"), 1) == "only the divisor"
    assert sentences.what_d_k_moves(parse_scale("temperature:T=3"), 9) == "nothing in this rule"


def test_a_masked_key_of_the_gradient_is_named() -> None:
    answer, _ = answered([-inf, 3, 4], wrt="logits")
    assert sentences.masked_key(answer) == "Every ∂p₀/∂z is 0 because key 0 is masked."
    for scores in ([3.0, -inf], [-inf, -inf]):
        assert sentences.masked_key(answered(scores)[0]) == ""


def test_the_gradient_named_is_the_one_chosen() -> None:
    text = said([0, 0, 20], wrt="logits")
    assert "∂p/∂z" in text
    assert "∂p/∂s" not in text


def test_what_a_number_format_cannot_hold_is_said_with_the_other_side() -> None:
    text = said([100, 120, 150], precision=Precision("float32", stable=False))
    assert text.startswith("Unscaled: e^z overflows float32 above 88.72")
    assert text.endswith("Divided by 32, the weight is shared as among 2.47 of 3 keys.")
    both = said([5000, 9000], precision=Precision("float32", stable=False))
    assert both.startswith("Both: ")


@given(
    st.lists(st.floats(-1e6, 1e6) | st.just(-inf), min_size=1, max_size=6),
    st.sampled_from(["inverse-sqrt", "none", "inverse", "temperature:T=1e-9", "temperature:T=1e9"]),
    st.sampled_from(["scores", "logits"]),
    st.sampled_from([Precision(f, s) for f in ("float64", "float32") for s in (True, False)]),
)
@settings(deadline=None)
def test_whatever_the_scores_it_is_short_plain_and_true_of_the_gradient(
    scores: list[float], rule: str, wrt: Wrt, precision: Precision
) -> None:
    answer, setup = answered(scores, rule, 64, wrt, precision)
    spoken = sentences.explore(answer, setup.d_k, setup.scale)
    text = " ".join(spoken)
    assert 1 <= len(spoken) <= 2
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in spoken)
    assert len(text) <= 200
    assert text.isprintable()
    if answer.status != "ok":
        assert "NaN" in text or "masked" in text or "overflow" in text or "0/0" in text
        return
    assert "NaN" not in text
    for sentence, side in zip(spoken, (answer.unscaled, answer.scaled), strict=False):
        _, below, bound = sentence.partition("is below ")
        if below:
            logs = side.log_jacobian(slice(None), slice(None), wrt)
            assert logs.max() <= np.log(10.0) * _power(bound.rstrip(".")) + 1e-9
    before, after = (side.norms[wrt].frobenius for side in (answer.unscaled, answer.scaled))
    assert ("grows" in text) <= (after > before)
    assert ("falls" in text) <= (after < before)


def _power(bound: str) -> float:
    return float(bound[2:]) if bound.startswith("1e") else float(np.log10(float(bound)))
