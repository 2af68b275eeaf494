import json
from dataclasses import replace
from math import inf, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import settings as explore
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import Mask
from attn_tui.compute.models import MODELS, brought
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed, Vector
from attn_tui.compute.sweep import settings as sweep
from attn_tui.engine import settings as heads
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain, read_experiment
from attn_tui.files.content import read_json
from attn_tui.files.plain import json_text
from attn_tui.files.sources import source_of
from tests.asking import asking

VECTORS = [{"name": "a", "scores": [1, 2]}]

positive = st.floats(1e-3, 1e3)
scales = st.builds(
    Scale,
    st.sampled_from(list(RULES)),
    softcap=st.none() | positive,
    sink=st.none() | st.floats(-50, 50),
    qk_norm=st.booleans(),
) | st.builds(Scale, st.just("temperature"), st.builds(lambda value: (("T", value),), positive))
formats = st.sampled_from(FORMATS)
precisions = st.builds(Precision, formats, st.booleans(), formats, formats)
masks = st.sampled_from([Mask(), Mask(causal=True), Mask(((0, 1),)), Mask(((1, None),), True)])
numbers = st.floats(-1e3, 1e3)


@st.composite
def sources(draw: st.DrawFn) -> Source:
    kind = draw(st.sampled_from(["typed", "drawn", "vectors"]))
    if kind == "drawn":
        return Drawn(
            draw(st.integers(2, 9)), draw(st.integers(0, 2**63 - 1)), draw(st.integers(1, 3))
        )
    if kind == "typed":
        lines = draw(st.lists(st.lists(numbers | st.just(-np.inf), min_size=2), min_size=1))
        return Typed(tuple(Vector(f"v {n}", np.array(line)) for n, line in enumerate(lines)))
    rows = [[draw(numbers) for _ in range(3)] for _ in range(5)]
    values = draw(st.none() | st.just([[1.5], [-0.0], [1e300]]))
    return Products(rows[:2], rows[2:], values)  # type: ignore[arg-type]


@given(
    sources(), st.integers(1, 65_536), scales, precisions, masks, st.integers(0, 3),
    st.sampled_from([*MODELS]), st.sampled_from(["nothing", "d_k", "scale"]),
)  # fmt: skip
@settings(deadline=None)
def test_every_question_comes_back_from_json(
    source: Source, d_k: int, scale: Scale, precision: Precision, mask: Mask, of: int, model: str,
    own: str,
) -> None:  # fmt: skip
    assume(source.normalises or not scale.definition.normalises)
    setup = Setup(d_k, scale, precision, mask, model=model).put(Settings(of))
    if own != "nothing":
        setup = replace(setup, **{own: brought(model)[own]}, model=model)
    asked = Experiment(source, setup)
    text = "".join(json_text(experiment_to_plain(asked)))
    again = experiment_from_plain(json.loads(text))
    assert again.setup == asked.setup
    assert type(again.source) is type(source)
    assert "".join(json_text(experiment_to_plain(again))) == text
    for left, right in zip(again.vectors, asked.vectors, strict=True):
        assert left.name == right.name
        assert left.scores.tobytes() == right.scores.tobytes()


def test_a_model_brings_what_a_file_does_not_say() -> None:
    def read(**more: object) -> Setup:
        plain: Any = {"vectors": VECTORS, "model": "gemma-2-27b", **more}
        return experiment_from_plain(plain).setup

    gemma = MODELS["gemma-2-27b"]
    assert read() == Setup(gemma.d_k, gemma.scale, model="gemma-2-27b")
    assert read(d_k=64) == Setup(64, gemma.scale, model="gemma-2-27b")
    without = replace(gemma.scale, softcap=None)
    assert read(softcap=None) == Setup(128, without, model="gemma-2-27b")
    assert read(rule="inverse").scale == replace(gemma.scale, rule="inverse", arguments=())
    assert read(parameters={"a": 7}).scale == replace(gemma.scale, arguments=(("a", 7.0),))
    assert read(d_k=64, softcap=None).model == "none"
    assert read(model="none") == Setup()
    of_two = {"queries": [[1.0, 2.0]], "keys": [[3.0, 4.0]], "model": "gpt-2"}
    assert experiment_from_plain(of_two).setup == Setup(2, model="gpt-2")
    for wrong in ("gpt-9", None, 3, ["gpt-2"]):
        with pytest.raises(InputError, match="model"):
            read(model=wrong)


