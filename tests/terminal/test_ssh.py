"""The program over a real SSH line: each instrument, in tmux and screen, cut, and slow."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pexpect
import pytest

from attn_tui.ui.session_names import ENDING
from tests.contract.terminal import Terminal
from tests.terminal.jobs import START, left_on
from tests.terminal.line import PROGRAM, SSHD, Server, server, slow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.ssh,
    pytest.mark.skipif(not (SSHD and shutil.which("ssh")), reason="needs an SSH server"),
]

RATE = 3_000
"""Bytes a second of a slow line."""

PICTURES = 3
"""Pictures at most that follow the release of a key: the one under way, the last one, and one
between them where the machine was too busy to read all keys meanwhile."""

SCREENS = {
    "2": "is typically ±32", "3": "does to the", "4": "queries ↓", "5": "sharpest",
    "6": "enter opens it", "1": START,
}  # fmt: skip
"""What stands on each instrument, by its key."""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(tmp_path_factory.mktemp("ssh")) as started:
        yield started


def use(terminal: Terminal) -> None:
    """Go through all instruments, move d_k, and quit."""
    terminal.until_shows(START)
    for key, text in SCREENS.items():
        terminal.press(key)
        terminal.until_shows(text)
    terminal.press("+")
    terminal.until_shows("Divided by 35.8")
    terminal.press("-")
    terminal.until_shows(START)
    terminal.press("q")


def test_every_instrument_works_over_ssh(there: Server) -> None:
    with there.terminal(f"{PROGRAM} 100,120,150") as terminal:
        use(terminal)
        assert terminal.leave() == 0
        assert left_on(terminal.raw) == set()


@pytest.mark.parametrize(
    ("wrapper", "line"),
    [
        ("tmux", "tmux -L attn-tui-tests -f /dev/null new-session '{program}'"),
        ("screen", "screen -c /dev/null {program}"),
    ],
)
def test_every_instrument_works_in_a_window_manager_over_ssh(
    wrapper: str, line: str, there: Server
) -> None:
    if not shutil.which(wrapper):
        pytest.skip(f"needs {wrapper}")
    with there.terminal(line.format(program=f"{PROGRAM} 100,120,150")) as terminal:
        use(terminal)
        terminal.leave()


def test_what_was_asked_is_there_again_after_the_line_is_cut(there: Server) -> None:
    with there.terminal(f"{PROGRAM} --fresh") as terminal:
        terminal.until_shows("Explore")
        terminal.press("d\x15777\r")
        terminal.until_shows("777")
        until_saved(there, terminal)
        os.kill(terminal.child.pid, signal.SIGKILL)
    with there.terminal(f"{PROGRAM} --resume") as terminal:
        terminal.until_shows("777")
        terminal.press("q")
        assert terminal.leave() == 0


def hold(terminal: Terminal, key: str, times: int) -> None:
    """Press a key thirty times a second, and read meanwhile."""
    for _ in range(times):
        terminal.press(key)
        end = monotonic() + 1 / 30
        while (left := end - monotonic()) > 0.0:
            with suppress(pexpect.TIMEOUT):
                terminal.take(terminal.child.read_nonblocking(4096, timeout=left))


def until_saved(there: Server, terminal: Terminal) -> None:
    """Wait until a session that has the number is in the state directory."""
    sessions = Path(there.environment["XDG_STATE_HOME"], "attn-tui", "sessions")

    def is_saved() -> bool:
        files = (path for path in sessions.glob("*") if path.suffix == ENDING)
        return any("777" in path.read_text("utf-8") for path in files)

    terminal.until(is_saved, "session")


def test_over_a_slow_line_the_picture_after_a_held_key_is_soon_the_right_one(
    there: Server,
) -> None:
    with (
        slow(there.port, RATE) as port,
        there.terminal(f"{PROGRAM} 100,120,150", port) as terminal,
    ):
        terminal.until_shows("Copy")
        hold(terminal, "+", 90)
        before = terminal.raw.count(b"\x1b[5n")
        terminal.until_shows("1/√d_k: divided by 256")
        shown = terminal.display
        # To leave the program asks once more whether the terminal has taken everything.
        pictures = terminal.raw.count(b"\x1b[5n") - before
        terminal.press("q")
        assert terminal.leave() == 0
    assert pictures <= PICTURES
    assert any("65,536" in line for line in shown)
