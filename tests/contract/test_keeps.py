"""What a person has besides pictures: clipboard, pastes, colours, undo, the command line."""

import base64
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.contract.screens import (
    COPY,
    ENTER,
    ESCAPE,
    FIND,
    KEYS,
    MORE,
    REDO,
    REDRAW,
    TYPE_D_K,
    UNDO,
    find,
    pasted,
    theme,
)
from tests.contract.session import SOON, Session, answer_of

MOUSE = re.compile(rb"\x1b\[\?100[0-3]h")
STYLE = re.compile(rb"\x1b\[([\d;:]*)m")
PLAIN = {"", *map(str, (0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29, 39, 49))}
"""Styles that are no colour."""

ASKED = "attn-tui show 100,120,150 --d-k 1024 --screen"
MANY = [",".join(map(str, range(200)))]


def osc(text: str) -> bytes:
    """Return what asks a terminal to take a text to its clipboard."""
    return b"\x1b]52;c;" + base64.b64encode(text.encode()) + b"\x07"


@pytest.mark.slow
def test_a_copy_goes_through_tmux(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    (tmp_path / "tmux").write_text(f'#!/bin/sh\necho "$@" > {taken}.how\ncat > {taken}\n')
    (tmp_path / "tmux").chmod(0o755)
    inside = {"TMUX": "/nowhere,1,0", "PATH": f"{tmp_path}:/usr/bin:/bin"}
    with Session(tmp_path, environment=inside) as session:
        assert session.copied() == ASKED
        (wrapped,) = re.findall(rb"\x1bPtmux;(.*?[^\x1b])\x1b\\", session.raw, re.DOTALL)
        assert wrapped.replace(b"\x1b\x1b", b"\x1b") == osc(ASKED)
        # By default tmux hands on neither, but its own buffers.
        session.until(lambda: taken.exists() and taken.read_text() == ASKED, "buffer of tmux")
        assert Path(f"{taken}.how").read_text() == "load-buffer -w -\n"


@pytest.mark.slow
@pytest.mark.parametrize("inside", [{"STY": "1.tty"}, {"TERM": "screen-256color"}])
def test_a_copy_goes_through_gnu_screen_in_pieces(inside: dict[str, str], tmp_path: Path) -> None:
    whole = osc(f"attn-tui show {MANY[0]} --d-k 49 --screen")
    with Session(tmp_path, [*MANY, "--d-k", "49"], environment=inside, first="") as session:
        session.rest()
        since = len(session.raw)
        session.press(COPY)

        def pieces() -> list[bytes]:
            return re.findall(rb"\x1bP(.*?)\x1b\\", session.raw[since:], re.DOTALL)

        session.until(lambda: b"".join(pieces()) == whole, "pieces of what is copied")
        assert max(map(len, pieces())) + 4 <= 256


@pytest.mark.slow
def test_numbers_are_pasted_anywhere(tmp_path: Path) -> None:
    with Session(tmp_path) as session:
        session.do(pasted("1 2 three"))
        assert session.copied() == ASKED
        session.do(pasted("1 2 3 10\n"))
        assert session.copied() == "attn-tui show 1,2,3,10 --d-k 1024 --screen"
        session.do(KEYS["dots"], pasted("[[4, 5], [6, 7]]"))
        assert session.copied() == "attn-tui show 4,5 6,7 --d-k 1024 --screen"
        session.do(UNDO, UNDO)
        assert session.line() == ASKED


@pytest.mark.slow
def test_the_mouse_is_the_programs_unless_it_is_left_to_the_terminal(tmp_path: Path) -> None:
    for arguments, has_mouse in (((), True), (("--no-mouse",), False)):
        with Session(tmp_path, arguments) as session:
            session.do(FIND, ESCAPE)
            assert session.line() == ASKED
            assert bool(MOUSE.search(session.raw)) == has_mouse


@pytest.mark.slow
def test_no_color_sends_no_colour_and_no_grey(tmp_path: Path) -> None:
    with Session(tmp_path, environment={"NO_COLOR": "1"}) as session:
        session.do(MORE, FIND, ESCAPE, *(KEYS[name] for name in ("dots", "attention", "heads")))
        session.press(KEYS["sweep"])
        session.until_reads("64 keys")
        cells = [cell for row in session.screen.buffer.values() for cell in row.values()]
        assert {(cell.fg, cell.bg) for cell in cells} == {("default", "default")}
        sent = {part for styles in STYLE.findall(session.raw) for part in styles.split(b";")}
        assert {part.decode() for part in sent} <= PLAIN


def is_light(session: Session) -> bool:
    """Return whether the screen is."""
    session.rest()
    rows = session.screen.buffer.values()
    grounds = Counter(cell.bg for row in rows for cell in row.values())
    (ground, _), *_ = grounds.most_common()
    parts = [int(ground[place : place + 2], 16) for place in (0, 2, 4)]
    return sum(parts) > 3 * 128


@pytest.mark.slow
def test_a_theme_is_named_set_for_all_programs_or_the_one_chosen_last(tmp_path: Path) -> None:
    set_dark = {"TEXTUAL_THEME": "textual-dark"}
    with Session(tmp_path, environment={"NO_COLOR": ""}) as session:
        assert not is_light(session)
        session.do(*theme("textual-light"))
        assert is_light(session)
        assert session.line() == ASKED
    with Session(tmp_path) as session:
        assert is_light(session), "not remembered"
    with Session(tmp_path, environment=set_dark) as session:
        assert not is_light(session), "not that of TEXTUAL_THEME"
    with Session(tmp_path, ["--theme", "solarized-light"], environment=set_dark) as session:
        assert is_light(session), "not that of --theme"
    (tmp_path / "attn-tui" / "theme").write_text("no such theme")
    with Session(tmp_path) as session:
        assert not is_light(session)
    with Session(tmp_path, ["--theme", "x\x1b[2J"], first="") as session:
        assert session.leave() == 2
        assert b"is not a theme; expected one of" in session.raw
        assert b"\x1b" not in session.raw


@pytest.mark.slow
def test_a_screen_that_others_have_spoilt_is_drawn_again(tmp_path: Path) -> None:
    with Session(tmp_path) as session:
        session.rest()
        before = session.display
        session.take(b"\x1b[5;10HBroadcast message from root\x1b[24;1H\x1b[0J")
        assert session.display != before
        session.press(REDRAW)
        session.until_like(before)


ASKING = (
    MORE, f"{TYPE_D_K}49{ENTER}", find("rule inverse"), find("mask 1"), find("cap 50"),
    find("sink 1"), find("precision float32"), find("of 0"), pasted("1 2 3"),
)  # fmt: skip
"""Keys that ask something else each, of all that Explore is asked."""


@pytest.mark.slow
def test_everything_that_is_asked_is_undone_and_redone_and_the_last_line_asks_it(
    tmp_path: Path,
) -> None:
    with Session(tmp_path) as session:
        lines = [session.copied()]
        for keys in ASKING:
            session.do(keys, quiet=SOON)
            lines.append(session.copied())
        assert len({*lines}) == len(ASKING) + 1
        for line in reversed(lines[:-1]):
            session.do(UNDO, quiet=SOON)
            assert session.copied() == line
        for line in lines[1:]:
            session.do(REDO, quiet=SOON)
            assert session.copied() == line
        assert session.line() == lines[-1]
    answer = answer_of(lines[-1], tmp_path)
    asked = answer["experiment"]
    assert asked["d_k"] == 49
    assert asked["rule"] == "inverse"
    assert asked["mask"] == "1"
    assert asked["softcap"] == 50
    assert asked["sink"] == 1
    assert asked["precision"] == "float32"
    assert asked["settings"]["explore"]["of"] == 0
    assert answer["vectors"][0]["scores"] == [1, "-Infinity", 3]
