"""Over a slow line no picture is sent that is outdated before the terminal has taken the last."""

import pytest

from tests.contract.terminal import Terminal

FRAMES = 3
"""Pictures at most: the one in hand, what waited for it, and what came while that went."""

STEP = {"": 14_000, "2": 18_000}
"""Bytes of one picture at most, by the key of the instrument."""

START = {"": "Divided by 32", "2": "typically ±32"}
END = {"": "Divided by 256", "2": "typically ±256"}


@pytest.mark.slow
@pytest.mark.parametrize("instrument", START)
def test_sixty_steps_send_no_more_than_three_pictures_where_none_is_taken(instrument: str) -> None:
    with Terminal(120, 40) as terminal:
        terminal.until_shows(START[""])
        terminal.press(instrument)
        terminal.until_shows(START[instrument])
        # What start-up still sends has come when the answers to keys have.
        for key in "-+-+":
            terminal.press(key)
            terminal.until_shows("896" if key == "-" else START[instrument])
        terminal.answers = False
        before = terminal.sent
        terminal.press("+" * 60)
        terminal.until_shows(END[instrument])
        assert terminal.sent - before < FRAMES * STEP[instrument]
        terminal.answers = True
        terminal.press("-")
        terminal.until(lambda: END[instrument] not in "".join(terminal.display), "another step")
        terminal.press("+")
        terminal.until_shows(END[instrument])
        # What the terminal shows is what the program takes it to show.
        shown = terminal.display[:3]
        terminal.take(b"\x1b[2J")
        terminal.press("\x0c")
        terminal.until_like(shown, slice(3))
        terminal.press("q")
        assert terminal.leave() == 0
        assert b"--d-k 65536" in terminal.raw


@pytest.mark.slow
def test_a_terminal_that_never_answers_waits_for_nothing() -> None:
    with Terminal(120, 40) as terminal:
        terminal.answers = False
        terminal.until_shows(START[""])
        for key, shown in (("-", "29.9"), ("+", "32")) * 4:
            terminal.press(key)
            terminal.until_shows(f"Divided by {shown}")
        assert terminal.raw.count(b"\x1b[5n") == 1
