"""Explore's report in JSON and CSV: every number of the answer, exactly."""

from collections.abc import Callable, Iterator
from math import inf, isnan

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.answer import answer
from attn_tui.compute.explore.attention import attention
from attn_tui.compute.explore.precision_lab import lab
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.explore.report import Contents, report
from attn_tui.files.codec import experiment_from_plain
from attn_tui.report.forms import csv, json
from attn_tui.report.report import Report
from attn_tui.report.text import text
from tests.explore.reports import (
    CASES,
    PIPELINE,
    PRODUCTS,
    answered,
    as_csv,
    as_json,
    as_text,
    number,
    of,
)
from tests.pairs import covering


def test_json_holds_the_numbers_of_compute_exactly() -> None:
    for result, top in covering(CASES, [None, 1, 2, 9]):
        for plain, vector in zip(as_json(result, top)["vectors"], result.vectors, strict=True):
            keys = np.array(plain.get("positions", range(plain["n_keys"])), dtype=np.intp)
            assert [*map(number, plain["scores"])] == vector.vector.scores[keys].tolist()
            assert (plain["status"], plain["reason"]) == (vector.status, vector.reason)
            for name, side in (("unscaled", vector.unscaled), ("scaled", vector.scaled)):
                a = plain[name]
                assert (a["multiplier"], a["precision"]) == (side.multiplier, side.precision.format)
                assert (a["softcap"], a["sink"]) == (side.map.softcap, side.map.sink)
                assert ("slopes" in a) == (side.map.softcap is not None)
                assert a["gradient"]["of"] == vector.of
                statistics = ("entropy", "effective_keys", "participation_ratio", "max_weight",
                              "sink_weight", "log_entropy")  # fmt: skip
                norms = ("frobenius", "spectral", "trace")
                sizes = (*norms, *(f"log_{norm}" for norm in norms))
                for listed, expected in (
                    (a["logits"], side.logits(keys)),
                    (a["weights"], side.weights(keys)),
                    (a["log_weights"], side.log_weights(keys)),
                    (a["complements"], side.complements(keys)),
                    (a["gradient"]["logits"], side.gradient(vector.of, "logits", keys)),
                    (a["gradient"]["scores"], side.gradient(vector.of, "scores", keys)),
                    (a.get("slopes", []), side.slopes(keys) if side.map.softcap else []),
                    (
                        [a[statistic] for statistic in statistics],
                        [getattr(side, statistic) for statistic in statistics],
                    ),
                    *(
                        (
                            [a["jacobian"][wrt][size] for size in sizes],
                            [getattr(side.norms[wrt], size) for size in sizes],
                        )
                        for wrt in ("scores", "logits")
                    ),
                ):
                    np.testing.assert_array_equal([*map(number, listed)], expected)


def test_json_asks_the_same_question_again_byte_by_byte() -> None:
    for result in CASES:
        experiment = experiment_from_plain(as_json(result))
        again = "".join(json(report(next(answer(experiment)))))
        assert again == "".join(json(report(result)))
        assert experiment.setup == result.experiment.setup


def test_the_largest_keys_come_first_and_ties_in_their_order() -> None:
    plain = as_json(answered([1, 3, -inf, 3, 2]), top=3)["vectors"][0]
    assert (plain["positions"], plain["masked"], plain["n_keys"]) == ([1, 3, 4], [], 5)
    assert as_json(answered([1, -inf]), top=2)["vectors"][0]["masked"] == [1]
    assert "positions" not in as_json(answered([1, 2]))["vectors"][0]
    rows = as_csv(answered([1, 3, 2], [5]), top=2)
    assert [(row["vector"], row["key"]) for row in rows] == [("v0", "1"), ("v0", "2"), ("v1", "0")]


