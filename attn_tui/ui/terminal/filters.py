"""What the terminal can show of a line: text alone, and where it lacks them no blocks or colours.

Textual keeps what it has filtered by the filter, so that there is one of each.
"""

import re
from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.events import Event, Key, Paste
from textual.filter import LineFilter

from attn_tui.charts.colour import to_xterm
from attn_tui.charts.glyphs import in_ascii
from attn_tui.compute.text import BLANKS, visible

_WITHOUT_BLOCKS = re.compile(r"(linux|dumb|ansi|cons25|vt[0-9]+)([-+.].*)?")
"""Names of terminals whose fonts lack parts of blocks, or braille."""

_LINE_BREAK = re.compile(r"\r\n?|[\x85\u2028\u2029]")
_TABS = str.maketrans("\t\v\f", "   ")


def lacks_blocks(terminal: str) -> bool:
    """Return whether drawings should keep to ASCII on a terminal of a kind, that of ``TERM``."""
    return bool(_WITHOUT_BLOCKS.fullmatch(terminal))


class AsciiGlyphs(LineFilter):
    """Draws frames, bars and marks in ASCII, on any line of any widget."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line."""
        return [
            Segment(text if control else in_ascii(text), style, control)
            for text, style, control in segments
        ]


ASCII_GLYPHS = AsciiGlyphs()


class Xterm(LineFilter):
    """Shows all widgets in those of 256 colours that look most alike, for Rich takes other ones.

    Rich 15 judges by hue and saturation: the nearly black blue of a theme comes out as navy.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line."""
        return [
            Segment(text, style if style is None else _nearest(style), control)
            for text, style, control in segments
        ]


XTERM = Xterm()


@lru_cache(maxsize=4096)
def _nearest(style: Style) -> Style:
    """Return a style in the colours that there are."""
    nearest = [
        RichColor.from_ansi(to_xterm(colour.triplet.hex)) if colour and colour.triplet else None
        for colour in (style.color, style.bgcolor)
    ]
    return style + Style(color=nearest[0], bgcolor=nearest[1])


class Visible(LineFilter):
    """Spells out, on any line of any widget, what a terminal would not show but obey.

    Nothing of the kind should come so far; where it does, the line is cut to its width.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line."""
        texts = [text if control else visible(text, BLANKS) for text, _, control in segments]
        if all(text == segment.text for text, segment in zip(texts, segments, strict=True)):
            return segments
        spelled = [
            Segment(text, style, control)
            for text, (_, style, control) in zip(texts, segments, strict=True)
        ]
        return Segment.adjust_line_length(spelled, Segment.get_line_length(segments), pad=False)


VISIBLE = Visible()


def received(event: Event) -> Event:
    """Return what came from the terminal as widgets may have it: a paste is visible text."""
    if isinstance(event, Paste):
        event.text = pasted(event.text)
    elif isinstance(event, Key) and event.key == "ctrl+j":
        # What enter is while the terminal is not yet the program's.
        return Key("enter", "\r")
    return event


def pasted(text: str) -> str:
    """Return pasted text with all in it that cannot be seen spelled out, line by line."""
    return visible(_LINE_BREAK.sub("\n", text).translate(_TABS), "\n" + BLANKS)
