"""Tensors that are spread over files: ranks of heads, and layers."""

from pathlib import Path

import numpy as np

from attn_tui.captures.opening import open_capture
from tests.captures.arrays import Arrays, laid_out, layer, same, saved, says
from tests.captures.test_opening import assert_holds


def split(tmp_path: Path, arrays: Arrays, ranks: int) -> list[str]:
    """Write heads over the files of ranks; KV heads are repeated if there are fewer than files."""
    paths = []
    for rank in range(ranks):
        here = {}
        for part, array in arrays.items():
            heads = array.shape[1]
            first = rank * heads // ranks
            here[part] = array[:, first : max(first + 1, (rank + 1) * heads // ranks)]
        paths.append(saved(tmp_path / f"rank{rank}.safetensors", here))
    return paths


def test_ranks_are_joined_on_heads(tmp_path: Path) -> None:
    arrays = layer(2, 8, 8, 9, 9, 4, 4)
    split(tmp_path, arrays, 4)
    capture = open_capture([str(tmp_path / "rank*.safetensors")])
    assert_holds(capture, arrays)
    assert says(capture, "4 files hold the same tensors: ranks, joined on heads in their order.")


def test_ranks_that_hold_the_same_kv_head_have_it_each(tmp_path: Path) -> None:
    arrays = layer(2, 8, 2, 9, 9, 4, 4)
    capture = open_capture(split(tmp_path, arrays, 4))
    for head in capture.heads:
        assert same(capture.read(head).keys, arrays["k"][head.batch, head.head // 4])


def test_ranks_are_in_the_order_of_the_numbers_in_their_names(tmp_path: Path) -> None:
    arrays = layer(1, 24, 12, 30, 30, 4, 4)
    paths = split(tmp_path, arrays, 12)
    assert_holds(open_capture(sorted(paths)), arrays)  # rank10 comes before rank2.


def test_sinks_and_turned_outputs_are_joined_too(tmp_path: Path) -> None:
    arrays = layer(1, 4, 2, 5, 5, 4, 4)
    sinks = np.array([0.5, -1.0, 2.0, 3.0], np.float32)
    paths = []
    for rank in range(2):
        heads = slice(2 * rank, 2 * rank + 2)
        here = {**{part: tensor[:, heads] for part, tensor in arrays.items()}, "sink": sinks[heads]}
        here["k"], here["v"] = arrays["k"][:, rank : rank + 1], arrays["v"][:, rank : rank + 1]
        here["out"] = laid_out(here["out"], "bnhd")
        paths.append(saved(tmp_path / f"{rank}.safetensors", here))
    capture = open_capture(paths)
    assert_holds(capture, arrays)
    assert [capture.read(head).sink for head in capture.heads] == sinks.tolist()


def test_layers_may_be_spread_over_files(tmp_path: Path) -> None:
    one, other = layer(), layer(seed=2)
    plain = [
        saved(tmp_path / f"layer_{number}.safetensors", tensors)
        for number, tensors in ((9, one), (10, other))
    ]
    capture = open_capture(plain)
    assert says(capture, "Each file is a layer, by the number in its name.")
    assert_holds(capture, one, 9)
    assert_holds(capture, other, 10)
    named = [
        saved(
            tmp_path / f"{name}.safetensors",
            {f"{number}.{part}": tensor for part, tensor in tensors.items()},
        )
        for name, number, tensors in (("a", 3, one), ("b", 1, other))
    ]
    capture = open_capture(named)
    assert capture.layers == (1, 3)
    assert_holds(capture, one, 3)
