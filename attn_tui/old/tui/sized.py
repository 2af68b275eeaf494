"""Screens that are as large as the terminal is now."""

from typing import TypeVar

from textual import on
from textual.events import Resize
from textual.screen import Screen

T = TypeVar("T")


class Sized(Screen[T]):
    """A screen that takes no older size than the application's for its own.

    Textual lays out a screen for the size that it is told, and then tells it that one once more.
    Where the terminal changes again meanwhile, the older size comes last and is kept, or both of
    them follow one another for ever.
    """

    @on(Resize)
    def _on_older(self, event: Resize) -> None:
        event.size = self.app.size
