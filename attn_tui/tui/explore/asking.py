"""What the keys of the Explore screen do that ask something else."""

from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.field import fields_of
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.setup import FIELDS
from attn_tui.compute.source import Kind, Source
from attn_tui.files.examples import EXAMPLES
from attn_tui.files.kinds import KINDS
from attn_tui.tui import edits
from attn_tui.tui.explore import choices
from attn_tui.tui.explore.base import ExploreBase
from attn_tui.tui.state import Edit
from attn_tui.tui.widgets.score_editor import ScoreEditor


class AskingActions(ExploreBase):
    """Actions that change what is asked."""

    FIELDS = FIELDS | fields_of(Settings)

    # Scores

    @property
    def _kind(self) -> type[Source] | None:
        """The kind of source that the text in the editor is about."""
        return KINDS[self.asked.draft.source].source if self.asked else None

    def action_edit(self) -> None:
        """Give the keys to the editor."""
        self.query_one(ScoreEditor).focus()

    def action_choose_source(self) -> None:
        """Offer the kinds of source."""
        present = self.asked.draft.source if self.asked else ""
        self.choose("Where scores come from", choices.sources(), present, self.action_source)

    def action_source(self, kind: Kind) -> None:
        """Ask for scores from a kind of source, and give the keys to their text."""
        self.ask(edits.source(kind))
        self.action_edit()

    def action_draw_anew(self) -> None:
        """Draw with the next seed."""
        if self._kind and not self._kind.redraws:
            self.notify("Scores are not drawn: f draws them", timeout=3)
        self.ask(edits.redraw)

    def action_choose_example(self) -> None:
        """Offer the examples."""
        self.choose("Examples", choices.examples(), "", self.action_example)

    def action_example(self, name: str) -> None:
        """Ask what an example asks."""
        self.ask(edits.become(EXAMPLES[name].draft))

    # The scale

    def action_qk_norm(self) -> None:
        """Normalise queries and keys, or do not."""
        # It can be asked for of typed scores too, for when they are drawn.
        if not self.scale_asked.qk_norm and (why := self.why_held("qk_norm")):
            self.notify(why, timeout=3)
        self.ask(edits.field(self.FIELDS["qk_norm"], lambda old: not old))

    # Masks

    def action_mask(self) -> None:
        """Mask the keys that are selected, or show them again."""
        first, last = self.view.span
        self.ask(edits.mask(lambda old: old.toggled(first, last + 1)))

    def action_mask_after(self) -> None:
        """Mask the keys after the cursor, or show them again."""
        if self.answer and self.view.key < self.answer.vector.n_keys - 1:
            start = self.view.key + 1
            self.ask(edits.mask(lambda old: old.toggled(start, None)))
        else:
            self.notify("There is no key after the last", timeout=3)

    def action_type_mask(self) -> None:
        """Ask which keys are masked."""
        mask = self.asked.experiment.setup.mask if self.asked else Mask()

        def read(text: str) -> Edit:
            typed = parse_mask(text)
            return edits.mask(lambda _: typed)

        self.request_edit("mask", str(mask), read)

    # The gradient

    def action_gradient_of(self) -> None:
        """Show the gradient of the weight of the cursor's key."""
        key = self.view.key
        self.ask_field("of", lambda _: key)
