"""Explore's report: every number of the answer, in JSON and CSV exactly, in text to be read."""

import csv as csv_module
import re
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, answer
from attn_tui.compute.explore.attention import attention
from attn_tui.compute.explore.precision_lab import lab
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed
from attn_tui.compute.vector import Vector
from attn_tui.explore.answer import answer as shown
from attn_tui.explore.headline import headline
from attn_tui.explore.report import Contents, report
from attn_tui.explore.vectors import READ
from attn_tui.files.codec import experiment_from_plain
from attn_tui.report.forms import csv, json
from attn_tui.report.report import CHUNK, Report
from attn_tui.report.rows import cells
from attn_tui.report.text import text
from tests.asking import asking
from tests.documented import documented, read

SPELLED = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
RANDOM = np.random.default_rng(11)
PRODUCTS = Products(RANDOM.normal(size=(2, 4)), RANDOM.normal(size=(5, 4)), np.eye(5, 3))
PIPELINE = Scale(softcap=50.0, sink=0.5)


def answered(*scores: list[float], setup: Setup | None = None) -> Answer:
    vectors = tuple(Vector(f"v{i}", np.array(each)) for i, each in enumerate(scores))
    return next(answer(asking(*vectors, setup=setup)))


def of(source: Source, setup: Setup | None = None) -> Answer:
    return next(answer(Experiment(source, setup or Setup())))


def as_json(found: Answer, top: int | None = None, **given: Any) -> Any:
    return read("".join(json(report(found, Contents(top, **given)))))


def as_csv(found: Answer, top: int | None = None, **given: Any) -> list[dict[str, str]]:
    written = "".join(csv(report(found, Contents(top, **given))))
    return [*csv_module.DictReader(StringIO(written))]


def as_text(found: Answer, top: int | None = None, **given: Any) -> str:
    return "".join(text(report(found, Contents(top, **given))))


def flat(found: Answer, top: int | None = None, **given: Any) -> str:
    return " ".join(as_text(found, top, **given).split())


def number(item: float | str) -> float:
    return SPELLED[item] if isinstance(item, str) else item


CASES = [
    answered([100, 120, 150]),
    answered([1, 2, -inf, 5000], [-inf, -inf], [3]),
    answered([100, 120, 150], setup=Setup(precision=Precision("float32", stable=False))),
    answered([1e308, -1e308], setup=Setup(64, parse_scale("temperature:T=0.5"))),
    answered([3, 1, 2, 3], setup=Setup().put(Settings(2, "logits"))),
    answered([3, 1, 2], [-inf, -inf], [9], setup=Setup(1, PIPELINE)),
    answered([100, 120, 150], setup=Setup(1, PIPELINE, Precision("float16", scores="bfloat16"))),
    of(Drawn(20, seed=3, count=2), Setup(64, mask=parse_mask("causal, 3"))),
    of(Products(np.eye(3, 4), np.ones((5, 4)), np.eye(5, 2))),
]


# JSON and CSV


@pytest.mark.parametrize("found", CASES)
@pytest.mark.parametrize("top", [None, 1, 2, 9])
def test_json_holds_the_numbers_of_compute_exactly(found: Answer, top: int | None) -> None:
    for plain, vector in zip(as_json(found, top)["vectors"], found.vectors, strict=True):
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
            sizes = ("frobenius", "spectral", "trace", "log_frobenius", "log_spectral", "log_trace")
            for listed, expected in (
                (a["logits"], side.logits(keys)),
                (a["weights"], side.weights(keys)),
                (a["log_weights"], side.log_weights(keys)),
                (a["complements"], side.complements(keys)),
                (a["gradient"]["logits"], side.gradient(vector.of, "logits", keys)),
                (a["gradient"]["scores"], side.gradient(vector.of, "scores", keys)),
                (a.get("slopes", []), side.slopes(keys) if side.map.softcap else []),
                ([a[each] for each in statistics], [getattr(side, each) for each in statistics]),
                *(
                    (
                        [a["jacobian"][wrt][size] for size in sizes],
                        [getattr(side.norms[wrt], size) for size in sizes],
                    )
                    for wrt in ("scores", "logits")
                ),
            ):
                np.testing.assert_array_equal([*map(number, listed)], expected)


