"""Headlines of any head: short, plain, each number recomputed, and every sentence reached."""

import re
from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.attention import headline as said
from attn_tui.attention.headline import gradients_span, headline
from attn_tui.attention.report import report
from attn_tui.compute.attention.answer import Answer, answer, compare
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.numbers import quantity
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Source, Typed, Vector

SENTENCES = {
    name: value for name, value in vars(said).items()
    if name.isupper() and isinstance(value, str)
}  # fmt: skip

NAIVE = Precision("float16", naive=True, arithmetic="stepwise")


def head(
    *rows: list[float], setup: Setup = Setup(), rows_from: str = "asked", **more: object
) -> Answer:
    """Return the whole answer to typed rows, or to a drawn head."""
    source = Typed(tuple(Vector(str(row), np.array(scores)) for row, scores in enumerate(rows)))
    return answer_of(source, setup.put(Settings(rows_from, **more)))  # type: ignore[arg-type]


def answer_of(source: Source, setup: Setup) -> Answer:
    *_, last = answer(Experiment(source, setup))
    return last


def drawn(setup: Setup = Setup(), **more: object) -> Answer:
    return head([0.0], setup=setup, rows_from="drawn", **more)


def pinned(d_k: int) -> Answer:
    both = compare(drawn(Setup(d_k)), drawn())
    assert both
    return both


EXAMPLES: dict[str, tuple[Callable[[], Answer], str]] = {
    "NOTHING_TO_CHOOSE": (
        lambda: head([-inf, -inf], [-inf, -inf]),
        "Every key is masked for every query, and every gradient is 0: there is nothing to choose.",
    ),
    "NO_NUMBERS": (
        lambda: head([1e4, 1e4], setup=Setup(1, precision=NAIVE)),
        "Every query meets NaN or infinity, or overflows its format, and has no weights.",
    ),
    "SOME_NUMBERS": (
        lambda: head([1e4, 1e4], [1.0, 1.0], setup=Setup(1, precision=NAIVE)),
        "1 of 2 queries meet NaN or infinity, or overflow their format, and have no weights. "
        "Unscaled, no query with a choice gives one key practically all.",
    ),
    "PINNED": (
        lambda: pinned(1),
        "Pinned, a query typically uses about 7 of the keys it sees. Now it uses about 6; the "
        "largest weight moves by over 10 points in 7 of 12 queries.",
    ),
    "UNDIVIDED": (
        lambda: drawn(Setup(1)),
        "Nothing is divided here (√1 = 1), so both maps are the same: no query with a choice gives "
        "one key practically all the weight.",
    ),
    "SATURATED": (
        drawn,
        "Unscaled, 9 of 11 queries with a choice give one key practically all. Divided by 32 a "
        "query typically uses about 6 keys; most gradients become over 510 times larger.",
    ),
    "SHARED": (
        lambda: drawn(Setup(4, Scale(softcap=3.0)), causal=False),
        "Even unscaled a query typically uses about 7 of the keys it sees. Divided by 2 and capped "
        "at 3 it uses about 10; most gradients become over 2.2 times smaller.",
    ),
}  # fmt: skip


def test_each_sentence_says_what_its_example_shows() -> None:
    assert {*SENTENCES} == {*EXAMPLES}
    for make, sentence in EXAMPLES.values():
        assert headline(make()) == sentence


