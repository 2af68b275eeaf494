"""What is recognised in a capture and stated: names, lengths, masks, positions, claims."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.captures.names import Meaning, meaning_of
from attn_tui.captures.opening import open_capture
from attn_tui.captures.source import read_head
from attn_tui.captures.writer import write_safetensors
from tests.captures.arrays import Arrays, laid_out, layer, same, saved, says
from tests.captures.test_opening import assert_holds
from tests.pairs import covering


@pytest.mark.parametrize(
    ("name", "number", "part"),
    [
        ("blocks.1.attn.hook_pattern", 1, "weights"),
        ("blocks.1.attn.hook_rot_k", 1, "k"),
        ("model__layers__9__self_attn__attn__k", 9, "k"),
        ("model.layers.4.self_attn.q_proj", 4, "q"),
        ("model.layers.4.self_attn.attn_output", 4, "out"),
        ("model.layers.4.self_attn.attn_weights", 4, "weights"),
        ("layers/4/s_aux", 4, "sink"),
        ("layer_3_q", 3, "q"),
        ("h0.self_attn_weights", 0, "weights"),
        ("attn_weights_5", 5, "weights"),
    ],
)
def test_names_of_other_tools_are_known(name: str, number: int, part: str) -> None:
    assert meaning_of(name) == Meaning(number, part)


def test_other_names_mean_nothing() -> None:
    names = ["", "1.2.q", "gpt2.q", "q.1.5", "1q", "q_out_", "9999999.q", "blocks.0.hook_attn_out"]
    names += ["model.layers.4.self_attn.o_proj", "model.layers.0.self_attn.q_proj.weight"]
    # A name of many parts takes no time either.
    names += ["a__" * 100_000 + "1.x"]
    assert [name for name in names if meaning_of(name)] == []


def test_transformer_lens_is_known_with_its_layout(tmp_path: Path) -> None:
    arrays = layer(1, 5, 5, 5, 5, 4, 4)
    names = dict(zip(arrays, ("q", "k", "v", "z"), strict=True))
    stored = {
        f"blocks.0.attn.hook_{names[part]}": laid_out(tensor, "bnhd")
        for part, tensor in arrays.items()
    }
    weights = np.full((1, 5, 5, 5), 0.2, np.float32)
    stored["blocks.0.attn.hook_pattern"] = weights
    unrotated = stored["blocks.0.attn.hook_q"] + np.float32(1)
    stored["blocks.0.attn.hook_rot_q"] = stored["blocks.0.attn.hook_q"]
    stored["blocks.0.attn.hook_q"] = unrotated
    stored["blocks.0.hook_resid_pre"] = np.zeros((1, 5, 20))
    capture = open_capture([saved(tmp_path / "a.safetensors", stored)])
    assert_holds(capture, arrays)
    assert not any("leave open" in sentence for sentence in capture.stated)
    assert same(capture.read(HeadId(0, 0, 2)).weights, weights[0, 2])


def test_names_are_mapped(tmp_path: Path) -> None:
    arrays = layer()
    called = dict(zip(arrays, ("q", "key", "values", "context"), strict=True))
    stored = {f"net.6.att.{called[part]}_vec": array for part, array in arrays.items()}
    path = saved(tmp_path / "a.safetensors", stored)
    assert_holds(open_capture([path], names="net.{layer}.att.{part}_vec"), arrays, 6)


def test_layers_that_lack_something_are_named(tmp_path: Path) -> None:
    stored = {
        f"{number}.{part}": tensor for number in (0, 1, 2, 5) for part, tensor in layer().items()
    }
    stored["7.q"] = stored["0.q"]
    capture = open_capture([saved(tmp_path / "a.safetensors", stored)])
    assert says(
        capture,
        "Layers 0 to 2, 5: 2 sequences",
        "Without q or k, and left out: layer 7.",
    )


def test_a_ragged_batch_is_as_long_as_its_lengths(tmp_path: Path) -> None:
    arrays = layer(3, 4, 2, 6, 6, 4, 4)
    mask = np.random.default_rng(1).random((3, 1, 6, 6)) < 0.5
    path = saved(
        tmp_path / "a.safetensors", {**arrays, "mask": mask, "lengths": np.array([6, 2, 4])}
    )
    capture = open_capture([path])
    rows = capture.read(HeadId(1, 0, 3))
    assert same(rows.output, arrays["out"][1, 3, :2])
    assert same(rows.keys, arrays["k"][1, 1, :2])
    assert same(rows.seen, mask[1, 0, :2, :2])
    assert capture.shape(HeadId(2, 0, 0)).n_queries == 4


def test_sequences_may_stand_one_behind_the_other(tmp_path: Path) -> None:
    arrays = layer(1, 4, 2, 9, 9, 4, 4)
    lengths = np.array([3, 1, 5])
    for layout in ("hnd", "nhd"):
        stored = {part: laid_out(tensor, layout) for part, tensor in arrays.items()}
        stored["lengths"] = lengths
        capture = open_capture([saved(tmp_path / "a.safetensors", stored, {"num_heads": "4"})])
        assert len(capture.heads) == 12
        for batch, span in enumerate((slice(0, 3), slice(3, 4), slice(4, 9))):
            rows = capture.read(HeadId(batch, 0, 3))
            assert same(rows.queries, arrays["q"][0, 3, span])
            assert same(rows.values, arrays["v"][0, 1, span])
        rows = capture.read(HeadId(2, 0, 1), [0, 4])
        assert same(rows.output, arrays["out"][0, 1, [4, 8]])
    pairs = np.array([[1, 4], [1, 5]])
    decode = {
        **arrays,
        "q": arrays["q"][:, :, :2],
        "out": arrays["out"][:, :, :2],
        "lengths": pairs,
    }
    rows = open_capture([saved(tmp_path / "b.safetensors", decode)]).read(HeadId(1, 0, 2))
    assert same(rows.queries, arrays["q"][0, 2, 1:2])
    assert same(rows.keys, arrays["k"][0, 1, 4:])


@pytest.mark.parametrize(
    ("shape", "kind"),
    covering(
        [(2, 4, 5, 5), (2, 1, 5, 5), (1, 1, 5, 5), (2, 5, 5), (5, 5)], ["truth", "whole", "added"]
    ),
)
def test_masks_of_any_rank_are_read(tmp_path: Path, shape: tuple[int, ...], kind: str) -> None:
    seen = np.random.default_rng(3).random(shape) < 0.6
    stored: Any = seen
    if kind == "whole":
        stored = seen.astype(np.int32)
    elif kind == "added":
        stored = np.where(seen, 0, np.finfo(np.float16).min).astype(np.float16)
    path = saved(tmp_path / "a.safetensors", {**layer(), "mask": stored})
    rows = open_capture([path]).read(HeadId(1, 0, 2), [0, 3, 4])
    whole = np.broadcast_to(seen[:, None] if len(shape) == 3 else seen, (2, 4, 5, 5))
    assert same(rows.seen, whole[1, 2, [0, 3, 4]])
    assert rows.bias is None


def test_an_additive_mask_may_hold_a_bias(tmp_path: Path) -> None:
    mask = np.where(np.tri(5), -np.arange(5.0), -np.inf).astype(np.float32)
    bias = np.full((4, 5, 5), 0.5, np.float32)
    path = saved(tmp_path / "a.safetensors", {**layer(), "mask": mask, "bias": bias})
    rows = open_capture([path]).read(HeadId(0, 0, 1))
    assert same(rows.seen, np.tri(5, dtype=bool))
    assert same(rows.bias, np.where(np.tri(5), -np.arange(5.0), 0) + 0.5)
    both = saved(tmp_path / "c.safetensors", {**layer(), "bias": mask})
    rows = open_capture([both]).read(HeadId(0, 0, 1))
    assert same(rows.seen, np.tri(5, dtype=bool))
    assert same(rows.bias, np.where(np.tri(5), -np.arange(5.0), 0))
    keys = saved(tmp_path / "b.safetensors", {**layer(3), "mask": np.array([[1, 1, 1, 0, 0]] * 3)})
    assert same(open_capture([keys]).read(HeadId(2, 0, 0)).seen, np.array([[1, 1, 1, 0, 0]] * 5))


def test_what_stands_beside_is_read_by_rows(tmp_path: Path) -> None:
    arrays = layer(2, 4, 2, 5, 5, 3, 6)
    weights = np.arange(200, dtype=np.float32).reshape(2, 4, 5, 5)
    more: Arrays = {"weights": weights, "positions": np.arange(10).reshape(2, 5)}
    rows = open_capture([saved(tmp_path / "a.safetensors", {**arrays, **more})]).read(
        HeadId(1, 0, 2), [1, 4]
    )
    assert same(rows.weights, weights[1, 2, [1, 4]])
    assert same(rows.positions, np.array([6, 9]))
    of_all = {**arrays, "positions": np.arange(3, 8)}
    rows = open_capture([saved(tmp_path / "b.safetensors", of_all)]).read(HeadId(1, 0, 2), [4])
    assert same(rows.positions, np.array([7]))


@pytest.mark.parametrize(
    ("n_queries", "more", "sentence"),
    [
        (1, {}, "Nothing but the output may say at which of 9 keys 1 query may stand."),
        (3, {}, "Nothing but the output may say at which of 9 keys 3 queries may stand"),
        (3, {"positions": np.arange(6, 9)}, ""),
        (
            3,
            {"positions": np.arange(9, 12)},
            "The last query stands at 11, beyond 9 keys: K lacks the prefix.",
        ),
        (12, {}, "12 queries have 9 keys: K lacks the prefix, or this is cross attention."),
    ],
)
def test_where_queries_stand_is_known_or_said_to_be_open(
    tmp_path: Path, n_queries: int, more: Arrays, sentence: str
) -> None:
    arrays = layer(1, 4, 2, n_queries, 9, 3, 6)
    capture = open_capture([saved(tmp_path / "a.safetensors", {**arrays, **more})])
    assert_holds(capture, arrays)
    about = [stated for stated in capture.stated if "quer" in stated and "Layer" not in stated]
    assert [stated[: len(sentence)] for stated in about] == [sentence] * bool(sentence)
    positions = capture.read(HeadId(0, 0, 1), [n_queries - 1]).positions
    assert same(positions, more["positions"][-1:]) if more else positions is None


def test_claims_are_tested(tmp_path: Path) -> None:
    arrays = layer(1, 4, 2, 7, 7, 8, 6)
    claims = {"num_attention_heads": "4", "num_kv_heads": "4", "head_dim": "16", "layout": "bnhd"}
    capture = open_capture([saved(tmp_path / "a.safetensors", arrays, claims)])
    assert_holds(capture, arrays)
    assert says(
        capture,
        "The metadata says num_kv_heads 4, but shapes say 2.",
        "The metadata says head_dim 16, but shapes say 8.",
        "The metadata says q is bnhd, which shapes deny.",
    )
    strange = saved(tmp_path / "b.safetensors", arrays, {"layout": "zz\x1b"})
    assert says(open_capture([strange]), r"The metadata's layout 'zz\x1b' means nothing here.")


def test_a_claimed_layout_decides_what_shapes_leave_open(tmp_path: Path) -> None:
    arrays = layer(1, 5, 5, 5, 5, 4, 4)
    stored = {part: laid_out(tensor, "bnhd") for part, tensor in arrays.items()}
    assert_holds(
        open_capture([saved(tmp_path / "a.safetensors", stored, {"layout": "bnhd"})]), arrays
    )


def test_metadata_names_the_tokens_of_a_head(tmp_path: Path) -> None:
    path = tmp_path / "capture.safetensors"
    arrays = {f"layers.0.{part}": np.eye(3)[None, None] for part in ("q", "k")}
    for text, tokens in (
        ('["the", " cat", "sat"]', ("the", " cat", "sat")),
        ("the cat sat", ("the", "cat", "sat")),
        ("[1, 2]", ()),
        ("[the", ()),
    ):
        write_safetensors(path, arrays, {"tokens": text})
        capture = open_capture((str(path),))
        assert read_head(capture, HeadId(0, 0, 0)).words == tokens
        assert read_head(capture, HeadId(0, 0, 0), 1).words == ()
