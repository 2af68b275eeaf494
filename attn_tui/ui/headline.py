"""What an instrument says first, with its two sides in their colours."""

import re

from textual.reactive import var
from textual.widgets import Static

from attn_tui.ui.markup import plain

SIDES = re.compile(
    r"(Unscaled|unscaled)|((?:Divided|divided|Multiplied|multiplied) by [^ ]*[^ ,.;:])"
)
"""What a headline calls the two sides."""


class Headline(Static):
    """Shows one or two sentences, or in their place what could not be worked out."""

    text: var[str] = var("", init=False)
    failure: var[str] = var("", init=False)

    def watch_text(self) -> None:
        """Show another headline."""
        self._write()

    def watch_failure(self, failure: str) -> None:
        """Show what failed, or the headline again."""
        self.set_class(bool(failure), "-wrong")
        self._write()

    def on_resize(self) -> None:
        """Break the headline where it fits."""
        self._write()

    def _write(self) -> None:
        """Write a sentence a line if they fit; the screen is not laid out anew for it."""
        if self.failure:
            self.update(plain(self.failure), layout=False)
            return
        first, stop, second = self.text.partition(". ")
        fits = max(len(first) + 1, len(second)) <= self.content_size.width
        text = f"{first}.\n{second}" if stop and fits else self.text
        self.update(SIDES.sub(_coloured, plain(text)), layout=False)


def _coloured(match: re.Match[str]) -> str:
    kind = "unscaled" if match[1] else "scaled"
    return f"[${kind}]{match[0]}[/]"
