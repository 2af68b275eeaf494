"""What is written besides weights and gradient: through q and K, the precision lab, comparisons."""

import csv as csv_module
import json as json_module
import re
from dataclasses import replace
from io import StringIO
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from attn_tui.report.explore import csv, json, text
from attn_tui.report.explore.contents import Contents
from attn_tui.report.explore.through_vectors import MOST_NUMBERS

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, answer
from attn_tui.compute.explore.attention import attention
from attn_tui.compute.explore.precision_lab import lab
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.compute.vector import Vector
from tests.asking import asking

SPELLED = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
RANDOM = np.random.default_rng(11)
PRODUCTS = Products(RANDOM.normal(size=(2, 4)), RANDOM.normal(size=(5, 4)), np.eye(5, 3))
SETUP = Setup(scale=Scale(softcap=2.0, sink=0.5, qk_norm=True)).put(Settings(1))


def answered(*scores: list[float], setup: Setup | None = None) -> Answer:
    vectors = tuple(Vector(f"v{i}", np.array(each)) for i, each in enumerate(scores))
    return next(answer(asking(*vectors, setup=setup)))


def through(values: bool = True) -> Answer:
    source = PRODUCTS if values else Products(PRODUCTS.queries, PRODUCTS.keys)
    return next(answer(Experiment(source, SETUP)))


def as_json(found: Answer, top: int | None = None, **asked: Any) -> Any:
    return json_module.loads("".join(json.render(found, Contents(top, **asked))))


def as_csv(found: Answer, top: int | None = None, **asked: Any) -> list[dict[str, str]]:
    return list(csv_module.DictReader(StringIO("".join(csv.render(found, Contents(top, **asked))))))


def as_text(found: Answer, top: int | None = None, **asked: Any) -> str:
    return "".join(text.render(found, Contents(top, **asked)))


def test_the_means_over_several_drawn_vectors_are_told() -> None:
    found = next(answer(Experiment(Drawn(16, seed=3, count=50), Setup(64))))
    entropies = np.array([[each.unscaled.entropy, each.scaled.entropy] for each in found.vectors])
    errors = entropies.std(axis=0, ddof=1) / np.sqrt(50)
    plain = as_json(found, top=1)["means"]
    for index, side in enumerate(("unscaled", "scaled")):
        assert plain[side]["entropy"]["value"] == pytest.approx(entropies[:, index].mean())
        assert plain[side]["entropy"]["standard_error"] == pytest.approx(errors[index])
        assert 0.0 < plain[side]["max_weight"]["value"] <= 1.0
    report = as_text(found, top=1)
    line = re.search(r"^entropy H of p, bits +(\S+) ± (\S+) +(\S+) ± \S+$", report, re.M)
    assert line
    assert float(line[3]) == pytest.approx(entropies[:, 1].mean() / np.log(2.0), rel=1e-3)
    for alone in (answered([1.0, 2.0], [3.0]), next(answer(Experiment(Drawn(4), Setup(64))))):
        assert "means" not in as_json(alone)
        assert "means over" not in as_text(alone)


def number(item: float | str) -> float:
    return SPELLED[item] if isinstance(item, str) else item


@pytest.mark.parametrize("top", [None, 2])
def test_json_and_csv_have_the_gradients_by_q_and_k_and_the_output(top: int | None) -> None:
    found = through()
    lines = as_csv(found, top)
    for index, vector in enumerate(found.vectors):
        own = attention(found.experiment, index)
        assert own
        plain = as_json(found, top)["vectors"][index]
        keys = np.array(plain.get("positions", range(5)))
        for name, side in (("unscaled", vector.unscaled), ("scaled", vector.scaled)):
            listed = plain[name]["attention"]
            norms = own.key_gradient_norms(side, 1, keys).tolist()
            assert listed["query_gradient"] == own.query_gradient(side, 1).tolist()
            assert listed["key_gradient_norms"] == norms
            assert listed["output"] == own.output(side).tolist()  # type: ignore[union-attr]
            mine = [line for line in lines if line["vector"] == vector.vector.name]
            assert [float(line[f"{name}_key_gradient_norm"]) for line in mine] == norms
            slopes = side.slopes(keys).tolist()
            assert [float(line[f"{name}_slope"]) for line in mine] == slopes
            assert {float(line[f"{name}_sink_weight"]) for line in mine} == {side.sink_weight}


