import re
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from attn_tui.report.explore import sentences
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.logit_map import PLAIN, LogitMap, Wrt
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.compute.vector import Vector
from attn_tui.report.origin import origin, what_d_k_moves
from tests.asking import answer_to, asking


def answered(
    scores: list[float],
    rule: str = "inverse-sqrt",
    d_k: int = 1024,
    wrt: Wrt = "scores",
    precision: Precision = Precision(),
    of: int | None = None,
) -> tuple[VectorAnswer, Setup]:
    setup = Setup(d_k, parse_scale(rule), precision).put(Settings(of, wrt))
    return answer_to(Vector("a", np.array(scores)), setup), setup


def said(
    scores: list[float],
    rule: str = "inverse-sqrt",
    d_k: int = 1024,
    wrt: Wrt = "scores",
    precision: Precision = Precision(),
) -> str:
    answer, setup = answered(scores, rule, d_k, wrt, precision)
    return " ".join(sentences.explore(answer, setup))


def answered_to(setup: Setup, *scores: float) -> str:
    return " ".join(sentences.explore(answer_to(Vector("a", np.array(scores)), setup), setup))


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
        ([0, 5000], "inverse", 1, "all but 3.37e-2172 of the weight"),
        ([0, 0.09], "none", 64, "2 keys share the weight almost equally"),
        ([0, 0.1], "none", 64, "shared as among 2.00 of 2 keys"),
        ([0, 1], "inverse", 65_536, "Divided by 65536, 2 keys"),
        ([1e4, 0, 1e4 - 1] * 999, "none", 64, "shared as among 1,788 of 2,997 keys"),
        ([0, 1e200], "inverse", 4, "all but <1e-9999 of the weight"),
    ],
)
def test_each_case_is_said_as_it_is(
    scores: list[float], rule: str, d_k: int, expected: str
) -> None:
    assert expected in said(scores, rule, d_k)


def test_a_norm_that_underflowed_is_compared_by_its_logarithm() -> None:
    assert "‖∂p/∂s‖_F grows, ×6.3e43423." in said([0, 100_000], "inverse", 65_536)


def test_what_a_format_cannot_hold_is_said_as_what_it_is() -> None:
    setup = Setup(precision=Precision("float16"))
    answer = answer_to(Vector("a", np.array(WORKED)), setup)
    assert sentences.vanished(answer) == (
        "Unscaled, float16 holds 0 where p₁ is 9.36e-14, p₀ is 1.93e-22 exactly."
    )
    assert sentences.vanished(answer_to(Vector("a", np.array(WORKED)), Setup())) == ""


def test_d_k_moves_the_divisor_where_the_rule_has_it() -> None:
    assert what_d_k_moves(parse_scale("inverse"), 1) == "only the divisor"
    assert what_d_k_moves(parse_scale("temperature:T=3"), 9) == "nothing in this rule"


def test_a_masked_key_of_the_gradient_is_named() -> None:
    answer, _ = answered([-inf, 3, 4], wrt="logits", of=0)
    assert sentences.masked_key(answer) == "Every ∂p₀/∂z is 0 because key 0 is masked."
    for scores in ([3.0, -inf], [-inf, -inf]):
        assert sentences.masked_key(answered(scores, of=0)[0]) == ""


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
    scaled = said([1, 2, 3], "temperature:T=0.01", precision=Precision("float32", stable=False))
    assert scaled.startswith("Scaled: e^z overflows float32")
    assert scaled.endswith("NaN. Unscaled, the weight is shared as among 2.30 of 3 keys.")


WORKED = (100.0, 120.0, 150.0)


