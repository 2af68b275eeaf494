"""A visit: an instrument set up for something else, from which escape leads back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attn_tui.files.draft import Draft
from attn_tui.files.history import History
from attn_tui.instruments import INSTRUMENTS
from attn_tui.old.tui.actions import Action
from attn_tui.old.tui.parts import Host, Part


@dataclass(frozen=True)
class Visit:
    """Where somebody came from.

    Attributes:
        home: The instrument.
        history: What was asked there, and before: what is done on a visit is none of its steps.
        words: What is said while somebody is away, at decreasing length.
    """

    home: str
    history: History
    words: Sequence[str] = ()


ACTION = Action(
    "visiting.back", ("escape",), "esc", "Back", "Go back to where this was opened", bar=1,
    palette=False,
)  # fmt: skip


class Visiting(Part[Host]):
    """Goes to another instrument with another question, and comes back to one's own."""

    NAME = "visiting"

    def can(self, verb: str) -> bool:
        """Say that there is nothing to come back to, where nobody is away."""
        visit = self._screen.app.visit
        return verb != "back" or (visit is not None and visit.home != self._screen.NAME)

    async def to(
        self,
        instrument: str,
        draft: Draft,
        words: Sequence[str],
        looked: Callable[[Any], Any] | None = None,
    ) -> None:
        """Ask something else, on the instrument that shows it, as one step of history.

        Args:
            instrument: Its name.
            draft: What is asked there.
            words: What is said while somebody is away, at decreasing length.
            looked: What the view becomes there, if it is to be another one.
        """
        if self._screen.asked:
            app = self._screen.app
            if app.is_elsewhere(instrument):
                app.become(draft)
                home = next(each for each in INSTRUMENTS if each.name == self._screen.NAME)
                app.notice = f"{home.number} goes back to {home.title}, u to what you had asked"
                app.leave_for(instrument)
                return
            await app.go_to(instrument)
            if looked:
                app.screen.look(looked(app.screen.view))
            app.visit = Visit(self._screen.NAME, app.history, words)
            app.become(draft)

    async def go(self, instrument: str) -> None:
        """Go to another instrument with the question that is asked."""
        app = self._screen.app
        if app.is_elsewhere(instrument):
            app.leave_for(instrument)
        else:
            await app.go_to(instrument)

    async def back(self) -> None:
        """Ask again what was asked before, where it was."""
        app = self._screen.app
        visit, app.visit = app.visit, None
        app.come_to(visit.history)
        await app.go_to(visit.home)
