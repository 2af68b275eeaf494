import pickle
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from attn_tui.captures.capture import HeadId, HeadShape
from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors


def tensors() -> dict[str, NDArray[Any]]:
    b, h, g, nq, nk, dk, dv, dtype = 2, 4, 2, 5, 7, 3, 6, ml_dtypes.bfloat16
    random = np.random.default_rng(1)
    return {
        "q": random.normal(size=(b, h, nq, dk)).astype(dtype),
        "k": random.normal(size=(b, g, nk, dk)).astype(dtype),
        "v": random.normal(size=(b, g, nk, dv)).astype(dtype),
        "out": random.normal(size=(b, h, nq, dv)).astype(dtype),
    }


def same(found: NDArray[Any] | None, made: NDArray[Any]) -> bool:
    return found is not None and np.array_equal(found, made)


@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
def test_a_head_is_read_as_it_was_written(tmp_path: Path, suffix: str) -> None:
    made = tensors()
    path = tmp_path / f"a{suffix}"
    (
        write_safetensors(path, made)
        if suffix == ".safetensors"
        else np.savez(path, allow_pickle=False, **made)
    )
    capture = open_capture([str(path)])
    assert capture.layers == (0,)
    assert len(capture.heads) == 8
    head = HeadId(1, 0, 3)
    rows = capture.read(head)
    assert np.array_equal(rows.queries, made["q"][1, 3].astype(np.float32))
    assert np.array_equal(rows.keys, made["k"][1, 1].astype(np.float32))
    assert same(rows.values, made["v"][1, 1].astype(np.float32))
    rows = capture.read(head, [1, 4])
    assert same(rows.output, made["out"][1, 3][[1, 4]].astype(np.float32))
    assert capture.shape(head) == HeadShape(5, 7, 3, 6, 1, frozenset(made))
    again = pickle.loads(pickle.dumps(capture))
    assert np.array_equal(again.read(head).queries, capture.read(head).queries)
    other = capture.readings(0)[1]
    assert np.array_equal(capture.read(head, None, other).keys, made["k"][1, 1].astype(np.float32))
    assert capture.shape(HeadId(0, 0, 1), other).kv_head == 1