@pytest.mark.parametrize(
    ("scores", "scale", "expected"),
    [
        (WORKED, Scale(sink=0.0), "Divided by 32, the sink takes 0.0057 of the weight, which is"),
        (WORKED, Scale(sink=0.0), "which is shared as among 2.55 of 4 keys, sink counted."),
        (WORKED, Scale(softcap=50.0), "Divided by 32 and capped at 50, the weight is shared"),
        (WORKED, Scale("none", softcap=50.0), "Capped at 50, the weight is shared as among 2.56"),
        (WORKED, Scale("none", sink=200.0), "Scaled, the sink takes all but 1.93e-22 of the weigh"),
        (WORKED, Scale("none", sink=200.0), "every |∂p/∂s| is below 1e-21."),
        (WORKED, Scale("none", sink=0.0), "Scaled, key 2 takes all but 9.36e-14 of the weight"),
        (WORKED, Scale("none", sink=1e5), "the sink takes all but <1e-9999 of the weight"),
        ((1, 1, 1), Scale("none", sink=0.0), "takes 0.1092 of the weight, 3 keys share the rest"),
        ((1, 1, 1), Scale("none", sink=0.0), "share the rest equally, and ‖∂p/∂s‖_F falls"),
        ((1, 1, 1), Scale("none", sink=0.0), "and ‖∂p/∂s‖_F falls, ×0.893."),
        ((0.0,), Scale("none", sink=1.0), "key 0 takes 0.2689 of the weight, the sink 0.7311"),
        ((0.0,), Scale("none", sink=1.0), "Unscaled, key 0 takes all of the weight and every |∂p"),
        ((-inf, 0.0), Scale("none", sink=1.0), "key 1 takes 0.2689 of the weight, the sink 0.7311"),
        ((-inf, -inf), Scale(sink=1.0), "every gradient is 0 and the sink takes all."),
        # The winner's own slope is 0 here, as tanh is 1, and the others' is not.
        ((1e3, 0.0), Scale("none", softcap=10.0), "every |∂p/∂s| is below 1e-4."),
        ((1e3, 0.0), Scale("none", softcap=10.0, sink=20.0), "every |∂p/∂s| is below 1e-8."),
    ],
)
def test_a_cap_and_a_sink_are_said(scores: tuple[float, ...], scale: Scale, expected: str) -> None:
    assert expected in answered_to(Setup(1024, scale), *scores)


def test_a_multiplier_of_0_leaves_no_gradient() -> None:
    vector = Vector("a", np.array([0.0, 1.0, 5.0]))
    plain = answer_to(vector, Setup())
    none = evaluate(vector.scores, LogitMap(0.0), Precision())
    text = " ".join(sentences.explore(replace(plain, scaled=none), Setup()))
    assert text == (
        "Unscaled, the weight is shared as among 1.14 of 3 keys. Multiplied by 0, "
        "3 keys share the weight equally and ‖∂p/∂s‖_F goes from 0.0401 to 0."
    )


@pytest.mark.parametrize("stable", [True, False])
@pytest.mark.parametrize("format", ["float16", "bfloat16"])
def test_few_bits_are_said_with_what_comes_of_them(format: str, stable: bool) -> None:
    setup = Setup(precision=Precision(format, stable))
    text = answered_to(setup, *WORKED)
    if stable:
        lost = "all of" if format == "float16" else "all but 9.37e-14 of"
        assert text.startswith(f"Unscaled, key 2 takes {lost} the weight")
        return
    assert text.startswith("Unscaled: e^z overflows float32 above 88.72")
    assert "infinity/infinity is NaN. Divided by 32, the weight is shared as among" in text


def test_keys_that_cannot_be_told_apart_in_few_bits_share_equally() -> None:
    setup = Setup(scale=Scale("none"), precision=Precision("bfloat16"))
    assert "2 keys share the weight equally" in answered_to(setup, 100.0, 100.2)


def test_weights_that_add_up_to_more_than_1_are_not_shared_among_more_keys_than_there_are() -> None:
    setup = Setup(scale=Scale("none"), precision=Precision("bfloat16"))
    answer = answer_to(Vector("a", np.repeat([0.0, 0.2], [1002, 1])), setup)
    assert answer.unscaled.effective_keys > 1003
    text = " ".join(sentences.explore(answer, setup))
    assert "shared as among 1,003 of 1,003 keys" in text


