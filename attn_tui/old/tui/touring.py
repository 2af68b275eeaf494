"""Leads through a tour: shows each step, covers answers until there is a guess, and comes back."""

from collections.abc import Iterable
from typing import Any, Protocol

from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from attn_tui.files.draft import Draft
from attn_tui.files.history import Asked, History
from attn_tui.instruments import load
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.view import View
from attn_tui.old.tui.visiting import Visit
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.old.tui.widgets.headline import HeadlinePane
from attn_tui.old.tui.widgets.hint import Hint
from attn_tui.old.tui.widgets.settings import SettingsPane
from attn_tui.old.tui.widgets.tour_pane import TourPane
from attn_tui.tour.step import Progress, Step, Tour, clipped
from attn_tui.ui import memory

PHASES = {"next": "done", "skip": "try", "wait": "try"}
"""In which phase of a step a verb can be used that leads on."""


class TourHost(Protocol):
    """An application that shows instruments."""

    @property
    def screen(self) -> Screen[Any]:
        """What is on top."""

    @property
    def current_mode(self) -> str:
        """The name of the instrument that is shown."""

    @property
    def asked(self) -> Asked:
        """What is asked."""

    @property
    def history(self) -> History:
        """What is asked, and what was."""

    def become(self, draft: Draft) -> None:
        """Ask something else altogether, as one step of history."""

    def come_to(self, history: History) -> None:
        """Ask what a history asks, with the steps that lead there."""

    async def go_to(self, name: str) -> None:
        """Go to an instrument."""

    def push_screen(self, screen: Screen[Any]) -> Any:
        """Open a dialogue."""

    def notify(self, message: str, *, timeout: float) -> None:
        """Say something for some seconds."""


