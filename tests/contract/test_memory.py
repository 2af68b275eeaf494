"""However long somebody works, the program needs no more memory than at first.

Sixty dialogues, eighty changes between three instruments, or sixty sizes of the window, done a
second time, may take hardly any more than the first time took.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

Work = Callable[[Terminal, list[int]], None]

START = "Divided by 32"
MOST = 6 * 2**20
"""Bytes; every dialogue that is kept takes a third of a megabyte or more."""


def held(terminal: Terminal) -> int:
    """Return the bytes of memory that the program holds now."""
    status = Path(f"/proc/{terminal.child.pid}/status").read_text("utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def done(terminal: Terminal, d_k: list[int]) -> None:
    """Wait until all that was pressed has had its effect: a step of d_k is told in the headline."""
    d_k[0] = 64 if d_k[0] == 1024 else 1024
    terminal.press(f"1d{d_k[0]}\r")
    terminal.until_shows("Divided by 8 " if d_k[0] == 64 else START)


def dialogues(terminal: Terminal, d_k: list[int]) -> None:
    for _ in range(15):
        for key in "?mo/":
            terminal.press(f"{key}\x1b[27u")
        done(terminal, d_k)


def instruments(terminal: Terminal, d_k: list[int]) -> None:
    for _ in range(20):
        terminal.press("2412")
        done(terminal, d_k)


def sizes(terminal: Terminal, d_k: list[int]) -> None:
    for _ in range(15):
        for columns, lines in ((100, 30), (80, 24), (140, 45), (120, 40)):
            terminal.resize(columns, lines)
        done(terminal, d_k)


@pytest.mark.parametrize("work", [dialogues, instruments, sizes])
def test_it_holds_no_more_memory_the_second_time(work: Work) -> None:
    with Terminal(120, 40) as terminal:
        terminal.until_shows(START)
        d_k = [1024]
        work(terminal, d_k)
        before = held(terminal)
        work(terminal, d_k)
        assert held(terminal) - before < MOST