def compared(first: Setup, second: Setup, *scores: float, names: tuple[str, str]) -> str:
    vector = Vector("a", np.array(scores))
    before, after = answer_to(vector, first), answer_to(vector, second)
    both = replace(after, unscaled=before.scaled, scaled=after.scaled, names=names)
    return " ".join(sentences.explore(both, second))


def test_a_comparison_is_one_sentence_about_both() -> None:
    text = compared(Setup(1), Setup(1024), *WORKED, names=("pinned", "now"))
    assert text == (
        "Pinned, key 2 takes all but 9.36e-14 of the weight and every |∂p/∂s| is below 1e-13; "
        "now, the weight is shared as among 2.47 of 3 keys and ‖∂p/∂s‖_F grows, ×6.8e10."
    )
    same = compared(Setup(1024), Setup(1024), *WORKED, names=("pinned", "now"))
    assert same == "Pinned and now are the same: the weight is shared as among 2.47 of 3 keys."
    vectors = compared(Setup(1), Setup(1024), *WORKED, names=("a", "b"))
    assert vectors.startswith("In a, key 2 takes")
    assert "; in b, the weight" in vectors


def test_a_comparison_with_what_has_no_weights_says_why() -> None:
    broken = Setup(1, precision=Precision("float32", stable=False))
    vector = Vector("a", np.array(WORKED))
    before, after = answer_to(vector, broken), answer_to(vector, Setup(1024))
    both = replace(
        after,
        unscaled=before.scaled,
        names=("pinned", "now"),
        status="overflow",
        reason="pinned: x",
    )
    text = " ".join(sentences.explore(both, broken))
    assert text == "Pinned: x. Now, the weight is shared as among 2.47 of 3 keys."


def drawn(count: int, **setup: Any) -> str:
    return origin(Experiment(Drawn(9, seed=7, count=count), Setup(**setup)))


def test_where_scores_come_from_is_one_line() -> None:
    typed = asking(Vector("a", np.array(WORKED)))
    assert origin(typed) == "typed: d_k moves only the divisor"
    fixed = asking(Vector("a", np.array(WORKED)), setup=Setup(scale=Scale("none")))
    assert origin(fixed) == "typed: d_k moves nothing in this rule"
    assert re.fullmatch(
        r"drawn: q, k ~ N\(0,1\) at d_k = 64, n = 9, seed 7, ‖q‖ = [67-9]\.\d\d", drawn(1, d_k=64)
    )
    assert drawn(1, d_k=64, scale=Scale(qk_norm=True)) == (
        "drawn: q, k ~ N(0,1), normalised, at d_k = 64, n = 9, seed 7: |s| ≤ 64"
    )
    assert re.search(r"‖q‖ = \d\.\d+, \d\.\d+, \d\.\d+$", drawn(3, d_k=64))
    assert re.search(r"‖q‖ = \d\.\d+, \d\.\d+, \d\.\d+, …$", drawn(4, d_k=64))
    products = Products(np.eye(2), np.eye(2))
    assert origin(Experiment(products)) == "from q and K: d_k = 2 is their length"
    normalised = Experiment(products, Setup(scale=Scale(qk_norm=True)))
    assert origin(normalised) == "from q and K, normalised: d_k = 2 is their length"


MAPS = st.builds(
    LogitMap,
    st.sampled_from([0.0, 1e-9, 0.03125, 1.0, 7.0, 1e9]),
    st.none() | st.sampled_from([1e-3, 0.5, 50.0, 1e6]),
    st.none() | st.sampled_from([-800.0, 0.0, 3.0, 1e4]),
)


