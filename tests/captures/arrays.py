"""Captures made for tests: the tensors of a layer, in any layout, with known numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture
from attn_tui.captures.writer import write_safetensors

Arrays = dict[str, NDArray[Any]]


def layer(
    b: int = 2, h: int = 4, g: int = 2, nq: int = 5, nk: int = 5, dk: int = 3, dv: int = 6,
    *, dtype: Any = ml_dtypes.bfloat16, seed: int = 1, prefix: str = "",
) -> Arrays:  # fmt: skip
    """Return q, k, v and out as [batch, heads, positions, dim], all numbers different."""
    random = np.random.default_rng(seed)
    shapes = {"q": (b, h, nq, dk), "k": (b, g, nk, dk), "v": (b, g, nk, dv), "out": (b, h, nq, dv)}
    return {
        prefix + part: random.normal(size=shape).astype(dtype) for part, shape in shapes.items()
    }


def laid_out(array: NDArray[Any], layout: str) -> NDArray[Any]:
    """Return [batch, heads, positions, dim] in another layout; an axis left out has length 1."""
    gone = tuple(axis for axis, name in enumerate("bhnd") if name not in layout)
    kept = [name for name in "bhnd" if name in layout]
    squeezed = array.squeeze(gone)
    return np.ascontiguousarray(squeezed.transpose([kept.index(name) for name in layout]))


def saved(
    path: Path, arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None
) -> str:
    """Write a .safetensors file and return its path."""
    write_safetensors(path, arrays, metadata)
    return str(path)


def same(numbers: NDArray[Any] | None, array: NDArray[Any]) -> bool:
    """Return whether numbers equal those that were made exactly, whatever their type."""
    return (
        numbers is not None
        and numbers.shape == array.shape
        and bool((numbers.astype(np.float64) == array.astype(np.float64)).all())
    )


def says(capture: Capture, *sentences: str) -> bool:
    """Return whether the capture states each sentence, or one that begins with it."""
    return all(any(stated.startswith(text) for stated in capture.stated) for text in sentences)
