"""A program that is killed at any moment leaves a session that was asked, and valid."""

import random
import signal
from pathlib import Path

import pytest

from attn_tui.files.session import read_session
from attn_tui.ui.session_names import ENDING
from tests.contract.terminal import Terminal, remember_start

KILLS = 10

KEYS = ("+", "+", "-", "2", "3", "1", "t", "u", "U", "e5,6\x1b", "g\x1b", ",", ".", "p")
"""What is pressed, most of which asks something."""


def presses(seed: int) -> list[str]:
    """Return what is pressed before the end."""
    chance = random.Random(seed)
    return [chance.choice(KEYS) for _ in range(chance.randrange(4, 25))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_program_leaves_a_session_that_can_be_taken_up(seed: int, tmp_path: Path) -> None:
    remember_start(tmp_path)
    folder = tmp_path / "attn-tui" / "sessions"
    environment = {"XDG_STATE_HOME": str(tmp_path)}

    def files() -> list[Path]:
        return [path for path in folder.glob("*") if path.suffix == ENDING]

    with Terminal(80, 24, ["5, 6, 7"], environment=environment) as terminal:
        terminal.until_shows("q Quit")
        for keys in presses(seed):
            terminal.press(keys)
        # The first save is waited for, and later ones are under way when the end comes.
        terminal.press("+")
        terminal.until(lambda: bool(files()), "session")
        terminal.press("+")
        terminal.child.kill(signal.SIGKILL)
        terminal.child.wait()
    (path,) = files()
    session = read_session(str(path)).session
    assert {draft.text for draft in session.steps} <= {"a: 5, 6, 7", "5,6"}
    with Terminal(80, 24, environment=environment) as terminal:
        terminal.until_shows("y goes on where you were")
        terminal.press("y")
        d_k = f"{session.present.setup.d_k:,}"
        terminal.until(lambda: d_k in "\n".join(terminal.display), d_k)
        assert read_session(str(path)).session == session