def test_what_two_queries_typically_do_lies_halfway_between_them() -> None:
    # Ten keys and six share equally, and dividing changes nothing but the gradient.
    result = head([0.0] * 10, [0.0] * 6 + [-inf] * 4, setup=Setup(4))
    assert [round(keys) for keys in result.unscaled.effective_keys] == [10, 6]
    assert "typically uses about 8 of the keys it sees" in headline(result)
    *_, sentence = report(head([0.0, 1.0], [0.0, 12.0], setup=Setup(4))).parts
    span = gradients_span(head([0.0, 1.0], [0.0, 12.0], setup=Setup(4)))
    assert span
    low, middle, high = np.exp(span)
    assert middle == pytest.approx(np.sqrt(low * high))
    assert f"{quantity(middle)} in the median" in str(sentence)


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (
            [1.0, 2.0, 3.0],
            "Even unscaled the one query with a choice uses about 2.3 of the keys it sees. Divided "
            "by 8 it uses about 3; its gradient becomes over 6.6 times smaller.",
        ),
        (
            [60.0, 2.0, 3.0],
            "Unscaled, the one query with a choice gives one key practically all. Divided by 8 it "
            "uses about one key; its gradient becomes over a million times larger.",
        ),
    ],
)
def test_nothing_is_typical_of_the_one_query_with_a_choice(row: list[float], wanted: str) -> None:
    result = head(row, [4.0, -inf, -inf], setup=Setup(64))
    assert headline(result) == wanted
    sentences = str(report(result).parts[-1])
    assert "Only one query has a choice" in sentences
    assert "median" not in sentences


def test_what_the_sink_takes_of_the_one_query_with_a_choice_is_typical_of_nothing() -> None:
    setup = Setup(64, Scale(sink=4.0))
    sentences = str(report(head([1.0, 2.0, 3.0], [-inf] * 3, setup=setup)).parts[-1])
    assert "The sink takes 93.4 % of its weight" in sentences
    assert "typically takes" not in sentences


ROWS = st.integers(1, 9).flatmap(
    lambda n: st.lists(
        st.lists(
            st.sampled_from([0.0, 0.1, 1.0, 5.0, 12.0, 12.0, 150.0, 7e4, -inf]),
            min_size=n, max_size=n,
        ), min_size=2, max_size=8,
    )
)  # fmt: skip
RULES = (
    "inverse-sqrt", "none", "inverse", "fixed:a=144", "temperature:T=0.3", "temperature:T=1e30",
    "ssmax", "log-length",
)  # fmt: skip
SETUPS = st.builds(
    lambda d_k, rule, cap, sink, precision, causal: Setup(
        d_k,
        Scale(rule.rule, rule.arguments, softcap=cap, sink=sink),
        precision,
        Mask(causal=causal),
    ),
    st.sampled_from([1, 3, 64, 1024, 65_536]),
    st.sampled_from([parse_scale(rule) for rule in RULES]),
    st.sampled_from([None, None, 5.0, 50.0]),
    st.sampled_from([None, None, 0.0, 8.0]),
    st.sampled_from([Precision(), Precision(), Precision("float16"), NAIVE]),
    st.booleans(),
)
HEADS = st.one_of(
    st.builds(lambda rows, setup: head(*rows, setup=setup), ROWS, SETUPS),
    st.builds(
        lambda n, seed, causal, setup: drawn(setup, n=n, seed=seed, causal=causal),
        st.sampled_from([2, 3, 12, 30]), st.integers(0, 9), st.booleans(), SETUPS,
    ),
)  # fmt: skip


@settings(max_examples=50, derandomize=True, deadline=None)
@given(HEADS)
def test_it_is_short_and_plain_and_counts_what_is_there(result: Answer) -> None:
    sentence = headline(result)
    assert len(sentence) <= 170
    assert not re.search(r"\de[-+]?\d|∂|‖|\{|\}|inf\b|nan|  ", sentence), sentence
    assert sentence.endswith(".")
    assert len(re.findall(r"\d[\d,]*(?:\.\d+)?", re.sub(r"key \d+", "", sentence))) <= 5, sentence
    # The first query of a causal head sees one key, so it has no choice.
    single = (result.unscaled.largest[result.choosing] >= 0.9995).sum()
    count = re.search(r"(\d+) of (\d+) queries with a choice", sentence)
    if count and "NaN" not in sentence:
        assert [*map(int, count.groups())] == [single, result.choosing.size]
    assert not re.search(r"about 1\b(?![.,]\d)", sentence), sentence
    if "most gradients grow" in sentence:
        before, after = (side.log_gradient[result.choosing] for side in result.sides)
        assert 4 * (after > before).sum() >= 3 * (np.isfinite(after) | np.isfinite(before)).sum()
