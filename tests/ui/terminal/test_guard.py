"""What comes from outside is spelt out before a terminal could obey it."""

from rich.segment import Segment
from textual.color import Color

from attn_tui.ui.terminal.guard import VISIBLE, pasted


def test_the_last_line_of_defence_spells_out_and_keeps_the_width() -> None:
    line = [Segment("ab\x1b[2J\x9b"), Segment("注\u202e👩\u200d🔬 │"), Segment("end")]
    width = Segment.get_line_length(line)
    shown = VISIBLE.apply(line, Color(0, 0, 0))
    text = "".join(segment.text for segment in shown)
    assert r"ab\x1b[2J\x9b注".startswith(text[:10])
    assert Segment.get_line_length(shown) == width
    fine = [Segment("größe 👩\u200d🔬 │\xa0")]
    assert VISIBLE.apply(fine, Color(0, 0, 0)) is fine


def test_pasted_text_keeps_its_lines_and_shows_what_cannot_be_seen() -> None:
    assert pasted("1,\t2\r\n3\r4") == "1, 2\n3\n4"
    assert pasted("\x1b[1m\x00\u202e\u00a0\x9b\u200d") == "\\x1b[1m\\x00\\u202e\u00a0\\x9b\\u200d"
    assert pasted("tensor([−1，2])") == "tensor([−1，2])"
