"""Colours of a terminal that has 256: those that look most alike, for Rich takes other ones."""

from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from attn_tui.charts.colour import to_xterm


@lru_cache(maxsize=4096)
def _nearest(style: Style) -> Style:
    """Return a style in the colours that there are.

    Rich 15 judges by hue and saturation: the nearly black blue of a theme comes out as navy.
    """
    color, bgcolor = (_picked(colour) for colour in (style.color, style.bgcolor))
    return style + Style(color=color, bgcolor=bgcolor)


def _picked(colour: RichColor | None) -> RichColor | None:
    if colour is None or colour.triplet is None:
        return None
    return RichColor.from_ansi(to_xterm(colour.triplet.hex))


class Xterm(LineFilter):
    """Shows all widgets in the nearest of 256 colours."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line."""
        return [
            Segment(text, style if style is None else _nearest(style), control)
            for text, style, control in segments
        ]


XTERM = Xterm()
"""The one there need be: Textual keeps what it has filtered by the filter."""
