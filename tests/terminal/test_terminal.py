"""The program on a real pseudo-terminal."""

import re
import sys
from functools import cache
from pathlib import Path
from signal import SIGTERM

import pytest

from tests.contract.terminal import Terminal
from tests.engine.captured import heads, write

SIZES = {(120, 40): 3000, (80, 24): 2000}
CHARTS = {"": 12_000, "tt": 12_000, "ttt": 40_000}
GLYPHS = re.compile("[\u2500-\u25ff\u2800-\u28ff]")
"""Frames, blocks, shapes and braille, which some terminals have no font for."""


def last_line(terminal: Terminal) -> None:
    """Wait until the key bar is drawn, and the chart with it."""
    terminal.until_shows("? Help")


def test_it_starts_answers_keys_quits_and_leaves_the_terminal_as_it_was() -> None:
    script = f"stty -g; {sys.executable} -m attn_tui; echo status $?; stty -g"
    with Terminal(80, 24, program=["sh", "-c", script]) as terminal:
        terminal.until_shows("13.1 %")
        terminal.press("[")
        terminal.until_shows("÷ √896")
        terminal.press("q")
        assert terminal.leave() == 0
        assert b"status 0" in terminal.raw
        asks = b"attn-tui show 100,120,150 --d-k 896\r\n"
        assert terminal.raw.index(asks) > terminal.raw.rindex(b"\x1b[?1049l")
        assert terminal.raw.split()[0] == terminal.raw.split()[-1], "stty has changed"
        assert b"\x1b[?1049h" in terminal.raw
        assert terminal.raw.rindex(b"\x1b[?1049l") > terminal.raw.rindex(b"\x1b[?1049h")
        assert terminal.raw.rindex(b"\x1b[?25h") > terminal.raw.rindex(b"\x1b[?25l")


@pytest.mark.parametrize(
    ("remembered", "arguments", "is_light"),
    [
        ("textual-light", (), True),
        ("textual-light", ("--theme", "textual-dark"), False),
        ("no such theme", (), False),
    ],
)
def test_it_has_the_theme_that_is_named_or_the_one_chosen_last(
    remembered: str, arguments: tuple[str, ...], is_light: bool, tmp_path: Path
) -> None:
    (tmp_path / "attn-tui").mkdir()
    (tmp_path / "attn-tui" / "theme").write_text(remembered)
    with Terminal(80, 24, arguments, environment={"XDG_STATE_HOME": str(tmp_path)}) as terminal:
        last_line(terminal)
        assert (int(terminal.screen.buffer[1][79].bg, 16) > 0x808080) == is_light


def test_a_theme_there_is_not_is_said_before_anything_is_drawn() -> None:
    with Terminal(80, 24, ["--theme", "x\x1b[2J"]) as terminal:
        assert terminal.leave() == 2
        assert b"is not a theme; expected one of ansi-dark" in terminal.raw
        assert b"\x1b" not in terminal.raw


@pytest.mark.parametrize(
    ("arguments", "environment"), [(["--ascii"], {"LC_ALL": "C"}), ([], {"TERM": "linux"})]
)
def test_every_instrument_is_drawn_in_ascii_where_that_is_wanted(
    arguments: list[str], environment: dict[str, str]
) -> None:
    with Terminal(80, 24, arguments, environment=environment) as terminal:
        terminal.until_shows("m = 1/√d_k")
        last_line(terminal)
        for key, text in (
            ("2", "q·k ± error"),
            ("3", "dividing by √d_k"),
            ("4", "largest weight"),
            ("5", "No capture is open"),
            ("6", "93 claims"),
        ):
            terminal.press(key)
            terminal.until_shows(text)
        terminal.press("q")
        assert terminal.leave() == 0
        assert not GLYPHS.findall(terminal.raw.decode("utf-8"))


@pytest.mark.parametrize(("opened", "text"), [("tour", "esc Leave"), ("capture", "t View")])
def test_a_tour_and_a_capture_can_be_drawn_in_ascii(opened: str, text: str, tmp_path: Path) -> None:
    capture = str(write(tmp_path / "capture.safetensors", heads()))
    word = {"tour": "tour", "capture": capture}[opened]
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    with Terminal(80, 24, [word, "--ascii"], environment=environment) as terminal:
        terminal.until_shows(text)
        terminal.press("\x11")
        assert terminal.leave() == 0
        assert not GLYPHS.findall(terminal.raw.decode("utf-8"))


