"""A question as it stands in the editor: text that asks it, and files that are opened."""

import json
import re
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Vector
from attn_tui.files.codec import SCHEMA, experiment_to_plain
from attn_tui.files.draft import EXAMPLE, Draft, draft_of, open_draft, parse
from attn_tui.files.grammar import LONGEST_NAME, usable
from attn_tui.files.plain import json_text
from tests.asking import asking

HERE = Path(__file__).parent
SETUP = Setup(d_k=64, scale=Scale(softcap=50.0))
Q, K, V = [[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], [[7.0], [8.0]]


def test_scores_are_opened_and_the_setup_stays() -> None:
    for name in sorted(path.name for path in (HERE / "valid").iterdir()):
        draft = open_draft(str(HERE / "valid" / name), SETUP)
        assert parse(draft).source.kind == "typed", name
        assert draft.setup == (Setup() if name == "ours.json" else SETUP)


def test_what_cannot_be_opened_names_the_file() -> None:
    for name in sorted(path.name for path in (HERE / "invalid").iterdir()):
        with pytest.raises(InputError) as caught:
            open_draft(str(HERE / "invalid" / name), SETUP)
        assert caught.value.field == "file"
        assert name in caught.value.where
        assert str(caught.value).isprintable()


def test_what_is_not_there_is_no_file() -> None:
    for path, problem in [
        ("", "no such file"),
        ("-", "no such file"),
        (".", "it is a directory"),
        ("missing.npy", "no such file"),
        ("\x1b[31m.npy", "no such file"),
    ]:
        with pytest.raises(InputError, match=f"file, .*{problem}") as caught:
            open_draft(path, SETUP)
        assert str(caught.value).isprintable()


def test_a_configuration_is_told_where_it_belongs(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "llama", "num_attention_heads": 8}))
    with pytest.raises(InputError, match="the configuration of a model; expected it beside a capt"):
        open_draft(str(path), SETUP)


@pytest.mark.parametrize("bare", [False, True])
def test_a_question_is_opened_with_its_own_setup(bare: bool, tmp_path: Path) -> None:
    asked = Experiment(Drawn(5, 7, 2), Setup(d_k=8, mask=Mask(((1, 3),))))
    plain = experiment_to_plain(asked)
    path = tmp_path / "asked.json"
    path.write_text("".join(json_text(plain if bare else {"schema": SCHEMA, "experiment": plain})))
    draft = open_draft(str(path), SETUP)
    assert draft.text == "n = 5, seed = 7, vectors = 2"
    assert parse(draft) == asked


def test_a_million_scores_stay_in_their_file(tmp_path: Path) -> None:
    np.save(tmp_path / "row.npy", np.zeros(1_000_000))
    draft = open_draft(str(tmp_path / "row.npy"), SETUP)
    assert draft.text == f"@{tmp_path / 'row.npy'}"
    assert parse(draft).vectors[0].n_keys == 1_000_000


def _saved(path: Path, arrays: dict[str, Any]) -> str:
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    else:
        path.write_text(json.dumps(arrays))
    return str(path)


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize(
    ("arrays", "shapes"),
    [
        ({"q": Q[0], "K": K}, ((1, 2), (2, 2), None)),
        ({"k": K, "q": Q, "v": V}, ((1, 2), (2, 2), (2, 1))),
        ({"query": K, "key": K * 2_000, "value": V * 2_000}, ((2, 2), (4_000, 2), (4_000, 1))),
    ],
)
def test_queries_and_keys_are_opened_by_their_names(
    suffix: str, arrays: dict[str, Any], shapes: tuple[Any, ...], tmp_path: Path
) -> None:
    draft = open_draft(_saved(tmp_path / f"file{suffix}", arrays), SETUP)
    source = parse(draft).source
    assert isinstance(source, Products)
    assert shapes == tuple(
        None if rows is None else rows.shape
        for rows in (source.queries, source.keys, source.values)
    )
    assert len(draft.text) < 10_000


def test_keys_in_an_array_may_be_many(tmp_path: Path) -> None:
    arrays = {"q": np.ones(3), "K": np.ones((100_000, 3))}
    draft = open_draft(_saved(tmp_path / "cache.npz", arrays), SETUP)
    assert draft.text == "\n".join(f"{part}: @{tmp_path / 'cache.npz'}" for part in "qK")


@pytest.mark.parametrize(
    "arrays", [{"q": [1, 2], "k": [[3], [4]]}, {"q": [1, 2], "k": [3, 4]}, {"k": K}]
)
def test_what_only_looks_like_queries_and_keys_is_scores(
    arrays: dict[str, Any], tmp_path: Path
) -> None:
    draft = open_draft(_saved(tmp_path / "file.npz", arrays), SETUP)
    assert parse(draft).source.kind == "typed"


def test_a_masked_score_can_be_opened(tmp_path: Path) -> None:
    (tmp_path / "masked.txt").write_text("1, -inf")
    draft = open_draft(str(tmp_path / "masked.txt"), SETUP)
    assert parse(draft).vectors[0].scores.tolist() == [1, -inf]


def test_what_stands_in_a_file_whose_name_nobody_sees_is_asked_without_it(tmp_path: Path) -> None:
    for size in (2, 3_000):
        path = tmp_path / "a\x1b[2J\n.npy"
        np.save(path, np.arange(float(size)))
        draft = open_draft(str(path), SETUP)
        assert draft.text.isprintable()
        assert parse(draft).vectors[0].n_keys == size


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


def test_text_that_is_not_understood_makes_a_draft_but_no_question() -> None:
    with pytest.raises(InputError) as caught:
        parse(Draft("1 2\n3 x"))
    assert (caught.value.field, caught.value.line) == ("scores", 2)


def test_a_long_text_names_a_file_of_its_numbers() -> None:
    draft = EXAMPLE.with_text("x: 1 2\n" + "5 " * 3_000)
    assert re.fullmatch(r"@\S+\.npz", draft.text)
    assert draft.with_text(draft.text) == draft
    for text in ("1 " * 2_000, "1 " * 3_000 + "x", "@" + "x" * 5_000):
        assert EXAMPLE.with_text(text).text == text
