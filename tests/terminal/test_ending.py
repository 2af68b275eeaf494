"""However the program is ended, it ends, and leaves the terminal as it was."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.contract.terminal import Terminal


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


CRASH = """
import sys
from attn_tui.files.draft import EXAMPLE
from attn_tui.tui import app, running

def fails(self):
    raise KeyError("what nobody expected\\x1b[31m")

app.AttnApp.action_start = fails
sys.exit(running.run(EXAMPLE))
"""


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
