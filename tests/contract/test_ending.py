"""However the program is ended, it ends, and leaves the terminal as it was."""

import json
import os
import select
import signal
import sys
from pathlib import Path

import pytest

from tests.contract.terminal import Patience, Terminal

START = "Divided by 32"
"""What stands in the headline once the program is there."""

MODES = (b"?1049", b"?1000", b"?1003", b"?1006", b"?2004", b"?1004")
"""Alternate screen, mouse, pastes and focus: what the program switches on."""

NUMBERS = ["INT", "TERM", "HUP", "QUIT", "USR1"]


def is_restored(raw: bytes) -> bool:
    """Return whether every mode that was set is taken back, and the cursor shown."""
    left = all(raw.rindex(b"\x1b[%sl" % mode) > raw.rindex(b"\x1b[%sh" % mode) for mode in MODES)
    return left and raw.rindex(b"\x1b[?25h") > raw.rindex(b"\x1b[?25l")


def between_states(command: str) -> list[str]:
    """Return a program that says how the terminal is set, before a command and after it."""
    return ["sh", "-c", f"ulimit -c 0; stty -g; {command}; echo status $?; stty -g"]


def child_of(parent: int) -> int:
    """Return the process that another has started."""
    return int(Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0])


def check_left(terminal: Terminal, status: int) -> None:
    """Check that the shell has its terminal back as it was, and was told a status."""
    terminal.until_shows(f"status {status}")
    assert terminal.leave() == 0
    assert is_restored(terminal.raw)
    first, *_, last = terminal.raw.split()
    assert first == last, "stty has changed"


@pytest.mark.parametrize("keys", ["q", "\x11", "e\x11", "/\x11"])
def test_quitting_leaves_the_terminal_as_it_was_and_prints_the_question(keys: str) -> None:
    with Terminal(80, 24, program=between_states(f"{sys.executable} -m attn_tui")) as terminal:
        terminal.until_shows(START)
        terminal.press(f"-{keys}")
        check_left(terminal, 0)
        asks = b"attn-tui show 100,120,150 --d-k 896\r\n"
        assert terminal.raw.index(asks) > terminal.raw.rindex(b"\x1b[?1049l")


@pytest.mark.parametrize("name", NUMBERS)
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(name: str) -> None:
    number = getattr(signal, f"SIG{name}")
    with Terminal(80, 24, program=between_states(f"{sys.executable} -m attn_tui")) as terminal:
        terminal.until_shows(START)
        os.kill(child_of(terminal.child.pid), number)
        check_left(terminal, 128 + number)


def end_of(terminal: Terminal, seconds: float) -> int:
    """Wait for the end, and return the status, or less than 0 for a signal.

    Fails if the program still runs when it could have run for so many seconds.
    """
    pid = terminal.child.pid
    ended = os.pidfd_open(pid)
    patience = Patience(pid, seconds)
    try:
        while not select.select([ended], [], [], 0.2)[0]:
            assert not patience.over, "it outlives its terminal"
    finally:
        os.close(ended)
    _, status = os.waitpid(pid, 0)
    terminal.child.ptyproc.terminated = terminal.child.terminated = True
    return os.waitstatus_to_exitcode(status)


@pytest.mark.parametrize("keys", ["", "m", "e", "3", "5\r"])
def test_a_terminal_that_is_taken_away_ends_it_within_two_seconds(keys: str) -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows(START)
        terminal.press(keys)
        terminal.child.ptyproc.fileobj.close()
        assert end_of(terminal, 2.0) in (128 + signal.SIGHUP, -signal.SIGHUP)


def test_it_ends_with_its_terminal_though_hangups_are_ignored() -> None:
    program = ["sh", "-c", f"trap '' HUP; exec {sys.executable} -m attn_tui"]
    with Terminal(80, 24, program=program) as terminal:
        terminal.until_shows(START)
        terminal.child.ptyproc.fileobj.close()
        assert end_of(terminal, 2.0) == 128 + signal.SIGHUP


def test_a_terminal_that_takes_no_more_text_does_not_keep_it() -> None:
    with Terminal(200, 60) as terminal:
        terminal.until_shows(START)
        # Nothing is read from here on: the line fills up, and the program waits for it.
        terminal.press("2313" * 30)
        terminal.child.kill(signal.SIGTERM)
        assert end_of(terminal, 4.0) in (128 + signal.SIGTERM, -signal.SIGTERM)


FAILS = """
import os, sys
from textual.widget import Widget

def fails(self, has_focus):
    if os.path.exists("armed"):
        raise KeyError("what nobody expected\\x1b[31m")

Widget.watch_has_focus = fails
sys.argv = ["attn-tui"]
from attn_tui.cli import main
main()
"""
"""Runs the program, whose next change of focus fails once there is a file of that name."""


def test_an_error_nobody_expected_leaves_the_terminal_and_saves_the_question(
    tmp_path: Path,
) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": os.getcwd()}
    program = [sys.executable, "-c", FAILS]
    with Terminal(120, 24, program=program, environment=state, folder=tmp_path) as terminal:
        terminal.until_shows(START)
        terminal.press("d4096\r")
        terminal.until_shows("Divided by 64")
        (tmp_path / "armed").touch()
        terminal.press("e")
        assert terminal.leave() == 70
        assert is_restored(terminal.raw)
        assert b"Traceback" not in terminal.raw
        assert b"what nobody expected\\x1b[31m" in terminal.raw
    told = terminal.raw.rpartition(b"\x1b[?1049l")[2].decode().replace("\r\n", " ")
    (report,) = (tmp_path / "attn-tui").glob("crash-*.json")
    assert f"attn-tui --experiment {report} asks it again" in told.replace(" ", " ")
    assert report.stat().st_mode & 0o777 == 0o600
    assert json.loads(report.read_text())["experiment"]["d_k"] == 4096
    with Terminal(100, 24, ["show", "--experiment", str(report)]) as again:
        assert again.leave() == 0
        assert b"d_k        4096" in again.raw