@pytest.mark.parametrize("found", CASES)
def test_json_asks_the_same_question_again_byte_by_byte(found: Answer) -> None:
    experiment = experiment_from_plain(as_json(found))
    again = "".join(json(report(next(answer(experiment)))))
    assert again == "".join(json(report(found)))
    assert experiment.setup == found.experiment.setup


def test_the_largest_keys_come_first_and_ties_in_their_order() -> None:
    plain = as_json(answered([1, 3, -inf, 3, 2]), top=3)["vectors"][0]
    assert (plain["positions"], plain["masked"], plain["n_keys"]) == ([1, 3, 4], [], 5)
    assert as_json(answered([1, -inf]), top=2)["vectors"][0]["masked"] == [1]
    assert "positions" not in as_json(answered([1, 2]))["vectors"][0]
    rows = as_csv(answered([1, 3, 2], [5]), top=2)
    assert [(row["vector"], row["key"]) for row in rows] == [("v0", "1"), ("v0", "2"), ("v1", "0")]


def test_csv_has_a_line_a_key_and_full_precision() -> None:
    found = answered([100, 120, 150], [-inf, 1])
    rows = as_csv(found)
    names = [("v0", "0"), ("v0", "1"), ("v0", "2"), ("v1", "0"), ("v1", "1")]
    assert [(row["vector"], row["key"]) for row in rows] == names
    side = found.vectors[0].scaled
    assert [float(row["scaled_weight"]) for row in rows[:3]] == side.weights().tolist()
    slopes = side.gradient(2, "scores").tolist()
    assert [float(row["scaled_gradient_wrt_scores"]) for row in rows[:3]] == slopes
    assert (rows[3]["score"], rows[3]["masked"]) == ("-Infinity", "true")
    assert isnan(float(as_csv(CASES[2])[0]["unscaled_log_weight"]))
    # Columns keep their places: those that came later stand behind the others.
    assert [*rows[0]][:7] == [
        "vector", "status", "key", "score", "masked", "gradient_of", "unscaled_logit",
    ]  # fmt: skip
    assert [*rows[0]][-6:] == [
        *("unscaled_slope", "unscaled_sink_weight", "unscaled_key_gradient_norm"),
        *("scaled_slope", "scaled_sink_weight", "scaled_key_gradient_norm"),
    ]


def test_a_masked_vector_has_zeros_and_no_nan() -> None:
    found = answered([-inf, -inf])
    assert as_json(found)["vectors"][0]["masked"] == [0, 1]
    assert as_json(found)["vectors"][0]["scaled"]["weights"] == [0.0, 0.0]
    for write in (text, json, csv):
        assert "NaN" not in "".join(write(report(found)))


def test_every_field_of_json_and_every_column_of_csv_is_documented() -> None:
    known = documented()
    two = [case for case in CASES if len(case.vectors) > 1]
    every = [as_json(case, top=2, lab=True) for case in CASES]
    every += [as_json(case, top=2, compare=True) for case in two]
    every += [as_json(case, pinned=case.vectors[:1]) for case in two]
    paths = set().union(*map(fields, every))
    paths = {path for path in paths if not path.startswith("experiment.parameters.")}
    assert paths <= known
    # And nothing else is.
    listed = {name for name in known if re.match(r"(experiment|vectors|comparison)\b.*\.", name)}
    # A captured head is in none of these cases.
    listed -= {"vectors[].scaled", "vectors[].lab.scaled", "experiment.capture"}
    assert listed <= paths
    contents: list[dict[str, Any]] = [{}, {"lab": True}, {"compare": True}]
    for given_contents in contents:
        names = [*as_csv(two[0], **given_contents)[0]]
        assert {name.removeprefix("un").replace("scaled_", "unscaled_") for name in names} <= known


