"""The headline of an instrument, with its two sides in their colours."""

import re

from textual.content import Content, Span
from textual.reactive import var
from textual.widgets import Static

from attn_tui.ui.terminal.direct import Repainted
from attn_tui.ui.whole_words import sentence_lines

SIDES = re.compile(
    r"(Unscaled|unscaled)|((?:Divided|divided|Multiplied|multiplied)\sby\s[^\s]*[^\s,.;:])"
)
"""The words for the two sides in a headline."""

UNSCALED, SCALED = "$unscaled", "$scaled"
"""The styles of the two sides."""


class Headline(Static, Repainted):
    """Shows one or two sentences, or an error in their place."""

    text: var[str] = var("", init=False)
    failure: var[str] = var("", init=False)

    def watch_text(self) -> None:
        """Show the new headline."""
        self._write()

    def watch_failure(self, failure: str) -> None:
        """Show the error, or the headline again."""
        self.set_class(bool(failure), "-wrong")
        self._write()

    def on_resize(self) -> None:
        """Break the headline for the new width."""
        self._write()

    def _write(self) -> None:
        """Write one sentence a line if they fit, without laying out the screen again."""
        if self.failure:
            self.update(Content(self.failure), layout=False)
            return
        first, stop, second = self.text.partition(". ")
        fits = max(len(first) + 1, len(second)) <= self.content_size.width
        text = f"{first}.\n{second}" if stop and fits else self.text
        if not fits and self.content_size.width:
            text = "\n".join(sentence_lines(text, self.content_size.width))
        spans = [
            Span(*side.span(), UNSCALED if side[1] else SCALED) for side in SIDES.finditer(text)
        ]
        self.update(Content(text, spans), layout=False)
