"""However the program is ended, it ends, and leaves the terminal as it was."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.contract.terminal import Terminal

ENDING = ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "ALRM", "ABRT"]


def is_restored(raw: bytes) -> bool:
    """Return whether every mode that was set is taken back."""
    modes = (b"?1049", b"?1000", b"?1003", b"?1006", b"?2004", b"?1004")
    left = all(raw.rindex(b"\x1b[%sl" % mode) > raw.rindex(b"\x1b[%sh" % mode) for mode in modes)
    return left and raw.rindex(b"\x1b[?25h") > raw.rindex(b"\x1b[?25l")


def end_of(terminal: Terminal) -> int:
    """Wait for the end, and return the exit code: minus the signal's number if it died of one."""
    _, status = os.waitpid(terminal.child.pid, 0)
    terminal.child.ptyproc.terminated = terminal.child.terminated = True
    return os.waitstatus_to_exitcode(status)


@pytest.mark.parametrize("ending", ENDING)
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(ending: str) -> None:
    script = f"ulimit -c 0; stty -g; {sys.executable} -m attn_tui; echo status $?; stty -g"
    number = getattr(signal, f"SIG{ending}")
    with Terminal(80, 24, program=["sh", "-c", script]) as terminal:
        terminal.until_shows("q Quit")
        os.kill(child_of(terminal.child.pid), number)
        terminal.until_shows(f"status {128 + number}")
        assert terminal.leave() == 0
        assert is_restored(terminal.raw)
        assert terminal.raw.split()[0] == terminal.raw.split()[-1], "stty has changed"


def child_of(parent: int) -> int:
    """Return the process that another has started."""
    return int(Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0])


BUSY = """
import sys, threading
from attn_tui.files.draft import EXAMPLE
from attn_tui.tui import app, running

def busy(self):
    sys.__stderr__.write("\\x1b]2;busy\\x07")
    sys.__stderr__.flush()
    {work}

app.AttnApp.action_start = busy
sys.exit(running.run(EXAMPLE))
"""
WORK = {
    "computing": "while True: sum(range(10000))",
    "waiting": "threading.Event().wait()",
}


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("ending", ["TERM", "lost"])
def test_it_ends_whatever_it_is_doing(work: str, ending: str) -> None:
    program = [sys.executable, "-c", BUSY.format(work=WORK[work])]
    with Terminal(80, 24, program=program) as terminal:
        terminal.until_shows("q Quit")
        terminal.press("0")
        terminal.until(lambda: terminal.screen.title == "busy", "title")
        if ending == "lost":
            terminal.child.ptyproc.fileobj.close()
            assert end_of(terminal) in (128 + signal.SIGHUP, -signal.SIGHUP)
        else:
            terminal.child.kill(signal.SIGTERM)
            assert terminal.leave() == 128 + signal.SIGTERM
            assert is_restored(terminal.raw)


@pytest.mark.parametrize("keys", ["", "m", "?", "3", "\t"])
def test_a_terminal_that_is_taken_away_ends_it(keys: str) -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows("q Quit")
        terminal.press(keys)
        terminal.child.ptyproc.fileobj.close()
        assert end_of(terminal) in (128 + signal.SIGHUP, -signal.SIGHUP)


def test_it_ends_with_its_terminal_though_hangups_are_ignored() -> None:
    program = ["sh", "-c", f"trap '' HUP; exec {sys.executable} -m attn_tui"]
    with Terminal(80, 24, program=program) as terminal:
        terminal.until_shows("q Quit")
        terminal.child.ptyproc.fileobj.close()
        assert end_of(terminal) == 128 + signal.SIGHUP


def test_a_terminal_that_takes_no_more_text_does_not_keep_it() -> None:
    with Terminal(200, 60) as terminal:
        terminal.until_shows("q Quit")
        # Nothing is read from here on: the line fills up, and the program waits for it.
        terminal.press("2313" * 30)
        terminal.child.kill(signal.SIGTERM)
        assert end_of(terminal) in (128 + signal.SIGTERM, -signal.SIGTERM)


CRASH = """
import sys
from attn_tui.files.draft import EXAMPLE
from attn_tui.tui import app, running

def fails(self):
    raise KeyError("what nobody expected\\x1b[31m")

app.AttnApp.action_start = fails
sys.exit(running.run(EXAMPLE))
"""


def test_an_error_nobody_expected_saves_what_was_asked(tmp_path: Path) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    with Terminal(100, 24, program=[sys.executable, "-c", CRASH], environment=environment) as one:
        one.until_shows("q Quit")
        one.press("d4096\r")
        one.until_shows("4096")
        one.press("0")
        assert one.leave() == 70
        assert is_restored(one.raw)
        assert b"Traceback" not in one.raw
        assert b"what nobody expected\\x1b[31m" in one.raw
    (report,) = (tmp_path / "attn-tui").glob("crash-*.json")
    assert report.stat().st_mode & 0o777 == 0o600
    assert str(report) in one.raw.decode().replace("\r\n", "")
    saved = json.loads(report.read_text())
    assert saved["experiment"]["d_k"] == 4096
    assert saved["draft"]["text"] == "a: 100, 120, 150"
    assert any("KeyError" in line for line in saved["crash"]["traceback"])
    with Terminal(100, 24, ["show", "--experiment", str(report)]) as again:
        assert again.leave() == 0
        assert b"d_k        4096" in again.raw


def test_where_no_report_can_be_written_in_the_state_folder_it_goes_elsewhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "state").write_text("no folder")
    (tmp_path / "tmp").mkdir()
    environment = {"XDG_STATE_HOME": str(tmp_path / "state"), "TMPDIR": str(tmp_path / "tmp")}
    with Terminal(100, 24, program=[sys.executable, "-c", CRASH], environment=environment) as one:
        one.until_shows("q Quit")
        one.press("0")
        assert one.leave() == 70
    assert [*(tmp_path / "tmp").glob("crash-*.json")]