def test_without_q_and_k_there_is_nothing_of_them() -> None:
    found = answered([1, 2])
    assert "attention" not in as_json(found)["vectors"][0]["scaled"]
    assert as_csv(found)[0]["scaled_key_gradient_norm"] == ""
    assert "query" not in as_text(found)
    assert as_json(through(values=False))["vectors"][0]["scaled"]["attention"]["output"] is None
    assert "no values V, so there is no output V·p" in as_text(through(values=False))


def test_the_report_lists_the_gradients_by_q_and_k_and_the_output() -> None:
    identity = Products(np.eye(2), np.eye(2), np.array([[10.0, 0.0], [0.0, 20.0]]))
    scale = Scale("temperature", (("T", 0.5),))
    report = as_text(next(answer(Experiment(identity, Setup(scale=scale)))))
    # Q = K = 1: p = (.731, .269), and every entry of J is ±.731·.269 = ±.1966; at T = 1/2,
    # p = (.881, .119), and every entry of ∂p/∂s is ±2·.105.
    assert (
        "gradient of p₀ with respect to the query q, as typed\n"
        "     i              q_i     unscaled       scaled\n"
        "     0                1    +1.97e-01    +2.10e-01\n"
        "     1                0    −1.97e-01    −2.10e-01\n"
        "               ‖∂p₀/∂q‖     2.78e-01     2.97e-01\n"
        "\n"
        "norm of the gradient of p₀ with respect to each key k, as typed\n"
        "   key              ‖k‖     unscaled       scaled\n"
        "     0                1     1.97e-01     2.10e-01\n"
        "     1                1     1.97e-01     2.10e-01\n"
        "\n"
        "output V·p: the values weighted by p, as typed\n"
        "     i                      unscaled       scaled\n"
        "     0                     +7.31e+00    +8.81e+00\n"
        "     1                     +5.38e+00    +2.38e+00\n"
    ) in report


def test_a_long_query_is_cut_and_said_to_be() -> None:
    long = Products(np.ones((1, MOST_NUMBERS + 3)), np.ones((3, MOST_NUMBERS + 3)))
    report = as_text(next(answer(Experiment(long))), 1)
    assert report.count("and 3 more, which JSON holds") == 1
    assert re.search(r"‖k‖ .*\n +0 .*\n +and 2 more keys with smaller or equal scores\n", report)


def test_json_and_csv_have_every_trial_of_the_lab() -> None:
    found = answered([100, 120, 150], [3], setup=Setup().put(Settings(1)))
    lines = as_csv(found, lab=True)
    assert tuple(lines[0]) == csv.LAB_COLUMNS
    assert len(lines) == 2 * 2 * 8
    for index, vector in enumerate(as_json(found, lab=True)["vectors"]):
        expected = lab(found.experiment, index, 1)
        assert expected
        assert vector["lab"]["key"] == expected.key == (0 if index else 1)
        for side in expected.sides:
            plain = vector["lab"][side.name]
            assert plain["exact"] == side.exact
            for trial, listed in zip(side.trials, plain["trials"], strict=True):
                line = lines.pop(0)
                assert (line["side"], float(line["exact"])) == (side.name, side.exact)
                assert listed["precision"] == line["precision"] == trial.precision.format
                assert listed["naive"] == (line["naive"] == "true") == (not trial.precision.stable)
                for name in ("status", "reason", "n_differ", "n_vanished", "worst_key"):
                    assert listed[name] == getattr(trial, name)
                    assert line[name] == str(getattr(trial, name))
                for name in ("weight", "worst"):
                    np.testing.assert_equal(number(listed[name]), getattr(trial, name))
                    np.testing.assert_equal(float(line[name]), getattr(trial, name))
    assert "lab" not in as_json(found)["vectors"][0]


