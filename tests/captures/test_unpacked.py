"""What is packed is unpacked once, and what is too large is not."""

from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures import npy
from attn_tui.captures.capture import Capture
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import InputError
from tests.captures.made import Arrays, layer
from tests.captures.test_opening import assert_holds


def in_archive(path: Path, tensors: Arrays) -> str:
    np.savez_compressed(path.with_suffix(".npz"), allow_pickle=False, **tensors)
    return str(path.with_suffix(".npz"))


def read_in_rows(capture: Capture) -> None:
    for head in capture.heads:
        for row in range(capture.shape(head).n_queries):
            capture.read(head, [row])


def test_a_tensor_is_unpacked_once_however_it_is_read(tmp_path: Path) -> None:
    made = layer(dtype=np.float32)
    capture = open_capture([in_archive(tmp_path / "a", made)])
    npy._unpacked.cache_clear()
    read_in_rows(capture)
    assert npy._unpacked.cache_info().misses == 4
    assert_holds(capture, made)


def test_a_tensor_that_is_too_large_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = layer(dtype=np.float32)
    size = max(array.nbytes for array in made.values())
    path = in_archive(tmp_path / "a", made)
    monkeypatch.setattr(npy, "MOST_UNPACKED", size - 1)
    problem = f"{size:,} bytes are packed in it; expected at most {size - 1:,}, or what numpy.savez"
    with pytest.raises(InputError, match=problem):
        open_capture([path])
    monkeypatch.setattr(npy, "MOST_UNPACKED", size)
    open_capture([path])
