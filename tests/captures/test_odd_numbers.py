"""Captures with infinities, NaN and numbers near the end of a format: answers without a warning.

`tests.fuzz_captures` tries many more.
"""

from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures.writer import write_safetensors
from tests.captures.arrays import Arrays, layer
from tests.fuzz_captures import check, half_head


def write(path: Path, tensors: Arrays) -> str:
    write_safetensors(path, tensors)
    return str(path)


def test_a_head_without_values_is_refused_with_what_is_missing(tmp_path: Path) -> None:
    tensors = half_head(16, 6, 16, np.float16)
    del tensors["v"]
    result = check(["doctor", write(tmp_path / "a.safetensors", tensors)])
    assert result.exit_code == 2
    assert "expected q, k, v and out of a layer, or weights beside q and k" in result.stderr


@pytest.mark.slow
def test_numbers_beyond_float32_are_said_to_be_too_large(tmp_path: Path) -> None:
    tensors = layer(b=1, dtype=np.float64)
    tensors["k"][0, 0, 2, 1] = 1e280
    result = check(["doctor", write(tmp_path / "a.safetensors", tensors)])
    assert result.stdout.startswith("cannot tell: its numbers are too large or too small")


@pytest.mark.slow
@pytest.mark.parametrize("part", ["q", "k", "v"])
def test_numbers_whose_squares_pass_float64_let_no_warning_through(
    tmp_path: Path, part: str
) -> None:
    tensors = layer(b=1, h=2, g=2, dtype=np.float64)
    tensors[part][0, 0, 2, 1] = 1e280
    path = write(tmp_path / "odd.safetensors", tensors)
    check(["heads", path, "--statistic", "bfloat16_spacing,max_logit"])
    check(["show", "--capture", path])


def test_keys_that_are_all_infinite_let_no_warning_through(tmp_path: Path) -> None:
    tensors = layer(b=1, h=1, g=1, dtype=np.float32)
    tensors["k"][:] = -np.inf
    result = check(["heads", write(tmp_path / "odd.safetensors", tensors)])
    assert "15 infinities" in " ".join(result.stdout.split())


def test_infinite_values_of_keys_without_weight_let_no_warning_through(tmp_path: Path) -> None:
    tensors = layer(b=1, h=1, g=1, dtype=np.float32)
    tensors["q"] = 1e20 * tensors["q"]
    tensors["v"][:] = np.inf
    result = check(["show", "--capture", write(tmp_path / "odd.safetensors", tensors)])
    assert "inf" in result.stdout


def test_scores_that_pass_float32_let_no_warning_through(tmp_path: Path) -> None:
    tensors = layer(b=1, h=1, g=1, dtype=np.float32)
    tensors["q"] = 1e38 * np.abs(tensors["q"])
    tensors["k"] = -np.abs(tensors["k"])
    check(["heads", write(tmp_path / "odd.safetensors", tensors)])
