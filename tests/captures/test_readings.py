"""The meaning of axes, for shapes that models have."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures import disk
from attn_tui.captures.layouts import layout_text
from attn_tui.captures.opening import open_capture
from attn_tui.captures.readings import Reading, readings_of
from attn_tui.compute.errors import InputError
from tests.captures.arrays import layer, same, saved

Shapes = Mapping[str, tuple[int, ...]]


def found(shapes: Shapes, **counts: int) -> tuple[Reading, ...]:
    return readings_of(tuple(shapes.items()), counts=tuple(counts.items()))


@pytest.mark.parametrize(
    ("q", "k", "layout"),
    [
        ((1, 32, 4096, 128), (1, 8, 4096, 128), "bhnd"),
        ((1, 4096, 32, 128), (1, 4096, 8, 128), "bnhd"),
        ((1, 12, 5, 64), (1, 12, 5, 64), "bhnd"),
        ((1, 32, 1, 128), (1, 8, 512, 128), "bhnd"),
        ((1, 1, 32, 128), (1, 512, 8, 128), "bnhd"),
        ((1, 64, 8, 64), (1, 1500, 8, 64), "bnhd"),
        ((1, 128, 16, 192), (1, 128, 16, 192), "bhnd"),
        ((4096, 32, 128), (4096, 8, 128), "nhd"),
        ((80, 15), (80, 15), "nd"),
    ],
)
def test_layouts_of_models_come_first(q: tuple[int, ...], k: tuple[int, ...], layout: str) -> None:
    first = found({"q": q, "k": k, "v": k, "out": q})[0]
    assert {layout_text(axes) for _, axes in first.layouts} == {layout}
    # The shape of an output tells nothing that the shape of q does not.
    assert layout_text(found({"q": q, "k": k})[0].layout("q")) == layout


def test_weights_tell_heads_from_positions() -> None:
    shape = (1, 6, 5, 4)
    turned = {"q": shape, "k": shape, "weights": (1, 5, 6, 6)}
    first, *others = found(turned)
    assert not others
    assert [layout_text(axes) for _, axes in first.layouts] == ["bnhd", "bnhd", "bhqk"]


def test_an_output_that_is_turned_is_the_second_reading_of_a_square() -> None:
    shape = (1, 8, 8, 4)
    readings = found(dict.fromkeys(("q", "k", "v", "out"), shape))
    assert [layout_text(reading.layout("out")) for reading in readings][:2] == ["bhnd", "bnhd"]


@pytest.mark.parametrize("layout", ["bhnd", "bnhd"])
def test_more_heads_than_models_have_are_positions_unless_they_are_declared(layout: str) -> None:
    """Almost any output is a mixture of 2 values: 192 heads of 2 positions would fit by chance."""
    shape = (1, 2, 192, 64) if layout == "bhnd" else (1, 192, 2, 64)
    (only,) = found({"q": shape, "k": shape, "v": shape})
    assert (layout_text(only.layout("q")), only.dims.heads) == (layout, 2)
    (declared,) = found({"q": shape, "k": shape, "v": shape}, heads=192)
    assert declared.dims.heads == 192


def test_queries_have_as_many_keys_at_least_where_that_is_possible() -> None:
    (only,) = found({"q": (2, 8, 6, 16), "k": (2, 4, 6, 16), "v": (2, 4, 6, 16)})
    assert (only.dims.heads, only.dims.queries) == (8, 6)
    (cross,) = found({"q": (1, 8, 100, 16), "k": (1, 8, 30, 16)})
    assert (cross.dims.queries, cross.dims.keys) == (100, 30)


def test_both_orders_are_there_where_nothing_tells() -> None:
    shape = (1, 8, 40, 16)
    one, other = found(dict.fromkeys(("q", "k", "v", "out"), shape))
    assert (one.dims.heads, other.dims.heads) == (8, 40)
    (declared,) = found(dict.fromkeys(("q", "k", "v", "out"), shape), heads=40)
    assert declared.layouts == other.layouts


def test_no_head_without_keys() -> None:
    assert not found({"q": (1, 6, 81, 64), "k": (1, 4, 81, 64)})
    assert not found({"q": (1, 6, 80, 64), "k": (1, 6, 80, 32)})
    assert not found({"q": (2, 6, 80, 64), "k": (1, 6, 80, 64)})
    assert not found({"q": (1, 6, 80, 64), "k": (1, 6, 80, 64), "v": (1, 6, 70, 64)})


def test_heads_and_dim_have_axes_of_their_own(tmp_path: Path) -> None:
    merged = {"q": np.zeros((1, 96, 256), np.float16), "k": np.zeros((1, 96, 64), np.float16)}
    with pytest.raises(InputError, match="heads and dim are two axes"):
        open_capture([saved(tmp_path / "a.safetensors", merged)])


def test_where_there_is_no_pread_places_are_sought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = layer()
    path = saved(tmp_path / "a.safetensors", arrays)
    monkeypatch.setattr(disk, "read_at", disk._read_after_seeking)
    capture = open_capture([path])
    assert same(capture.read(capture.heads[-1], [1, 4]).output, arrays["out"][1, 3, [1, 4]])
