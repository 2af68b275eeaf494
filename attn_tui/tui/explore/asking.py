"""What the keys of the Explore screen do that ask something else."""

from collections.abc import Callable
from dataclasses import replace

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.answer import Settings, Wrt
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.precision import FORMATS, Arithmetic
from attn_tui.compute.scale import Scale, parse_number
from attn_tui.compute.source import Kind, Source
from attn_tui.files.examples import EXAMPLES
from attn_tui.files.kinds import KINDS
from attn_tui.files.writing import score_text
from attn_tui.tui import edits
from attn_tui.tui.explore import choices
from attn_tui.tui.explore.base import ExploreBase
from attn_tui.tui.state import Edit
from attn_tui.tui.widgets.score_editor import ScoreEditor

NEXT_FORMAT = dict(zip(FORMATS, (*FORMATS[1:], FORMATS[0]), strict=True))


class AskingActions(ExploreBase):
    """Actions that change what is asked."""

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

    def action_type_softcap(self) -> None:
        """Ask for a soft cap; an empty text takes it away."""
        self._request_number(
            "softcap", self.scale_asked.softcap, lambda old, cap: replace(old, softcap=cap)
        )

    def action_type_sink(self) -> None:
        """Ask for the logit of a sink; an empty text takes it away."""
        self._request_number(
            "sink", self.scale_asked.sink, lambda old, sink: replace(old, sink=sink)
        )

    def action_qk_norm(self) -> None:
        """Normalise queries and keys, or do not."""
        if self._kind and not (self._kind.normalises or self.scale_asked.qk_norm):
            self.notify("QK-norm acts on q and k: f draws or types them", timeout=3)
        self.ask(edits.scale(lambda old: replace(old, qk_norm=not old.qk_norm)))

    # Precision

    def action_precision(self) -> None:
        """Compute softmax in the next number format."""
        self.ask(edits.precision(lambda old: replace(old, format=NEXT_FORMAT[old.format])))

    def action_naive(self) -> None:
        """Subtract the largest score before the exponential, or do not."""
        self.ask(edits.precision(lambda old: replace(old, stable=not old.stable)))

    def action_arithmetic(self) -> None:
        """In 16 bits round logits and weights only, or every operation."""
        others: dict[Arithmetic, Arithmetic] = {"fused": "stepwise", "stepwise": "fused"}
        self.ask(edits.precision(lambda old: replace(old, arithmetic=others[old.arithmetic])))

    def action_round_scores(self) -> None:
        """Round scores to the next number format."""
        self.ask(edits.precision(lambda old: replace(old, scores=NEXT_FORMAT[old.scores])))

    def action_round_vectors(self) -> None:
        """Round queries and keys to the next number format."""
        if self._kind and not self._kind.rounds:
            self.notify("There are no q and k to round: f types them", timeout=3)
        else:
            self.ask(edits.precision(lambda old: replace(old, vectors=NEXT_FORMAT[old.vectors])))

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

    def action_wrt(self) -> None:
        """Take the gradient with respect to the other of scores and logits."""
        other: dict[Wrt, Wrt] = {"scores": "logits", "logits": "scores"}
        self.ask(edits.settings(Settings, lambda old: replace(old, wrt=other[old.wrt])))

    def action_gradient_of(self) -> None:
        """Show the gradient of the weight of the cursor's key."""
        key = self.view.key
        self.ask(edits.settings(Settings, lambda old: replace(old, of=key)))

    # How it is asked

    def _request_number(
        self,
        field: str,
        present: float | None,
        change: Callable[[Scale, float | None], Scale],
    ) -> None:
        """Ask for a number or nothing."""

        def read(text: str) -> Edit:
            try:
                number = parse_number(text) if text.strip() else None
            except ValueError:
                raise InputError(field, "that is no number", "a number, or nothing") from None
            change(self.scale_asked, number)
            return edits.scale(lambda old: change(old, number))

        self.request_edit(field, "" if present is None else score_text(present), read)
