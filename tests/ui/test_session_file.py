"""Which sessions are offered, which are deleted, and what is never touched."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.session import Session, read_session
from attn_tui.ui import session_file
from attn_tui.ui.session_file import NotKeptError, SessionFile, newest

KEEPS = """
import sys
from attn_tui.files.draft import Draft
from attn_tui.files.session import Session
from attn_tui.ui.session_file import SessionFile
file = SessionFile.begin()
file.save(Session((Draft(sys.argv[1]),), 0))
print(file.path, flush=True)
sys.stdin.read()
"""
"""A program that keeps a session until its standard input is closed."""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "attn-tui" / "sessions"


def running(text: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", KEEPS, text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def left(text: str, seconds: int) -> Path:
    """Leave a session, as a program does that ended so many seconds after the epoch."""
    with running(text) as program:
        assert program.stdout is not None
        path = Path(program.stdout.readline().strip())
        program.kill()
    os.utime(path, (seconds, seconds))
    return path


@pytest.mark.slow
def test_the_newest_session_whose_program_has_ended_is_offered() -> None:
    assert newest() is None
    older, newer = left("1, 2", 1_000), left("3, 4", 2_000)
    with running("5, 6") as program:
        assert program.stdout is not None
        alive = program.stdout.readline().strip()
        assert newest() == newer
        program.kill()
    assert newest() == Path(alive)
    assert older.exists()


def test_sessions_of_another_host_and_without_locks_are_not_offered() -> None:
    path = left("1, 2", 1_000)
    lock = path.with_name(f"{path.name}.lock")
    who = json.loads(lock.read_text("utf-8"))
    others: list[dict[str, object]] = [who | {"host": "elsewhere"}, who | {"locks": False}, {}]
    for other in others:
        lock.write_text(json.dumps(other), "utf-8")
        assert newest() is None
    lock.write_text(json.dumps(who), "utf-8")
    assert newest() == path
    lock.unlink()
    assert newest() is None


def test_halves_that_killed_programs_have_left_are_deleted(state: Path) -> None:
    state.mkdir(parents=True)
    half, fresh = state / ".attn-tui.0123", state / ".attn-tui.4567"
    for path in (half, fresh):
        path.write_text("{")
    os.utime(half, (1_000, 1_000))
    SessionFile.begin()
    assert not half.exists()
    assert fresh.exists()


@pytest.mark.slow
def test_the_ten_newest_are_kept_and_the_arrays_that_they_name(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_file, "MOST_FREE", 2)
    monkeypatch.setattr(session_file, "FRESH", -1)
    paths = []
    for number in range(4):
        scores = state.parent / f"{number}.npy"
        scores.parent.mkdir(parents=True, exist_ok=True)
        np.save(scores, np.full(3, number))
        paths.append(left(f"@{scores}", 1_000 + number))
    assert len([*(state / "arrays").iterdir()]) > 2
    SessionFile.begin()
    assert [path.exists() for path in paths] == [False, False, True, True]
    assert len([*(state / "arrays").iterdir()]) == 2
    for path in paths[2:]:
        assert read_session(str(path), state / "arrays").notes == ()
    # Its lock goes with a session.
    assert len([*state.glob("*.lock")]) == 3


def test_a_file_that_another_program_has_open_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "lesson.session"
    SessionFile.at(str(path)).save(Session((EXAMPLE,), 0))
    program = f"from attn_tui.ui.session_file import SessionFile; SessionFile.at({str(path)!r})"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f"process {os.getpid()} on " in ended.stderr
    assert "has it open" in ended.stderr


def test_a_link_in_place_of_a_session_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, path = tmp_path / "precious", tmp_path / "a.session"
    target.write_text("precious", "utf-8")
    file = SessionFile.at(str(path))
    path.symlink_to(target)
    file.save(Session((Draft("1, 2"),), 0))
    assert target.read_text("utf-8") == "precious"
    assert read_session(str(path)).session.present.text == "1, 2"


@pytest.mark.parametrize("obstacle", ["a file", "no folder"])
def test_why_nothing_can_be_kept_is_said(obstacle: str, tmp_path: Path) -> None:
    if obstacle == "a file":
        (tmp_path / "attn-tui").write_text("in place of the folder", "utf-8")
    else:
        os.environ["XDG_STATE_HOME"] = "relative"
    with pytest.raises(NotKeptError) as raised:
        SessionFile.begin()
    assert ("attn-tui" in str(raised.value)) or ("XDG_STATE_HOME" in str(raised.value))
    with pytest.raises((NotKeptError, InputError)):
        SessionFile.at(str(tmp_path / "missing" / "a.session"))
