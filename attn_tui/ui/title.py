"""The first line: the name, the instruments as tabs, and the chosen model."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import var
from textual.widgets import Label, Tab, Tabs

from attn_tui.instruments import INSTRUMENTS, Instrument
from attn_tui.ui.markup import plain

TABS = 78
"""Width of the name and the tabs, in columns."""


class Title(Horizontal):
    """Shows the name of the program, its instruments and the model.

    Args:
        instrument: The name of the instrument on show.
    """

    status: var[str] = var("", init=False)

    def __init__(self, instrument: str) -> None:
        super().__init__(id="title")
        self._instrument = instrument

    def compose(self) -> ComposeResult:
        """Lay out the line."""
        yield Label("attn-tui", id="name")
        # As wide as the first frame; Textual itself says so only after it.
        has_room = self.app.size.width >= TABS
        tabs = (Tab(self._label(one, has_room), id=one.name) for one in INSTRUMENTS)
        yield Tabs(*tabs, active=self._instrument, id="instruments")
        yield Label(id="status")

    def on_mount(self) -> None:
        """Make the tabs unfocusable: the focus belongs to the panes, and digits switch tabs."""
        self.query_one(Tabs).can_focus = False

    def watch_status(self, status: str) -> None:
        """Show the new status; this lays out the screen again, as its width may change."""
        self.query_one("#status", Label).update(plain(status))

    def on_resize(self) -> None:
        """Label the other instruments by number alone if their names do not fit."""
        has_room = self.size.width >= TABS
        for instrument in INSTRUMENTS:
            tab = self.query_one(f"#{instrument.name}", Tab)
            label = self._label(instrument, has_room)
            if tab.label_text != label:
                tab.label = label

    def _label(self, instrument: Instrument, has_room: bool) -> str:
        has_name = has_room or instrument.name == self._instrument
        return instrument.label if has_name else str(instrument.number)