def test_the_report_has_the_lab_as_a_table_with_its_reasons() -> None:
    report = as_text(answered([100, 120, 150], setup=Setup().put(Settings(1))), lab=True)
    unscaled = report[report.index("unscaled: exact") : report.index("scaled: exact p₁ = 0.2446")]
    assert "unscaled: exact p₁ = 9.36e-14 (nothing rounded)\n" in unscaled
    rows = re.findall(r"^(\w+) +(stable|naive) +(\S+) +(\d+) +(\S+) +(\d*) +(\d+)$", report, re.M)
    assert [(row[0], row[1]) for row in rows[:8]] == [
        (name, method) for name in FORMATS for method in ("stable", "naive")
    ]
    assert rows[4] == ("float16", "stable", "0", "0", "9.36e-14", "2", "2")
    assert rows[3][2] == rows[3][4] == "NaN"
    assert "float32 naive: e^z overflows float32 above 88.72; infinity/infinity is NaN" in unscaled
    assert "float16 stable: 2 weights are 0, since no number above 0 is below 5.96e-08" in unscaled
    assert max(map(len, report.splitlines())) <= 80
    assert "lab" not in as_text(answered([100, 120, 150]))


@pytest.mark.parametrize("top", [None, 1])
def test_the_weights_that_differ_are_listed(top: int | None) -> None:
    found = answered(np.linspace(0, 3, 9).tolist())
    expected = lab(found.experiment, 0, 0, most=top or 5)
    assert expected
    report = as_text(found, top, lab=True)
    plain = as_json(found, top, lab=True)["vectors"][0]["lab"]
    lines = 0
    for side in expected.sides:
        for trial, listed in zip(side.trials, plain[side.name]["trials"], strict=True):
            assert listed["differing"] == [
                {"key": key, "exact": exact, "weight": p, "difference": p - exact}
                for key, exact, p in trial.differing
            ]
            lines += len(trial.differing)
    rows = re.findall(
        r"^(\w+) +(stable|naive) +(\d) +([-.e\d]+) +([-.e\d]+) +[−+]\S+$", report, re.M
    )
    assert len(rows) == lines > 0
    assert max(map(len, report.splitlines())) <= 80


def test_the_report_sets_two_vectors_side_by_side() -> None:
    report = as_text(answered([0, 0], [0, np.log(3.0)], setup=Setup(1)), compare=True)
    assert report[report.index("v0 and v1 compared") :].startswith(
        "v0 and v1 compared\n"
        "In v0, the 2 keys share equally.\n"
        "In v1, key 1 takes 75 %, and the gradient is 1.3 times smaller.\n"
        "\n"
        "weights p; gradient of p₁ with respect to the scores s\n"
        "difference: the second less the first\n"
        "              p          p          p     ∂p₁/∂s     ∂p₁/∂s     ∂p₁/∂s\n"
        " key         v0         v1 difference         v0         v1 difference\n"
        "   0     0.5000     0.2500    −0.2500  −2.50e-01  −1.88e-01  +6.25e-02\n"
        "   1     0.5000     0.7500    +0.2500  +2.50e-01  +1.88e-01  −6.25e-02\n"
    )
    assert re.search(r"\n +v0 +v1 +difference\nmultiplier m +1 +1\n", report)
    assert re.search(r"participation ratio 1/Σp² +2\.00 +1\.60 +−0\.400\n", report)
    assert " ".join(report.split()).endswith(
        "In v0, 2 keys share the weight equally; in v1, the weight is shared as among 1.75 of 2 "
        "keys and ‖∂p/∂s‖_F falls, ×0.75."
    )


@pytest.mark.parametrize("top", [None, 2])
def test_json_and_csv_compare_the_first_two_vectors(top: int | None) -> None:
    found = answered([5, 0, -inf], [0, 1, 3, 2], [9], setup=Setup(1, Scale(sink=0.0)))
    plain = as_json(found, top, compare=True)["comparison"]
    assert (plain["vectors"], plain["n_keys"], plain["status"]) == (["v0", "v1"], 4, "ok")
    keys = plain.get("positions", [0, 1, 2, 3])
    assert keys == ([0, 1, 2, 3] if top is None else [0, 2])
    first, second = found.vectors[0].scaled, found.vectors[1].scaled
    before = np.append(first.weights(), 0.0)[keys]
    after = second.weights()[keys]
    assert plain["weights"]["first"] == before.tolist()
    assert plain["weights"]["second"] == after.tolist()
    assert plain["weights"]["difference"] == (after - before).tolist()
    slopes = second.gradient(2, "logits")[keys].tolist()
    assert plain["gradient"]["logits"]["second"] == slopes
    assert plain["differences"]["entropy"] == second.entropy - first.entropy
    assert plain["differences"]["sink_weight"] == second.sink_weight - first.sink_weight
    lines = as_csv(found, top, compare=True)
    assert tuple(lines[0]) == csv.PAIR_COLUMNS
    assert [int(line["key"]) for line in lines] == keys
    assert [float(line["difference_weight"]) for line in lines] == (after - before).tolist()
    assert [float(line["second_gradient_wrt_logits"]) for line in lines] == slopes
    assert "comparison" not in as_json(found)


