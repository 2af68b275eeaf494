"""However long somebody works, the program needs no more memory than at first.

Thirty-two dialogues, eighty changes between three instruments, or sixty sizes of the window, done a
second time, may take hardly any more than the first time took.

    python -m tests.contract.test_memory    # a thousand of each, all instruments too

There at most 20 MB may be added.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.session import Session
from tests.contract.terminal import Terminal, held

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

Work = Callable[[Terminal, list[int], int], None]

START = "Divided by 32"
MOST = 6 * 2**20
"""Bytes; every dialogue that is kept takes a third of a megabyte or more."""

FIRST = 15
"""Rounds of work after which a long one begins to count."""


def done(terminal: Terminal, d_k: list[int]) -> None:
    """Wait until all that was pressed has had its effect: a step of d_k is told in the headline."""
    d_k[0] = 64 if d_k[0] == 1024 else 1024
    terminal.press(f"1d{d_k[0]}\r")
    terminal.until_shows("Divided by 8 " if d_k[0] == 64 else START)


def dialogues(terminal: Terminal, d_k: list[int], rounds: int) -> None:
    for _ in range(rounds):
        for key in "?mo/":
            terminal.press(f"{key}\x1b[27u")
        done(terminal, d_k)


def instruments(terminal: Terminal, d_k: list[int], rounds: int) -> None:
    for _ in range(rounds):
        terminal.press("2412")
        done(terminal, d_k)


def all_instruments(terminal: Terminal, d_k: list[int], rounds: int) -> None:
    for _ in range(rounds):
        terminal.press("234561")
        done(terminal, d_k)


def sizes(terminal: Terminal, d_k: list[int], rounds: int) -> None:
    for _ in range(rounds):
        for columns, lines in ((100, 30), (80, 24), (140, 45), (120, 40)):
            terminal.resize(columns, lines)
        done(terminal, d_k)


def growth(work: Work, first: int, rounds: int, before: str = "") -> int:
    """Return how many bytes more are held after some rounds of work than after the first.

    It is waited for what keys before that begin: Claims keeps its answers.
    """
    with tempfile.TemporaryDirectory() as folder, Session(Path(folder), first=START) as terminal:
        terminal.do(*before)
        d_k = [1024]
        work(terminal, d_k, first)
        at_first = held(terminal)
        work(terminal, d_k, rounds)
        return held(terminal) - at_first


@pytest.mark.slow
@pytest.mark.parametrize(("work", "rounds"), [(dialogues, 8), (instruments, 20), (sizes, 15)])
def test_it_holds_no_more_memory_the_second_time(work: Work, rounds: int) -> None:
    assert growth(work, rounds, rounds) < MOST


def main() -> None:
    """Write how much more is held after many rounds of each."""
    long: tuple[tuple[Work, int, int, str], ...] = (
        (dialogues, 4, 1000, ""),
        (instruments, 4, 1000, ""),
        (all_instruments, 6, 1000, "654321"),
        (sizes, 4, 600, ""),
    )
    for work, parts, times, before in long:
        more = growth(work, FIRST, -(-times // parts), before) / 2**20
        name = work.__name__.replace("_", " ")
        sys.stdout.write(f"{times:,} {name}: {more:.1f} MB more than after {FIRST * parts}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
