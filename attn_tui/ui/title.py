"""The first line: the name, the instruments as tabs, and the chosen model."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import var
from textual.widgets import Label, Tab, Tabs

from attn_tui.instruments import INSTRUMENTS, Instrument
from attn_tui.ui.markup import plain

TABS, SHORT_TABS, FEWEST_TABS = 78, 62, 30
"""Width of the line without what stands at its end, in columns: with the name of the program and
the titles of all instruments; with short titles alone; with the title of the one on show."""

NAMED = 44
"""From this width on, the name stands before the title of the one on show."""


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
        width = self.app.size.width
        tabs = (Tab(self._label(one, width), id=one.name) for one in INSTRUMENTS)
        yield Tabs(*tabs, active=self._instrument, id="instruments")
        yield Label(id="status")

    def on_mount(self) -> None:
        """Make the tabs unfocusable: the focus belongs to the panes, and digits switch tabs."""
        self.query_one(Tabs).can_focus = False

    def watch_status(self, status: str) -> None:
        """Show the new status; this lays out the screen again, as its width may change."""
        self.query_one("#status", Label).update(plain(status))
        self._fit()

    def on_resize(self) -> None:
        """Write as much of the name and the titles as fits."""
        self._fit()

    def _fit(self) -> None:
        """Shorten the titles of instruments, then leave the other ones out, as room goes."""
        room = self.app.size.width - len(self.status)
        is_left_out = room < NAMED or SHORT_TABS <= room < TABS
        self.query_one("#name").set_class(is_left_out, "-left-out")
        for instrument in INSTRUMENTS:
            tab = self.query_one(f"#{instrument.name}", Tab)
            label = self._label(instrument, room)
            if tab.label_text != label:
                tab.label = label

    def _label(self, instrument: Instrument, room: int) -> str:
        if room >= TABS:
            return instrument.label
        if room >= SHORT_TABS:
            return instrument.short_label
        return instrument.label if instrument.name == self._instrument else str(instrument.number)
