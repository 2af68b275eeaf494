"""Asks for values: of a list, or typed into a line that stands in for another widget."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from textual.screen import Screen
from textual.widget import Widget

from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import Host, Part
from attn_tui.old.tui.widgets.entry import Entry, Request

ENTRY, PLACE = "#entry", "#slider"
"""The line that asks for a value, and what it stands in for."""

DRAWER, DRAWER_ENTRY = "#settings", "#settings-entry"
"""Where settings have lines of their own, and the line that asks for a value there."""


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
        self, title: str, offered: Sequence[Choice], present: str, take: Callable[..., Any],
        preview: Callable[[str], str] | None = None,
    ) -> None:  # fmt: skip
        """Offer a list; what is chosen is taken by its name."""
        from attn_tui.old.tui.dialogs import FindDialog

        self._over(FindDialog(title, offered, present, preview=preview), take)

    def choose_several(
        self, title: str, offered: Sequence[Choice], present: Sequence[str],
        take: Callable[..., Any], preview: Callable[[str], str] | None = None,
    ) -> None:  # fmt: skip
        """Offer a list of which several are chosen; they are taken by their names."""
        from attn_tui.old.tui.dialogs import SeveralDialog

        self._over(SeveralDialog(title, offered, present, preview), take)

    def _over(self, dialog: Any, take: Callable[..., Any]) -> None:
        self.open(dialog, lambda chosen: None if chosen is None else take(chosen))

    def open(self, dialog: Screen[Any], done: Callable[[Any], Any] | None = None) -> bool:
        """Open a dialogue, unless a key has opened another in between; return whether it did."""
        if is_free := self._screen.is_active:
            self._screen.app.push_screen(dialog, done)
        return is_free

    def request(self, request: Request, select: bool = True) -> None:
        """Ask for a value to be typed; the keys then go back."""
        focused = self._screen.focused
        in_drawer = focused is not None and any(focused is pane for pane in self._query(DRAWER))
        entry, *_ = (*self._query(DRAWER_ENTRY * in_drawer or ENTRY), *self._query(ENTRY))
        if focused not in [each.field for each in self._entries]:
            self._asker = focused
        entry.open(request, select)

    def _query(self, selector: str) -> Sequence[Any]:
        return [*self._screen.query(selector)]

    @property
    def _entries(self) -> Sequence[Entry]:
        return self._query("Entry")

    async def entered(self, event: Entry.Entered) -> None:
        """Take a value that was typed."""
        taken: Any = event.take(event.value)
        if isinstance(taken, Awaitable):
            await taken

    def moved(self) -> None:
        """Show the line or what it stands in for, and give the keys to whom they are due."""
        screen, entries = self._screen, self._entries
        for slider, entry in zip(self._query(PLACE), self._query(ENTRY), strict=False):
            slider.display = entry.request is None
        fields = [entry.field for entry in entries if entry.request is None]
        if screen.focused in (None, *fields) and not any(each.request for each in entries):
            is_there = self._asker is not None and self._asker.focusable
            screen.set_focus(self._asker if is_there else None)
