import csv as csv_module
import json as json_module
import re
import tracemalloc
from collections.abc import Callable, Iterator
from io import StringIO
from math import inf, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attn_tui.report.explore import csv, json, largest, text
from attn_tui.report.explore.contents import Contents
from attn_tui.report.explore.largest import CHUNK

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, answer
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain
from tests.asking import asking

DOCS = Path(__file__).parents[3] / "docs" / "json.md"
SPELLED = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}


def answered(*scores: list[float], setup: Setup | None = None) -> Answer:
    vectors = tuple(Vector(f"v{i}", np.array(each)) for i, each in enumerate(scores))
    return next(answer(asking(*vectors, setup=setup)))


def strict(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def as_json(found: Answer, top: int | None = None, **asked: Any) -> Any:
    written = "".join(json.render(found, Contents(top, **asked)))
    return json_module.loads(written, parse_constant=strict)


def numbers(items: list[float | str]) -> list[float]:
    return [SPELLED[item] if isinstance(item, str) else item for item in items]


PIPELINE = Scale(softcap=50.0, sink=0.5)

CASES = [
    answered([100, 120, 150]),
    answered([1, 2, -inf, 5000], [-inf, -inf], [3]),
    answered([100, 120, 150], setup=Setup(precision=Precision("float32", stable=False))),
    answered([1e308, -1e308], setup=Setup(64, parse_scale("temperature:T=0.5"))),
    answered([3, 1, 2, 3], setup=Setup().put(Settings(2, "logits"))),
    answered([3, 1, 2], [-inf, -inf], [9], setup=Setup(1, PIPELINE)),
    answered([100, 120, 150], setup=Setup(1, PIPELINE, Precision("float16", scores="bfloat16"))),
    next(answer(Experiment(Drawn(20, seed=3, count=2), Setup(64, mask=parse_mask("causal, 3"))))),
    next(answer(Experiment(Products(np.eye(3, 4), np.ones((5, 4)), np.eye(5, 2))))),
]


@pytest.mark.parametrize("found", CASES)
@pytest.mark.parametrize("top", [None, 1, 2, 9])
def test_json_holds_the_numbers_of_compute_exactly(found: Answer, top: int | None) -> None:
    for plain, vector in zip(as_json(found, top)["vectors"], found.vectors, strict=True):
        keys = np.array(plain.get("positions", range(plain["n_keys"])), dtype=np.intp)
        assert numbers(plain["scores"]) == vector.vector.scores[keys].tolist()
        assert (plain["status"], plain["reason"]) == (vector.status, vector.reason)
        for name, side in (("unscaled", vector.unscaled), ("scaled", vector.scaled)):
            a = plain[name]
            assert (a["multiplier"], a["precision"]) == (side.multiplier, side.precision.format)
            assert (a["softcap"], a["sink"]) == (side.map.softcap, side.map.sink)
            assert ("slopes" in a) == (side.map.softcap is not None)
            assert a["gradient"]["of"] == vector.of
            for listed, expected in (
                (a["logits"], side.logits(keys)),
                (a["weights"], side.weights(keys)),
                (a["log_weights"], side.log_weights(keys)),
                (a["complements"], side.complements(keys)),
                (a["gradient"]["logits"], side.gradient(vector.of, "logits", keys)),
                (a["gradient"]["scores"], side.gradient(vector.of, "scores", keys)),
                ([a["entropy"], a["max_weight"]], [side.entropy, side.max_weight]),
                ([a["log_entropy"]], [side.log_entropy]),
                ([a["sink_weight"]], [side.sink_weight]),
                (a.get("slopes", []), side.slopes(keys) if side.map.softcap else []),
                (
                    [a["effective_keys"], a["participation_ratio"]],
                    [side.effective_keys, side.participation_ratio],
                ),
                (list(a["jacobian"]["scores"].values()), _norms(side.norms["scores"])),
                (list(a["jacobian"]["logits"].values()), _norms(side.norms["logits"])),
            ):
                np.testing.assert_array_equal(numbers(listed), expected)


def _norms(norms: Any) -> list[float]:
    sizes = [norms.frobenius, norms.spectral, norms.trace]
    return [*sizes, norms.log_frobenius, norms.log_spectral, norms.log_trace]


@pytest.mark.parametrize("found", CASES)
def test_json_asks_the_same_question_again_byte_by_byte(found: Answer) -> None:
    experiment = experiment_from_plain(as_json(found))
    assert "".join(json.render(next(answer(experiment)))) == "".join(json.render(found))
    assert experiment.setup == found.experiment.setup


def test_the_largest_keys_come_first_and_ties_in_their_order() -> None:
    plain = as_json(answered([1, 3, -inf, 3, 2]), top=3)["vectors"][0]
    assert plain["positions"] == [1, 3, 4]
    assert plain["masked"] == []
    assert plain["n_keys"] == 5
    assert as_json(answered([1, -inf]), top=2)["vectors"][0]["masked"] == [1]
    assert "positions" not in as_json(answered([1, 2]))["vectors"][0]


def test_a_masked_vector_has_zeros_and_no_nan() -> None:
    found = answered([-inf, -inf])
    assert as_json(found)["vectors"][0]["masked"] == [0, 1]
    assert as_json(found)["vectors"][0]["scaled"]["weights"] == [0.0, 0.0]
    for render in (text.render, json.render, csv.render):
        assert "NaN" not in "".join(render(found))


def test_every_field_of_json_is_documented() -> None:
    documented = set(re.findall(r"`([^`]+)`", DOCS.read_text()))
    two = [case for case in CASES if len(case.vectors) > 1]
    every = [as_json(case, top=2, lab=True) for case in CASES]
    every += [as_json(case, top=2, compare=True) for case in two]
    every += [as_json(case, pinned=case.vectors[:1]) for case in two]
    found = set().union(*map(_fields, every))
    found = {path for path in found if not path.startswith("experiment.parameters.")}
    assert found <= documented
    # And nothing else is.
    paths = {
        name for name in documented if re.match(r"(experiment|vectors|comparison)\b.*\.", name)
    }
    # A captured head is in none of these cases.
    paths -= {"vectors[].scaled", "vectors[].lab.scaled", "experiment.capture"}
    assert paths <= found


def _fields(plain: object, path: str = "") -> set[str]:
    if isinstance(plain, list):
        return set().union(*(_fields(item, f"{path}[]") for item in plain))
    if not isinstance(plain, dict):
        return set()
    found = set()
    for name, item in plain.items():
        inner = f"{path}.{name}".lstrip(".")
        inner = re.sub(r"\.scaled(?=\.|$)", ".unscaled", inner)
        within = "comparison" if inner == "vectors[].comparison" else inner
        found |= {inner} | _fields(item, within)
    return found


def test_csv_has_a_line_a_key_and_full_precision() -> None:
    found = answered([100, 120, 150], [-inf, 1])
    lines = list(csv_module.DictReader(StringIO("".join(csv.render(found)))))
    assert [(line["vector"], line["key"]) for line in lines] == [
        ("v0", "0"),
        ("v0", "1"),
        ("v0", "2"),
        ("v1", "0"),
        ("v1", "1"),
    ]
    side = found.vectors[0].scaled
    assert [float(line["scaled_weight"]) for line in lines[:3]] == side.weights().tolist()
    slopes = side.gradient(2, "scores").tolist()
    assert [float(line["scaled_gradient_wrt_scores"]) for line in lines[:3]] == slopes
    assert (lines[3]["score"], lines[3]["masked"]) == ("-Infinity", "true")
    assert tuple(lines[0]) == csv.COLUMNS
    assert isnan(float(_csv(CASES[2])[0]["unscaled_log_weight"]))


@pytest.mark.parametrize("render", [text.render, json.render, csv.render])
def test_no_more_than_a_piece_of_a_long_vector_is_text_at_a_time(
    render: Callable[[Answer], Iterator[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(largest, "CHUNK", 256)
    found = next(answer(Experiment(Drawn(8_000), Setup(64, PIPELINE))))
    tracemalloc.start()
    sizes = [len(piece) for piece in render(found)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All numbers of one field are 256 kB as Python objects, and there are twenty fields.
    assert peak < 1_500_000
    assert max(sizes) < sum(sizes) / 10


def _csv(found: Answer, top: int | None = None) -> list[dict[str, str]]:
    return list(csv_module.DictReader(StringIO("".join(csv.render(found, Contents(top))))))


def test_csv_can_be_cut_to_the_largest_keys_of_each_vector() -> None:
    lines = _csv(answered([1, 3, 2], [5]), top=2)
    assert [(line["vector"], line["key"]) for line in lines] == [
        ("v0", "1"),
        ("v0", "2"),
        ("v1", "0"),
    ]


def test_every_column_of_csv_is_documented() -> None:
    documented = set(re.findall(r"`([^`]+)`", DOCS.read_text()))
    assert {
        column.replace("scaled_", "unscaled_").replace("ununs", "uns")
        for column in (*csv.COLUMNS, *csv.LAB_COLUMNS, *csv.PAIR_COLUMNS)
    } <= documented


def test_a_long_vector_is_written_in_pieces_and_whole() -> None:
    found = answered(list(range(CHUNK + 10)))
    assert len(_csv(found)) == CHUNK + 10
    assert f"\n{CHUNK + 9:>4}  " in "".join(text.render(found))


def test_the_text_report_shows_the_example() -> None:
    report = "".join(text.render(answered([100, 120, 150])))
    for expected in ("1.93e-22", "9.36e-14", "1.0000", "0.1309", "0.2446", "0.6245"):
        assert expected in report
    for expected in ("−2.55e-03", "−4.77e-03", "+7.33e-03", "×7.8e10"):
        assert expected in report
    assert "gradient of p₂ with respect to the scores s" in report
    assert re.search(r"entropy H of p, nats +2\.90e-12 +0\.905\n", report)
    assert re.search(r"‖∂p/∂s‖_F, Frobenius norm +1\.87e-13 +0\.0127\n", report)
    assert re.search(r"multiplier m +1 +0\.03125\n", report)


@pytest.mark.parametrize("found", CASES)
def test_the_text_report_fits_80_columns_and_gives_the_reason(found: Answer) -> None:
    report = "".join(text.render(found))
    assert max(map(len, report.splitlines())) <= 80
    for vector in found.vectors:
        assert vector.reason in " ".join(report.split())


def test_the_text_report_says_how_many_keys_it_leaves_out() -> None:
    assert "and 2 more keys" in "".join(text.render(answered([1, 2, 3]), Contents(1)))
    assert "and 1 more key " in "".join(text.render(answered([1, 2, 3]), Contents(2)))
    assert "more key" not in "".join(text.render(answered([1, 2, 3]), Contents(3)))


def test_what_underflowed_is_written_with_its_sign() -> None:
    report = "".join(text.render(answered([1000, 0, -inf])))
    assert "−5.08e-435" in report
    assert "+5.08e-435" in report
    assert re.search(r"entropy H of p, nats +5.08e-432 ", report)
    assert re.search(r"trace +1.02e-434 ", report)
    one = "".join(text.render(answered([1000])))
    assert "<" not in one
    assert not re.search(r"-0\.0[],]", "".join(json.render(answered([1, 0, -inf]))))


def test_the_text_report_keeps_scores_apart_and_columns_in_line() -> None:
    report = "".join(text.render(answered([1_000_000, 1_000_001, -5000.5, 1 / 3])))
    for score in ("1000000 ", "1000001 ", "−5000.5 ", "0.333333333 "):
        assert score in report
    rows = [line for line in report.splitlines() if re.match(r" +\d ", line)]
    assert len({len(row) for row in rows}) == 1


def test_the_text_report_says_what_d_k_moves_and_that_a_key_is_masked() -> None:
    assert "d_k moves only the divisor\n" in "".join(text.render(answered([1, 2])))
    none = Setup(scale=parse_scale("none")).put(Settings(of=0))
    report = "".join(text.render(answered([-inf, 3, 4, 4], setup=none)))
    assert "d_k moves nothing in this rule\n" in report
    assert "d_k = " not in report
    assert "gradient of p₀, which is masked, with respect to the scores s\n" in report
    assert "Every ∂p₀/∂s is 0 because key 0 is masked." in " ".join(report.split())
