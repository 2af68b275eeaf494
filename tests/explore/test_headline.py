"""The headline of Explore: the sentence that fits the question, word for word."""

from functools import partial
from math import exp, log

import numpy as np
import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Typed, Vector
from attn_tui.compute.sweep.settings import Settings as Sweep
from attn_tui.explore.answer import answer, typical
from attn_tui.explore.headline import headline
from tests.explore.headlines import of

NAIVE = Precision("float16", naive=True, arithmetic="stepwise")


def test_a_person_reads_the_sentence_that_fits_the_question() -> None:
    for ask, expected in [
        (
            partial(of, "100 120 150"),
            "Unscaled, key 2 takes practically all the weight, and small changes of the scores "
            "change almost nothing. Divided by 32 it takes 62 %, and the gradient is back.",
        ),
        (
            partial(of, "1 2 3 10", 64),
            "Unscaled, key 3 takes 99.9 %. Divided by 8 it takes 47 %, and the gradient is 24 "
            "times larger.",
        ),
        (
            partial(of, "0 .1 .2", 64),
            "Even unscaled the 3 keys share almost equally. Dividing by 8 evens them out further "
            "and makes the gradient 8 times smaller.",
        ),
        (
            partial(of, "2 2 2 2 2"),
            "All 5 keys are tied and split the weight; no scale parts them. Dividing by 32 makes "
            "the gradient 32 times smaller.",
        ),
        (
            partial(of, "100 100 0"),
            "Keys 0 and 1 are tied and split the weight; no scale parts them. Dividing by 32 makes "
            "the gradient 33 times smaller.",
        ),
        (
            partial(of, "100 120 150", target=0),
            "Unscaled, key 2 takes practically all the weight; if key 0 is the answer, the loss is "
            "50. Divided by 32 it is 2.03, and its gradient is 41 times smaller.",
        ),
        (
            partial(of, "100 120 150", target=2, wrt="logits"),
            "Unscaled, key 2 takes practically all the weight; if key 2 is the answer, the loss is "
            "under a millionth. Divided by 32 it is 0.471, and its gradient by logits is back.",
        ),
        (
            partial(of, "0 -40", target=1, precision=Precision("float16")),
            "Unscaled, key 0 takes practically all the weight; if key 1 is the answer, the loss is "
            "infinite. Divided by 32 it is 1.5, and its gradient is 41 times smaller.",
        ),
        (
            partial(of, "1 2 -inf", target=2),
            "Key 2, the answer, is masked: the loss is infinite at any scale.",
        ),
        (
            partial(of, "7"),
            "One key has all the weight at any scale, and every gradient is 0: there is nothing to "
            "choose.",
        ),
        (
            partial(of, "1 2 3", mask=Mask(causal=True)),
            "Under the causal mask the first query sees key 0 alone; it has all the weight at any "
            "scale, and every gradient is 0: there is nothing to choose.",
        ),
        (
            partial(of, "1 2 3", mask=Mask(((0, 1), (2, None)))),
            "The mask leaves key 1 alone; it has all the weight at any scale, and every gradient "
            "is 0: there is nothing to choose.",
        ),
        (
            partial(of, "-inf -inf"),
            "Every key is masked, and every gradient is 0: there is nothing to choose.",
        ),
        (
            partial(of, "n = 512, seed = 1", 64, typical=-log(32.0)),
            "In this draw key 60 takes 94 % unscaled. Divided by 8, about 210 of 512 keys share; "
            "the gradient is 6.5 times smaller (typically 32 times).",
        ),
        (
            partial(of, "100 120 150", 1),
            "Nothing is divided here (√1 = 1), so both sides are the same: key 2 takes practically "
            "all the weight.",
        ),
        (
            partial(of, "2 4 6 20", 64, pinned="1 2 3 10"),
            "As pinned, key 3 takes 47 %. Now it takes 71 %, and the gradient is 1.3 times "
            "smaller.",
        ),
        (
            partial(of, "1 2 3 10", 64, pinned="1 2 3 10"),
            "As pinned, key 3 takes 47 %. Now it still does, and the gradient stays exactly the "
            "same.",
        ),
        (
            partial(of, "1 2 3 10", 64, pinned="-inf -inf"),
            "As pinned, every key is masked. Now, key 3 takes 47 %, and the gradient is no "
            "longer exactly 0.",
        ),
        (
            partial(of, "1 2 9 10", 64, pinned="9 2 1 10"),
            "As pinned, key 3 takes 39 %. Now it still does, but key 0 takes 13 % instead of 34 %, "
            "and the gradient stays about the same.",
        ),
        (
            partial(of, "-inf -inf", 64, pinned="1 2 3 10"),
            "As pinned, key 3 takes 47 %. Now, every key is masked, and the gradient is gone.",
        ),
        (
            partial(of, "2 4 6 20", 64, pinned="1 2 3 10", key=0),
            "As pinned, key 3 takes 47 %. Now it takes 71 %, and the gradient of key 0 is 1.8 "
            "times smaller.",
        ),
        (
            partial(of, "100 120 150", key=0),
            "Unscaled, key 2 takes practically all the weight, and small changes of the scores "
            "change almost nothing. Divided by 32 it takes 62 %, and the gradient of key 0 is "
            "back.",
        ),
        (
            partial(of, "0 300 330", key=0),
            "Unscaled, key 2 takes practically all the weight. Divided by 32 it takes 72 %, and "
            "the gradient of key 0 is still almost nothing.",
        ),
        (
            partial(of, "100 100 0", key=2, wrt="logits"),
            "Keys 0 and 1 are tied and split the weight; no scale parts them. Dividing by 32 makes "
            "the gradient of key 2 by logits over a million times larger.",
        ),
        (
            partial(of, "100 120 150", rule=Scale(sink=0.0)),
            "Unscaled, key 2 takes practically all the weight. Divided by 32 it takes 62 % and the "
            "sink 0.6 %, and the gradient is back.",
        ),
        (
            partial(of, "1 2 3", rule=Scale(sink=30.0)),
            "Unscaled, key 2 takes 67 %. Divided by 32, the sink takes practically all the weight, "
            "and the gradient is gone.",
        ),
        (
            partial(of, "7", rule=Scale(sink=0.0)),
            "Unscaled, key 0 takes practically all the weight. Divided by 32 it takes 55 % and the "
            "sink 45 %, and the gradient is no longer exactly 0.",
        ),
        (
            partial(of, "3 3 3 2 2 2 0 0 0 0", 64, Scale(sink=0.0)),
            "Unscaled, about 6 of 10 keys share the weight. Divided by 8, about 10 of 10 keys and "
            "the sink (8 %) share, and the gradient is 11 times smaller.",
        ),
        (
            partial(of, "7 7 0 0 0 0 0 0", 64),
            "Unscaled, keys 0 and 1 take 50 % each. Divided by 8 they take 22 % each, and the "
            "gradient is 12 times smaller.",
        ),
        (
            partial(of, "1 2 3", rule="temperature:0.3"),
            "Unscaled, key 2 takes 67 %. Multiplied by 3.33 it takes 96 %, and the gradient is 1.7 "
            "times smaller.",
        ),
        (
            partial(of, "100 120 150", rule=Scale(softcap=50.0), wrt="logits"),
            "Unscaled, key 2 takes practically all the weight. Divided by 32 and capped at 50 it "
            "takes 62 %, and the gradient by logits is back.",
        ),
        (
            partial(of, "1 2 3 10", 64, rule=Scale(softcap=30.0)),
            "Unscaled, key 3 takes 99.9 %. Divided by 8 and capped at 30 it takes 47 %, and the "
            "gradient is 24 times larger. The cap leaves 99.8 % of the slope at key 3.",
        ),
        (
            partial(of, "100 120 150", precision=NAIVE),
            "A number overflows its format. Unscaled, every weight is NaN. Divided by 32, "
            "key 2 takes 62 %.",
        ),
        (
            partial(of, "100 120 150", 64, precision=Precision("float16")),
            "Unscaled, key 2 takes practically all the weight. Divided by 8 it takes 98 %, and the "
            "gradient is no longer exactly 0 in float16.",
        ),
    ]:
        assert ask() == expected


