"""The scores of the Explore screen, what is masked of them, and whose gradient is shown."""

from attn_tui.compute.source import Kind
from attn_tui.files import edits
from attn_tui.files.kinds import KINDS
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.explore.looking import ExploreHost
from attn_tui.old.tui.explore.view import View
from attn_tui.old.tui.parts import Part


class Scores(Part[ExploreHost]):
    """Where scores come from, their masks, and their gradient."""

    NAME = "scores"

    def edit(self) -> None:
        """Give the keys to the editor."""
        (pane,) = self._screen.query("ScoresPane")
        pane.open()

    def follow(self) -> None:
        """Show the vector on whose line the editor's cursor is."""
        screen = self._screen
        (pane,) = screen.query("ScoresPane")
        if asked := screen.asked:
            view = pane.followed(asked, asked, screen.view)
            if view is not screen.view:
                screen.look(view)

    def choose_source(self) -> None:
        """Offer the kinds of source."""
        present = self._screen.asked.draft.source if self._screen.asked else ""
        offered = [Choice(name, kind.title, kind.detail) for name, kind in KINDS.items()]

        def preview(name: str) -> str:
            return self._screen.preview(edits.source(name))

        choose = self._screen.choosing.choose
        choose("Where scores come from", offered, present, self.source, preview)

    def source(self, kind: Kind) -> None:
        """Ask for scores from a kind of source, and give the keys to their text."""
        self._screen.ask(edits.source(kind))
        self.edit()

    def draw_anew(self) -> None:
        """Draw with the next seed."""
        asked = self._screen.asked
        if asked and not KINDS[asked.draft.source].source.redraws:
            self._screen.notify("Scores are not drawn: the setting from draws them", timeout=3)
        self._screen.ask(edits.redraw)

    def mask(self) -> None:
        """Mask the keys that are selected, or show them again."""
        first, last = self._held().span
        self._screen.fields.put("mask", lambda old: old.toggled(first, last + 1))

    def mask_after(self) -> None:
        """Mask the keys after the cursor, or show them again."""
        found, start = self._screen.answer, self._held().key + 1
        if found and start < found.answer.vector.n_keys:
            self._screen.fields.put("mask", lambda old: old.toggled(start, None))
        else:
            self._screen.notify("There is no key after the last", timeout=3)

    def _held(self) -> View:
        """Return the view, whose cursor stays where it is though another key becomes the first."""
        view: View = self._screen.view
        self._screen.look(view.pointing(view.key))
        return view

    def gradient_of(self) -> None:
        """Show the gradient of the weight of the cursor's key."""
        key = self._screen.view.key
        self._screen.fields.put("of", lambda _: key)
