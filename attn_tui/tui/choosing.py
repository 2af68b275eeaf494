"""Asks for values: of a list, or typed into a line that stands in for another widget."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from textual.widget import Widget

from attn_tui.tui.choices import Choice
from attn_tui.tui.dialogs import FindDialog, SeveralDialog
from attn_tui.tui.parts import Host, Part
from attn_tui.tui.widgets.entry import Entry, Request

PLACE = "#slider"
"""What the line stands in for, where there is one."""


class Choosing(Part[Host]):
    """What a screen asks a person for.

    Args:
        screen: It holds an `Entry`, and gives its messages to `entered` and `moved`.
    """

    NAME = "choosing"

    def __init__(self, screen: Host) -> None:
        super().__init__(screen)
        self._asker: Widget | None = None

    def choose(
        self, title: str, offered: Sequence[Choice], present: str, take: Callable[..., None],
        preview: Callable[[str], str] | None = None,
    ) -> None:  # fmt: skip
        """Offer a list; what is chosen is taken by its name."""
        self._over(FindDialog(title, offered, present, preview=preview), take)

    def choose_several(
        self, title: str, offered: Sequence[Choice], present: Sequence[str],
        take: Callable[..., None], preview: Callable[[str], str] | None = None,
    ) -> None:  # fmt: skip
        """Offer a list of which several are chosen; they are taken by their names."""
        self._over(SeveralDialog(title, offered, present, preview), take)

    def _over(self, dialog: Any, take: Callable[..., None]) -> None:
        self._screen.over(dialog, lambda chosen: None if chosen is None else take(chosen))

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
        places = [*screen.query(PLACE)]
        for each in places:
            each.display = entry.request is None
        if entry.request is None and screen.focused in (None, entry.field):
            asker = self._asker if self._asker and self._asker.focusable else None
            screen.set_focus(asker or next(iter(places), None))
