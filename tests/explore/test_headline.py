"""What Explore says first: whole sentences, true to the answer, short enough to be read."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import OverDk, VectorAnswer
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.logit_map import Wrt
from attn_tui.compute.mask import Mask
from attn_tui.compute.models import MODELS
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Typed
from attn_tui.compute.vector import Vector
from attn_tui.explore.answer import answer
from attn_tui.explore.headline import headline
from attn_tui.files.draft import Draft, parse

NUMBER = r"\d[\d,]*(?:\.\d+)?"

NAIVE = Precision("float16", stable=False, arithmetic="stepwise")


EASY = Precision(stable=False)


def of(
    text: str,
    d_k: int = 1024,
    rule: Scale | str = "inverse-sqrt",
    precision: Precision = Precision(),
    mask: Mask = Mask(),
    wrt: Wrt = "scores",
    typical: float | None = None,
    pinned: str | None = None,
) -> str:
    """Return the headline of a question, or of two side by side; of a draw where a text has n."""
    scale = rule if isinstance(rule, Scale) else parse_scale(rule)
    setup = Setup(d_k, scale, precision, mask).put(Settings(wrt=wrt))
    experiment = parse(Draft(text, setup, "drawn" if "n =" in text else "typed"))
    vector, over = answered(experiment)
    if pinned is not None:
        vector = compare(answered(parse(Draft(pinned, setup)))[0], vector)
    return headline(vector, experiment, over, typical)


def answered(experiment: Experiment) -> tuple[VectorAnswer, OverDk]:
    *_, last = answer(experiment, 0)
    assert last.over is not None
    return last.vector, last.over


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
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
            "All scores are equal, so the 5 keys share equally at any scale. Dividing only makes "
            "the gradient 32 times smaller.",
        ),
        (
            partial(of, "2 2", 64, Scale(softcap=1.0)),
            "All scores are equal, so the 2 keys share equally at any scale. Dividing and capping "
            "only makes the gradient 8.5 times smaller.",
        ),
        (
            partial(of, "1.0001 1.0002", 64, precision=Precision(scores="float16")),
            "In float16 all scores are equal, so the 2 keys share equally at any scale. Dividing "
            "only makes the gradient 8 times smaller.",
        ),
        (
            partial(of, "100 100 0"),
            "Keys 0 and 1 are tied and split the weight; no scale parts them. Dividing by 32 makes "
            "the gradient 33 times smaller.",
        ),
        (
            partial(of, "90 90 90 0", 64),
            "The 3 largest keys are tied and split the weight; no scale parts them. Dividing by 8 "
            "makes the gradient 8 times smaller.",
        ),
        (
            partial(of, "7"),
            "One key has all the weight at any scale, and every gradient is 0: there is nothing to "
            "choose.",
        ),
        (
            partial(of, "7 9", mask=Mask(((0, 1),))),
            "One key has all the weight at any scale, and every gradient is 0: there is nothing to "
            "choose.",
        ),
        (partial(of, "-inf -inf"), "Every key is masked, so every weight and every gradient is 0."),
        (
            partial(of, "n = 512, seed = 1", 64, typical=-log(32.0)),
            "In this draw key 60 takes 94 % unscaled. Divided by 8, about 210 of 512 keys share, "
            "and the gradient is 6.5 times smaller (typically 32 times).",
        ),
        (
            partial(of, "n = 512, seed = 1", 64, typical=log(1.34)),
            "In this draw key 60 takes 94 % unscaled. Divided by 8, about 210 of 512 keys share, "
            "and the gradient is 6.5 times smaller (typically 1.3 times larger).",
        ),
        (
            partial(of, "n = 5000, seed = 1", typical=-log(32.0)),
            "In this draw key 2,793 takes practically all the weight unscaled. Divided by 32, "
            "about 3,000 of 5,000 keys share, and the gradient is 35 times larger.",
        ),
        (
            partial(of, "n = 5000, seed = 1", rule=Scale(softcap=50.0)),
            "In this draw key 2,793 takes practically all the weight unscaled. Divided by 32 and "
            "capped at 50, about 3,000 of 5,000 keys share, and the gradient is 34 times larger.",
        ),
        (
            partial(of, "100 120 150", 1),
            "Nothing is divided here (√1 = 1), so both sides are the same: key 2 takes practically "
            "all the weight.",
        ),
        (
            partial(of, "1 2 3", rule="none"),
            "Nothing is divided here (rule none), so both sides are the same: key 2 takes 67 %.",
        ),
        (
            partial(of, "1 2 3", rule="temperature:1"),
            "Nothing is divided here (1/1 is 1), so both sides are the same: key 2 takes 67 %.",
        ),
        (
            partial(of, "2 4 6 20", 64, pinned="1 2 3 10"),
            "Pinned: key 3 takes 47 %. Now it takes 71 %, and the gradient is 1.3 times smaller.",
        ),
        (
            partial(of, "1 2 3 10", 64, pinned="1 2 3 10"),
            "Pinned: key 3 takes 47 %. Now it still does, and the gradient stays about the same.",
        ),
        (
            partial(of, "0 .1 .2", 64, pinned="0 .2 .4"),
            "Pinned: the 3 keys share almost equally. Now they still do, and the gradient stays "
            "about the same.",
        ),
        (
            partial(of, "0 0 0 50 50 50", 64, pinned="50 50 50 0 0 0"),
            "Pinned: 3 keys take 33 % each. Now, 3 keys take 33 % each, and the gradient stays "
            "about the same.",
        ),
        (
            partial(of, "1 2 3 10", 64, pinned="-inf -inf"),
            "Pinned: every key is masked. Now, key 3 takes 47 %, and the gradient is no longer 0.",
        ),
        (
            partial(of, "100 120 150", rule=Scale(softcap=50.0)),
            "Unscaled, key 2 takes practically all the weight. Divided by 32 and capped at 50 it "
            "takes 62 %, and the gradient is back.",
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
            partial(of, "100 120 150", 4, Scale(sink=0.0)),
            "Unscaled, key 2 takes practically all the weight. Divided by 2 it still does, and the "
            "gradient is still almost nothing.",
        ),
        (
            partial(of, "7", rule=Scale(sink=0.0)),
            "Unscaled, key 0 takes practically all the weight. Divided by 32 it takes 55 % and the "
            "sink 45 %, and the gradient is no longer 0.",
        ),
        (
            partial(of, "1 2 3", 1, Scale(sink=0.0)),
            "Unscaled, key 2 takes 67 %. With a sink it takes 64 % and the sink 3 %, and the "
            "gradient stays about the same.",
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
            partial(of, "9 9 9 5 5 5 0 0 0 0", 256, "inverse"),
            "Unscaled, about 3 of 10 keys share the weight. Divided by 256, the 10 keys share "
            "almost equally, and the gradient is 400 times smaller.",
        ),
        (
            partial(of, "100 120 150", MODELS["gemma-2-27b"].d_k, MODELS["gemma-2-27b"].scale),
            "Unscaled, key 2 takes practically all the weight. Divided by 12 and capped at 50 it "
            "takes 90 %, and the gradient is back.",
        ),
        (
            partial(of, "1 2 3", rule="temperature:0.3"),
            "Unscaled, key 2 takes 67 %. Multiplied by 3.33 it takes 96 %, and the gradient is 1.7 "
            "times smaller.",
        ),
        (
            partial(of, "100 120 150", 16_384, "inverse"),
            "Unscaled, key 2 takes practically all the weight. Divided by 16,384, the 3 keys share "
            "almost equally, and the gradient is larger, but still small.",
        ),
        (
            partial(of, "0 2000", 64),
            "Unscaled, key 1 takes practically all the weight. Divided by 8 it still does, "
            "and the gradient is still almost nothing.",
        ),
        (
            partial(of, "100 120 150", rule=Scale(softcap=50.0), wrt="logits"),
            "Unscaled, key 2 takes practically all the weight. Divided by 32 and capped at 50 it "
            "takes 62 %, and the gradient by logits is back.",
        ),
        (
            partial(of, "100 120 150", 64, wrt="logits"),
            "Unscaled, key 2 takes practically all the weight. Divided by 8 it takes 98 %, and the "
            "gradient by logits is over a million times larger.",
        ),
        (
            partial(of, "0 800", 65_536, precision=EASY, wrt="logits", pinned="0 20000"),
            "Pinned: key 1 takes practically all the weight. Now it takes 96 %, and the gradient "
            "by logits is back.",
        ),
        (
            partial(of, "100 120 150", precision=NAIVE),
            "A number overflows its format. Unscaled, every weight is NaN. Divided by 32, "
            "key 2 takes 62 %.",
        ),
        (
            partial(of, "-800 -1000", 64, precision=Precision(stable=False)),
            "A number became NaN. Unscaled, every weight is NaN. Divided by 8, key 0 takes "
            "practically all the weight.",
        ),
        (
            partial(of, "100 120 150", 1, precision=NAIVE),
            "Nothing is divided here (√1 = 1), so both sides are the same: every weight is NaN.",
        ),
        (
            partial(of, "1 2 3", precision=NAIVE, pinned="9000 8999"),
            "A number overflows its format. Pinned, every weight is NaN. Now, the 3 keys "
            "share almost equally.",
        ),
        (
            partial(of, "100 120 150", 64, precision=Precision("float16")),
            "Unscaled in float16, key 2 takes practically all the weight and the gradient is "
            "exactly 0. Divided by 8 it takes 98 %, and the gradient is no longer 0.",
        ),
        (
            partial(of, "0 300", 4, precision=Precision("float16")),
            "Unscaled in float16, key 1 takes practically all the weight and the gradient is "
            "exactly 0. Divided by 2 it still does, and the gradient is still 0.",
        ),
    ],
)  # fmt: skip
def test_a_person_reads_the_sentence_that_fits_the_question(
    ask: Callable[[], str], expected: str
) -> None:
    assert ask() == expected


@pytest.mark.parametrize(
    ("cap", "done"),
    [(123_456_789.0, "Divided by 64 and capped at 123 million"), (1e-30, "Scaled")],
)
def test_numbers_stand_in_for_a_sentence_that_would_be_too_long(cap: float, done: str) -> None:
    both = Scale(softcap=cap, sink=1.0)
    scores = np.append(np.zeros(999_999), 13.0)
    experiment = Experiment(Typed((Vector("", scores),)), Setup(4096, both))
    *_, last = answer(experiment, 0)
    assert last.over is not None
    sentence = headline(last.vector, experiment, last.over)
    assert sentence == (
        "Unscaled: largest weight 31 % (key 999,999), 27,000 effective keys. "
        f"{done}: almost none, 1,000,000 keys. Gradient 14,000 times smaller."
    )


RULES = (
    "inverse-sqrt", "none", "inverse", "mup", "fixed:a=144", "temperature:T=0.3",
    "temperature:T=999.7", "temperature:T=123456789", "temperature:T=1e30", "temperature:T=1e-30",
    "ssmax", "yarn", "per-layer:layer=31", "log-length",
)  # fmt: skip
SCORES = st.one_of(
    st.lists(st.floats(-200, 200, width=16), min_size=1, max_size=14),
    st.lists(st.sampled_from([0.0, 0.1, 1.0, 5.0, 5.0, -inf]), min_size=1, max_size=14),
    st.lists(st.sampled_from([0.0, 1e300, -1e300, 1e-300, 70_000.0]), min_size=1, max_size=5),
    st.lists(st.floats(-3, 3, width=16), min_size=9, max_size=60),
    st.integers(1, 3000).map(lambda n: [7.0] * n),
    st.integers(9, 3000).map(lambda n: [0.0] * (n - 2) + [13.0, 13.0]),
)
SOURCES = st.one_of(
    SCORES.map(lambda scores: Typed((Vector("", np.array(scores)),))),
    st.builds(Drawn, n_keys=st.sampled_from([2, 3, 9, 64, 3000]), seed=st.integers(0, 99)),
)
SCALES = st.builds(
    lambda rule, cap, sink: Scale(rule.rule, rule.given, softcap=cap, sink=sink),
    st.sampled_from([parse_scale(rule) for rule in RULES]),
    st.sampled_from([None, None, 5.0, 50.0, 4.4e-5, 1e9]),
    st.sampled_from([None, None, 0.0, 8.0, -30.0]),
)
PRECISIONS = st.builds(
    Precision,
    st.sampled_from(["float64", "float64", "float32", "float16", "bfloat16"]),
    st.booleans(),
    st.sampled_from(["float64", "float64", "float16"]),
)
D_KS = st.sampled_from([1, 2, 3, 64, 1000, 4096, 65_536])
QUESTIONS = st.builds(
    lambda source, d_k, scale, precision, wrt: Experiment(
        source, Setup(d_k, scale, precision).put(Settings(wrt=wrt))
    ),
    SOURCES, D_KS, SCALES, PRECISIONS, st.sampled_from(["scores", "logits"]),
)  # fmt: skip
TYPICAL = st.sampled_from([None, 0.01, 1.0, -3.5, 40.0])


@settings(max_examples=80, derandomize=True)
@given(QUESTIONS, TYPICAL)
def test_it_is_short_and_without_the_signs_that_a_newcomer_cannot_read(
    experiment: Experiment, typical: float | None
) -> None:
    vector, over = answered(experiment)
    for known in (over, None):
        sentence = headline(vector, experiment, known, typical)
        assert len(sentence) <= 170
        assert not re.search(r"\de[-+]?\d|∂|‖|\{|\}|inf\b|  ", sentence), sentence
        assert sentence.endswith(".")
        assert sentence.count(".") >= 1
        assert len(counted(sentence)) <= 5, sentence


@settings(max_examples=80, derandomize=True)
@given(QUESTIONS, TYPICAL)
def test_no_number_is_said_that_is_not_in_the_answer(
    experiment: Experiment, typical: float | None
) -> None:
    vector, over = answered(experiment)
    check_numbers(headline(vector, experiment, over, typical), vector, experiment, typical)


@settings(max_examples=50, derandomize=True)
@given(SCORES, SCORES, D_KS, SCALES)
def test_two_answers_side_by_side_are_told_with_their_own_numbers(
    before: Sequence[float], now: Sequence[float], d_k: int, scale: Scale
) -> None:
    setup = Setup(d_k, scale)
    pinned, experiment = (
        Experiment(Typed((Vector("", np.array(scores)),)), setup) for scores in (before, now)
    )
    (first, _), (second, over) = answered(pinned), answered(experiment)
    both = compare(first, second)
    sentence = headline(both, experiment, over)
    assert len(sentence) <= 170
    assert "nscaled" not in sentence
    check_numbers(sentence, both, experiment, None)


@settings(max_examples=80, derandomize=True)
@given(SCORES, D_KS, st.sampled_from([parse_scale(rule) for rule in RULES]))
def test_a_gradient_that_is_still_lost_is_not_said_to_be_back(
    scores: Sequence[float], d_k: int, scale: Scale
) -> None:
    experiment = Experiment(Typed((Vector("", np.array(scores)),)), Setup(d_k, scale))
    vector, over = answered(experiment)
    sentence = headline(vector, experiment, over)
    before, after = (side.norms["scores"].log_frobenius for side in vector.sides)
    if "is back" in sentence:
        assert after > float(over.log_frobenius.max()) - log(10.0)
        assert after >= log(1e-3)
        assert after - before > log(1e6)
        assert before < log(1e-3)
        assert vector.scaled.effective_keys < 0.98 * vector.vector.n_attended


@pytest.mark.parametrize(
    ("scores", "d_k", "says"),
    [
        ("100 120 150", 16, "it takes 99.9 %, and the gradient is larger, but still small."),
        ("100 120 150", 32, "it takes 99.5 %, and the gradient is back."),
        ("100 120 150", 4096, "it takes 48 %, and the gradient is back."),
        (
            "100 120 150",
            65_536,
            "the 3 keys share almost equally, and the gradient is over a million times larger.",
        ),
        ("0 30", 65_536, "it takes 53 %, and the gradient is over a million times larger."),
        ("0 300", 4096, "it takes 99.1 %, and the gradient is larger, but still small."),
        ("0 300", 65_536, "it takes 76 %, and the gradient is back."),
    ],
)
def test_a_gradient_is_back_near_its_largest_and_not_where_dividing_went_too_far(
    scores: str, d_k: int, says: str
) -> None:
    """Of 0 and 300 the largest over d_k is .0015, of the others .015, at d_k = 384."""
    assert of(scores, d_k).endswith(says)


def test_a_gradient_of_which_the_largest_is_unknown_is_not_said_to_be_back() -> None:
    experiment = parse(Draft("100 120 150", Setup(1024)))
    vector, _ = answered(experiment)
    assert headline(vector, experiment).endswith("the gradient is over a million times larger.")


def counted(sentence: str) -> list[str]:
    """Return the numbers that a reader has to hold: neither names of keys nor what was asked."""
    for unread in (
        rf"[Kk]eys? {NUMBER}(?: and {NUMBER})?(?= take| are|\))", rf"{NUMBER} keys",
        rf"(?:by|at) (?:{NUMBER}|over a trillion)", r"b?float\d\d", r"\([^()]* is 1\)", r"√1 = 1",
        "exactly 0", "still 0", "longer 0", "gradient is 0",
    ):  # fmt: skip
        sentence = re.sub(unread, "", sentence)
    return re.findall(NUMBER, sentence)


def check_numbers(
    sentence: str, vector: VectorAnswer, experiment: Experiment, typical: float | None
) -> None:
    sides, wrt = vector.sides, vector.wrt
    shares = np.concatenate([[*side.weights(), side.sink_weight] for side in sides])
    if "over 99.9 %" in sentence:
        assert max(side.max_weight for side in sides) >= 0.9995
    for text in re.findall(rf"({NUMBER}) %", sentence.replace("over 99.9 %", "")):
        half = 0.05 if "." in text else 0.5
        assert (np.abs(100.0 * shares - float(text)) <= half + 1e-9).any(), sentence
    for key, share in re.findall(rf"key ({NUMBER}) takes ({NUMBER} %|practically all)", sentence):
        weights = [side.weights(np.array([read_whole(key)]))[0] for side in sides]
        assert any(is_rounded(share, weight) for weight in weights), sentence
    for count, total in re.findall(rf"about ({NUMBER}) of ({NUMBER}) keys", sentence):
        # A sink counts as one more, which no key is.
        counts = [min(side.effective_keys, read(total)) for side in sides]
        assert any(is_near(read(count), number) for number in counts), sentence
        assert read_whole(total) in {int(side.attended.sum()) for side in sides}
    for total in re.findall(rf"the ({NUMBER}) keys share", sentence):
        assert read_whole(total) in {int(side.attended.sum()) for side in sides}
    for tied, share in re.findall(rf"(?<!\w)({NUMBER}) keys take ({NUMBER}) %", sentence):
        assert any((side.weights() == side.max_weight).sum() == int(tied) for side in sides)
        assert float(share) <= 100.0 / int(tied) + 0.5
    before, after = (side.norms[wrt].log_frobenius for side in sides)
    spoken, _, rest = sentence.partition(" (typically ")
    check_factor(spoken, after - before if before > -inf else inf)
    if rest and typical is not None:
        way = re.findall(r"larger|smaller", spoken)[-1:]
        plain = rest if re.search("larger|smaller|same", rest) else f"{rest} {''.join(way)}"
        check_factor(plain.replace("times)", "times"), typical)


def check_factor(sentence: str, log_factor: float) -> None:
    for text, way in re.findall(rf"({NUMBER}) times (larger|smaller)", sentence):
        told = log(read(text)) * (1.0 if way == "larger" else -1.0)
        # Two digits: at worst 1.05 for 1.0 and 1.1.
        assert abs(told - log_factor) <= 0.051, (sentence, log_factor)
    if "about the same" in sentence:
        assert abs(log_factor) < log(1.05)
    if "over a million times larger" in sentence or "is back" in sentence:
        assert log_factor > log(1e6)
    if "over a million times smaller" in sentence or "is gone" in sentence or "vanish" in sentence:
        assert log_factor < -log(1e6)


def read(text: str) -> float:
    return float(text.replace(",", ""))


def read_whole(text: str) -> int:
    return int(read(text))


def is_near(told: float, value: float) -> bool:
    return abs(told - value) <= max(0.5, 0.051 * value)


def is_rounded(text: str, share: float) -> bool:
    if text == "practically all":
        return share >= 0.9995
    number = text.removesuffix(" %")
    return abs(100.0 * share - float(number)) <= (0.05 if "." in number else 0.5) + 1e-9


WRTS: tuple[Wrt, ...] = ("scores", "logits")


@pytest.mark.parametrize("wrt", WRTS)
def test_the_factor_of_two_keys_is_that_of_the_law(wrt: Wrt) -> None:
    # Two keys, gap Δ: ‖∂p/∂z‖_F is 2·p·(1 − p), and ‖∂p/∂s‖_F is m times that.
    gap, m = 6.0, 1.0 / 8.0
    p, q = 1.0 / (1.0 + exp(-gap)), 1.0 / (1.0 + exp(-gap * m))
    factor = q * (1 - q) / (p * (1 - p)) * (m if wrt == "scores" else 1.0)
    assert f" is {factor:.2g} times larger" in of(f"0 {gap}", 64, wrt=wrt)
