"""Which axis is which, for shapes as models have them."""

from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures import disk
from attn_tui.captures.layouts import layout_text
from attn_tui.captures.opening import open_capture
from attn_tui.captures.readings import NEAR, Reading, choices, readings_of, with_kv_mappings
from attn_tui.captures.writer import write_safetensors
from tests.captures.made import layer, same, saved, says

Shapes = dict[str, tuple[int, ...]]


def found(shapes: Shapes, **claims: int) -> tuple[Reading, ...]:
    given = tuple(
        (part, shapes[part], tuple(choices(part, len(shapes[part]))))
        for part in ("q", "k", "v", "out", "scores", "weights", "lse")
        if part in shapes
    )
    return readings_of(given, tuple(claims.items()))


@pytest.mark.parametrize(
    ("q", "k", "layout"),
    [
        ((1, 32, 4096, 128), (1, 8, 4096, 128), "bhnd"),
        ((1, 4096, 32, 128), (1, 4096, 8, 128), "bnhd"),
        ((1, 4096, 32, 128), (1, 4096, 32, 128), "bnhd"),
        ((1, 32, 4096, 128), (1, 32, 4096, 128), "bhnd"),
        ((1, 512, 32, 128), (1, 512, 32, 128), "bnhd"),
        ((1, 12, 5, 64), (1, 12, 5, 64), "bhnd"),
        ((8, 12, 128, 64), (8, 12, 128, 64), "bhnd"),
        ((1, 32, 1, 128), (1, 8, 512, 128), "bhnd"),
        ((1, 1, 32, 128), (1, 512, 8, 128), "bnhd"),
        ((1, 8, 64, 64), (1, 8, 1500, 64), "bhnd"),
        ((1, 64, 8, 64), (1, 1500, 8, 64), "bnhd"),
        ((1, 128, 16, 192), (1, 128, 16, 192), "bhnd"),
        ((96, 128, 64), (96, 128, 64), "hnd"),
        ((4096, 32, 128), (4096, 8, 128), "nhd"),
        ((80, 15), (80, 15), "nd"),
    ],
)
def test_layouts_of_models_are_the_likeliest(
    q: tuple[int, ...], k: tuple[int, ...], layout: str
) -> None:
    first, *others = found({"q": q, "k": k, "v": k, "out": q})
    assert {layout_text(each) for _, each in first.layouts} == {layout}
    assert [each.unlikely for each in others] == sorted(each.unlikely for each in others)
    # An output alone tells nothing that the shape of q does not.
    assert layout_text(found({"q": q, "k": k})[0].layout("q")) == layout


def test_scores_and_weights_tell_heads_from_positions() -> None:
    shape = (1, 6, 5, 4)
    turned = {"q": shape, "k": shape, "weights": (1, 5, 6, 6), "lse": (1, 6, 5)}
    first, *others = found(turned)
    assert not others
    assert [layout_text(each) for _, each in first.layouts] == ["bnhd", "bnhd", "bhqk", "bnh"]


def test_an_output_that_is_turned_is_the_second_reading_of_a_square() -> None:
    shape = (1, 8, 8, 4)
    readings = found(dict.fromkeys(("q", "k", "v", "out"), shape))
    assert [layout_text(each.layout("out")) for each in readings][:2] == ["bhnd", "bnhd"]
    assert readings[1].unlikely < NEAR


@pytest.mark.parametrize(
    ("claims", "heads", "d_k"),
    [
        ({"heads": 16, "kv_heads": 8}, 16, 128),
        ({"heads": 16, "kv_heads": 8, "d_k": 64}, 16, 128),
        ({"d_k": 64}, 32, 64),
    ],
)
def test_a_merged_axis_is_split_by_claims_and_heads_are_trusted_most(
    claims: dict[str, int], heads: int, d_k: int
) -> None:
    first = found({"q": (2, 20, 2048), "k": (2, 20, 1024)}, **claims)[0]
    assert (first.dims.heads, first.dims.d_k) == (heads, d_k)
    assert first.dims.heads == first.dims.kv_heads * 2


def test_no_head_without_keys() -> None:
    assert not found({"q": (1, 6, 81, 64), "k": (1, 4, 81, 64)})
    assert not found({"q": (1, 6, 80, 64), "k": (1, 6, 80, 32)})
    assert not found({"q": (2, 6, 80, 64), "k": (1, 6, 80, 64)})
    assert not found({"q": (1, 6, 80, 64), "k": (1, 6, 80, 64), "v": (1, 6, 70, 64)})


def test_keys_of_a_cache_may_be_laid_out_in_another_way() -> None:
    first = found({"q": (1, 1, 32, 128), "k": (1, 8, 512, 128), "out": (1, 1, 32, 128)})[0]
    assert [layout_text(each) for _, each in first.layouts] == ["bnhd", "bhnd", "bnhd"]
    assert (first.dims.heads, first.dims.kv_heads, first.dims.keys) == (32, 8, 512)


def test_every_head_has_keys_in_either_mapping() -> None:
    reading = found({"q": (1, 12, 80, 64), "k": (1, 3, 80, 64)})[0]
    grouped, interleaved = with_kv_mappings(reading)
    assert [grouped.kv_head(head) for head in range(12)] == [h // 4 for h in range(12)]
    assert [interleaved.kv_head(head) for head in range(12)] == [h % 3 for h in range(12)]


def test_a_dimension_that_is_long_for_one_head_is_said(tmp_path: Path) -> None:
    merged = {part: np.zeros((3, 5, 2048), np.float16) for part in ("q", "k")}
    capture = open_capture([saved(tmp_path / "a.safetensors", merged)])
    assert says(capture, "d_k = 2,048 is long for one head: where heads·dim are one axis, say")


def test_heads_that_nothing_says_are_a_guess(tmp_path: Path) -> None:
    fused = {"q": np.zeros((1, 96, 256), np.float16), "k": np.zeros((1, 96, 64), np.float16)}
    path, guess = tmp_path / "a.safetensors", "How many heads the axis heads·dim holds is a guess"
    assert says(open_capture([saved(path, fused)]), guess)
    write_safetensors(path, fused, {"num_attention_heads": "8", "num_key_value_heads": "2"})
    capture = open_capture([str(path)])
    assert capture.shape(capture.heads[0]).d_k == 32
    assert not says(capture, guess)


def test_where_there_is_no_pread_places_are_sought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = layer()
    path = saved(tmp_path / "a.safetensors", made)
    monkeypatch.setattr(disk, "read_at", disk._read_after_seeking)
    capture = open_capture([path])
    assert same(capture.read(capture.heads[-1], [1, 4]).output, made["out"][1, 3, [1, 4]])