def test_each_source_has_its_own_names() -> None:
    assert experiment_to_plain(Experiment(Drawn(5, 7, 2)))["draw"] == {
        "n_keys": 5,
        "seed": 7,
        "vectors": 2,
        "law": "q·k, the entries of q and k independent and standard normal",
        "generator": "NumPy PCG64, standard_normal",
    }
    plain = experiment_to_plain(Experiment(Products([[1.0, 2.0]], [[3.0, 4.0]])))  # type: ignore[arg-type]
    assert (plain["queries"], plain["keys"]) == ([[1.0, 2.0]], [[3.0, 4.0]])
    assert (plain["d_k"], plain.keys() & {"values", "vectors", "draw"}) == (2, set())


def test_a_mask_is_kept_apart_from_the_scores_it_hides() -> None:
    masked = Experiment(
        Typed((Vector("a", np.array([1.0, 2.0, 3.0])),)), Setup(mask=Mask(((1, 2),)))
    )
    plain = experiment_to_plain(masked)
    assert (plain["mask"], plain["vectors"][0]["scores"]) == ("1", [1.0, 2.0, 3.0])


def test_what_is_left_out_has_its_default() -> None:
    assert experiment_from_plain({"draw": {}}) == Experiment(Drawn())
    assert experiment_from_plain({"vectors": VECTORS, "softcap": None}).setup == Setup()
    assert experiment_from_plain({"queries": [[1, 2]], "keys": [[3, 4]]}).setup.d_k == 2


def test_a_question_that_cannot_be_asked_is_refused() -> None:
    for plain, expected in [
        ({"vectors": VECTORS, "draw": {}}, '"vectors" and "draw" exclude each other'),
        ({"values": [[1]], "draw": {}}, '"draw" and "values" exclude each other'),
        ({"draw": {"n_keys": 0}}, "draw: n = '0' will not do"),
        ({"draw": {"n_keys": 1.5}}, '"draw.n_keys" is 1.5; expected a whole number'),
        ({"draw": {"seed": True}}, '"draw.seed" is true; expected a whole number'),
        ({"draw": {"n": 3}}, "'n' is unknown in \"draw\""),
        ({"draw": []}, '"draw" is this empty list; expected an object'),
        ({"queries": [[1]]}, '"keys" is missing; expected a list of lists'),
        ({"keys": [[1]]}, '"queries" is missing; expected a list of lists'),
        ({"queries": [1], "keys": [[1]]}, '"queries[0]" is 1; expected a list of numbers'),
        ({"queries": [[1], ["Infinity"]], "keys": [[1]]}, '"queries[1][0]" is'),
        ({"queries": [[1]], "keys": [[1], [True]]}, '"keys[1][0]" is true'),
        ({"queries": [[1]], "keys": [[1], [2, 3]]}, "expected as many numbers as row 0"),
        ({"queries": [[1]], "keys": [[1, 2]]}, "a row of K has 2 numbers and q has 1"),
        ({"queries": [[1]], "keys": [[1]], "values": [[1], [2]]}, "V has 2 rows and K has 1"),
        ({"queries": [[1]], "keys": [[1]], "d_k": 2}, '"d_k" is 2; expected 1, the length of a'),
        ({"vectors": VECTORS, "softcap": -1}, '"softcap" is -1; expected a finite cap above 0'),
        ({"vectors": VECTORS, "softcap": "50"}, "\"softcap\" is '50'; expected a finite cap"),
        ({"vectors": VECTORS, "sink": "Infinity"}, "\"sink\" is 'Infinity'; expected a"),
        ({"vectors": VECTORS, "qk_norm": 1}, '"qk_norm" is 1; expected yes or no'),
        ({"vectors": VECTORS, "round_scores": "f8"}, "\"round_scores\" is 'f8'; expected one of"),
        ({"vectors": VECTORS, "round_vectors": 16}, '"round_vectors" is 16; expected one of'),
        ({"vectors": VECTORS, "mask": "1:x"}, "mask: '1:x' will not do"),
        ({"vectors": VECTORS, "mask": [1]}, '"mask" is this list; expected a text in quotes'),
        ({"vectors": VECTORS, "mask": "2"}, "mask: there is no key 2"),
    ]:
        with pytest.raises(InputError, match="experiment: ") as caught:
            experiment_from_plain(plain)
        assert expected in str(caught.value)
        assert caught.value.field == "experiment"


