"""A million scores are read in little memory, which only a process of its own can show."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

MOST = 100 * 2**20
"""Bytes above the idle program; the numbers are 8,000,000, their text some 19,000,000."""

_CODE = """
import sys
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import draft_of, open_draft, parse
from attn_tui.console.asking import read_scores
from attn_tui.compute.experiment import Experiment
from tests.memory import peak

idle = peak()
(path,) = sys.argv[1:]
if path == "-":
    draft = draft_of(Experiment(read_scores(["-"])))
else:
    draft = open_draft(path, Setup())
(vector,) = parse(draft).vectors
print(vector.n_keys, peak() - idle, len(draft.text))
"""


def _npy(path: Path, scores: NDArray[np.float64]) -> None:
    np.save(path, scores)


def _txt(path: Path, scores: NDArray[np.float64]) -> None:
    path.write_text("\n".join(map(repr, scores.tolist())))


def _csv(path: Path, scores: NDArray[np.float64]) -> None:
    path.write_text("score\n" + "\n".join(map(repr, scores.tolist())))


def _json(path: Path, scores: NDArray[np.float64]) -> None:
    path.write_text(json.dumps(scores.tolist()))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
@pytest.mark.parametrize(
    ("write", "piped"),
    [(_npy, False), (_txt, False), (_txt, True), (_csv, False), (_json, False)],
)
def test_a_million_scores_are_read_in_little_memory(
    write: Callable[[Path, NDArray[np.float64]], None], piped: bool, tmp_path: Path
) -> None:
    path = tmp_path / f"scores.{write.__name__[1:]}"
    write(path, np.random.default_rng(1).standard_normal(1_000_000))
    with path.open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", _CODE, "-" if piped else str(path)],
            stdin=file,
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
    n_keys, memory, length = map(int, done.stdout.split())
    assert (n_keys, length < 100) == (1_000_000, True)
    assert memory < MOST
