"""The files that are opened: a pipe or a device is not, even for a moment."""

import os
from pathlib import Path

import pytest

from attn_tui.captures.disk import IrregularError, regular


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path / "pipe")


def test_a_pipe_is_not_opened(pipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", lambda *_: pytest.fail("it is opened"))
        with pytest.raises(IrregularError):
            regular(pipe)


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    pipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.stat(__file__)
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", lambda _: before)
        with pytest.raises(IrregularError):
            regular(pipe)