def test_a_comparison_says_what_one_side_has_not() -> None:
    broken = Setup(1, precision=Precision("float32", stable=False))
    found = answered([100, 120, 150], [1, 2, 3], setup=broken)
    said = " ".join(as_text(found, compare=True).split())
    assert said.endswith(
        "In v0: e^z overflows float32 above 88.72; infinity/infinity is NaN. "
        "In v1, the weight is shared as among 2.30 of 3 keys."
    )
    plain = as_json(found, compare=True)["comparison"]
    assert plain["status"] == "overflow"
    assert plain["weights"]["difference"] == ["NaN"] * 3


def test_the_names_of_a_comparison_may_be_long() -> None:
    found = answered([1, 2], [3, 4])
    vectors = tuple(
        replace(each, vector=replace(each.vector, name=f"{index}" + "x" * 60))
        for index, each in enumerate(found.vectors)
    )
    report = as_text(replace(found, vectors=vectors), compare=True)
    compared = report[report.index("difference: the second") :]
    assert max(map(len, compared.splitlines())) <= 80


def test_one_vector_cannot_be_compared_and_csv_is_one_table() -> None:
    for render in (text.render, json.render, csv.render):
        with pytest.raises(InputError, match="compare: there is one vector"):
            next(render(answered([1, 2]), Contents(compare=True)))
    with pytest.raises(InputError, match="CSV is one table"):
        next(csv.render(answered([1], [2]), Contents(lab=True, compare=True)))


def test_each_vector_stands_beside_the_pinned_one() -> None:
    before = answered([5, 0], [1, 2], setup=Setup(1, Scale(softcap=3.0, sink=0.5)))
    now = answered([5, 0, 1], [1, 2], setup=Setup(4))
    plain = as_json(now, pinned=before.vectors)
    lines = as_csv(now, pinned=before.vectors)
    assert tuple(lines[0]) == csv.AGAINST_COLUMNS
    report = as_text(now, pinned=before.vectors)
    for old, new, vector in zip(before.vectors, now.vectors, plain["vectors"], strict=True):
        found = vector["comparison"]
        assert found["vectors"] == ["pinned", "now"]
        first = old.scaled.weights().tolist() + [0.0] * (new.vector.n_keys - old.vector.n_keys)
        assert found["weights"]["first"] == first
        assert found["weights"]["second"] == new.scaled.weights().tolist()
        own = [line for line in lines if line["vector"] == new.vector.name]
        assert [float(line["first_weight"]) for line in own] == first
        assert f"\n{new.vector.name}: pinned and now compared\n" in report
    assert report.count("pinned  m = 1, soft cap 3, sink 0.5, softmax in float64\n") == 2
    assert report.count("now     m = 0.5, softmax in float64\n") == 2
    assert "Pinned, the sink takes" in " ".join(report.split())
    one = as_json(now, pinned=before.vectors[:1])["vectors"][1]["comparison"]
    assert one["weights"]["first"] == before.vectors[0].scaled.weights().tolist()
    assert "comparison" not in as_json(now)["vectors"][0]
    for render in (text.render, json.render, csv.render):
        with pytest.raises(InputError, match="against: it asks about 2 vectors, and not about 1"):
            list(render(answered([1, 2]), Contents(pinned=before.vectors)))
    with pytest.raises(InputError, match="against: CSV is one table"):
        list(csv.render(now, Contents(lab=True, pinned=before.vectors)))
