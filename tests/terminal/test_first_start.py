"""What only a first start shows, on a real pseudo-terminal."""

from pathlib import Path

import pytest

from tests.contract.terminal import Terminal

WELCOME = "New here? x offers a tour; esc hides it."


def start(folder: Path, *arguments: str, columns: int = 80) -> Terminal:
    """Start the program with a state of its own."""
    environment = {"XDG_STATE_HOME": str(folder)}
    return Terminal(columns, 24, arguments, environment=environment)


def lines(terminal: Terminal) -> list[str]:
    terminal.until_shows("q Quit")
    return [line.rstrip() for line in terminal.display]


@pytest.mark.slow
def test_the_first_start_alone_offers_the_tour_in_one_line_above_the_footer(
    tmp_path: Path,
) -> None:
    with start(tmp_path, columns=40) as terminal:
        assert lines(terminal)[-2:] == [WELCOME, "? Help / Find g Settings r Rule q Quit"]
        terminal.press("\x1b")
        terminal.until(lambda: WELCOME not in terminal.display[-2], "no line that offers a tour")
    # It was ended before it could leave anything behind.
    with start(tmp_path) as terminal:
        assert WELCOME not in lines(terminal)


def test_nothing_is_offered_where_nothing_can_be_remembered(tmp_path: Path) -> None:
    (tmp_path / "attn-tui").write_text("a file in place of the folder")
    with start(tmp_path) as terminal:
        assert WELCOME not in lines(terminal)
