"""Tensors that are spread over files: ranks of heads, and layers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.opening import open_capture
from attn_tui.captures.stored import Plain, Raw
from tests.captures.made import Arrays, laid_out, layer, saved, says
from tests.captures.test_opening import assert_holds


def split(tmp_path: Path, made: Arrays, ranks: int, **metadata: Any) -> list[str]:
    """Write heads over files, so many each; keys that are too few are repeated."""
    paths = []
    for rank in range(ranks):
        here = {}
        for part, array in made.items():
            heads = array.shape[1]
            first = rank * heads // ranks
            here[part] = array[:, first : max(first + 1, (rank + 1) * heads // ranks)]
        text = {name: str(each[rank]) for name, each in metadata.items()}
        paths.append(saved(tmp_path / f"rank{rank}.safetensors", here, text))
    return paths


@pytest.mark.parametrize("kv_heads", [8, 4, 2, 1])
def test_ranks_are_joined_on_heads(tmp_path: Path, kv_heads: int) -> None:
    made = layer(2, 8, kv_heads, 9, 9, 4, 4)
    split(tmp_path, made, 4)
    capture = open_capture([str(tmp_path / "rank*.safetensors")])
    assert_holds(capture, made)
    assert says(capture, "4 files hold the same tensors: ranks, joined on heads by their numbers.")
    assert says(capture, f"{4 // kv_heads} ranks each hold the same KV head") == (kv_heads < 4)


def test_keys_of_a_rank_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, blocks = [], Plain.blocks

    def counted(stored: Plain, most: int) -> Iterator[tuple[int, Raw]]:
        read.append((stored.path, stored.name))
        return blocks(stored, most)

    monkeypatch.setattr(Plain, "blocks", counted)
    open_capture(split(tmp_path, layer(2, 8, 8, 9, 9, 4, 4), 4))
    assert len(read) == len({*read}) == 4 * 2


def test_a_rank_that_is_missing_is_said(tmp_path: Path) -> None:
    made = layer(1, 8, 2, 9, 9, 4, 4)
    paths = split(tmp_path, made, 4)
    every = open_capture(paths)
    assert not says(every, "missing")
    for gone, said in ((2, "Rank 2 is missing"), (0, ""), (3, "")):
        kept = [path for at, path in enumerate(paths) if at != gone]
        capture = open_capture(kept)
        assert says(capture, said or "is missing: heads") == bool(said)
        there = [head for head in range(8) if head // 2 != gone]
        for name, head in zip(capture.heads, there, strict=True):
            assert (capture.read(name).keys == made["k"][0, head // 4]).all()
    assert says(open_capture([paths[0], paths[3]]), "Ranks 1, 2 are missing")
    # So they are where each says its rank.
    turned = split(tmp_path, layer(1, 8, 8, 9, 9, 4, 4), 4, tp_rank=(0, 1, 4, 5))
    capture = open_capture(turned)
    assert says(capture, "Ranks 2, 3 are missing: heads of the ranks behind have higher numbers")


def test_ranks_are_in_the_order_that_they_say_or_that_of_their_numbers(tmp_path: Path) -> None:
    made = layer(1, 24, 12, 30, 30, 4, 4)
    paths = split(tmp_path, made, 12)
    assert_holds(open_capture(sorted(paths)), made)  # rank10 comes before rank2.
    turned = split(tmp_path, made, 12, rank=range(12))
    for number, path in enumerate(turned):
        Path(path).rename(tmp_path / f"x{11 - number}.safetensors")
    assert_holds(open_capture([str(tmp_path / "x*.safetensors")]), made)


def test_sinks_and_turned_outputs_are_joined_too(tmp_path: Path) -> None:
    made = layer(1, 4, 2, 5, 5, 4, 4)
    sinks = np.array([0.5, -1.0, 2.0, 3.0], np.float32)
    paths = []
    for rank in range(2):
        heads = slice(2 * rank, 2 * rank + 2)
        here = {**{part: each[:, heads] for part, each in made.items()}, "sink": sinks[heads]}
        here["k"], here["v"] = made["k"][:, rank : rank + 1], made["v"][:, rank : rank + 1]
        here["out"] = laid_out(here["out"], "bnhd")
        paths.append(saved(tmp_path / f"{rank}.safetensors", here))
    capture = open_capture(paths)
    assert_holds(capture, made)
    assert [capture.read(head).sink for head in capture.heads] == sinks.tolist()


def test_layers_may_be_spread_over_files(tmp_path: Path) -> None:
    one, other = layer(), layer(seed=2)
    plain = [
        saved(tmp_path / f"layer_{at}.safetensors", each) for at, each in ((9, one), (10, other))
    ]
    capture = open_capture(plain)
    assert says(capture, "Each file is a layer, by the number in its name.")
    assert_holds(capture, one, 9)
    assert_holds(capture, other, 10)
    named = [
        saved(tmp_path / f"{name}.safetensors", {f"{at}.{part}": a for part, a in each.items()})
        for name, at, each in (("a", 3, one), ("b", 1, other))
    ]
    capture = open_capture(named)
    assert capture.layers == (1, 3)
    assert_holds(capture, one, 3)
