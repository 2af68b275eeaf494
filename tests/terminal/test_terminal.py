"""The program on a real pseudo-terminal."""

import re
from pathlib import Path

import pytest

from attn_tui.claims.ledger import ledger
from tests.contract.session import Session
from tests.contract.terminal import Terminal

GLYPHS = re.compile("[\u2500-\u25ff\u2800-\u28ff]")
"""Frames, blocks, shapes and braille, which some terminals have no font for."""


def last_line(terminal: Terminal) -> None:
    """Wait until the key bar is drawn, and the chart with it."""
    terminal.until_shows("? Help")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "environment"), [(["--ascii"], {"LC_ALL": "C"}), ([], {"TERM": "linux"})]
)
def test_every_instrument_is_drawn_in_ascii_where_that_is_wanted(
    arguments: list[str], environment: dict[str, str]
) -> None:
    with Terminal(80, 24, arguments, environment=environment) as terminal:
        terminal.until_shows("1/√d_k: divided by 32")
        last_line(terminal)
        for key, text in (
            ("2", "Bars drawn, lines exact"),
            ("3", "dividing by √d_k"),
            ("4", "Query 11: largest"),
            ("5", "64 heads"),
            ("6", f"{len(ledger())} claims"),
        ):
            terminal.press(key)
            terminal.until_shows(text)
        terminal.press("q")
        assert terminal.leave() == 0
        assert not GLYPHS.findall(terminal.raw.decode("utf-8"))


@pytest.fixture
def screen(tmp_path: Path) -> tuple[str, ...]:
    """Return the first screen, once its charts are there."""
    with Session(tmp_path, ["--d-k", "1024"]) as session:
        session.rest()
        return session.display


@pytest.mark.slow
def test_bytes_that_are_not_utf_8_are_shown_as_what_they_are() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows("13.1 %")
        terminal.press("e")
        terminal.child.send(b"\x1b[200~1 \xe9 2\x1b[201~")
        terminal.until_shows("is not a number")
        terminal.press("\x11")
        assert terminal.leave() == 0


@pytest.mark.slow
def test_escape_and_what_might_begin_a_sequence_are_two_keys() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows("13.1 %")
        terminal.press("d\x1b[")
        terminal.until_shows("ivided by 29.9")
        terminal.until_shows("a: 100, 120, 150")
        terminal.press("\x11")
        assert terminal.leave() == 0


@pytest.mark.slow
def test_a_joined_emoji_takes_two_cells_where_the_terminal_does_not_join_it(
    tmp_path: Path,
) -> None:
    screens = []
    for name in ("注", "👩\u200d🔬"):
        with Session(tmp_path, [f"{name}!:100,120,150"], (80, 24)) as session:
            session.rest()
            screens.append([line.replace(name[0], "**") for line in session.display])
    assert screens[0] == screens[1]
    assert any("**" in line for line in screens[0])


@pytest.mark.slow
def test_a_size_that_comes_back_at_once_is_drawn_anew(screen: tuple[str, ...]) -> None:
    with Terminal(120, 40, ["--d-k", "1024"]) as terminal:
        terminal.until_like(screen)
        # The terminal forgets what it has no room for; the program learns of the last size alone.
        terminal.child.setwinsize(15, 40)
        terminal.child.setwinsize(40, 120)
        terminal.take(b"\x1b[2J")
        terminal.until_like(screen)


@pytest.mark.slow
@pytest.mark.parametrize(("instrument", "last"), [("1", "divided by 22.6"), ("2", "±σ = ±22.6")])
def test_what_is_painted_bit_by_bit_is_what_is_painted_as_a_whole(
    instrument: str, last: str
) -> None:
    with Terminal(120, 40) as terminal:
        terminal.until_shows("q Quit")
        terminal.press(instrument)
        terminal.press("\x1b[<35;60;20M\x1b[<35;30;10M")
        for key in "{}+-{":
            terminal.press(key)
        terminal.until_shows(last)
        # One picture is one synchronised update, and maybe the question whether it is there.
        terminal.until(lambda: terminal.raw.endswith((b"\x1b[?2026l", b"\x1b[5n")), "whole picture")
        before = terminal.display
        terminal.screen.reset()
        terminal.press("\x0c")
        terminal.until_like(before)