def test_csv_has_a_line_a_key_and_full_precision() -> None:
    result = answered([100, 120, 150], [-inf, 1])
    rows = as_csv(result)
    names = [("v0", "0"), ("v0", "1"), ("v0", "2"), ("v1", "0"), ("v1", "1")]
    assert [(row["vector"], row["key"]) for row in rows] == names
    side = result.vectors[0].scaled
    assert [float(row["scaled_weight"]) for row in rows[:3]] == side.weights().tolist()
    slopes = side.gradient(2, "scores").tolist()
    assert [float(row["scaled_gradient_wrt_scores"]) for row in rows[:3]] == slopes
    assert (rows[3]["score"], rows[3]["masked"]) == ("-Infinity", "true")
    assert isnan(float(as_csv(CASES[2])[0]["unscaled_log_weight"]))


@pytest.mark.slow
@pytest.mark.parametrize("write", [text, json, csv])
def test_a_long_vector_is_written_whole_and_a_piece_at_a_time(
    write: Callable[[Report], Iterator[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attn_tui.report.report.CHUNK", 256)
    result = of(Drawn(8_000), Setup(64, PIPELINE))
    pieces = [*write(report(result))]
    assert max(map(len, pieces)) < sum(map(len, pieces)) / 10
    assert sum(map(len, pieces)) > 8_000 * 40


def test_json_and_csv_have_the_gradients_by_q_and_k_and_the_output() -> None:
    top = 2
    setup = Setup(scale=Scale(softcap=2.0, sink=0.5, qk_norm=True)).put(Settings(1))
    result = of(PRODUCTS, setup)
    rows = as_csv(result, top)
    for index, vector in enumerate(result.vectors):
        own = attention(result.experiment, index)
        assert own
        plain = as_json(result, top)["vectors"][index]
        keys = np.array(plain.get("positions", range(5)))
        for name, side in (("unscaled", vector.unscaled), ("scaled", vector.scaled)):
            listed = plain[name]["attention"]
            norms = own.key_gradient_norms(side, 1, keys).tolist()
            assert listed["query_gradient"] == own.query_gradient(side, 1).tolist()
            assert listed["key_gradient_norms"] == norms
            assert listed["output"] == own.output(side).tolist()  # type: ignore[union-attr]
            mine = [row for row in rows if row["vector"] == vector.vector.name]
            assert [float(row[f"{name}_key_gradient_norm"]) for row in mine] == norms
            slopes = side.slopes(keys).tolist()
            assert [float(row[f"{name}_slope"]) for row in mine] == slopes
            assert {float(row[f"{name}_sink_weight"]) for row in mine} == {side.sink_weight}
    bare = of(Products(PRODUCTS.queries, PRODUCTS.keys))
    assert as_json(bare)["vectors"][0]["scaled"]["attention"]["output"] is None
    assert "attention" not in as_json(answered([1, 2]))["vectors"][0]["scaled"]


def test_json_and_csv_have_the_loss_and_its_gradient_only_where_it_is_asked_for() -> None:
    setup = Setup(4, Scale(softcap=5.0, sink=0.5)).put(Settings(target=1))
    result = answered([3, 1, 0], [-inf, -inf, 2], setup=setup)
    rows = as_csv(result)
    (first, second) = as_json(result)["vectors"]
    for name, side in zip(("unscaled", "scaled"), result.vectors[0].sides, strict=True):
        written = first[name]["loss"]
        p, y = side.weights(), np.array([0.0, 1.0, 0.0])
        assert written["target"] == 1
        assert written["value"] == pytest.approx(-np.log(p[1]), rel=1e-14)
        assert written["logits"] == pytest.approx((p - y).tolist(), rel=1e-14)
        assert written["scores"] == pytest.approx((side.slopes() * (p - y)).tolist(), rel=1e-14)
        assert written["gradient_sum"] == -side.sink_weight
        assert sum(written["logits"]) == pytest.approx(written["gradient_sum"], abs=1e-15)
        for wrt in ("logits", "scores"):
            listed = [float(row[f"{name}_loss_gradient_wrt_{wrt}"]) for row in rows[:3]]
            assert listed == written[wrt]
        assert second[name]["loss"]["value"] == "Infinity"
        # The row of the Jacobian stays that of a weight.
        assert first[name]["gradient"]["scores"] == side.gradient(0, "scores").tolist()
    text = as_text(result)
    assert "gradient of the cross-entropy L = −ln p₁ with respect to the scores s" in text
    assert "cross-entropy L = −ln p₁, which is ∞ since key 1 is" in text
    bare = answered([3, 1, 0])
    assert "loss" not in as_json(bare)["vectors"][0]["scaled"]
    assert not any("loss" in name for name in as_csv(bare)[0])


def test_json_and_csv_have_every_trial_of_the_lab() -> None:
    result = answered([100, 120, 150], [3], setup=Setup().put(Settings(1)))
    rows = as_csv(result, lab=True)
    assert len(rows) == 2 * 2 * 8
    for index, vector in enumerate(as_json(result, lab=True)["vectors"]):
        expected = lab(result.experiment, index, 1)
        assert expected
        assert vector["lab"]["key"] == expected.key == (0 if index else 1)
        for side in expected.sides:
            plain = vector["lab"][side.name]
            assert plain["exact"] == side.exact
            for trial, listed in zip(side.trials, plain["trials"], strict=True):
                row = rows.pop(0)
                assert (row["side"], float(row["exact"])) == (side.name, side.exact)
                assert listed["precision"] == row["precision"] == trial.precision.format
                assert listed["naive"] == (row["naive"] == "true") == trial.precision.naive
                for name in ("status", "reason", "n_differ", "n_vanished", "worst_key"):
                    assert listed[name] == getattr(trial, name)
                    assert row[name] == str(getattr(trial, name))
                for name in ("weight", "worst"):
                    np.testing.assert_equal(number(listed[name]), getattr(trial, name))
                    np.testing.assert_equal(float(row[name]), getattr(trial, name))
                assert [key["key"] for key in listed["differing"]] == [
                    key.key for key in trial.differing
                ]
    assert "lab" not in as_json(result)["vectors"][0]


def test_each_vector_stands_beside_the_pinned_one() -> None:
    before = answered([5, 0], [1, 2], setup=Setup(1, Scale(softcap=3.0, sink=0.5)))
    now = answered([5, 0, 1], [1, 2], setup=Setup(4))
    plain = as_json(now, pinned=before.vectors)
    rows = as_csv(now, pinned=before.vectors)
    written = as_text(now, pinned=before.vectors)
    for old, new, vector in zip(before.vectors, now.vectors, plain["vectors"], strict=True):
        comparison = vector["comparison"]
        assert comparison["vectors"] == ["pinned", "now"]
        first = old.scaled.weights().tolist() + [0.0] * (new.vector.n_keys - old.vector.n_keys)
        assert comparison["weights"]["first"] == first
        assert comparison["weights"]["second"] == new.scaled.weights().tolist()
        own = [row for row in rows if row["vector"] == new.vector.name]
        assert [float(row["first_weight"]) for row in own] == first
        weights = new.scaled.weights()
        assert [float(row["difference_weight"]) for row in own] == (weights - first).tolist()
        entropy = new.scaled.entropy - old.scaled.entropy
        assert comparison["differences"]["entropy"] == entropy
        assert f"\n{new.vector.name}: pinned and now compared\n" in written
    assert written.count("pinned     m = 1, soft cap 3, sink 0.5, softmax in float64\n") == 2
    assert "As pinned, key 0 takes 86 % and the sink 9 %. Now it takes 82 %" in " ".join(
        written.split()
    )
    one = as_json(now, pinned=before.vectors[:1])["vectors"][1]["comparison"]
    assert one["weights"]["first"] == before.vectors[0].scaled.weights().tolist()
    assert "comparison" not in as_json(now)["vectors"][0]


def test_what_cannot_be_compared_is_refused_before_anything_is_written() -> None:
    two = answered([1], [2]).vectors
    with pytest.raises(InputError, match="against: it asks about 2 vectors, and not about 1"):
        report(answered([1, 2]), Contents(pinned=two))
    with pytest.raises(InputError, match="against: CSV is one table"):
        Contents(lab=True, pinned=two).check_one_table()
