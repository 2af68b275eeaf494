"""The mouse as a terminal reports it."""

import re

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


def test_what_a_click_would_do_is_said_until_a_key_is_pressed_and_a_click_does_it() -> None:
    with Terminal(120, 40) as terminal:
        terminal.until_shows("? Help")
        terminal.until_shows("‖∂p/∂s‖_F, largest")
        to(terminal, "64━", "d_k 1━")
        terminal.until_shows("Go to d_k = 64")
        to(terminal, "   2", "  150  ~100 %")
        terminal.until_shows("Key 2: 62.5 %")
        assert not any("Go to d_k" in row for row in terminal.display)
        terminal.press("]")
        terminal.until_shows("÷ √1280")
        terminal.until(lambda: "Key 2:" not in "".join(terminal.display), "nothing said")
        click(terminal, "64━", "d_k 1━")
        terminal.until_shows("÷ √64 ")
        click(terminal, "Jacobian", "│ Precision")
        terminal.until_shows("Jacobian ∂p_i/∂s_j")
        click(terminal, "Unscaled, key 2")
        terminal.until_shows("In words and numbers")
        terminal.press("\x11")
        assert terminal.leave() == 0
        assert not re.search(rb"Traceback", terminal.raw)
