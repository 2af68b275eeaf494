"""The headline of Heads: it keeps to its limits and counts right; every sentence is reached."""

import re
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.statistic import SATURATED, STATISTICS
from attn_tui.engine.plan import Block, Plan, Selection
from attn_tui.engine.survey import Survey
from attn_tui.heads.headline import first_of, headline
from attn_tui.report.words import LONGEST

NOTHING: Any = None
MASK = Reconstruction(HeadModel(0.25), "output")
LOOKED = Partial(60, 60, 60, 0, 0, None, {}, residual=0.001, fits=True)


def looked(
    numbers: dict[str, Any], known: int, odd: int = 0, missing: int = 0, untold: bool = False
) -> Survey:
    heads = [HeadId(0, index // 4, index % 4) for index in range(len(numbers["entropy"]))]
    blocks = tuple(Block(index, head, None, True, 1.0) for index, head in enumerate(heads))
    partials = {}
    for index in range(known):
        own = replace(LOOKED, not_finite=int(index < odd), untold=untold)
        partials[index] = replace(own, residual=0.8, fits=False) if index < missing else own
    survey = Survey(Plan(NOTHING, Selection(), {0: MASK}, blocks), partials)
    survey._columns.update(numbers)
    return survey


@st.composite
def surveys(draw: Any) -> Survey:
    count = draw(st.integers(1, 24))
    known = draw(st.integers(1, count))
    share = st.sampled_from([0.0, 1e-4, 0.3, 0.9, 0.9997, 1.0]) | st.floats(0, 1)
    size = st.sampled_from([0.0, 1e-9, 0.004, 101.0, 65505.0, 1e12]) | st.floats(0, 1e6)
    kinds = {"max_logit": st.floats(-200, 200), "cosine": st.floats(-1, 1)}
    numbers = {}
    for name in STATISTICS:
        kind = kinds.get(name, share if name.endswith(("share", "mass", "weight")) else size)
        values = [draw(kind) for _ in range(known)]
        numbers[name] = np.array(values + [nan] * (count - known))
    few = st.integers(0, 3)
    return looked(numbers, known, draw(few), draw(few), draw(st.booleans()))


@pytest.mark.slow
@given(surveys(), st.sampled_from([*STATISTICS]), st.integers(0, 2))
def test_it_keeps_to_its_limits_whatever_is_known(
    result: Survey, name: str, n_differing: int
) -> None:
    sentence = headline(result, name, n_differing)
    if n_differing:
        assert re.search(rf"{n_differing} heads? differs? from what was promised", sentence)
    assert len(sentence) <= LONGEST, sentence
    assert "e-" not in sentence
    assert "{" not in sentence
    # Numbers in the names of heads, statistics and formats are no results.
    bare = sentence.replace(STATISTICS[name].words, "").replace(STATISTICS[name].title, "")
    bare = re.sub(r"layer \d+ head \d+|1/√d_k", "", bare, flags=re.IGNORECASE)
    assert len(re.findall(r"\d[\d,.]*", bare)) <= 5, sentence


@given(surveys(), st.sampled_from([*STATISTICS]), st.integers(1, 3))
def test_nothing_differs_from_a_promise_that_nobody_made(
    result: Survey, name: str, n_differing: int
) -> None:
    sentence = headline(result, name, n_differing, is_promised=False)
    assert "promised" not in sentence
    assert "cannot be right" in sentence
    assert len(sentence) <= LONGEST, sentence


@given(surveys())
def test_it_counts_the_heads_that_are_red_on_the_map(result: Survey) -> None:
    weights = result.counted("max_weight")
    known, count = int((~np.isnan(weights)).sum()), int((weights >= SATURATED).sum())
    sentence = headline(result, "max_weight")
    if not known:
        assert sentence.startswith(
            "No head has a number here: their weights miss the captured output"
        )
        return
    words = {0: "None of ", 1: "one saturates"}.get(count, f" {count:,} saturate: ")
    if count == known > 1:
        words = "All "
    if known == 1:
        words = " saturates: " if count else " does not saturate: "
    assert words in sentence
    # One head is no choice of several, and not the sharpest of them; "layer 1 head 0" is a place.
    assert not re.search(r"(?<!layer )\b1 head\b", sentence, re.IGNORECASE)
    assert ("is the sharpest" not in sentence) or len(result.heads) > 1
    first = first_of(result, "max_weight")
    assert weights[result.plan.places[first]] == np.nanmax(weights)
    if "is the sharpest" in sentence:
        assert f"Layer {first.layer} head {first.head} is the sharpest." in sentence


def test_what_makes_numbers_doubtful_goes_before_the_sharpest() -> None:
    def said(known: int = 3, differing: int = 0, is_promised: bool = True, **given: Any) -> str:
        own = {name: np.where(np.arange(3) < known, 0.95, nan) for name in STATISTICS}
        return headline(looked(own, known, **given), "max_weight", differing, is_promised)

    assert said().endswith("Layer 0 head 0 is the sharpest.")
    assert said(known=2).startswith("All the 2 heads seen so far saturate: ")
    assert said(known=1).startswith("The head seen so far saturates: its rows put ")
    assert said(odd=1).endswith("One of them meets NaN or infinity, first layer 0 head 0.")
    assert said(odd=1, differing=1).endswith("1 head differs from what was promised.")
    assert said(differing=2, is_promised=False).endswith(
        "2 heads cannot be right, says the doctor."
    )
    assert said(untold=True).endswith("What was captured does not tell m: 1/√d_k is assumed.")
    assert said(missing=1, odd=2).endswith(
        "One more is not counted: its weights miss the captured output."
    )
