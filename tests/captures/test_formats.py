"""Files as other programs write them: safetensors and NumPy."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import safetensors
import safetensors.numpy

from attn_tui.captures import disk, npy
from attn_tui.captures.capture import HeadId
from attn_tui.captures.dtypes import DTYPES
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import InputError
from tests.captures.arrays import layer, saved
from tests.captures.test_opening import assert_holds

REALS = [np.float16, np.float32, np.float64, ml_dtypes.bfloat16]
FLOAT8 = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@pytest.mark.parametrize("dtype", REALS)
def test_what_safetensors_writes_is_read(tmp_path: Path, dtype: Any) -> None:
    arrays = layer(dtype=dtype)
    path = tmp_path / "a.safetensors"
    safetensors.numpy.save_file(arrays, path, {"layout": "bhnd"})
    capture = open_capture([str(path)])
    assert capture.tensors(0)["q"].format == np.dtype(dtype).name
    assert capture.config["layout"] == "bhnd"
    assert_holds(capture, arrays)


@pytest.mark.parametrize("dtype", [*REALS, *FLOAT8, bool, *map(np.dtype, ("u1", "i4", "i8"))])
def test_what_is_written_is_what_safetensors_reads(tmp_path: Path, dtype: Any) -> None:
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    scalar = np.asarray(array[1, 1, 1])
    path = saved(tmp_path / "a.safetensors", {"a": array.T, "b": scalar}, {"x": "é"})
    with safetensors.safe_open(path, "np") as file:
        assert file.metadata() == {"x": "é"}
        assert file.get_slice("a").get_shape() == [4, 3, 2]
        assert DTYPES[file.get_slice("a").get_dtype()] == np.dtype(dtype).name
        if dtype not in FLOAT8:  # The NumPy side of safetensors does not know float8.
            assert np.array_equal(file.get_tensor("a"), array.T)
            assert np.array_equal(file.get_tensor("b"), scalar)


@pytest.mark.parametrize("dtype", FLOAT8)
def test_eight_bits_are_read_and_widened_exactly(tmp_path: Path, dtype: Any) -> None:
    every = np.arange(256, dtype=np.uint8).view(dtype)
    every = every[np.isfinite(every.astype(np.float32))]
    arrays = layer(1, 1, 1, 6, 6, 40, 40, dtype=dtype)
    arrays["q"] = np.resize(every, arrays["q"].shape)
    assert_holds(open_capture([saved(tmp_path / "a.safetensors", arrays)]), arrays)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("dtype", [*REALS, np.dtype(">f4"), np.dtype(">f2")])
def test_archives_are_read_packed_or_not(tmp_path: Path, save: Any, dtype: Any) -> None:
    arrays = {f"7.{part}": tensor for part, tensor in layer(dtype=dtype).items()}
    arrays["7.k"] = np.asfortranarray(arrays["7.k"])
    save(tmp_path / "a.npz", **arrays)
    capture = open_capture([str(tmp_path / "a.npz")])
    plain = {part: arrays[f"7.{part}"] for part in ("q", "k", "v", "out")}
    assert_holds(capture, plain, 7)
    assert capture.tensors(7)["q"].format == np.dtype(dtype).name


def test_npy_files_are_called_what_their_files_are(tmp_path: Path) -> None:
    arrays = layer(dtype=ml_dtypes.bfloat16)
    for part, array in arrays.items():
        np.save(tmp_path / f"{part}.npy", array)
    paths = [str(tmp_path / f"{part}.npy") for part in arrays]
    assert np.load(paths[0]).dtype == "V2"  # NumPy does not know bfloat16.
    assert_holds(open_capture(paths), arrays)
    assert_holds(open_capture([str(tmp_path / "*.npy")]), arrays)


def test_a_head_of_an_archive_costs_its_bytes_only_if_nothing_is_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = layer(1, 64, 64, 100, 100, 64, 64)
    read: list[int] = []
    read_at = disk.read_at

    def counted(descriptor: int, size: int, begins: int) -> bytes:
        read.append(size)
        data: bytes = read_at(descriptor, size, begins)
        return data

    np.savez(tmp_path / "a.npz", allow_pickle=False, **arrays)
    capture = open_capture([str(tmp_path / "a.npz")])
    monkeypatch.setattr(disk, "read_at", counted)
    capture.read(HeadId(0, 0, 5), [3])
    whole = 100 * 64 * 2
    assert sum(read) == 2 * whole + 2 * 64 * 2


@pytest.mark.parametrize("dtype", [*REALS, *FLOAT8])
def test_widening_loses_nothing(tmp_path: Path, dtype: Any) -> None:
    arrays = layer(dtype=dtype)
    capture = open_capture([saved(tmp_path / "a.safetensors", arrays)])
    queries = capture.read(HeadId(0, 0, 0)).queries
    assert queries.dtype == (np.float64 if dtype is np.float64 else np.float32)
    assert (queries.astype(dtype) == arrays["q"][0, 0]).all()


def test_a_tensor_is_unpacked_once_however_it_is_read(tmp_path: Path) -> None:
    arrays = layer(dtype=np.float32)
    np.savez_compressed(tmp_path / "a.npz", allow_pickle=False, **arrays)
    capture = open_capture([str(tmp_path / "a.npz")])
    npy._unpacked.cache_clear()
    for head in capture.heads:
        for row in range(capture.shape(head).n_queries):
            capture.read(head, [row])
    assert npy._unpacked.cache_info().misses == 4
    assert_holds(capture, arrays)


def test_a_tensor_that_is_too_large_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = layer(dtype=np.float32)
    size = max(array.nbytes for array in arrays.values())
    path = str(tmp_path / "a.npz")
    np.savez_compressed(path, allow_pickle=False, **arrays)
    monkeypatch.setattr(npy, "MOST_UNPACKED", size - 1)
    problem = f"{size:,} bytes are packed in it; expected at most {size - 1:,}, or what numpy.savez"
    with pytest.raises(InputError, match=problem):
        open_capture([path])
    monkeypatch.setattr(npy, "MOST_UNPACKED", size)
    open_capture([path])
