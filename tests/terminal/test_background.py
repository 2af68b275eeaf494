"""The theme for the terminal's background, on a real pseudo-terminal that states its colour."""

import os
from pathlib import Path

import pytest

from attn_tui.ui.terminal.background import QUESTION, Background, shade_of
from tests.contract.terminal import Terminal, remember_start

WHITE = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
LIGHT, DARK = b"48;2;251;250;247", b"48;2;14;16;22"
"""The backgrounds of our themes, as the terminal gets them."""

READY = "r Rule t View"


class Coloured(Terminal):
    """A terminal that answers at once what its background is, if it has an answer."""

    answer = ""

    def take(self, data: bytes) -> None:
        """Show what the program writes, and answer its question about the background."""
        before = self.raw[-len(QUESTION) :]
        super().take(data)
        if self.answer and QUESTION.encode() in before + data and QUESTION.encode() not in before:
            self.child.send(self.answer)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    remember_start(tmp_path)
    return tmp_path


def start(state: Path, answer: str, *arguments: str, **environment: str) -> Coloured:
    plain = {"XDG_STATE_HOME": str(state), "COLORFGBG": ""}
    terminal = Coloured(80, 24, arguments, environment={**plain, **environment})
    terminal.answer = answer
    return terminal


def remembered(state: Path, name: str) -> str:
    path = state / "attn-tui" / name
    return path.read_text().strip() if path.exists() else ""


def is_light(terminal: Terminal) -> bool:
    """Wait for the screen, and return whether it is in the light theme."""
    terminal.until_shows(READY)
    assert (LIGHT in terminal.raw) != (DARK in terminal.raw)
    return LIGHT in terminal.raw


def quit_properly(terminal: Terminal) -> None:
    terminal.press("\x11")
    assert terminal.leave() == 0


def test_a_light_terminal_gets_the_light_theme_and_keys_typed_meanwhile_arrive(
    state: Path,
) -> None:
    with start(state, f"{WHITE}-") as terminal:
        assert is_light(terminal)
        # The key that came behind the answer lowers d_k.
        terminal.until_shows("divided by 29.9")
        quit_properly(terminal)
    assert remembered(state, "background") == "light"
    assert remembered(state, "theme") == ""


@pytest.mark.slow
def test_a_late_answer_is_swallowed_and_remembered_for_a_start_without_one(state: Path) -> None:
    with start(state, "") as terminal:
        assert not is_light(terminal)
        terminal.press("e")
        for part in WHITE:
            terminal.press(part)
        terminal.until(lambda: remembered(state, "background") == "light", "memory of it")
        terminal.press("7")
        terminal.until_shows("1 key")
        assert not [line for line in terminal.display if "rgb" in line or "]" in line]
        quit_properly(terminal)
    with start(state, "", COLORFGBG="15;0") as terminal:
        assert is_light(terminal)


@pytest.mark.slow
def test_what_is_chosen_goes_before_the_answer_and_colorfgbg_after_it(state: Path) -> None:
    with start(state, "", COLORFGBG="0;15") as terminal:
        assert is_light(terminal)
    for arguments, environment in ((["--theme", "attn"], {}), ([], {"TEXTUAL_THEME": "attn"})):
        with start(state, WHITE, *arguments, **environment) as terminal:
            assert not is_light(terminal)
            assert QUESTION.encode() not in terminal.raw
    (state / "attn-tui" / "theme").write_text("attn\n")
    with start(state, WHITE) as terminal:
        assert not is_light(terminal)


def test_what_terminals_answer_is_light_or_dark_or_nothing() -> None:
    shades = {
        "rgb:ffff/ffff/ffff": "light",
        "rgb:0000/0000/0000": "dark",
        "rgba:fb/fa/f7/ff": "light",
        "rgb:1/1/2": "dark",
        "rgb:0000/ffff/0000": "light",
        "?": "",
        "rgb:/": "",
    }
    assert {colour: shade_of(colour) for colour in shades} == shades


def test_nothing_is_read_where_nothing_was_asked() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"keys")
    background = Background()
    assert background.shade() == ""
    assert background.typed == ""
    assert os.read(reader, 10) == b"keys"
