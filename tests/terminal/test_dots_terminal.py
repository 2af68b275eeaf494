"""Dot products on a real pseudo-terminal: what a running draw sends, and how it ends."""

from functools import partial

import pytest

from tests.contract.terminal import Terminal

PICTURES = {(120, 40): 4000, (80, 24): 4000}
"""Bytes of one picture of a sample that grows."""


def opened(terminal: Terminal) -> None:
    """Go to Dot products and wait for the whole picture."""
    terminal.until_shows("q Quit")
    terminal.press("2")
    terminal.until_shows("100,000 drawn")
    terminal.until_shows("σ = 8")


def begin(terminal: Terminal) -> None:
    """Ask for more draws than there will be time for."""
    terminal.press("/entries coins\r")
    terminal.until_shows("100,000 drawn")
    terminal.press("/samples 1e8\r")
    terminal.until_shows("space stops")


def drawn(terminal: Terminal) -> str:
    """Return the line of progress."""
    return next((line for line in terminal.display if "of 100,000,000" in line), "")


def moved(terminal: Terminal, seen: set[str]) -> bool:
    """Return whether the line of progress is there and another one."""
    return drawn(terminal) not in seen


def pictures(terminal: Terminal, count: int) -> None:
    """Wait until the line of progress has changed so often."""
    for _ in range(count):
        seen = {"", drawn(terminal)}
        terminal.until(partial(moved, terminal, seen), "progress")


@pytest.mark.slow
@pytest.mark.parametrize("size", PICTURES)
def test_a_running_draw_sends_little_and_ends_with_the_program(size: tuple[int, int]) -> None:
    with Terminal(*size, ["--d-k", "64"]) as terminal:
        opened(terminal)
        begin(terminal)
        pictures(terminal, 2)
        before = terminal.sent
        pictures(terminal, 5)
        assert 0 < terminal.sent - before <= 5 * PICTURES[size]
        terminal.press("q")
        assert terminal.leave() == 0


def count(line: str) -> int:
    """Return how many were drawn, from the line that says so."""
    return int(line.partition(" drawn")[0].split()[-1].replace(",", ""))
