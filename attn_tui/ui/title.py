"""The first line: the name, the instruments as tabs, and the model that was chosen."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import var
from textual.widgets import Label, Tab, Tabs

from attn_tui.instruments import INSTRUMENTS
from attn_tui.ui.markup import plain

TABS = 78
"""Columns of the name and the tabs."""


class Title(Horizontal):
    """Names the program, its instruments and the model.

    Args:
        instrument: Which one is shown.
    """

    status: var[str] = var("", init=False)

    def __init__(self, instrument: str) -> None:
        super().__init__(id="title")
        self._instrument = instrument

    def compose(self) -> ComposeResult:
        """Lay out the line."""
        yield Label("attn-tui", id="name")
        tabs = (Tab(instrument.label, id=instrument.name) for instrument in INSTRUMENTS)
        yield Tabs(*tabs, active=self._instrument, id="instruments")
        yield Label(id="status")

    def on_mount(self) -> None:
        """Leave the focus to the panes: digits go to the instruments."""
        self.query_one(Tabs).can_focus = False

    def watch_status(self, status: str) -> None:
        """Show another status; the label takes as many columns, so that all is laid out anew."""
        self.query_one("#status", Label).update(plain(status))

    def on_resize(self) -> None:
        """Call instruments by their number alone, but for this one, where names have no room."""
        has_room = self.size.width >= TABS
        for instrument in INSTRUMENTS:
            tab = self.query_one(f"#{instrument.name}", Tab)
            is_whole = has_room or instrument.name == self._instrument
            label = instrument.label if is_whole else str(instrument.number)
            if tab.label_text != label:
                tab.label = label
