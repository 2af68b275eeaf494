"""What is drawn on the screen of Dot products: the field under the cursor, entries, and rows."""

from dataclasses import replace
from typing import Protocol

from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.law.entries import LAWS
from attn_tui.dots.derivation import derivation
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.dots.sampling import Sampling
from attn_tui.old.tui.fields import Change
from attn_tui.old.tui.parts import AskingHost, Part
from attn_tui.old.tui.stopping import Stopping


class DrawsHost(AskingHost, Protocol):
    """A screen that draws q·k."""

    sampling: Sampling

    @property
    def wanted(self) -> tuple[object, ...]:
        """What draws depend on."""


class Draws(Part[DrawsHost]):
    """What is drawn."""

    NAME = "draws"

    def point_row(self, row: int) -> None:
        """Put the cursor on a row of the table."""
        self._screen.look(replace(self._screen.view, row=row))

    def scroll(self, dx: int, dy: int) -> None:
        """Show the other side, or go down in the table and the derivation."""
        (chart,) = self._screen.query("#chart")
        answer, size = self._screen.answer, chart.size
        lines = len(derivation(answer, size.width)) if answer else 0
        most = max(lines - size.height, 0)
        n_rows = len(self._screen.settings.d_ks)
        self._screen.look(self._screen.view.moved(dx, dy, n_rows, most))

    def choose_entries(self) -> None:
        """Offer the laws of entries."""
        offered = [
            Choice(law.name, law.title, f"Mean {law.mean:.3g}\nVariance {law.variance:.4g}")
            for law in LAWS.values()
        ]
        present = self._screen.settings.entries
        self._screen.choosing.choose("Entries of q and k", offered, present, self.entries)

    def entries(self, name: str) -> None:
        """Draw entries of a law by its name."""
        self._screen.fields.put("entries", lambda _: name)

    def add_row(self) -> None:
        """Ask for rows of the table."""
        rows = self._screen.SETTINGS["d_ks"]

        def read(text: str) -> Change:
            more = rows.kind.parse(rows.name, text)
            return lambda setup: setup.put(
                replace(drawn := setup.get(Settings), d_ks=tuple(sorted({*drawn.d_ks, *more})))
            )

        fields = self._screen.fields
        fields.request(rows.label, str(fields.setup.d_k), read, rows.title, rows.formats)
        self._screen.looking.tab("table")

    def remove_row(self) -> None:
        """Take the cursor's row out of the table."""
        d_ks, view = self._screen.settings.d_ks, self._screen.view
        if self._screen.looking.present != "table" or not d_ks:
            self._screen.notify("There is no row here: t shows the table", timeout=3)
            return
        gone = d_ks[min(view.row, len(d_ks) - 1)]
        self._screen.look(replace(view, row=max(min(view.row, len(d_ks) - 2), 0)))
        self._screen.fields.put("d_ks", lambda old: tuple(d_k for d_k in old if d_k != gone))


class StoppingDraws(Stopping[DrawsHost]):
    """Stops draws; what is stopped stays so when it is asked again."""

    def halt(self) -> None:
        """Stop drawing."""
        self._screen.sampling.stopped.add(self._screen.wanted)

    def resume(self) -> None:
        """Go on with what was stopped."""
        self._screen.sampling.stopped.discard(self._screen.wanted)
        super().resume()
