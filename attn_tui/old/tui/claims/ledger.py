"""The claims on their screen: the cursor among them, and the instruments that show them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from attn_tui.claims.claim import Claim
from attn_tui.claims.ledger import find, ledger
from attn_tui.compute.setup import FIELDS
from attn_tui.files.history import Gesture
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import AskingHost, Part
from attn_tui.old.tui.scale import models

MOVE = Gesture("claim")
"""Moves of the cursor; a run of them is one step of history."""


class LedgerHost(AskingHost, Protocol):
    """A screen with a list of claims."""

    @property
    def listed(self) -> Sequence[Claim]:
        """The claims that are listed."""


class Ledger(Part[LedgerHost]):
    """The list of claims."""

    NAME = "ledger"

    def go(self, name: str) -> None:
        """Go to a claim."""
        self._screen.fields.put("claim", lambda _: name, MOVE)

    def move(self, by: int) -> None:
        """Go so many lines down."""
        names = [each.id for each in self._screen.listed]
        if not names:
            return
        here = self._screen.settings.claim
        at = names.index(here) + by if here in names else 0
        self.go(names[min(max(at, 0), len(names) - 1)])

    def scroll(self, dx: int, dy: int) -> None:
        """Go down in what is right; to the side go to the picture."""
        view = self._screen.view
        if dx:
            self._screen.look(replace(view, chart="picture" if dx > 0 else "numbers"))
        else:
            self._screen.look(replace(view, top=max(view.top + dy, 0)))

    def choose(self) -> None:
        """Offer the claims, found by their words as one types."""
        here = self._screen.settings.claim
        self._screen.choosing.choose("Claims", [*_offered()], here, self.go)

    async def open(self) -> None:
        """Set up the instrument that shows the claim, as one step of history."""
        settings = self._screen.settings
        claim = find(settings.claim)
        if claim.opens is None:
            said = "No instrument shows this: its numbers are here, and its picture (t)"
            self._screen.notify(said, timeout=4)
            return
        opened = claim.opens(settings.trial)
        draft = replace(opened.draft, setup=opened.draft.setup.put(settings))
        words = (f"{claim.id}: {claim.says} esc goes back", f"{claim.id}: esc goes back")
        await self._screen.visiting.to(opened.instrument, draft, words)

    def choose_model(self) -> None:
        """Offer the models; one that is chosen is opened in Explore."""
        self._screen.choosing.choose("Heads of models", models(), "", self.open_model)

    async def open_model(self, name: str) -> None:
        """Ask for the d_k and the scale of a model, as one step of history."""
        if asked := self._screen.asked:
            draft = asked.draft
            setup = draft.setup.changed(FIELDS["model"], lambda _: name)
            away = "esc goes back to the claims"
            await self._screen.visiting.to("explore", replace(draft, setup=setup), (away,))

    def commands(self) -> Iterator[Choice]:
        """Yield each claim."""
        for each in _offered():
            yield replace(each, value=f"ledger.go('{each.value}')")


def _offered() -> Iterator[Choice]:
    for each in ledger().values():
        yield Choice(
            each.id, f"{each.id} {each.says}", each.right, f"{' '.join(each.topics)} {each.source}"
        )
