"""What a terminal sends that is no key, on a real pseudo-terminal."""

from pathlib import Path

import pytest

from attn_tui.ui.terminal.paste import MOST
from tests.contract.session import SOON, Session
from tests.contract.terminal import Terminal
from tests.terminal.test_mouse import to

START = "Divided by 32"


def check_untouched(terminal: Terminal) -> None:
    """Check that nothing has stepped d_k, gone to another screen, or edited the scores."""
    terminal.press("-")
    terminal.until_shows("Divided by 29.9")
    terminal.press("+")
    terminal.until_shows(START)
    assert any("100, 120, 150" in line for line in terminal.display)


@pytest.mark.slow
def test_a_torn_or_unasked_sequence_is_no_key() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows(START)
        terminal.press("d")
        terminal.until_shows("⏎ Set")
        terminal.press("\x1b")
        # Escape closes the field when its rest has not come.
        terminal.until_shows("? Help")
        terminal.press("[B")
        terminal.press("\x1b[?62;22c\x1b[113~\x1bP>|term\x1b\\")
        check_untouched(terminal)


@pytest.mark.slow
def test_a_paste_without_an_end_is_dropped_by_ctrl_c(tmp_path: Path) -> None:
    with Session(tmp_path, size=(80, 24)) as terminal:
        terminal.do("e\x1b[200~5,1,", quiet=SOON)
        terminal.press("\x03")
        terminal.until_shows("dropped")
        terminal.press("\x1b[27u")
        check_untouched(terminal)


@pytest.mark.slow
def test_a_paste_without_an_end_is_inserted_after_a_silence() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows(START)
        terminal.press("e\x1b[200~5,1,2")
        terminal.until_shows("5,1,2")
        terminal.press("\x1b[27u-")
        terminal.until_shows("Divided by 29.9")


@pytest.mark.slow
def test_a_paste_of_five_million_bytes_is_refused() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows(START)
        terminal.press("e")
        terminal.press("\x1b[200~" + "1,2,3,4,5," * (MOST // 2) + "\x1b[201~")
        terminal.until_shows("5,000,000 bytes")
        terminal.press("\x1b[27u")
        check_untouched(terminal)


@pytest.mark.slow
def test_only_the_left_button_of_the_mouse_acts_and_the_keypad_does() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows("65,536")
        for button in (1, 2, 128, 129):
            to(terminal, "64", "256", button)
            to(terminal, "64", "256", button, "m")
            to(terminal, "2 Dot products", "", button)
            to(terminal, "2 Dot products", "", button, "m")
        check_untouched(terminal)
        terminal.press("\x1b[57413;129;43u")
        terminal.until_shows("Divided by 35.8")
        terminal.press("\x1b[57412;129;45u\x1b[57412;129;45u\x1b[57412;129;45u")
        terminal.until_shows("Divided by 27.7")


def test_the_size_of_the_terminal_goes_before_the_variables() -> None:
    environment = {"COLUMNS": "100000", "LINES": "100000"}
    with Terminal(80, 24, environment=environment) as terminal:
        terminal.until_shows(START)
        terminal.press("q")
        assert terminal.leave() == 0


@pytest.mark.slow
def test_a_terminal_that_is_too_large_is_refused_in_one_line() -> None:
    with Terminal(2001, 24) as terminal:
        assert terminal.leave() == 2
        assert terminal.display[0].endswith(
            "it has 2,001 columns and 24 lines; expected at most 2,000 and 1,000"
        )
        assert not any(terminal.display[1:])
    # One of no size is as large as the variables say.
    with Terminal(0, 0, environment={"COLUMNS": "100000", "LINES": "24"}) as terminal:
        assert terminal.leave() == 2


@pytest.mark.slow
def test_a_terminal_that_becomes_too_large_is_left_by_q() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows(START)
        terminal.child.setwinsize(30000, 30000)
        terminal.press("-q")
        assert terminal.leave() == 0
        assert b"--d-k 896 --screen" in terminal.raw