class Guide:
    """A tour that somebody is on, or not.

    Args:
        app: The application.
        tour: The tour; without one it is ours.
    """

    def __init__(self, app: TourHost, tour: Tour | None = None) -> None:
        self._app = app
        self._tour = tour
        self.progress: Progress | None = None
        self._own: Visit | None = None
        self._views: dict[InstrumentScreen, View] = {}
        self._left: Draft | None = None
        self._is_fresh = False

    @property
    def tour(self) -> Tour:
        """The tour."""
        if self._tour is None:
            from attn_tui.tour.reader import our_tour

            self._tour = our_tour(load("attn_tui.commands.asked:asked_by"))
        return self._tour

    @property
    def away(self) -> bool:
        """Whether something else is looked at than the step is about."""
        if self.progress is None:
            return False
        step, draft = self.progress.step, self._app.asked.draft
        if self._app.current_mode != step.instrument:
            return True
        is_drawn = self._app.asked.experiment.source.redraws
        has_scores = step.instrument == "explore"
        others = draft.source != step.draft.source or (
            draft.text != step.draft.text and not is_drawn
        )
        return has_scores and others

    def can(self, verb: str) -> bool:
        """Return whether a verb can be used now."""
        progress, screen = self.progress, self._app.screen
        if verb in ("begin", "anew"):
            return True
        if progress is None or not isinstance(screen, InstrumentScreen):
            return False
        if verb in PHASES:
            is_there = progress.phase == PHASES[verb] and not self.away
            return is_there and (verb == "skip" or not _is_busy(screen.focused))
        return verb == "leave" or (verb == "back") == self.away

    async def do(self, verb: str, argument: int | None = None) -> None:
        """Use a verb."""
        if verb in ("begin", "anew"):
            await self._begin(verb == "anew")
        elif verb in ("leave", "back") and self.away:
            await self._back()
        elif verb == "leave":
            await self._leave()
        elif verb == "next":
            await self._next()
        elif verb == "wait":
            self._app.notify("Not done yet: x goes on without it", timeout=4)
        elif self.progress and verb == "skip":
            self._become(self.progress.skipped())
        elif self.progress and verb == "move":
            self._become(self.progress.moved(argument or 0))
        elif self.progress and verb == "pick":
            self._pick(self.progress.cursor if argument is None else argument)

    # Steps

    async def _begin(self, anew: bool) -> None:
        """Begin where it was left."""
        if self.progress is None:
            self._own = Visit(self._app.current_mode, self._app.history)
            at, picks = (0, ()) if anew else memory.remembered_tour(self.tour.name)
            at = at if 0 <= at < len(self.tour.steps) else 0
            self.progress = Progress(self.tour, at, clipped(picks, self.tour))
        elif anew:
            self.progress = Progress(self.tour)
        await self._show(self.progress.step)

    async def _next(self) -> None:
        assert self.progress
        if self.progress.is_last:
            from attn_tui.old.tui.reading import ReadDialog
            from attn_tui.old.tui.tour_rows import summary

            text = summary(self.progress)
            self.progress = Progress(self.tour)
            await self._leave()
            self._app.push_screen(ReadDialog("What there was to see", text))
        else:
            self.progress = self.progress.next()
            self._remember()
            await self._show(self.progress.step)

    async def _show(self, step: Step) -> None:
        """Show a step as it begins."""
        self._left, self._is_fresh = None, True
        self._app.become(step.draft)
        await self._go(step.instrument)

    async def _back(self) -> None:
        """Go back to the step, as it was."""
        assert self.progress
        step = self.progress.step
        self._is_fresh = True
        self._app.become(self._left or step.draft)
        await self._go(step.instrument)

    async def _leave(self) -> None:
        """Go back to what was asked before."""
        self._remember()
        assert self._own
        own, self._own, self.progress = self._own, None, None
        for screen, view in self._views.items():
            screen.look_as(view)
        self._views.clear()
        self._app.come_to(own.history)
        await self._go(own.home)

    async def _go(self, instrument: str) -> None:
        """Go to an instrument; where it is in sight already, show what is asked of it."""
        if instrument == self._app.current_mode:
            self._redraw()
        else:
            await self._app.go_to(instrument)

    def _pick(self, answer: int) -> None:
        """Uncover the answers, and give the keys back to the picture."""
        screen = self._app.screen
        if self.progress and isinstance(screen, InstrumentScreen):
            self._become(self.progress.picked(answer))
            self._remember()
            screen.set_focus(screen.drawer.home)

    def _become(self, progress: Progress) -> None:
        self.progress = progress
        self._redraw()

    def _redraw(self) -> None:
        screen = self._app.screen
        if isinstance(screen, InstrumentScreen):
            self.arrange(screen)
            screen.show(self._app.asked)

    def _remember(self) -> None:
        if self.progress:
            memory.remember_tour(self.tour.name, self.progress.at, self.progress.picks)

    # What is shown

    def arrange(self, screen: InstrumentScreen) -> None:
        """Let a screen show how far somebody is, before it shows what is asked."""
        pane = screen.query_one(TourPane)
        if self.progress is None and pane.progress is None:
            return
        away = self.away
        if self.progress and not away:
            asked = self._app.asked
            self._left = asked.draft
            if asked.error is None:
                self.progress = self.progress.seen(asked.experiment)
        progress = self.progress
        guesses = progress is not None and progress.phase == "guess" and not away
        pane.progress, pane.away, pane.can_focus = progress, away, guesses
        screen.query_one(HeadlinePane).instead = progress.step.says if progress and guesses else ""
        screen.query_one(Hint).silent = progress is not None
        for canvas in screen.query(Canvas):
            canvas.cover(guesses)
        if progress and self._is_fresh and not away:
            self._is_fresh = False
            self._views.setdefault(screen, screen.view)
            screen.look_as(None)
            screen.call_after_refresh(screen.set_focus, pane if guesses else screen.drawer.home)


def _is_busy(focused: Widget | None) -> bool:
    """Return whether enter is for something else than the tour."""
    held: Iterable[Any] = focused.ancestors_with_self if focused else ()
    return any(isinstance(each, Input | TextArea | SettingsPane) for each in held)
