"""What the keys of Dot products do that ask something else."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace

from attn_tui.compute.dots.answer import Settings
from attn_tui.compute.law.entries import LAWS
from attn_tui.compute.log_scale import D_K
from attn_tui.files.dots import changed, text_of
from attn_tui.tui import edits
from attn_tui.tui.dialogs import Choice
from attn_tui.tui.dots.fields import LABELS, stepped
from attn_tui.tui.dots.view import View
from attn_tui.tui.scaling import ScalingScreen
from attn_tui.tui.state import Gesture

STEP = Gesture("field")
"""Steps of a field by keys; a run of them is one step of history."""


class AskingActions(ScalingScreen):
    """Actions that change what is drawn.

    Attributes:
        view: What is looked at.
    """

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

    def action_change(self, name: str, steps: int) -> None:
        """Move a field by steps."""
        self.ask(edits.settings(Settings, lambda old: stepped(old, name, steps)), STEP)

    def action_type(self, name: str) -> None:
        """Ask for the value of a field."""
        present = self.settings

        def read(text: str) -> Callable[[Settings], Settings]:
            changed(present, name, text)
            return lambda old: changed(old, name, text)

        self.request(
            LABELS[name],
            text_of(present, name),
            read,
            lambda change: self.ask(edits.settings(Settings, change)),
        )

    def action_choose_entries(self) -> None:
        """Offer the laws of entries."""
        offered = [
            Choice(law.name, law.title, f"mean {law.mean:.3g}, variance {law.variance:.4g}")
            for law in LAWS.values()
        ]
        self.choose("Entries of q and k", offered, self.settings.entries, self.action_entries)

    def action_entries(self, name: str) -> None:
        """Draw entries of a law by its name."""
        self.ask(edits.settings(Settings, lambda old: changed(old, "entries", name)))

    def action_add_row(self) -> None:
        """Ask for rows of the table."""
        present = self.settings

        def added(old: Settings, text: str) -> Settings:
            more = changed(replace(old, d_ks=()), "d_ks", text).d_ks
            return replace(old, d_ks=tuple(sorted({*old.d_ks, *more})))

        def read(text: str) -> Callable[[Settings], Settings]:
            added(present, text)
            return lambda old: added(old, text)

        self.view = self.view.at("table")
        d_k = str(self.asked.experiment.setup.d_k) if self.asked else str(D_K.minimum)
        self.request(
            "rows at d_k", d_k, read, lambda change: self.ask(edits.settings(Settings, change))
        )
        self.look(self.view)

    def action_remove_row(self) -> None:
        """Take the cursor's row out of the table."""
        d_ks, place = self.settings.d_ks, self.view.row
        if self.view.shown(self.narrow) != "table" or not d_ks:
            self.notify("There is no row here: t shows the table", timeout=3)
            return
        gone = d_ks[min(place, len(d_ks) - 1)]
        self.look(replace(self.view, row=max(min(place, len(d_ks) - 2), 0)))

        def without(old: Settings) -> Settings:
            return replace(old, d_ks=tuple(d_k for d_k in old.d_ks if d_k != gone))

        self.ask(edits.settings(Settings, without))
