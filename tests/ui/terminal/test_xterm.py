"""On a terminal of 256 colours a theme keeps its look: what is nearly black is not navy."""

import pytest
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.color import Color

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.terminal.xterm import XTERM

BLACK = Color(0, 0, 0)


def shown(style: Style) -> Style:
    (segment,) = XTERM.apply([Segment("x", style)], BLACK)
    assert segment.text == "x"
    assert segment.style is not None
    return segment.style


def test_dark_blues_of_the_theme_become_greys_and_what_is_bold_stays_bold() -> None:
    style = shown(Style(color="#e6e8ee", bgcolor="#1b2030", bold=True))
    assert style.bgcolor is not None
    assert style.color is not None
    assert (style.bgcolor.number or 0) >= 232
    assert (style.color.number or 0) >= 250
    assert style.bold


def test_the_terminals_own_colours_and_what_is_no_text_pass_through() -> None:
    assert shown(Style(color="red", bgcolor="default")) == Style(color="red", bgcolor="default")
    control = Segment("", None, [(ControlType.BELL,)])
    assert XTERM.apply([control, Segment("y")], BLACK) == [control, Segment("y")]


@pytest.mark.parametrize(("system", "is_used"), [("256", True), ("truecolor", False)])
def test_colours_are_replaced_only_where_there_are_256(
    system: str, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", system)
    assert (XTERM in AttnApp(EXAMPLE).get_line_filters()) == is_used