@given(
    st.lists(
        st.floats(-1e4, 1e4) | st.floats(-2, 2) | st.just(-inf) | st.just(3.0),
        min_size=1,
        max_size=6,
    ),
    MAPS,
    MAPS,
    st.sampled_from(["scores", "logits"]),
    st.builds(Precision, st.sampled_from(FORMATS), st.booleans(), st.sampled_from(FORMATS)),
    st.sampled_from([("unscaled", "scaled"), ("pinned", "now"), ("a", "b")]),
)
@settings(deadline=None, max_examples=400)
def test_whatever_is_asked_no_sentence_contradicts_the_numbers(
    scores: list[float],
    first: LogitMap,
    second: LogitMap,
    wrt: Wrt,
    precision: Precision,
    names: tuple[str, str],
) -> None:
    setup = Setup(scale=Scale("none"), precision=precision).put(Settings(wrt=wrt))
    plain = answer_to(Vector("a", np.array(scores)), setup)
    before = PLAIN if names[0] == "unscaled" else first
    sides = [evaluate(plain.vector.scores, each, precision) for each in (before, second)]
    ok = all(np.isfinite(side.entropy) and side.max_weight + side.sink_weight for side in sides)
    if plain.status == "ok" and not ok:
        return
    answer = replace(plain, unscaled=sides[0], scaled=sides[1], names=names)
    spoken = sentences.explore(answer, setup)
    text = " ".join(spoken)
    assert 1 <= len(spoken) <= 2
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in spoken)
    assert len(text) <= 240
    assert text.isprintable()
    if answer.status != "ok":
        assert any(word in text for word in ("NaN", "masked", "overflow", "0/0"))
        return
    assert "NaN" not in text
    halves = re.split(r"(?<=[a-z0-9])(?:\. |; )(?=[A-Za-z])", text)
    for half, side in zip(halves, sides if len(halves) == 2 else sides[1:], strict=True):
        assert_true(half, side, wrt, plain.vector)
    old, new = (side.norms[wrt].log_frobenius for side in sides)
    assert ("grows" in text) <= (new > old)
    assert ("falls" in text) <= (new < old)


def assert_true(text: str, side: Evaluation, wrt: Wrt, vector: Vector) -> None:
    """Compare each number that a sentence names with what the side has."""
    attended = np.flatnonzero(vector.scores > -inf)
    weights = side.weights(attended)
    entries = side.jacobian(attended, attended, wrt)
    logs = side.log_jacobian(attended, attended, wrt)
    if found := re.search(r"\| is below (\S+?)\.?$", text):
        assert logs.max() <= np.log(10.0) * _power(found[1]) + 1e-9
    if re.search(r"\| is 0$", text.rstrip(".")):
        assert not entries.any()
    if found := re.search(r"key (\d+) takes all but (\d\S*) of", text):
        rest = side.complements(np.array([int(found[1])]))[0]
        assert float(found[2]) == pytest.approx(rest, rel=0.5, abs=1e-4) or rest == 0.0
        assert int(found[1]) in attended
    if found := re.search(r"the sink takes all but (\d\S*) of", text):
        assert float(found[1]) == pytest.approx(weights.sum(), rel=0.5, abs=1e-4)
        assert weights.sum() <= 0.0101
    if found := re.search(r"the sink (?:takes )?(\d\.\S*?)(?:$|\.$| of the weight|, and)", text):
        assert float(found[1]) == pytest.approx(side.sink_weight, rel=0.01, abs=1e-4)
    assert ("sink" in text) <= (side.map.sink is not None)
    if found := re.search(r"as among (\S+) of (\d+) keys", text):
        n_entries = attended.size + (side.map.sink is not None)
        assert int(found[2]) == n_entries
        assert float(found[1]) <= n_entries
        assert float(found[1]) == pytest.approx(min(side.effective_keys, n_entries), rel=0.006)
        assert weights.max() > 1.1 * weights.min()
    if found := re.search(r"(\d+) keys share the (?:weight|rest) (almost )?equally", text):
        assert int(found[1]) == attended.size
        assert weights.max() <= 1.1 * weights.min()
        assert (weights.max() > weights.min()) == bool(found[2])


def _power(bound: str) -> float:
    return float(bound[2:]) if bound.startswith("1e") else float(np.log10(float(bound)))
