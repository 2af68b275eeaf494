"""What is packed is unpacked once, and what is held of it together is limited."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from attn_tui.captures import collecting, hdf5, npy, unpacked
from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import InputError
from tests.captures.made import Arrays, layer
from tests.captures.test_opening import assert_holds


def in_archive(path: Path, tensors: Arrays) -> str:
    np.savez_compressed(path.with_suffix(".npz"), allow_pickle=False, **tensors)
    return str(path.with_suffix(".npz"))


def in_chunks(path: Path, tensors: Arrays) -> str:
    """Write each tensor as one packed chunk."""
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        for name, array in tensors.items():
            file.create_dataset(name, data=array, chunks=array.shape, compression="gzip")
    return str(path.with_suffix(".h5"))


Writer = Callable[[Path, Arrays], str]
WRITERS = pytest.mark.parametrize("written", [in_archive, in_chunks])


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the name of each tensor when it is unpacked; nothing is kept yet."""
    monkeypatch.setattr(unpacked, "_kept", type(unpacked._kept)())
    monkeypatch.setattr(hdf5, "_LARGE_CHUNK", 100)
    names: list[str] = []
    unpack, get = npy.Packed._unpack, h5py.Dataset.__getitem__

    def unpacking(self: npy.Packed) -> Any:
        names.append(self.name)
        return unpack(self)

    def getting(self: h5py.Dataset, at: Any, **options: Any) -> Any:
        names.append(self.name.removeprefix("/"))
        return get(self, at, **options)

    monkeypatch.setattr(npy.Packed, "_unpack", unpacking)
    monkeypatch.setattr(h5py.Dataset, "__getitem__", getting)
    return names


def read_in_rows(capture: Capture) -> None:
    for head in capture.heads:
        for row in range(capture.shape(head).n_queries):
            capture.read(head, [row])


@WRITERS
def test_a_tensor_is_unpacked_once_however_it_is_read(
    written: Writer, tmp_path: Path, count: list[str]
) -> None:
    made = layer(dtype=np.float32)
    capture = open_capture([written(tmp_path / "a", made)])
    read_in_rows(capture)
    assert sorted(count) == ["k", "out", "q", "v"]
    assert_holds(capture, made)


@WRITERS
def test_layers_are_kept_as_long_as_there_is_room_for_them_together(
    written: Writer, tmp_path: Path, count: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = layer(dtype=np.float32)
    size = sum(array.nbytes for array in one.values())
    monkeypatch.setattr(unpacked, "MOST", size + 1)
    made = {f"{number}.{part}": array for number in (0, 1, 2) for part, array in one.items()}
    capture = open_capture([written(tmp_path / "a", made)])
    held = []
    for number in capture.layers:
        capture.read(HeadId(0, number, 0))
        held.append(sum(array.nbytes for array in unpacked._kept.values()))
    assert max(held) <= size + 1
    assert sorted(count[-4:]) == ["2.k", "2.out", "2.q", "2.v"]


@WRITERS
def test_a_layer_that_could_not_be_kept_together_is_refused_before_it_is_unpacked(
    written: Writer, tmp_path: Path, count: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = layer(dtype=np.float32)
    size = sum(array.nbytes for array in made.values())
    path = written(tmp_path / "a", made)
    monkeypatch.setattr(collecting, "MOST_UNPACKED", size - 1)
    problem = f"layer 0 has {size:,} bytes that are packed; expected at most {size - 1:,}, or"
    with pytest.raises(InputError, match=problem):
        open_capture([path])
    assert count == []
    monkeypatch.setattr(collecting, "MOST_UNPACKED", size)
    open_capture([path])


def test_chunks_of_a_head_are_unpacked_as_they_are_asked_for(
    tmp_path: Path, count: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = layer(1, 4, 4, 70, 70, 3, 3, dtype=np.float32)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, array in made.items():
            file.create_dataset(name, data=array, chunks=(1, 1, 30, 3), compression="gzip")
    capture = open_capture([str(tmp_path / "a.h5")])
    count.clear()
    for row in range(30):
        capture.read(HeadId(0, 0, 1), [row])
    # What a row is in, and all keys and values of the head.
    assert sorted(count) == ["k", "out", "q", "v"]
    assert_holds(capture, made)
    monkeypatch.setattr(hdf5, "MOST", 400)
    with pytest.raises(InputError, match="its chunks unpack to 840 bytes at once; expected at mos"):
        capture.read(HeadId(0, 0, 2), [5])
