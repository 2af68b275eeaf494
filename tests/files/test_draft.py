from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.files.draft import EXAMPLE, Draft, draft_of, parse
from attn_tui.files.entries import LONGEST_NAME, usable
from attn_tui.files.sources import score_text
from tests.asking import asking

scores = st.floats(allow_nan=False).filter(lambda score: score != inf)
names = st.text(min_size=1, max_size=LONGEST_NAME).filter(usable)


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    called = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    vectors = [Vector(name, np.array(draw(st.lists(scores, min_size=1)))) for name in called]
    return asking(*vectors, setup=Setup(d_k=draw(st.integers(1, 65_536))))


@given(experiments())
@settings(deadline=None)
def test_the_draft_of_a_question_asks_exactly_that_question(experiment: Experiment) -> None:
    again = parse(draft_of(experiment))
    assert again.setup == experiment.setup
    assert [vector.name for vector in again.vectors] == [v.name for v in experiment.vectors]
    for left, right in zip(again.vectors, experiment.vectors, strict=True):
        assert left.scores.tobytes() == right.scores.tobytes()


def test_the_example_is_its_own_draft() -> None:
    assert draft_of(parse(EXAMPLE)) == EXAMPLE


def test_scores_are_written_as_short_as_exactness_allows() -> None:
    assert [score_text(s) for s in (100.0, -0.0, 0.1, -inf, 1e22)] == [
        "100",
        "-0",
        "0.1",
        "-inf",
        "1e+22",
    ]


def test_text_that_is_not_understood_makes_a_draft_but_no_question() -> None:
    with pytest.raises(InputError) as caught:
        parse(Draft("1 2\n3 x"))
    assert (caught.value.field, caught.value.line) == ("scores", 2)
