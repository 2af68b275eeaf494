"""What the program remembers, and where, on a real pseudo-terminal."""

import json
import sys
from pathlib import Path

import pytest

from tests.contract.session import Session
from tests.contract.terminal import Terminal, remember_start
from tests.pairs import slow_after
from tests.tour.test_guide import LESSON

WITHOUT_ENTRY = """
import pwd

def no_entry(user):
    raise KeyError(user)

pwd.getpwuid = no_entry
from attn_tui.cli import main
main()
"""
"""The program where the user has no entry."""


def choose_theme(terminal: Terminal) -> None:
    terminal.until_shows("q Quit")
    terminal.press("/")
    terminal.until_shows("Find")
    terminal.press("nord")
    terminal.until_shows("nord")
    terminal.press("\r")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "reason"),
    slow_after(
        1,
        [
            (["-u", "HOME", "-u", "XDG_STATE_HOME"], "there is no home"),
            (["-u", "XDG_STATE_HOME", "HOME="], "there is no home"),
            (["XDG_STATE_HOME=state"], "XDG_STATE_HOME"),
        ],
    ),
)
def test_without_a_place_for_it_a_theme_is_chosen_and_the_loss_is_said(
    arguments: list[str], reason: str, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    root = str(Path(__file__).parents[2])
    program = ["/usr/bin/env", *arguments, f"PYTHONPATH={root}", sys.executable, "-c"]
    with Terminal(100, 30, [WITHOUT_ENTRY], program=program, folder=work) as terminal:
        choose_theme(terminal)
        terminal.until_shows(f"This theme is not remembered: {reason}")
        terminal.press("q")
        assert terminal.leave() == 0
    assert [*work.iterdir()] == []


@pytest.mark.slow
def test_a_link_called_theme_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    remember_start(tmp_path)
    theme = tmp_path / "attn-tui" / "theme"
    theme.symlink_to(tmp_path / "notes")
    with Session(tmp_path, size=(100, 30)) as session:
        choose_theme(session)
        session.until(lambda: not theme.is_symlink(), "file in place of the link")
        assert theme.read_text() == "nord\n"
        session.press("q")
        assert session.leave() == 0
    assert (tmp_path / "notes").read_text() == "mine"


@pytest.mark.slow
def test_six_programs_that_finish_a_step_at_once_keep_all_six(tmp_path: Path) -> None:
    remember_start(tmp_path)
    terminals = []
    for number in range(6):
        path = tmp_path / f"{number}.toml"
        path.write_text(LESSON.replace("Three scores", f"Lesson {number}"), "utf-8")
        environment = {"XDG_STATE_HOME": str(tmp_path)}
        arguments = ["tour", str(path), "--step", "2"]
        terminals.append(Terminal(80, 24, arguments, environment=environment))
    for terminal in terminals:
        terminal.until_shows("Tour 2 of 2")
    # None is waited for before the others leave.
    for terminal in terminals:
        terminal.press("\x1b")
    for terminal in terminals:
        terminal.until_shows("100, 120, 150")
        terminal.press("q")
        assert terminal.leave() == 0
    tours = json.loads((tmp_path / "attn-tui" / "tour").read_text())
    assert [tour["step"] for tour in tours.values()] == [1] * 6
