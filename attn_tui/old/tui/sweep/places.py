"""The places of a sweep, and the cursor among them: the n and the d_k that are asked for."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.places import along
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.draft import Draft
from attn_tui.files.history import Gesture
from attn_tui.old.tui.fields import Change
from attn_tui.old.tui.parts import AskingHost, Part
from attn_tui.old.tui.settings import under
from attn_tui.old.tui.sweep import drawing
from attn_tui.old.tui.sweep.rules import Rules
from attn_tui.sweep.names import others

MOVE = Gesture("move")
"""Moves of the cursor among places; a run of them is one step of history."""


class PlacesHost(AskingHost, Protocol):
    """A screen with a chart of places.

    Attributes:
        rules: The rules that are compared.
    """

    rules: Rules


class Places(Part[PlacesHost]):
    """Moves the cursor, and opens Explore where it is."""

    NAME = "places"

    def move(self, dx: int, dy: int) -> None:
        """Move by so many places to the right, and down; or scroll the numbers."""
        screen, view = self._screen, self._screen.view
        if view.numbers:
            screen.look(replace(view, top=max(view.top + dy, 0)))
        else:
            settings = screen.settings
            # What is not drawn yet is gone to as well.
            ns, d_ks = along(settings, screen.fields.setup.d_k)
            is_map = settings.view == "map"
            over_n = not is_map and settings.over == "n"
            across = dx if is_map else dx - dy
            if over_n or (is_map and dy):
                by = across if over_n else -dy
                screen.fields.put("n", lambda n: moved(ns, n, by), MOVE)
            else:
                screen.fields.put("d_k", lambda d_k: moved(d_ks, d_k, across), MOVE)

    def go(self, n: int, d_k: int) -> None:
        """Go to a place."""
        fields, setup = self._screen.fields, self._screen.fields.setup
        if n != self._screen.settings.n:
            fields.put("n", lambda _: n)
        if d_k != setup.d_k:
            fields.put("d_k", lambda _: d_k)

    def explore(self) -> None:
        """Open Explore on a vector drawn where the cursor is, with the seed of the sweep."""
        screen = self._screen
        if screen.asked:
            n, d_k = drawing.place_of(screen.asked.experiment)
            vector = Drawn(n, screen.settings.seed)
            there = _under(self._rule, screen.rules.compared)

            def edit(draft: Draft) -> Draft:
                asked = draft.asking(vector)
                return replace(asked, setup=there(replace(asked.setup, d_k=d_k)))

            screen.ask(edit)
            screen.do("app.instrument('explore')")

    @property
    def _rule(self) -> str:
        """The rule under which Explore opens: one that is compared; of a map the one it shows."""
        screen, rules = self._screen, self._screen.rules.compared
        if screen.answer and screen.settings.view == "map":
            return drawing.map_rule(screen.answer, screen.view)
        own = parse_scale(rule_text(screen.fields.setup.scale))
        candidates = [rule for rule in rules if parse_scale(rule) == own]
        return [*candidates, *others(rules), *rules][0]


def _under(rule: str, rules: tuple[str, ...]) -> Change:
    """Return a change that uses a rule of those compared, and goes on comparing them."""
    new = parse_scale(rule)

    def change(setup: Setup) -> Setup:
        if new == parse_scale(rule_text(setup.scale)):
            return setup
        # If none were chosen, the rule that all share is one of those compared.
        settings = setup.get(Settings)
        return under(new)(setup.put(replace(settings, rules=settings.rules or rules)))

    return change


def moved(places: Sequence[int], here: int, by: int) -> int:
    """Return the place so many places from here, which may be between two, if there is one."""
    at = bisect_right(places, here) - 1 + by if by > 0 else bisect_left(places, here) + by
    return places[min(max(at, 0), len(places) - 1)]
