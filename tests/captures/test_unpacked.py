"""What is packed is unpacked once, and what is held of it together is limited."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures import collecting, npy
from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import InputError
from tests.captures.made import Arrays, layer
from tests.captures.test_opening import assert_holds


def in_archive(path: Path, tensors: Arrays) -> str:
    np.savez_compressed(path.with_suffix(".npz"), allow_pickle=False, **tensors)
    return str(path.with_suffix(".npz"))


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the name of each tensor when it is unpacked; nothing is kept yet."""
    monkeypatch.setattr(npy, "_kept", type(npy._kept)())
    names: list[str] = []
    unpack = npy.Packed._unpack

    def unpacking(self: npy.Packed) -> Any:
        names.append(self.name)
        return unpack(self)

    monkeypatch.setattr(npy.Packed, "_unpack", unpacking)
    return names


def read_in_rows(capture: Capture) -> None:
    for head in capture.heads:
        for row in range(capture.shape(head).n_queries):
            capture.read(head, [row])


def test_a_tensor_is_unpacked_once_however_it_is_read(tmp_path: Path, count: list[str]) -> None:
    made = layer(dtype=np.float32)
    capture = open_capture([in_archive(tmp_path / "a", made)])
    read_in_rows(capture)
    assert sorted(count) == ["k", "out", "q", "v"]
    assert_holds(capture, made)


def test_layers_are_kept_as_long_as_there_is_room_for_them_together(
    tmp_path: Path, count: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = layer(dtype=np.float32)
    size = sum(array.nbytes for array in one.values())
    monkeypatch.setattr(npy, "MOST_UNPACKED", size + 1)
    made = {f"{number}.{part}": array for number in (0, 1, 2) for part, array in one.items()}
    capture = open_capture([in_archive(tmp_path / "a", made)])
    held = []
    for number in capture.layers:
        capture.read(HeadId(0, number, 0))
        held.append(sum(array.nbytes for array in npy._kept.values()))
    assert max(held) <= size + 1
    assert sorted(count[-4:]) == ["2.k", "2.out", "2.q", "2.v"]


def test_a_layer_that_could_not_be_kept_together_is_refused_before_it_is_unpacked(
    tmp_path: Path, count: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = layer(dtype=np.float32)
    size = sum(array.nbytes for array in made.values())
    path = in_archive(tmp_path / "a", made)
    monkeypatch.setattr(collecting, "MOST_UNPACKED", size - 1)
    problem = f"layer 0 has {size:,} bytes that are packed; expected at most {size - 1:,}, or"
    with pytest.raises(InputError, match=problem):
        open_capture([path])
    assert count == []
    monkeypatch.setattr(collecting, "MOST_UNPACKED", size)
    open_capture([path])
