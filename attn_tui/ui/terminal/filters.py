"""Filters of lines: visible text only, and no blocks or colours that a terminal lacks.

Textual caches filtered lines by filter, so there is one instance of each.
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
"""Names of terminals whose fonts lack some block elements, or braille."""

_LINE_BREAK = re.compile(r"\r\n?|[\x85\u2028\u2029]")
_TABS = str.maketrans("\t\v\f", "   ")


def lacks_blocks(terminal: str) -> bool:
    """Return whether drawings should keep to ASCII on a terminal, by the value of ``TERM``."""
    return bool(_WITHOUT_BLOCKS.fullmatch(terminal))


class AsciiGlyphs(LineFilter):
    """Replaces frames, bars and marks by ASCII in all lines of all widgets."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the filtered segments of a line."""
        return [
            Segment(text if control else in_ascii(text), style, control)
            for text, style, control in segments
        ]


ASCII_GLYPHS = AsciiGlyphs()


class Xterm(LineFilter):
    """Maps all colours to the most similar of 256, as Rich makes a poorer choice.

    Rich 15 goes by hue and saturation: the nearly black blue of a theme comes out as navy.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the filtered segments of a line."""
        return [
            Segment(text, style if style is None else _nearest(style), control)
            for text, style, control in segments
        ]


XTERM = Xterm()


@lru_cache(maxsize=4096)
def _nearest(style: Style) -> Style:
    """Return a style in the nearest of 256 colours."""
    nearest = [
        RichColor.from_ansi(to_xterm(colour.triplet.hex)) if colour and colour.triplet else None
        for colour in (style.color, style.bgcolor)
    ]
    return style + Style(color=nearest[0], bgcolor=nearest[1])


class Visible(LineFilter):
    """Spells out control characters in all lines of all widgets, so that no terminal obeys them.

    None should get this far; if one does, the line is cut to its width.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the filtered segments of a line."""
        line = "".join(text for text, _, control in segments if not control)
        if visible(line, BLANKS) == line:
            return segments
        texts = [text if control else visible(text, BLANKS) for text, _, control in segments]
        spelled = [
            Segment(text, style, control)
            for text, (_, style, control) in zip(texts, segments, strict=True)
        ]
        return Segment.adjust_line_length(spelled, Segment.get_line_length(segments), pad=False)


VISIBLE = Visible()


def received(event: Event) -> Event:
    """Return an event from the terminal in a form safe for widgets: a paste is visible text."""
    if isinstance(event, Paste):
        event.text = pasted(event.text)
    elif isinstance(event, Key) and event.key == "ctrl+j":
        # Enter, typed before the program has taken over the terminal.
        return Key("enter", "\r")
    return event


def pasted(text: str) -> str:
    """Return pasted text, line by line, with invisible characters spelled out."""
    return visible(_LINE_BREAK.sub("\n", text).translate(_TABS), "\n" + BLANKS)
