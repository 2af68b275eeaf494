import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import Mask
from attn_tui.compute.models import MODELS, brought
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import RULES, Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain
from attn_tui.files.plain import json_text
from attn_tui.files.readers import read_arguments

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
    assert read(rule="inverse").scale == replace(gemma.scale, rule="inverse", given=())
    assert read(parameters={"a": 7}).scale == replace(gemma.scale, given=(("a", 7.0),))
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
        ({"draw": {"n_keys": 1.5}}, '"n_keys" is 1.5; expected a whole number'),
        ({"draw": {"seed": True}}, '"seed" is true; expected a whole number'),
        ({"draw": {"n": 3}}, "\"draw\" has the unknown name 'n'"),
        ({"draw": []}, '"draw" is this empty list; expected an object'),
        ({"queries": [[1]]}, '"keys" is null; expected a list of lists'),
        ({"keys": [[1]]}, '"queries" is null; expected a list of lists'),
        ({"queries": [1], "keys": [[1]]}, '"queries[0]" is 1; expected a list of finite numbers'),
        ({"queries": [[1], ["Infinity"]], "keys": [[1]]}, '"queries[1]" is this list'),
        ({"queries": [[1]], "keys": [[1], [True]]}, '"keys[1]" is this list'),
        ({"queries": [[1]], "keys": [[1], [2, 3]]}, '"keys[1]" has 2 numbers and row 0 1'),
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
        ({"vectors": VECTORS, "mask": [1]}, '"mask" is this list; expected a string'),
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
    found = read_arguments([f"@{path}"])
    assert [v.scores.tolist() for v in found] == [
        v.scores.tolist() for v in Drawn(3, 1, 2).vectors(Setup(d_k=4))
    ]


def test_a_long_list_is_written_in_pieces_that_read_as_one() -> None:
    numbers = [0.5 * n for n in range(25_000)]
    pieces = list(json_text({"a": numbers, "b": numbers[:10_000]}))
    assert json.loads("".join(pieces)) == {"a": numbers, "b": numbers[:10_000]}
    assert max(map(len, pieces)) < 100_000
