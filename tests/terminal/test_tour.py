"""Where a tour begins, on a real pseudo-terminal."""

from pathlib import Path

import pytest

from tests.contract.terminal import Terminal, remember_start
from tests.test_cli import refused
from tests.tour.test_guide import LESSON

LIGHT = b"48;2;251;250;247"
"""The background of the light theme, as a terminal is told it."""


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    remember_start(tmp_path)
    path = tmp_path / "lesson.toml"
    path.write_text(LESSON, "utf-8")
    return path


def start(lesson: Path, *options: str) -> Terminal:
    environment = {"XDG_STATE_HOME": str(lesson.parent)}
    return Terminal(80, 24, ["tour", str(lesson), *options], environment=environment)


@pytest.mark.slow
def test_a_lesson_begins_at_its_beginning_unless_it_is_to_go_on(lesson: Path) -> None:
    with start(lesson, "--step", "2") as terminal:
        terminal.until_shows("Tour 2 of 2")
        terminal.press("\x1b")
        terminal.until_shows("100, 120, 150")
    for options, place in (((), 1), (("--continue",), 2)):
        with start(lesson, *options) as terminal:
            terminal.until_shows(f"Tour {place} of 2")


@pytest.mark.slow
def test_a_lesson_has_the_theme_that_is_named(lesson: Path) -> None:
    with start(lesson, "--theme", "attn-light") as terminal:
        terminal.until_shows("Tour 1 of 2")
        assert LIGHT in terminal.raw
    with start(lesson, "--theme", "attn") as terminal:
        terminal.until_shows("Tour 1 of 2")
        assert LIGHT not in terminal.raw


def test_a_step_that_is_not_there_is_refused(lesson: Path) -> None:
    problem = refused("tour", str(lesson), "--step", "3")
    assert problem.endswith("--step: there is no step 3; expected a number from 1 to 2")
