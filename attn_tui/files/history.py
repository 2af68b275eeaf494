"""What is asked, what was asked before, and the last question that could be read."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft, parse

Edit = Callable[[Draft], Draft]
"""A change to what is asked; made on the newest draft, so that no change overtakes another."""


@dataclass(frozen=True)
class Gesture:
    """A run of edits that is one step of history: typing, a held key, one drag.

    Attributes:
        name: Edits of different gestures are different steps.
        pause: Seconds of rest that end the run.
    """

    name: str
    pause: float = 1.0


@dataclass(frozen=True)
class Asked:
    """What a screen shows: the draft, and the newest question that could be read.

    Attributes:
        draft: As the user left it.
        experiment: The draft read; where it cannot be, its setup with the last readable vectors.
        error: Why the draft cannot be read, or None.
    """

    draft: Draft
    experiment: Experiment
    error: InputError | None = None

    @classmethod
    def first(cls, draft: Draft) -> "Asked":
        """Return what is asked at the start; raises InputError if the draft cannot be read."""
        return cls(draft, parse(draft))

    def ask(self, draft: Draft) -> "Asked":
        """Return what is asked after a change."""
        try:
            return Asked(draft, parse(draft))
        except InputError as error:
            return Asked(draft, self._under(draft.setup), error)

    def _under(self, setup: Setup) -> Experiment:
        """Return the last readable question under another setup, if it has an answer there."""
        try:
            return replace(self.experiment, setup=setup)
        except InputError:
            return self.experiment


@dataclass(frozen=True)
class History:
    """The steps taken, the present one, and those undone; newest last in each list.

    Steps are kept as drafts and read anew, so that a thousand drawn scores more or less in each
    of them cost nothing.

    Attributes:
        present: What is asked now.
        past: What undo returns to.
        future: What redo returns to.
        gesture: The run of edits the present one belongs to, if it may go on.
        since: When the present edit was made, in seconds.
    """

    present: Asked
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