@pytest.mark.slow
def test_numbers_stand_in_for_a_sentence_that_would_be_too_long() -> None:
    both = Scale(softcap=123_456_789.0, sink=1.0)
    scores = np.append(np.zeros(999_999), 13.0)
    experiment = Experiment(Typed((Vector("", scores),)), Setup(4096, both))
    *_, last = answer(experiment, 0)
    assert last.over is not None
    sentence = headline(last.vector, experiment, last.over)
    assert sentence == (
        "Unscaled: largest weight 31 % (key 999,999), 26,756 effective keys. "
        "Divided by 64 and capped at 123 million: almost none, 1 million keys. Gradient 14,000 "
        "times smaller."
    )


def test_a_gradient_is_back_near_its_largest_and_not_where_dividing_went_too_far() -> None:
    """Over d_k the largest gradient is .0015 for 0 and 300; for the others .015, at d_k = 384."""
    for scores, d_k, says in [
        ("100 120 150", 16, "it takes 99.9 %, and the gradient is larger, but still small."),
        ("100 120 150", 32, "it takes 99.5 %, and the gradient is back."),
        (
            "100 120 150",
            65_536,
            "the 3 keys share almost equally, and the gradient is over a million times larger.",
        ),
        ("0 30", 65_536, "it takes 53 %, and the gradient is over a million times larger."),
        ("0 300", 4096, "it takes 99.1 %, and the gradient is larger, but still small."),
    ]:
        assert of(scores, d_k).endswith(says)


def test_the_factor_of_two_keys_is_that_of_the_law() -> None:
    # Two keys, gap Δ: ‖∂p/∂z‖_F is 2·p·(1 − p), and ‖∂p/∂s‖_F is m times that.
    gap, m = 6.0, 1.0 / 8.0
    p, q = 1.0 / (1.0 + exp(-gap)), 1.0 / (1.0 + exp(-gap * m))
    factor = q * (1 - q) / (p * (1 - p))
    assert f" is {factor * m:.2g} times larger" in of(f"0 {gap}", 64)
    assert f" is {factor:.2g} times larger" in of(f"0 {gap}", 64, wrt="logits")


def test_the_typical_draw_of_few_keys_and_many_components_is_helped_by_dividing() -> None:
    few_draws = Sweep(draws=200)
    log_factor = typical(Experiment(Drawn(8), Setup(1024).put(few_draws)))
    assert log_factor is not None
    assert log_factor > log(100.0)
    sink = Setup(1024, Scale(sink=0.0)).put(few_draws)
    assert typical(Experiment(Drawn(8), sink)) is None
