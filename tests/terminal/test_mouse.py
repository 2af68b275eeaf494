"""The mouse as a terminal reports it."""

import re

import pytest

from tests.contract.terminal import Terminal


def to(terminal: Terminal, text: str, line: str = "", code: int = 35, end: str = "M") -> None:
    """Report the mouse over a text, in the first line that holds another one too."""
    y, x = next(
        (y, row.index(text))
        for y, row in enumerate(terminal.display)
        if text in row and line in row
    )
    terminal.press(f"\x1b[<{code};{x + 1};{y + 1}{end}")


def click(terminal: Terminal, text: str, line: str = "") -> None:
    """Click on a text."""
    to(terminal, text, line, 0)
    to(terminal, text, line, 0, "m")


@pytest.mark.slow
def test_the_mouse_points_drags_turns_and_chooses() -> None:
    with Terminal(120, 40) as terminal:
        terminal.until_shows("? Help")
        terminal.until_shows("0.0127")
        to(terminal, "●", "1,024", 0)
        to(terminal, "64", "256", 32)
        to(terminal, "64", "256", 0, "m")
        terminal.until_shows("ivided by 8 ")
        to(terminal, "64", "256", 64)
        terminal.until_shows("ivided by 8.94")
        click(terminal, "View")
        terminal.until_shows("Jacobian ∂p_i/∂s_j")
        click(terminal, "100", "~0 %")
        terminal.until_shows("▸   0")
        click(terminal, "2 Dot products")
        terminal.until_shows("100,000 drawn")
        terminal.press("\x11")
        assert terminal.leave() == 0
        assert not re.search(rb"Traceback", terminal.raw)