def test_a_file_of_any_question_can_be_read_for_its_scores(tmp_path: Any) -> None:
    path = tmp_path / "asked.json"
    asked = Experiment(Drawn(3, 1, 2), Setup(d_k=4, mask=Mask(((0, 1),))))
    path.write_text(json.dumps({"schema": "attn-tui/1", "experiment": experiment_to_plain(asked)}))
    found = source_of(f"@{path}").vectors(Setup())
    assert [v.scores.tolist() for v in found] == [
        v.scores.tolist() for v in Drawn(3, 1, 2).vectors(Setup(d_k=4))
    ]


def test_an_experiment_file_is_refused_with_its_name_and_the_place(tmp_path: Path) -> None:
    vectors = [{"name": "a", "scores": [1, 2]}]
    path = tmp_path / "experiment.json"
    for plain, expected in (
        ([], "this empty list"),
        ({}, '"vectors" is missing'),
        ({"schema": "attn-tui/1"}, '"experiment" is null'),
        ({"vectors": vectors, "d_k": 0}, '"d_k" is 0; expected a whole number from 1'),
        ({"vectors": vectors, "d_k": 2.5}, '"d_k" is 2.5; expected a whole number'),
        ({"vectors": vectors, "d_k": True}, '"d_k" is true'),
        ({"vectors": vectors, "dk": 2}, "'dk' is unknown"),
        ({"vectors": vectors, "rule": "cube"}, "rule: 'cube'"),
        ({"vectors": vectors, "rule": "temperature", "parameters": {"T": "NaN"}}, "T=nan"),
        ({"vectors": vectors, "rule": "temperature", "parameters": {"T": None}}, '"T" is null'),
        ({"vectors": vectors, "precision": "f16"}, "\"precision\" is 'f16'"),
        ({"vectors": vectors, "naive": 1}, '"naive" is 1; expected yes or no'),
        ({"vectors": vectors, "settings": {"x": {}}}, "'x' is unknown in \"settings\""),
        ({"vectors": vectors, "settings": {"explore": {"of": "0"}}}, "explore.of\" is '0'"),
        ({"vectors": vectors, "settings": {"explore": {"of": -1}}}, 'explore.of" is -1'),
        ({"vectors": vectors, "settings": {"explore": {"wrt": "x"}}}, "explore.wrt\" is 'x'"),
        ({"vectors": []}, "at least one number"),
        ({"vectors": [{"name": "a", "scores": ["Infinity"]}]}, "\"scores of a[0]\" is 'Infinity'"),
        ({"vectors": [{"name": "a", "scores": [10**400]}]}, '"scores of a[0]" is 1000'),
        ({"vectors": [*vectors, *vectors]}, "two vectors are named 'a'"),
        ({"vectors": [{"name": "\x1b", "scores": [1]}]}, r"'\x1b' cannot name"),
    ):
        path.write_text(json.dumps(plain))
        with pytest.raises(InputError) as caught:
            read_experiment(str(path))
        assert caught.value.field == "experiment"
        assert "experiment.json'" in str(caught.value)
        assert expected in str(caught.value)


