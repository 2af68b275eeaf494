"""However the program is ended, it ends, and leaves the terminal as it was."""

import os
import re
import shlex
import signal
import sys
from pathlib import Path

import pytest

from attn_tui.ui.terminal.background import QUESTION
from tests.contract.terminal import Terminal
from tests.pairs import slow_after

START = "Divided by 32"
"""What stands in the headline once the program is there."""

USED = {b"1049", b"1000", b"1006", b"2004", b"1004"}
"""Alternate screen, mouse, pastes and focus: what the program switches on at least."""

AT_FIRST = {b"7", b"25"}
"""What a terminal has on by itself: lines wrap, and the cursor is shown."""

NUMBERS = ["INT", "TERM", "QUIT", "HUP"]


def is_restored(raw: bytes) -> bool:
    """Return whether every mode that was changed, and the keyboard's, is what it was at first."""
    modes, changed = set(AT_FIRST), set()
    for numbers, way in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", raw):
        named = set(numbers.split(b";"))
        modes = modes | named if way == b"h" else modes - named
        changed |= named
    keyboard = raw.count(b"\x1b[<u") >= len(re.findall(rb"\x1b\[>[0-9]*u", raw))
    return modes == AT_FIRST and changed >= USED and keyboard


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


@pytest.mark.parametrize("keys", slow_after(2, ["q", "e\x11", "\x11", "/\x11"]))
def test_quitting_leaves_the_terminal_as_it_was_and_prints_the_question(keys: str) -> None:
    with Terminal(80, 24, program=between_states(f"{sys.executable} -m attn_tui")) as terminal:
        terminal.until_shows(START)
        terminal.press(f"-{keys}")
        check_left(terminal, 0)
        asks = b"attn-tui show 100,120,150 --d-k 896 --screen\r\n"
        assert terminal.raw.index(asks) > terminal.raw.rindex(b"\x1b[?1049l")


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(name: str) -> None:
    number = getattr(signal, f"SIG{name}")
    with Terminal(80, 24, program=between_states(f"{sys.executable} -m attn_tui")) as terminal:
        terminal.until_shows(START)
        os.kill(child_of(terminal.child.pid), number)
        check_left(terminal, 128 + number)


def test_a_signal_before_the_first_picture_leaves_the_terminal_as_it_was() -> None:
    with Terminal(80, 24, program=between_states(f"{sys.executable} -m attn_tui")) as terminal:
        terminal.until(lambda: QUESTION.encode() in terminal.raw, "question")
        os.kill(child_of(terminal.child.pid), signal.SIGTERM)
        terminal.until_shows("status 143")
        assert terminal.leave() == 0
        first, *_, last = terminal.raw.replace(QUESTION.encode(), b"").split()
        assert first == last, "stty has changed"


HOOKED = """
import runpy, sys, threading
from textual.app import App

def watch(self, has_focus):
    if not has_focus:
        sys.__stderr__.write("\\x1b]2;watched\\x07")
        sys.__stderr__.flush()
        {does}

App.watch_app_focus = watch
runpy.run_module("attn_tui", run_name="__main__")
"""
"""Runs the program, and does something in a watcher once its terminal says it lost the focus."""

LOST_FOCUS = "\x1b[O"

BUSY = {
    "computing": "while True: sum(range(10000))",
    "waiting": "threading.Event().wait()",
}


def hooked(does: str) -> list[str]:
    """Return a program that does something in a watcher."""
    return [sys.executable, "-c", HOOKED.format(does=does)]


@pytest.mark.slow
@pytest.mark.parametrize("work", BUSY)
def test_a_signal_ends_it_whatever_it_is_doing(work: str) -> None:
    with Terminal(80, 24, program=between_states(shlex.join(hooked(BUSY[work])))) as terminal:
        keep_busy(terminal)
        os.kill(child_of(terminal.child.pid), signal.SIGTERM)
        check_left(terminal, 128 + signal.SIGTERM)


@pytest.mark.slow
def test_it_ends_with_its_terminal() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows(START)
        terminal.child.ptyproc.fileobj.close()
        _, status = os.waitpid(terminal.child.pid, 0)
        terminal.child.ptyproc.terminated = terminal.child.terminated = True
        assert os.waitstatus_to_exitcode(status) == -signal.SIGHUP


def keep_busy(terminal: Terminal) -> None:
    """Let the program's own thread do something without end."""
    terminal.until_shows(START)
    terminal.press(LOST_FOCUS)
    terminal.until(lambda: terminal.screen.title == "watched", "title")


def test_an_error_nobody_expected_leaves_the_terminal_and_prints_the_question() -> None:
    does = shlex.join(hooked("raise RuntimeError('nobody expects \\x1b[31m')"))
    with Terminal(80, 24, program=between_states(does)) as terminal:
        terminal.until_shows(START)
        terminal.press(f"d4096\r{LOST_FOCUS}")
        check_left(terminal, 70)
    told = terminal.raw.rpartition(b"\x1b[?1049l")[2]
    assert b"RuntimeError: nobody expects \\x1b[31m" in told
    assert b"attn-tui show 100,120,150 --d-k 4096 --screen\r\n" in told
