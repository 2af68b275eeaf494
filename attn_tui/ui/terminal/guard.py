"""What comes from outside is text alone: keys and pastes, and all that is drawn."""

import re

from rich.segment import Segment
from textual.color import Color
from textual.events import Event, Key, Paste
from textual.filter import LineFilter

from attn_tui.compute.text import BLANKS, visible

_LINE_BREAK = re.compile(r"\r\n?|[\x85\u2028\u2029]")
_TABS = str.maketrans("\t\v\f", "   ")
_JOINS = re.compile(r"[\u200d\U000e0020-\U000e007f]")


def received(event: Event) -> Event:
    """Return what came from the terminal as widgets may have it."""
    if isinstance(event, Paste) and not _JOINS.fullmatch(event.text):
        event.text = pasted(event.text)
    elif isinstance(event, Key) and _JOINS.fullmatch(event.character or ""):
        # Emoji are typed a character at a time; a text field would leave out what joins them.
        return Paste(event.character or "")
    elif isinstance(event, Key) and event.key == "ctrl+j":
        # What enter is while the terminal is not yet the program's.
        return Key("enter", "\r")
    return event


def pasted(text: str) -> str:
    """Return pasted text with all in it that cannot be seen spelled out, line by line."""
    return visible(_LINE_BREAK.sub("\n", text).translate(_TABS), "\n" + BLANKS)


class Visible(LineFilter):
    """Spells out, on any line of any widget, what a terminal would not show but obey.

    Nothing of the kind should come so far; where it does, the line is cut to its width.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line."""
        texts = [text if control else visible(text, BLANKS) for text, _, control in segments]
        if all(text == segment.text for text, segment in zip(texts, segments, strict=True)):
            return segments
        shown = [
            Segment(text, style, control)
            for text, (_, style, control) in zip(texts, segments, strict=True)
        ]
        return Segment.adjust_line_length(shown, Segment.get_line_length(segments), pad=False)


VISIBLE = Visible()
"""The one there need be: Textual keeps what it has filtered by the filter."""
