"""Whoever looks on while a file is opened can end it between its steps."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.errors import Stopped
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import parse
from attn_tui.files.grammar import parse_vectors
from attn_tui.files.opening import open_draft

SCORES = np.random.default_rng(1).standard_normal(20_000)


def _json_question(path: Path) -> None:
    vectors = [{"name": "a", "scores": SCORES.tolist()}]
    path.write_text(json.dumps({"vectors": vectors}))


WRITE: dict[str, Callable[[Path], object]] = {
    "file.npy": lambda path: np.save(path, SCORES),
    "file.npz": lambda path: np.savez_compressed(path, a=SCORES),
    "file.txt": lambda path: path.write_text(" ".join(map(str, SCORES))),
    "file.json": lambda path: path.write_text(json.dumps(SCORES.tolist())),
    "question.json": _json_question,
}


@pytest.fixture(params=WRITE)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    WRITE[path.name](path)
    return path


def test_it_can_be_stopped_at_every_step(path: Path) -> None:
    calls: list[float] = []
    open_draft(str(path), Setup(), calls.append)
    assert len(calls) > 3
    assert calls[-1] == 1.0
    for last in range(1, len(calls) + 1):
        told: list[float] = []

        def watch(share: float, last: int = last, told: list[float] = told) -> None:
            told.append(share)
            if len(told) == last:
                raise Stopped

        with pytest.raises(Stopped):
            open_draft(str(path), Setup(), watch)
        assert len(told) == last


def test_what_was_opened_in_a_thread_need_not_be_read_again(path: Path) -> None:
    opened = []
    thread = threading.Thread(target=lambda: opened.append(open_draft(str(path), Setup())))
    thread.start()
    thread.join()
    misses = parse_vectors.cache_info().misses
    (draft,) = opened
    assert parse(draft).vectors[0].n_keys == len(SCORES)
    assert parse_vectors.cache_info().misses == misses