def test_settings_of_every_kind_go_to_json_and_back() -> None:
    for own in (
        explore.Settings(of=2, wrt="logits"),
        dots.Settings(samples=500, mean_q=0.5, tied=True),
        sweep.Settings(n_range=(2, 16), draws=16, statistic="entropy"),
        heads.Settings(("/a.npz",), rows=None, layer=1),
    ):
        question = asking(Vector("a", np.array([1.0])), setup=Setup().put(own))
        plain = json.loads("".join(json_text(experiment_to_plain(question))))
        assert experiment_from_plain(plain).setup.get(type(own)) == own


def test_settings_that_will_not_do_are_refused() -> None:
    for instrument, plain, expected in [
        ("dots", {"mean_q": nan}, 'dots.mean_q" is NaN; expected a number'),
        ("dots", {"mean_q": None}, 'dots.mean_q" is null'),
        ("dots", {"mean_q": 10**400}, 'dots.mean_q" is 1000'),
        ("heads", {"rows": 1.5}, 'heads.rows" is 1.5; expected a whole number'),
        ("heads", {"capture": "x"}, "heads.capture\" is 'x'"),
        ("heads", {"capture": [["x"]]}, 'heads.capture" is this list'),
        ("sweep", {"n_range": 3}, 'sweep.n_range" is 3'),
        ("explore", {"wrt": {}}, 'explore.wrt" is this empty object'),
        ("explore", [], 'settings.explore" is this empty list; expected an object'),
    ]:
        vectors = [{"name": "a", "scores": [1, 2]}]
        with pytest.raises(InputError, match="experiment: ") as caught:
            experiment_from_plain({"vectors": vectors, "settings": {instrument: plain}})
        assert expected in str(caught.value)


def test_a_whole_number_is_as_good_as_one_with_a_point() -> None:
    vectors = [{"name": "a", "scores": [1, 2]}]
    found = experiment_from_plain({"vectors": vectors, "softcap": 50}).setup.scale.softcap
    assert (found, type(found)) == (50.0, float)


def test_numbers_that_json_has_not_are_read() -> None:
    nan, *infinities = read_json("[NaN, Infinity, -Infinity]")
    assert isnan(nan)
    assert infinities == [inf, -inf]


def test_what_is_not_json_is_refused() -> None:
    for text, message in [
        ("[1,]", "Expecting value"),
        ("[\n1.5.2]", "line 2: not JSON: Expecting ',' delimiter"),
        ('["a\nb"]', "Invalid control character at"),
        ("[1, 1e400]", "'1e400' is too large for float64"),
        ("[1, -1e400]", "'-1e400' is too large for float64"),
        ("1" * 5_000, "a whole number has too many digits"),
        ("[" * 100_000, "lists are nested too deep"),
        ('{"a": [' * 50_000, "lists are nested too deep"),
        ('{"a": 1, "a": 2}', "the name 'a' stands there twice"),
        ('{"a\\u001b": 1, "a\\u001b": 2}', "the name 'a\\x1b' stands there twice"),
    ]:
        with pytest.raises(InputError) as caught:
            read_json(text)
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], []),
        ([[]], []),
        ([[], []], []),
        ([[1.0], []], [1.0]),
        ([[], [1.0, 2.0], [], [3.0]], [1, 2, 3]),
        ([np.zeros(0), np.array([inf]), np.zeros(0)], ["Infinity"]),
    ],
)
def test_a_list_that_comes_in_pieces_is_json_whatever_is_empty(
    pieces: list[Any], expected: list[Any]
) -> None:
    text = "".join(json_text({"output": iter(pieces)}))
    assert json.loads(text) == {"output": expected}
