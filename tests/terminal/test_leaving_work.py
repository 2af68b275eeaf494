"""Leaving waits for nothing that is computed, and for every file that is saved."""

import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from tests.contract.terminal import Terminal
from tests.contract.test_ending import START, between_states, check_left, child_of

ENDLESS = """
import runpy
from attn_tui.claims import answer

def endless(name, stop):
    while True:
        sum(range(10_000))

answer.unchanged_finding = endless
runpy.run_module("attn_tui", run_name="__main__")
"""
"""Runs the program, which tries every claim without end."""

SLOW = """
import runpy, sys, time
from pathlib import Path
from attn_tui.report import export

save = export.export

def slow(path, forms):
    while not Path("go").exists():
        time.sleep(0.01)
    save(path, forms)

export.export = slow
runpy.run_module("attn_tui", run_name="__main__")
"""
"""Runs the program, which saves nothing until there is a file "go"."""


def program(source: str) -> list[str]:
    """Return a program that runs some source, between two states of the terminal."""
    return between_states(shlex.join([sys.executable, "-c", source]))


def test_quitting_waits_for_no_computation() -> None:
    with Terminal(80, 24, program=program(ENDLESS)) as terminal:
        terminal.until_shows(START)
        terminal.press("6")
        terminal.until_shows("Claims")
        terminal.press("q")
        check_left(terminal, 0)
        assert b"attn-tui claim S0-2" in terminal.raw.rpartition(b"\x1b[?1049l")[2]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["q", pytest.param("SIGTERM", marks=pytest.mark.slow)])
def test_leaving_waits_for_a_file_that_is_saved_and_says_so(tmp_path: Path, way: str) -> None:
    with Terminal(80, 24, program=program(SLOW), folder=tmp_path) as terminal:
        terminal.until_shows(START)
        terminal.press("s")
        terminal.until_shows("Save what is shown")
        terminal.press("\x15kept.json\r")
        terminal.press("\x1b")
        terminal.until(lambda: "Save what" not in "".join(terminal.display), "no dialogue")
        status = 0
        if way == "q":
            terminal.press("q")
        else:
            os.kill(child_of(terminal.child.pid), signal.SIGTERM)
            status = 128 + signal.SIGTERM
        terminal.until(lambda: b"saving kept.json" in terminal.raw, "line")
        assert not (tmp_path / "kept.json").exists()
        (tmp_path / "go").touch()
        check_left(terminal, status)
    assert (tmp_path / "kept.json").read_text().startswith("{")
    assert terminal.raw.count(b"attn-tui show 100,120,150") == 1


@pytest.mark.slow
def test_who_will_not_wait_for_a_file_ends_at_once(tmp_path: Path) -> None:
    with Terminal(80, 24, program=program(SLOW), folder=tmp_path) as terminal:
        terminal.until_shows(START)
        terminal.press("s")
        terminal.until_shows("Save what is shown")
        terminal.press("\x15kept.json\r\x1b")
        terminal.until(lambda: "Save what" not in "".join(terminal.display), "no dialogue")
        terminal.press("q")
        terminal.until(lambda: b"saving kept.json" in terminal.raw, "line")
        os.kill(child_of(terminal.child.pid), signal.SIGINT)
        check_left(terminal, 128 + signal.SIGINT)
    assert not (tmp_path / "kept.json").exists()
