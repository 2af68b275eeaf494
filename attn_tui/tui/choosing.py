"""Asks for values: of a list, or typed into a line that stands in for another widget."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from textual.widget import Widget

from attn_tui.tui.dialogs import Choice, ChoiceDialog
from attn_tui.tui.parts import Host, Part
from attn_tui.tui.widgets.entry import Entry, Request


class Choosing(Part):
    """What a screen asks a person for.

    Args:
        screen: It holds an `Entry`, and gives its messages to `entered` and `moved`.
        place: The widget the line stands in for, as a selector; nothing if there is none.
    """

    NAME = "choosing"

    def __init__(self, screen: Host, place: str = "") -> None:
        self._screen = screen
        self._place = place
        self._asker: Widget | None = None

    def choose(
        self, title: str, offered: Sequence[Choice], present: str, take: Callable[..., None]
    ) -> None:
        """Offer a list; what is chosen is taken by its name."""

        def done(name: str | None) -> None:
            if name is not None:
                take(name)

        self._screen.over(ChoiceDialog(title, offered, present), done)

    def request(self, request: Request) -> None:
        """Ask for a value to be typed; the keys then go back."""
        entry = self._entry
        if self._screen.focused is not entry.field:
            self._asker = self._screen.focused
        entry.open(request)

    @property
    def _entry(self) -> Entry:
        (entry,) = self._screen.query("Entry")
        assert isinstance(entry, Entry)
        return entry

    async def entered(self, event: Entry.Entered) -> None:
        """Take a value that was typed."""
        taken: Any = event.take(event.value)
        if isinstance(taken, Awaitable):
            await taken

    def moved(self) -> None:
        """Show the line or what it stands in for, and give the keys to whom they are due."""
        entry, screen = self._entry, self._screen
        places = [*screen.query(self._place)] if self._place else []
        for each in places:
            each.display = entry.request is None
        if entry.request is None and screen.focused in (None, entry.field):
            asker = self._asker if self._asker and self._asker.focusable else None
            screen.set_focus(asker or next(iter(places), None))
