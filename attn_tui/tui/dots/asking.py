"""What the keys of Dot products do that ask something else."""

from abc import abstractmethod
from dataclasses import replace

from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.field import fields_of
from attn_tui.compute.law.entries import LAWS
from attn_tui.compute.setup import FIELDS
from attn_tui.tui.dialogs import Choice
from attn_tui.tui.dots.view import View
from attn_tui.tui.scaling import ScalingScreen


class AskingActions(ScalingScreen):
    """Actions that change what is drawn.

    Attributes:
        view: What is looked at.
    """

    FIELDS = FIELDS | fields_of(Settings)

    def __init__(self) -> None:
        super().__init__()
        self.view = View()

    @property
    def settings(self) -> Settings:
        """What is asked of the draws."""
        return self.asked.experiment.setup.get(Settings) if self.asked else Settings()

    @abstractmethod
    def look(self, view: View) -> None:
        """Look another way."""

    def action_draw_anew(self) -> None:
        """Draw with the next seed."""
        self.action_change("seed", 1)

    def action_choose_entries(self) -> None:
        """Offer the laws of entries."""
        offered = [
            Choice(law.name, law.title, f"mean {law.mean:.3g}, variance {law.variance:.4g}")
            for law in LAWS.values()
        ]
        self.choose("Entries of q and k", offered, self.settings.entries, self.action_entries)

    def action_entries(self, name: str) -> None:
        """Draw entries of a law by its name."""
        self.ask_field("entries", lambda _: name)

    def action_add_row(self) -> None:
        """Ask for rows of the table."""
        field = self.FIELDS["d_ks"]

        def added(text: str) -> tuple[int, ...]:
            d_ks = {*self.settings.d_ks, *field.kind.parse(field.key, text)}
            return tuple(sorted(d_ks))

        def read(text: str) -> str:
            self.setup.changed(field, lambda _: added(text))
            return text

        self.view = self.view.at("table")
        self.request(
            field.label, str(self.setup.d_k), read,
            lambda text: self.ask_field(field.name, lambda _: added(text)),
        )  # fmt: skip
        self.look(self.view)

    def action_remove_row(self) -> None:
        """Take the cursor's row out of the table."""
        d_ks, place = self.settings.d_ks, self.view.row
        if self.view.shown(self.narrow) != "table" or not d_ks:
            self.notify("There is no row here: t shows the table", timeout=3)
            return
        gone = d_ks[min(place, len(d_ks) - 1)]
        self.look(replace(self.view, row=max(min(place, len(d_ks) - 2), 0)))

        self.ask_field("d_ks", lambda old: tuple(d_k for d_k in old if d_k != gone))
