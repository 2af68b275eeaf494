"""What the terminal can show, as far as its name tells."""

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from attn_tui.charts.glyphs import in_ascii

_WITHOUT_BLOCKS = re.compile(r"(linux|dumb|ansi|cons25|vt[0-9]+)([-+.].*)?")
"""Names of terminals whose fonts lack parts of blocks, or braille."""


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
"""The one there need be: Textual keeps what it has filtered by the filter."""
