"""The present question, the last one that could be read, and undo and redo."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft, parse

Edit = Callable[[Draft], Draft]
"""A change to a draft; made on the newest one, so that no change overtakes another."""


@dataclass(frozen=True)
class Gesture:
    """A run of edits that makes one undo step: typing, a held key, one drag.

    Attributes:
        name: Edits with different names are different steps.
        pause: Seconds without an edit that end the run.
    """

    name: str
    pause: float = 1.0


@dataclass(frozen=True)
class Question:
    """What a screen shows: the draft, and the newest experiment that could be read.

    Attributes:
        draft: As the user left it.
        experiment: The draft as read; if it cannot be read, the last source with the new setup.
        error: Why the draft cannot be read, or None.
    """

    draft: Draft
    experiment: Experiment
    error: InputError | None = None

    @classmethod
    def first(cls, draft: Draft) -> "Question":
        """Return the first question; raises InputError if the draft cannot be read."""
        return cls(draft, parse(draft))

    def ask(self, draft: Draft) -> "Question":
        """Return the question after a change of draft."""
        try:
            return Question(draft, parse(draft))
        except InputError as error:
            return Question(draft, self._under(draft.setup), error)

    def _under(self, setup: Setup) -> Experiment:
        """Return the last readable experiment with another setup, if the two go together."""
        try:
            return replace(self.experiment, setup=setup)
        except InputError:
            return self.experiment


@dataclass(frozen=True)
class History:
    """The present question, and the drafts that undo and redo return to, newest last.

    Past steps are kept as drafts and read again when needed, so that they hold no scores.

    Attributes:
        present: The present question.
        past: The drafts that undo returns to.
        future: The drafts that redo returns to.
        gesture: The gesture of the last edit, which another edit may continue.
        since: When the last edit was made, in seconds.
    """

    present: Question
    past: tuple[Draft, ...] = ()
    future: tuple[Draft, ...] = ()
    gesture: Gesture | None = None
    since: float = -inf

    LIMIT = 500

    def ask(self, edit: Edit, gesture: Gesture | None, now: float) -> "History":
        """Return the history after an edit; the same object if the edit changes nothing."""
        draft = edit(self.present.draft)
        if draft == self.present.draft:
            return self
        goes_on = (
            gesture is not None and gesture == self.gesture and now - self.since <= gesture.pause
        )
        past = self.past if goes_on else (*self.past, self.present.draft)[-self.LIMIT :]
        return History(self.present.ask(draft), past, (), gesture, now)

    def undo(self) -> "History":
        """Return the history one step back, or itself at the start."""
        if not self.past:
            return self
        present = self.present.ask(self.past[-1])
        return History(present, self.past[:-1], (*self.future, self.present.draft))

    def redo(self) -> "History":
        """Return the history one step on, or itself at the end."""
        if not self.future:
            return self
        present = self.present.ask(self.future[-1])
        return History(present, (*self.past, self.present.draft), self.future[:-1])
