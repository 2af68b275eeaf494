"""Headlines of any question: short, plain, and with no numbers but those of the answer."""

import re
from dataclasses import replace
from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Typed, Vector
from attn_tui.explore.headline import headline
from tests.explore.headlines import answered

NUMBER = r"\d[\d,]*(?:\.\d+)?"

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
    lambda rule, cap, sink: Scale(rule.rule, rule.arguments, softcap=cap, sink=sink),
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
    lambda source, d_k, scale, precision, key, wrt: Experiment(
        source, Setup(d_k, scale, precision).put(Settings(key, wrt))
    ),
    SOURCES, D_KS, SCALES, PRECISIONS, st.sampled_from([None, None, 0, 1]),
    st.sampled_from(["scores", "logits"]),
)  # fmt: skip
TYPICAL = st.sampled_from([None, 0.01, 1.0, -3.5, 40.0])


@pytest.mark.slow
@settings(max_examples=25, derandomize=True)
@given(QUESTIONS, TYPICAL)
def test_it_is_short_and_plain_and_no_number_is_said_that_is_not_in_the_answer(
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
        check_numbers(sentence, vector, experiment, typical)
    # Beside a pinned answer, the numbers of both are stated.
    plain = Experiment(experiment.source, Setup(4))
    both = compare(answered(plain)[0], vector)
    sentence = headline(both, experiment, over)
    assert len(sentence) <= 170
    check_numbers(sentence, both, experiment, None)


@settings(max_examples=25, derandomize=True)
@given(QUESTIONS, st.integers(0, 3))
def test_the_headline_of_a_loss_is_short_and_plain(experiment: Experiment, target: int) -> None:
    setup = experiment.setup.put(replace(experiment.setup.get(Settings), target=target))
    asked = Experiment(experiment.source, setup)
    vector, over = answered(asked)
    for known in (over, None):
        sentence = headline(vector, asked, known)
        assert len(sentence) <= 170
        assert not re.search(r"\de[-+]?\d|∂|‖|\{|\}|inf\b|  ", sentence), sentence
        assert sentence.endswith(".")


def log_gradient(side: Evaluation, vector: VectorAnswer) -> float:
    """Return ln of the norm of the whole Jacobian, or of the row of the key that is named."""
    if vector.key is None:
        return side.norms[vector.wrt].log_frobenius
    with np.errstate(all="ignore"):
        return 0.5 * float(np.logaddexp.reduce(2.0 * side.log_gradient(vector.key, vector.wrt)))


def counted(sentence: str) -> list[str]:
    """Return the numbers that a reader has to remember: not names of keys or the question's own."""
    for unread in (
        rf"[Kk]eys? {NUMBER}(?: and {NUMBER})?(?= take| are|\)|\.)", rf"{NUMBER} keys",
        rf"(?:by|at) (?:{NUMBER}|over a trillion)", r"b?float\d\d", r"\([^()]* is 1\)", r"√1 = 1",
        "exactly 0", "gradient is 0",
    ):  # fmt: skip
        sentence = re.sub(unread, "", sentence)
    return re.findall(NUMBER, sentence)


def check_numbers(
    sentence: str, vector: VectorAnswer, experiment: Experiment, typical: float | None
) -> None:
    sides = vector.sides
    shares = np.concatenate([[*side.weights(), side.sink_weight] for side in sides])
    shares = np.append(shares, vector.slope_left or 0.0)
    if "over 99.9 %" in sentence:
        assert max(side.max_weight for side in sides) >= 0.9995
    for text in re.findall(rf"({NUMBER}) %", sentence.replace("over 99.9 %", "")):
        half = 0.05 if "." in text else 0.5
        assert (np.abs(100.0 * shares - float(text)) <= half + 1e-9).any(), sentence
    for key, share in re.findall(rf"key ({NUMBER}) takes ({NUMBER} %|practically all)", sentence):
        weights = [side.weights(np.array([read_whole(key)]))[0] for side in sides]
        assert any(is_rounded(share, weight) for weight in weights), sentence
    for count, total in re.findall(rf"about ({NUMBER}) of ({NUMBER}) keys", sentence):
        # Effective keys include a sink, but the sentence never states more keys than there are.
        counts = [min(side.effective_keys, read(total)) for side in sides]
        assert any(is_near(read(count), number) for number in counts), sentence
        assert read_whole(total) in {int(side.attended.sum()) for side in sides}
    for total in re.findall(rf"the ({NUMBER}) keys share", sentence):
        assert read_whole(total) in {int(side.attended.sum()) for side in sides}
    for tied, share in re.findall(rf"(?<!\w)({NUMBER}) keys take ({NUMBER}) %", sentence):
        assert any((side.weights() == side.max_weight).sum() == int(tied) for side in sides)
        assert float(share) <= 100.0 / int(tied) + 0.5
    before, after = (log_gradient(side, vector) for side in sides)
    spoken, _, rest = sentence.partition(" (typically ")
    check_factor(spoken, after - before if before > -inf else inf)
    if rest and typical is not None:
        way = re.findall(r"larger|smaller", spoken)[-1:]
        plain = rest if re.search("larger|smaller|same", rest) else f"{rest} {''.join(way)}"
        check_factor(plain.replace("times)", "times"), typical)


def check_factor(sentence: str, log_factor: float) -> None:
    for text, way in re.findall(rf"({NUMBER}) times (larger|smaller)", sentence):
        told = log(read(text)) * (1.0 if way == "larger" else -1.0)
        # Two digits: the worst case is 1.05, as 1.0 or 1.1.
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