@pytest.mark.parametrize("tabs", CHARTS)
@pytest.mark.parametrize("size", SIZES)
def test_a_step_of_the_slider_sends_little(size: tuple[int, int], tabs: str) -> None:
    """Counts what is sent until the screen is the one that starts at the step's end."""
    goal = drawn(size, "1280", tabs)
    with Terminal(*size, ["--d-k", "1024"]) as terminal:
        start = drawn(size, "1024", tabs)
        show(terminal, tabs)
        # What start-up still sends has come when the answer to a key has.
        terminal.press("]")
        terminal.until_shows("÷ √1280")
        terminal.press("[")
        terminal.until_like(start)
        before = terminal.sent
        terminal.press("]")
        above = slice(0, next(n for n, line in enumerate(goal) if "│ Jacobian │" in line))
        terminal.until_like(goal, above)
        assert 0 < terminal.sent - before <= SIZES[size]
        terminal.until_like(goal)
        assert terminal.sent - before <= CHARTS[tabs]


def show(terminal: Terminal, tabs: str) -> None:
    """Go to a chart."""
    last_line(terminal)
    for _ in tabs:
        terminal.press("t")


@cache
def drawn(size: tuple[int, int], d_k: str, tabs: str) -> tuple[str, ...]:
    """Return the screen at a d_k, once the chart says so."""
    with Terminal(*size, ["--d-k", d_k]) as terminal:
        show(terminal, tabs)
        terminal.until_shows({"": "s‖_F", "tt": "weights p of a", "ttt": "+ positive"}[tabs])
        # It draws to the end, and says nothing more then.
        terminal.child.kill(SIGTERM)
        terminal.leave()
        return terminal.display


def test_a_dialogue_sends_what_it_covers_and_the_editor_next_to_nothing() -> None:
    screen = drawn((120, 40), "1024", "")
    with Terminal(120, 40, ["--d-k", "1024"]) as terminal:
        terminal.until_like(screen)
        assert terminal.sent < 25_000
        for key, shown, most in (("r", "Scale rule", 24_000), ("d", "d_k 1024", 5_000)):
            before = terminal.sent
            terminal.press(key)
            terminal.until_shows(shown)
            terminal.press("\x1b")
            terminal.until_like(screen)
            assert terminal.sent - before < most


def test_what_spoils_the_screen_is_drawn_over_on_request() -> None:
    screen = drawn((80, 24), "1024", "")
    with Terminal(80, 24, ["--d-k", "1024"]) as terminal:
        terminal.until_like(screen)
        terminal.take(b"\x1b[5;10HBroadcast message from root\x1b[24;1H")
        assert terminal.display != screen
        terminal.press("\x0c")
        terminal.until_like(screen)


def test_bytes_that_are_not_utf_8_are_shown_as_what_they_are() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows("13.1 %")
        terminal.press("e")
        terminal.until_shows("a, 3 keys")
        terminal.child.send(b"\x1b[200~1 \xe9 2\x1b[201~")
        terminal.until_shows("is not a number")
        terminal.press("\x11")
        assert terminal.leave() == 0


def test_escape_and_a_key_that_come_together_leave_the_editor_and_do_what_the_key_does() -> None:
    with Terminal(80, 24) as terminal:
        terminal.until_shows("13.1 %")
        terminal.press("e")
        terminal.until_shows("a, 3 keys")
        terminal.press("\x1br")
        terminal.until_shows("Scale rule")
        terminal.press("\x1b")
        terminal.until(lambda: "Scale rule" not in "".join(terminal.display), "no dialogue")
        terminal.press("d\x1b[")
        terminal.until_shows("÷ √896")
        terminal.until_shows("[100 120 150]")
        terminal.press("\x11")
        assert terminal.leave() == 0


def test_a_joined_emoji_takes_two_cells_where_the_terminal_does_not_join_it() -> None:
    screens = []
    for name in ("注", "👩\u200d🔬"):
        with Terminal(80, 24, [f"{name}!:100,120,150"]) as terminal:
            last_line(terminal)
            terminal.until(lambda: "s‖_F" in "".join(terminal.display), "chart")
            terminal.press("e")
            terminal.until_shows("3 keys")
            terminal.child.kill(SIGTERM)
            terminal.leave()
            screens.append([line.replace(name[0], "**") for line in terminal.display])
    # The chart below may still be drawn.
    assert screens[0][:14] == screens[1][:14]
    assert sum("**" in line for line in screens[0]) > 2


def test_keys_before_the_first_picture_wait_for_it() -> None:
    with Terminal(80, 24) as terminal:
        terminal.press("d64\r]e")
        terminal.until_shows("÷ √80")
        editor = terminal.screen.buffer[4]
        terminal.until(lambda: any(editor[x].reverse for x in range(80)), "focus on the editor")
    with Terminal(80, 24) as terminal:
        terminal.press("q")
        assert terminal.leave() == 0


def test_a_size_that_comes_back_at_once_is_drawn_anew() -> None:
    screen = drawn((120, 40), "1024", "")
    with Terminal(120, 40, ["--d-k", "1024"]) as terminal:
        terminal.until_like(screen)
        # The terminal forgets what it has no room for; the program learns of the last size alone.
        terminal.child.setwinsize(15, 40)
        terminal.child.setwinsize(40, 120)
        terminal.take(b"\x1b[2J")
        terminal.until_like(screen)