def fields(plain: object, path: str = "") -> set[str]:
    """Return the paths of all fields, both sides as one."""
    if isinstance(plain, list):
        return set().union(*(fields(item, f"{path}[]") for item in plain))
    if not isinstance(plain, dict):
        return set()
    found = set()
    for name, item in plain.items():
        inner = f"{path}.{name}".lstrip(".")
        inner = re.sub(r"\.scaled(?=\.|$)", ".unscaled", inner)
        within = "comparison" if inner == "vectors[].comparison" else inner
        found |= {inner} | fields(item, within)
    return found


@pytest.mark.parametrize("write", [text, json, csv])
def test_no_more_than_a_piece_of_a_long_vector_is_text_at_a_time(
    write: Callable[[Report], Iterator[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attn_tui.report.report.CHUNK", 256)
    found = of(Drawn(8_000), Setup(64, PIPELINE))
    tracemalloc.start()
    sizes = [len(piece) for piece in write(report(found))]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All numbers of one field are 256 kB as Python objects, and there are twenty fields.
    assert peak < 1_500_000
    assert max(sizes) < sum(sizes) / 10


def test_a_long_vector_is_written_whole() -> None:
    found = answered([*range(CHUNK + 10)])
    assert len(as_csv(found)) == CHUNK + 10
    assert re.search(rf"^ *{CHUNK + 9:,} ", as_text(found), re.M)


@pytest.mark.parametrize("top", [None, 2])
def test_json_and_csv_have_the_gradients_by_q_and_k_and_the_output(top: int | None) -> None:
    setup = Setup(scale=Scale(softcap=2.0, sink=0.5, qk_norm=True)).put(Settings(1))
    found = of(PRODUCTS, setup)
    rows = as_csv(found, top)
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
            mine = [row for row in rows if row["vector"] == vector.vector.name]
            assert [float(row[f"{name}_key_gradient_norm"]) for row in mine] == norms
            slopes = side.slopes(keys).tolist()
            assert [float(row[f"{name}_slope"]) for row in mine] == slopes
            assert {float(row[f"{name}_sink_weight"]) for row in mine} == {side.sink_weight}
    bare = of(Products(PRODUCTS.queries, PRODUCTS.keys))
    assert as_json(bare)["vectors"][0]["scaled"]["attention"]["output"] is None
    assert "output" not in as_text(bare)
    assert "attention" not in as_json(answered([1, 2]))["vectors"][0]["scaled"]
    assert as_csv(answered([1, 2]))[0]["scaled_key_gradient_norm"] == ""


def test_json_and_csv_have_every_trial_of_the_lab() -> None:
    found = answered([100, 120, 150], [3], setup=Setup().put(Settings(1)))
    rows = as_csv(found, lab=True)
    assert len(rows) == 2 * 2 * 8
    for index, vector in enumerate(as_json(found, lab=True)["vectors"]):
        expected = lab(found.experiment, index, 1)
        assert expected
        assert vector["lab"]["key"] == expected.key == (0 if index else 1)
        for side in expected.sides:
            plain = vector["lab"][side.name]
            assert plain["exact"] == side.exact
            for trial, listed in zip(side.trials, plain["trials"], strict=True):
                row = rows.pop(0)
                assert (row["side"], float(row["exact"])) == (side.name, side.exact)
                assert listed["precision"] == row["precision"] == trial.precision.format
                assert listed["naive"] == (row["naive"] == "true") == (not trial.precision.stable)
                for name in ("status", "reason", "n_differ", "n_vanished", "worst_key"):
                    assert listed[name] == getattr(trial, name)
                    assert row[name] == str(getattr(trial, name))
                for name in ("weight", "worst"):
                    np.testing.assert_equal(number(listed[name]), getattr(trial, name))
                    np.testing.assert_equal(float(row[name]), getattr(trial, name))
                assert [each["key"] for each in listed["differing"]] == [
                    each.key for each in trial.differing
                ]
    assert "lab" not in as_json(found)["vectors"][0]


@pytest.mark.parametrize("top", [None, 2])
def test_json_and_csv_compare_the_first_two_vectors(top: int | None) -> None:
    found = answered([5, 0, -inf], [0, 1, 3, 2], [9], setup=Setup(1, Scale(sink=0.0)))
    plain = as_json(found, top, compare=True)["comparison"]
    assert (plain["vectors"], plain["n_keys"], plain["status"]) == (["v0", "v1"], 4, "ok")
    keys = plain.get("positions", [0, 1, 2, 3])
    assert keys == ([0, 1, 2, 3] if top is None else [0, 2])
    first, second = found.vectors[0].scaled, found.vectors[1].scaled
    before, after = np.append(first.weights(), 0.0)[keys], second.weights()[keys]
    assert plain["weights"]["first"] == before.tolist()
    assert plain["weights"]["second"] == after.tolist()
    assert plain["weights"]["difference"] == (after - before).tolist()
    slopes = second.gradient(2, "logits")[keys].tolist()
    assert plain["gradient"]["logits"]["second"] == slopes
    assert plain["differences"]["entropy"] == second.entropy - first.entropy
    assert plain["differences"]["sink_weight"] == second.sink_weight - first.sink_weight
    rows = as_csv(found, top, compare=True)
    assert [int(row["key"]) for row in rows] == keys
    assert [float(row["difference_weight"]) for row in rows] == (after - before).tolist()
    assert [float(row["second_gradient_wrt_logits"]) for row in rows] == slopes
    assert "comparison" not in as_json(found)


def test_each_vector_stands_beside_the_pinned_one() -> None:
    before = answered([5, 0], [1, 2], setup=Setup(1, Scale(softcap=3.0, sink=0.5)))
    now = answered([5, 0, 1], [1, 2], setup=Setup(4))
    plain = as_json(now, pinned=before.vectors)
    rows = as_csv(now, pinned=before.vectors)
    said = as_text(now, pinned=before.vectors)
    for old, new, vector in zip(before.vectors, now.vectors, plain["vectors"], strict=True):
        found = vector["comparison"]
        assert found["vectors"] == ["pinned", "now"]
        first = old.scaled.weights().tolist() + [0.0] * (new.vector.n_keys - old.vector.n_keys)
        assert found["weights"]["first"] == first
        assert found["weights"]["second"] == new.scaled.weights().tolist()
        own = [row for row in rows if row["vector"] == new.vector.name]
        assert [float(row["first_weight"]) for row in own] == first
        assert f"\n{new.vector.name}: pinned and now compared\n" in said
    assert said.count("pinned     m = 1, soft cap 3, sink 0.5, softmax in float64\n") == 2
    assert said.count("now        m = 0.5, softmax in float64\n") == 2
    assert "Pinned: key 0 takes 86 % and the sink 9 %. Now it takes 82 %" in " ".join(said.split())
    one = as_json(now, pinned=before.vectors[:1])["vectors"][1]["comparison"]
    assert one["weights"]["first"] == before.vectors[0].scaled.weights().tolist()
    assert "comparison" not in as_json(now)["vectors"][0]


def test_what_cannot_be_compared_is_refused_before_anything_is_written() -> None:
    with pytest.raises(InputError, match="compare: there is one vector"):
        report(answered([1, 2]), Contents(compare=True))
    two = answered([1], [2]).vectors
    with pytest.raises(InputError, match="against: it asks about 2 vectors, and not about 1"):
        report(answered([1, 2]), Contents(pinned=two))
    with pytest.raises(InputError, match="compare: CSV is one table"):
        Contents(lab=True, compare=True).check_one_table()
    with pytest.raises(InputError, match="against: CSV is one table"):
        Contents(lab=True, pinned=two).check_one_table()


# Text


def test_the_text_has_the_headline_what_was_asked_and_the_numbers() -> None:
    asked = Setup(
        64,
        Scale("temperature", (("T", 4.0),), softcap=50.0, sink=-1.5),
        Precision("bfloat16", False, scores="float16"),
        parse_mask("0, 2:"),
    )
    first, head, *_ = as_text(answered([1, 2, 3], setup=asked)).split("\n\n")
    assert (
        first.endswith("takes 88 % and the sink 12 %, and the gradient is\nno longer 0.") or first
    )
    assert head == (
        "scores     typed: d_k moves nothing in this rule\n"
        "d_k        64\n"
        "scale      temperature: m = 1/4\n"
        "           Hinton et al. 2015, arXiv 1503.02531\n"
        "soft cap   z = c·tanh(m·s/c), c = 50: no logit exceeds ±c\n"
        "           Gemma 2, arXiv 2408.00118\n"
        "sink       softmax over the logits and b = −1.5, whose weight is dropped\n"
        "           StreamingLLM, arXiv 2309.17453; gpt-oss learns b; b = 0 is softmax₁\n"
        "precision  softmax in bfloat16, naive: no maximum subtracted, softmax: rounds\n"
        "           logits and weights\n"
        "           scores are rounded to float16 before everything else\n"
        "mask       0, 2: (masked keys have weight 0 and gradient 0)"
    )
    example = as_text(answered([100, 120, 150]))
    for line in (
        r" 0 +100 +1\.93e-22 +0\.1309 +−1\.93e-22 +−2\.55e-03 +×1\.3e19",
        r" 2 +150 +1\.0000 +0\.6245 +\+9\.36e-14 +\+7\.33e-03 +×7\.8e10",
        r"multiplier m +1 +0\.03125",
        r"entropy H of p, nats +2\.90e-12 +0\.905",
        r"‖∂p/∂s‖_F, Frobenius norm +1\.87e-13 +0\.0127",
    ):
        assert re.search(f"^ *{line}$", example, re.M), line
    assert "gradient of p₂ with respect to the scores s" in example


def test_the_headline_is_that_of_the_screen() -> None:
    for scores, d_k in (([100.0, 120.0, 150.0], 1024), ([100.0, 120.0, 150.0], 65_536)):
        found = answered(scores, setup=Setup(d_k))
        *_, last = shown(found.experiment, 0)
        said = headline(last.vector, found.experiment, last.over)
        assert as_json(found)["headline"] == as_json(found)["vectors"][0]["headline"] == said
        assert flat(found).startswith(said)
        assert flat(found).count(said) == 1
    assert "is back" in flat(answered([100, 120, 150]))


@pytest.mark.parametrize(
    ("scores", "setup", "said"),
    [
        (
            ([100, 120, 150], [1, 2, 3, 10], [5]), Setup(64),
            "One key takes practically all the weight in 2 of 3 vectors unscaled, and in 1 divided "
            "by 8.",
        ),
        (
            ([100, 120, 150], [1, 2]), Setup(precision=Precision("float32", False)),
            "One key takes practically all the weight in none of 2 vectors unscaled, and in none "
            "divided by 32. In 1 a number format gives out.",
        ),
        (
            ([1, 2], [300, 1]), Setup(scale=Scale("none")),
            "Nothing is divided here (rule none), so both sides are the same: one key takes "
            "practically all the weight in 1 of 2 vectors.",
        ),
        (
            ([1, 2], [300, 1, 2]), Setup(scale=Scale("log-length")),
            "One key takes practically all the weight in 1 of 2 vectors unscaled, and in none "
            "scaled.",
        ),
    ],
)  # fmt: skip
def test_of_several_vectors_one_thing_is_said_first_and_then_of_each(
    scores: tuple[list[float], ...], setup: Setup, said: str
) -> None:
    found = answered(*scores, setup=setup)
    assert flat(found).startswith(said)
    assert as_json(found)["headline"] == said
    for plain in as_json(found)["vectors"]:
        assert plain["headline"] in flat(found)


def test_the_sink_has_a_line_and_is_counted() -> None:
    both = as_text(answered([0, 0, 0], setup=Setup(scale=Scale("none", sink=0.0))))
    assert re.search(r"weight of the sink +0 +0\.2500\n", both)
    assert re.search(r"effective keys e\^H +3\.00 +4\.00\n", both)
    assert "H, e^H and 1/Σp² count the sink as one more key.\n" in both
    assert "sink" not in as_text(answered([0, 0, 0]))
    lost = as_text(answered([5, 1], setup=Setup(scale=Scale(sink=1000.0))))
    assert re.search(r"largest weight +0\.9820 +\S*e-435\n", lost)


def test_what_underflowed_is_written_with_its_sign_from_its_logarithm() -> None:
    said = as_text(answered([1000, 0, -inf]))
    assert "−5.08e-435" in said
    assert "+5.08e-435" in said
    assert re.search(r"entropy H of p, nats +5.08e-432 ", said)
    assert re.search(r"trace +1.02e-434 ", said)
    assert not re.search(r"-0\.0[],]", "".join(json(report(answered([1, 0, -inf])))))


def test_what_comes_of_no_gradient_is_not_many_times_that() -> None:
    asked = Setup(128, Scale(softcap=50.0, sink=0.0), mask=parse_mask("1"))
    said = as_text(answered([5, 1], setup=asked))
    assert "∞ " not in said.replace("−∞", "")
    assert re.search(r"^ +0 .* \+\S+ +from 0$", said, re.M)
    assert re.search(r"^ +1 .* 0 +–$", said, re.M)


def test_nan_and_weights_that_a_format_rounds_to_0_have_their_reason() -> None:
    for found in CASES:
        for vector in found.vectors:
            assert vector.reason in flat(found)
    said = as_text(answered([100, 120, 150], setup=Setup(1, precision=Precision("float16"))))
    assert re.search(r"weights rounded to 0 +2 +2\n", said)
    assert "rounded to 0" not in as_text(CASES[0])


def test_weights_that_an_infinite_sum_makes_0_are_said_to_be_0() -> None:
    naive = Setup(64, Scale(sink=1e5), Precision(stable=False))
    said = flat(of(Drawn(30, seed=2), naive))
    assert "Divided by 8, every weight is 0." in said
    assert "scaled: e^z overflows float64 above 709.78" in said


def test_it_says_that_a_key_is_masked_and_how_many_are_left_out() -> None:
    found = answered([-inf, 3, 4, 4], setup=Setup().put(Settings(of=0)))
    assert "gradient of p₀, which is masked, with respect to the scores s" in flat(found)
    assert "v0: 4 keys, 1 masked" in flat(found)
    many = answered([0.0] * 4000, setup=Setup(1, mask=parse_mask("0:1500")))
    assert "v0: 4,000 keys, 1,500 masked" in flat(many, 3)
    assert "and 3,997 more keys with smaller or equal scores" in flat(many, 3)
    assert "and 1 more key with" in flat(answered([1, 2, 3]), 2)
    assert "more key" not in flat(answered([1, 2, 3]), 3)


def test_the_text_keeps_scores_apart_and_columns_in_line() -> None:
    said = as_text(answered([1_000_000, 1_000_001, -5000.5, 1 / 3]))
    for score in ("1000000 ", "1000001 ", "−5000.5 ", "0.333333333 "):
        assert score in said
    rows = [line for line in said.splitlines() if re.match(r" +\d ", line)]
    assert len({len(row) for row in rows}) == 1


def test_a_draw_says_its_law_and_what_came_of_it() -> None:
    for scale, law, relative in (
        (Scale(), "‖q‖", 1.0),
        # Var s² = 2d²(d − 1)/(d + 2), so that of √(mean s²) is (d/2n)·(d − 1)/(d + 2).
        (Scale(qk_norm=True), "√d_k", (63 / 66) ** 0.5),
    ):
        said = flat(of(Drawn(10_000, seed=7), Setup(64, scale)), 3)
        found = re.search(rf"scores, by law {law} (\S+) ± (\S+), exact (\S+)", said)
        assert found
        spread, error, exact = map(float, found.groups())
        expected = Drawn(10_000, seed=7).query_norm(64, 0) if law == "‖q‖" else 8.0
        assert exact == pytest.approx(expected, rel=1e-5)
        assert error == pytest.approx(exact * relative / 2**0.5 / 100, rel=0.1)
        assert abs(spread - exact) < 4 * error


def test_the_means_over_several_drawn_vectors_have_standard_errors() -> None:
    found = of(Drawn(16, seed=3, count=50), Setup(64))
    entropies = np.array([[each.unscaled.entropy, each.scaled.entropy] for each in found.vectors])
    errors = entropies.std(axis=0, ddof=1) / np.sqrt(50)
    plain = as_json(found, top=1)["means"]
    for index, side in enumerate(("unscaled", "scaled")):
        assert set(plain[side]["entropy"]) == {"value", "standard_error"}
        assert plain[side]["entropy"]["value"] == pytest.approx(entropies[:, index].mean())
        assert plain[side]["entropy"]["standard_error"] == pytest.approx(errors[index])
    line = re.search(
        r"^entropy H of p, nats +(\S+) ± (\S+) +(\S+) ± \S+$", as_text(found, top=1), re.M
    )
    assert line
    assert float(line[3]) == pytest.approx(entropies[:, 1].mean(), rel=1e-3)
    for alone in (answered([1.0, 2.0], [3.0]), of(Drawn(4), Setup(64))):
        assert "means" not in as_json(alone)
        assert "mean ±" not in as_text(alone)


def test_the_text_lists_the_gradients_by_q_and_k_and_the_output() -> None:
    identity = Products(np.eye(2), np.eye(2), np.array([[10.0, 0.0], [0.0, 20.0]]))
    said = as_text(of(identity, Setup(scale=Scale("temperature", (("T", 0.5),)))))
    # Q = K = 1: p = (.731, .269), and every entry of J is ±.731·.269 = ±.1966; at T = 1/2,
    # p = (.881, .119), and every entry of ∂p/∂s is ±2·.105.
    assert (
        "gradient of p₀ with respect to the query q\n"
        "   i          q_i      unscaled        scaled\n"
        "   0            1     +1.97e-01     +2.10e-01\n"
        "   1            0     −1.97e-01     −2.10e-01\n"
        "‖∂p₀/∂q‖: 2.78e-01 unscaled, 2.97e-01 scaled\n"
        "\n"
        "norm of the gradient of p₀ with respect to each key k\n"
        " key          ‖k‖      unscaled        scaled\n"
        "   0            1      1.97e-01      2.10e-01\n"
        "   1            1      1.97e-01      2.10e-01\n"
        "\n"
        "output V·p: the values weighted by p\n"
        "   i      unscaled        scaled\n"
        "   0     +7.31e+00     +8.81e+00\n"
        "   1     +5.38e+00     +2.38e+00\n"
    ) in said
    long = Products(np.ones((1, READ + 3)), np.ones((3, READ + 3)))
    assert as_text(of(long), 1).count("and 3 more, which JSON holds") == 1


def test_the_text_has_the_lab_as_a_table_with_its_reasons() -> None:
    said = as_text(answered([100, 120, 150], setup=Setup().put(Settings(1))), lab=True)
    assert "\nunscaled: exactly p₁ = 9.36e-14\n" in said
    rows = re.findall(r"^(\w+) +(stable|naive) +(\S+) +(\d+) +(\d+) +(\S+) +(\d+)$", said, re.M)
    assert [(row[0], row[1]) for row in rows[:8]] == [
        (name, method) for name in FORMATS for method in ("stable", "naive")
    ]
    assert rows[4] == ("float16", "stable", "0", "0", "2", "9.36e-14", "2")
    assert rows[3][2] == rows[3][5] == "NaN"
    assert "float32 naive: e^z overflows float32 above 88.72; infinity/infinity is NaN\n" in said
    assert "number format" not in as_text(answered([100, 120, 150]))


def test_two_vectors_stand_side_by_side_under_their_names() -> None:
    said = as_text(answered([0, 0], [0, np.log(3.0)], setup=Setup(1)), compare=True)
    assert said[said.index("v0 and v1 compared") :].startswith(
        "v0 and v1 compared\n"
        "In v0: keys 0 and 1 take 50 % each.\n"
        "In v1, key 1 takes 75 %, and the gradient is 1.3 times smaller.\n"
        "\n"
        "weights p; gradient of p₁ with respect to the scores s\n"
        "               p           p           p      ∂p₁/∂s      ∂p₁/∂s\n"
        " key          v0          v1  difference          v0          v1     change\n"
        "   0      0.5000      0.2500     −0.2500   −2.50e-01   −1.88e-01      ×0.75\n"
        "   1      0.5000      0.7500     +0.2500   +2.50e-01   +1.88e-01      ×0.75\n"
    )
    assert re.search(r"participation ratio 1/Σp² +2\.00 +1\.60\n", said)
    broken = Setup(1, precision=Precision("float32", stable=False))
    found = answered([100, 120, 150], [1, 2, 3], setup=broken)
    assert "overflow: in v0: e^z overflows float32 above 88.72" in flat(found, compare=True)
    plain = as_json(found, compare=True)["comparison"]
    assert (plain["status"], plain["weights"]["difference"]) == ("overflow", ["NaN"] * 3)


@pytest.mark.parametrize("name", ["x" * 60, "漢字" * 30, "🎉👩‍🔬" * 20, "\x1b[31m\u202ered\n" * 9])
def test_names_from_outside_leave_lines_and_columns_as_they_are(name: str) -> None:
    found = answered([1, 2], [3, 4])
    vectors = tuple(
        replace(each, vector=replace(each.vector, name=f"{index}{name}"))
        for index, each in enumerate(found.vectors)
    )
    named = replace(found, vectors=vectors)
    plain = as_text(found, compare=True).splitlines()
    lines = as_text(named, compare=True).splitlines()
    assert max(map(cells, lines)) <= 80
    assert all(line.isprintable() or "👩" in line for line in lines)
    rows = [cells(line) for line in lines if re.match(r" +[01] ", line)]
    assert rows == [cells(line) for line in plain if re.match(r" +[01] ", line)]
    assert {row["vector"] for row in as_csv(named)} == {vector.vector.name for vector in vectors}
    assert [each["name"] for each in as_json(named)["vectors"]] == [
        vector.vector.name for vector in vectors
    ]


def test_one_vector_of_several_has_its_own_query_and_headline() -> None:
    whole = of(PRODUCTS, Setup())
    alone = replace(whole, vectors=whole.vectors[1:])
    said = as_text(alone, first=1)
    assert said.split("\n\n")[-4:] == as_text(whole).split("\n\n")[-4:]
    assert as_json(alone, first=1)["vectors"][0] == as_json(whole)["vectors"][1]


@given(
    st.sampled_from(
        [
            Typed((Vector("a", np.array([100.0, 120.0, 150.0])),)),
            Typed((Vector("a", np.array([-inf, 1.0, 2.0, 5000.0])),)),
            Typed((Vector("a", np.array([-inf, -inf])),)),
            Typed((Vector("a", np.array([3.0])),)),
            Drawn(30, seed=2, count=2),
            Products(np.array([[1.0, 0.0], [0.5, 2.0]]), np.eye(2, 2), np.eye(2, 2)),
        ]
    ),
    st.sampled_from(sorted(RULES)),
    st.none() | st.sampled_from([0.01, 50.0]),
    st.none() | st.sampled_from([-3.0, 0.0, 1e5]),
    st.builds(Precision, *[st.sampled_from(FORMATS), st.booleans(), st.sampled_from(FORMATS)]),
    st.sampled_from([Mask(), Mask(causal=True), Mask(((0, 1),))]),
    st.booleans(),
)
@settings(deadline=None, max_examples=200, derandomize=True)
def test_every_text_fits_80_columns_with_no_number_cut(
    source: Source,
    rule: str,
    softcap: float | None,
    sink: float | None,
    precision: Precision,
    mask: Mask,
    qk_norm: bool,
) -> None:
    scale = Scale(rule, softcap=softcap, sink=sink, qk_norm=qk_norm)
    setup = Setup(64, scale, precision, mask).put(Settings(1))
    found = of(source, setup)
    lines = as_text(found, lab=True, pinned=found.vectors[:1]).splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line.isprintable() and line == line.rstrip() for line in lines)
    assert not any("…" in line for line in lines)
