import json
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.files.codec import SCHEMA, experiment_to_plain
from attn_tui.files.draft import parse
from attn_tui.files.matrices import read_matrix
from attn_tui.files.opening import open_draft
from attn_tui.files.plain import json_text
from attn_tui.files.sources import Part
from tests.pairs import with_rows

HERE = Path(__file__).parent
SETUP = Setup(d_k=64, scale=Scale(softcap=50.0))
Q, K, V = [[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], [[7.0], [8.0]]


def test_scores_are_opened_and_the_setup_stays() -> None:
    for name in sorted(path.name for path in (HERE / "valid").iterdir()):
        draft = open_draft(str(HERE / "valid" / name), SETUP)
        assert parse(draft).source.kind == "typed"
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
    assert (draft.source, draft.text) == ("drawn", "n = 5, seed = 7, vectors = 2")
    assert parse(draft) == asked


def test_a_million_scores_are_attached(tmp_path: Path) -> None:
    np.save(tmp_path / "row.npy", np.zeros(1_000_000))
    draft = open_draft(str(tmp_path / "row.npy"), SETUP)
    assert draft.text == "row: <#1 1,000,000 scores>"
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
    assert draft.text == "q: 1, 1, 1\nK: <#1 100,000 × 3>"


@pytest.mark.parametrize(
    "arrays", [{"q": [1, 2], "k": [[3], [4]]}, {"q": [1, 2], "k": [3, 4]}, {"k": K}]
)
def test_what_only_looks_like_queries_and_keys_is_scores(
    arrays: dict[str, Any], tmp_path: Path
) -> None:
    assert open_draft(_saved(tmp_path / "file.npz", arrays), SETUP).source == "typed"


def test_rows_are_typed_or_come_from_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", np.array(K))
    np.save(tmp_path / "row.npy", np.array(K[0]))
    np.savez(tmp_path / "both.npz", q=Q, keys=K)
    (tmp_path / "rows.csv").write_text("3,4\n5,6\n")
    (tmp_path / "rows.json").write_text("[[3, 4], [5, 6]]")
    for argument in ("[[3, 4], [5, 6]]", "3 4\n5 6", "k: 3 4\nk: 5 6"):
        assert read_matrix(argument, "K").tolist() == K
    for name in ("rows.npy", "both.npz", "rows.csv", "rows.json"):
        assert read_matrix(f"@{tmp_path / name}", "K").tolist() == K
    assert read_matrix(f"@{tmp_path / 'both.npz'}", "q").tolist() == Q
    assert read_matrix(f"@{tmp_path / 'row.npy'}", "q").tolist() == K[:1]


@with_rows(
    ("argument", "part", "expected"),
    [
        ("1 x", "q", "query, line 1: 'x' is not a number; expected finite numbers"),
        ("1 -inf", "K", "keys: a row of K holds an infinity or NaN"),
        ("[[1, 2], [3]]", "V", "values: a row of V has 1 number and its first row 2"),
        ("", "q", "query: there are none"),
        ("@missing.npy", "K", "keys, 'missing.npy': there is no such file"),
        (
            f"@{HERE / 'valid' / 'keys.npz'}",
            "V",
            "keys.npz': it holds 'k, q'; expected one named V",
        ),
        (f"@{HERE / 'valid' / 'half.npy'}", "q", "half.npy': a row of q holds an infinity"),
        (f"@{HERE / 'invalid' / 'nan.npy'}", "q", "nan.npy': nan stands at row 1, key 1"),
        (f"@{HERE / 'invalid' / 'cut.npz'}", "q", "cut.npz': it is no zip archive"),
    ],
)
def test_rows_that_will_not_do_are_refused(argument: str, part: Part, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_matrix(argument, part)
    assert expected in str(caught.value)


def test_a_masked_score_can_be_opened(tmp_path: Path) -> None:
    (tmp_path / "masked.txt").write_text("1, -inf")
    draft = open_draft(str(tmp_path / "masked.txt"), SETUP)
    assert parse(draft).vectors[0].scores.tolist() == [1, -inf]
