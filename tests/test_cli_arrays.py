"""A file of arrays on the command line: a capture by its names, otherwise scores."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.test_cli import call, refused, shown


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    head = np.random.default_rng(1).standard_normal((1, 2, 6, 4)).astype(np.float32)
    np.save("scores.npy", np.arange(6.0).reshape(2, 3))
    np.savez("two.npz", a=np.arange(3.0), b=np.arange(2.0))
    np.savez("products.npz", q=np.eye(2), K=np.eye(2))
    named: dict[str, Any] = {"0.q": head, "0.k": head}
    others: dict[str, Any] = {"my.query": head, "my.key": head}
    np.savez("named.npz", **named)
    np.savez("others.npz", **others)
    np.save("head.npy", head)
    return tmp_path


def test_arrays_without_names_of_tensors_are_scores(folder: Path) -> None:
    rows = [[0, 1, 2], [3, 4, 5]]
    assert [*shown("scores.npy").values()] == rows
    assert [*shown("scores.npy", "c:7,8").values()] == [*rows, [7, 8]]
    assert shown("two.npz") == {"a": [0, 1, 2], "b": [0, 1]}
    assert len(shown("products.npz")) == 2
    for name in ("scores.npy", "two.npz", "products.npz"):
        assert "of 2 vectors" in call(name).stdout


def test_names_of_tensors_make_a_capture(folder: Path) -> None:
    assert "of 2 heads" in call("named.npz").stdout
    assert "of 2 heads" in call("others.npz", "--names", "my.{part}").stdout
    told = refused("show", "named.npz")
    assert "it is a capture of heads; expected --capture named.npz" in told


@pytest.mark.parametrize("command", [(), ("show",)])
def test_what_is_neither_names_both_ways(command: tuple[str, ...], folder: Path) -> None:
    for name in ("head.npy", "others.npz"):
        told = refused(*command, name)
        assert "scores of at most two axes; or a capture" in told
        assert "0.q and 0.k, or --names" in told
