"""`attn-tui replay`, and the options of a start that sessions have."""

from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft
from attn_tui.files.session import FilesInText, Session, session_text
from tests.contract.terminal import Terminal
from tests.test_cli import run


def shared(path: Path, *steps: Draft, instrument: str = "explore") -> Path:
    """Write a session for others."""
    session = Session(steps, len(steps) - 1, instrument)
    path.write_text("".join(session_text(session, FilesInText())), "utf-8")
    return path


def test_the_steps_of_a_session_are_printed_as_command_lines(tmp_path: Path) -> None:
    steps = Draft("1, 2"), Draft("1, 2", Setup(64)), Draft("1, x")
    path = shared(tmp_path / "a.session", *steps)
    before = path.read_bytes()
    result = run("replay", str(path), "--text")
    assert result.returncode == 0
    assert result.stdout.decode().splitlines() == [
        "attn-tui show 1,2 --d-k 1024",
        "attn-tui show 1,2 --d-k 64",
        "# 1, x: scores, line 1: 'x' is not a number; "
        "expected numbers: -1.5, 1e3, or -inf (masked)",
    ]
    assert path.read_bytes() == before


def test_a_session_needs_no_command_before_it(tmp_path: Path) -> None:
    path = shared(tmp_path / "a.session", Draft("1, 2"), Draft("1, 2", Setup(64)))
    assert run(str(path)).stdout == run("replay", str(path)).stdout
    assert run(str(path)).stdout.count(b"\n") == 2


def test_what_is_missing_is_said_beside_the_steps(tmp_path: Path) -> None:
    scores = tmp_path / "scores.safetensors"
    scores.write_bytes(b"a capture")
    path = shared(tmp_path / "a.session", Draft(f"file: {scores}"))
    scores.unlink()
    result = run("replay", str(path))
    assert result.returncode == 0
    assert "scores.safetensors' is missing: steps that use it say so" in result.stderr.decode()
    assert result.stdout.decode().startswith("# file: ")


def test_a_file_that_is_no_session_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.session"
    np.save(tmp_path / "a.npy", np.arange(3.0))
    (tmp_path / "a.npy").rename(path)
    result = run("replay", str(path))
    assert result.returncode == 2
    assert "a.session" in result.stderr.decode()
    assert result.stderr.count(b"\n") == 1


def test_a_lesson_is_refused_with_the_command_that_opens_it(tmp_path: Path) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text("[[step]]\n", "utf-8")
    error = run("replay", str(path)).stderr.decode()
    assert "lesson.toml': it is no session" in error
    assert "attn-tui tour FILE opens a lesson" in error
    assert "--session" not in error


@pytest.mark.slow
def test_a_replay_begins_at_the_first_step_and_writes_nothing(tmp_path: Path) -> None:
    path = shared(tmp_path / "a.session", Draft("1, 2"), Draft("3, 4, 5"))
    before = path.read_bytes()
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    with Terminal(80, 24, ["replay", str(path)], environment=environment) as terminal:
        terminal.until_shows("Step 1 of 2: U goes on, u goes back")
        terminal.until_shows("2 keys")
        terminal.press("U")
        terminal.until_shows("3 keys")
        terminal.until_shows("Step 2 of 2: U goes on, u goes back")
        terminal.press("+q")
        assert terminal.leave() == 0
    assert path.read_bytes() == before
    assert not (tmp_path / "attn-tui" / "sessions").exists()


@pytest.mark.slow
def test_a_session_in_a_file_is_made_and_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.session"
    options = ["--session", str(path)]
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    with Terminal(80, 24, ["1, 2", *options], environment=environment) as terminal:
        terminal.until_shows("2 keys")
        terminal.press("}q")
        assert terminal.leave() == 0
    with Terminal(80, 24, options, environment=environment) as terminal:
        terminal.until_shows("2,048")
        terminal.press("}q")
        assert terminal.leave() == 0
    with Terminal(80, 24, options, environment=environment) as terminal:
        terminal.until_shows("4,096")
        terminal.press("u")
        terminal.until_shows("2,048")
