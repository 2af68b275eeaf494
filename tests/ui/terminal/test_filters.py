"""Filters of lines: what is drawn becomes what a terminal can show and will not obey."""

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.terminal.filters import VISIBLE, XTERM, lacks_blocks, pasted

BLACK = Color(0, 0, 0)


def test_the_last_line_of_defence_spells_out_and_keeps_the_width() -> None:
    line = [Segment("ab\x1b[2J\x9b"), Segment("注\u202e👩\u200d🔬 │"), Segment("end")]
    segments = VISIBLE.apply(line, BLACK)
    text = "".join(segment.text for segment in segments)
    assert r"ab\x1b[2J\x9b注".startswith(text[:10])
    assert Segment.get_line_length(segments) == Segment.get_line_length(line)
    fine = [Segment("größe 👩\u200d🔬 │\xa0")]
    assert VISIBLE.apply(fine, BLACK) is fine


def test_pasted_text_keeps_its_lines_and_shows_what_cannot_be_seen() -> None:
    assert pasted("1,\t2\r\n3\r4") == "1, 2\n3\n4"
    assert pasted("\x1b[1m\x00\u202e\u00a0\x9b\u200d") == "\\x1b[1m\\x00\\u202e\u00a0\\x9b\\u200d"


def test_drawings_keep_to_ascii_where_blocks_are_lacking() -> None:
    assert all(map(lacks_blocks, ("linux", "linux-16color", "vt220", "dumb")))
    assert not any(map(lacks_blocks, ("", "xterm-256color", "screen.linux")))


def test_dark_blues_of_the_theme_become_greys_of_256_colours() -> None:
    dark = Style(color="#e6e8ee", bgcolor="#1b2030", bold=True)
    own = Style(color="red", bgcolor="default")
    style, kept = (
        segment.style for segment in XTERM.apply([Segment("x", dark), Segment("y", own)], BLACK)
    )
    assert style is not None
    assert style.color is not None
    assert style.bgcolor is not None
    assert (style.color.number or 0) >= 250
    assert (style.bgcolor.number or 0) >= 232
    assert style.bold
    assert kept == own


@pytest.mark.parametrize(("system", "is_used"), [("256", True), ("truecolor", False)])
def test_colours_are_replaced_only_where_there_are_256(
    system: str, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", system)
    assert (XTERM in AttnApp(EXAMPLE).get_line_filters()) == is_used
