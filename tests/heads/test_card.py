"""The card of a head: each word appears where its evidence does, and nowhere else."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.partial import Partial, statistics
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.heads.card import Card, card, state

N = 64


def looked(
    sharpness: float, target: str = "own", first: float = 1.0, rows: Any = None, noise: float = 0.0
) -> Partial:
    """Return the statistics of a causal head that looks at its own key, or at the first one."""
    draw = np.random.default_rng(1)
    keys = 8.0 * np.eye(N)
    places = np.arange(N) if target == "own" else np.zeros(N, np.intp)
    queries = sharpness / 8.0 * np.eye(N)[places] + noise * draw.standard_normal((N, N))
    values = np.ones((N, 4))
    values[0] *= first
    chosen = np.arange(N) if rows is None else np.asarray(rows)
    head = HeadRows(chosen, N, queries[chosen], keys, values)
    return statistics(head, HeadModel(1.0), queries=queries)


def words(result: Card) -> list[str]:
    return [measure.word for measure in result.measures]


@pytest.mark.parametrize(
    ("given", "sentence", "labels", "name"),
    [
        ({"sharpness": 0.0}, "Not saturated: a row shares its weight among about",
         ["spread", "many", "alive in every row", "not parked", "safe in float16"], "spread"),
        ({"sharpness": 30.0}, "Saturated, and it matters: in 100 % of its rows the gradient",
         ["saturated", "practically one", "dead in most rows", "not parked", "safe in float16"],
         "saturated"),
        ({"sharpness": 7.0}, "Saturated, yet it can still learn: the gradient is dead in 0 % of",
         ["saturated", "practically one", "alive in every row", "not parked", "safe in float16"],
         "saturated"),
        ({"sharpness": 30.0, "target": "first"}, "Saturated and parked on the first key: a sink",
         ["saturated", "practically one", "dead in most rows", "parked: a sink",
          "safe in float16"], "sink"),
        ({"sharpness": 30.0, "target": "first", "first": 0.4},
         "Saturated, but parked on the first key, whose value is small: a sink, so little is lost.",
         ["saturated", "practically one", "dead in most rows", "a sink at rest",
          "safe in float16"], "sink"),
        ({"sharpness": 5.0}, "Sharp, not saturated: a row puts 83 % on one key",
         ["sharp", "few", "alive in every row", "not parked", "safe in float16"], "sharp"),
        ({"sharpness": 70000.0}, "Saturated, and it matters",
         ["saturated", "practically one", "dead in most rows", "not parked",
          "too large for float16"], "saturated"),
    ],
)  # fmt: skip
def test_each_word_stands_where_its_evidence_is(
    given: dict[str, Any], sentence: str, labels: list[str], name: str
) -> None:
    partial = looked(**given)
    assert card(partial).sentence.startswith(sentence)
    assert words(card(partial)) == labels
    assert state(partial)[0] == name


@pytest.mark.parametrize("n", [2, 3, 4, 12])
def test_equal_weights_are_parked_on_no_key_however_few_rows_there_are(n: int) -> None:
    # A causal mask leaves the first row only key 0: at n = 4 the mean weight of key 0 is 52 %.
    keys = np.ones((n, 4))
    head = HeadRows(np.arange(n), n, np.zeros((n, 4)), keys, keys)
    partial = statistics(head, HeadModel(1.0), queries=np.zeros((n, 4)))
    assert words(card(partial))[3] == "not parked"
    assert state(partial)[0] == "spread"


def test_what_a_sample_does_not_tell_has_a_question_mark() -> None:
    mixed = looked(sharpness=6.0, noise=0.3, rows=range(0, N, 8))
    assert card(mixed).measures[0].word.endswith("?")
    assert state(mixed)[0].endswith("?")
    assert words(card(looked(sharpness=0.0, rows=range(0, N, 8))))[2] == "alive in every row seen"
    # ‖q‖·‖k‖ is beyond float16, but no row of the sample is.
    far = looked(sharpness=0.0, rows=range(0, N, 8))
    tallies = {**far.tallies, "query_norm": looked(sharpness=70000.0).tallies["query_norm"]}
    assert words(card(replace(far, tallies=tallies)))[4] == "safe as far as seen"


def test_numbers_that_do_not_count_have_no_word() -> None:
    missed = replace(looked(sharpness=30.0), residual=0.8, fits=False)
    assert "miss the captured output" in card(missed).sentence
    assert words(card(missed)) == ["does not count"] * 4 + ["safe in float16"]
    assert card(missed).measures[0].text.endswith("?")
    assert card(None).measures == ()
