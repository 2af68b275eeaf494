"""Leads an application through a tour, and back to the question before it."""

from typing import TYPE_CHECKING

from attn_tui.files import edits
from attn_tui.files.draft import Draft
from attn_tui.files.history import Question
from attn_tui.tour.pane import TourPane
from attn_tui.tour.reader import our_tour
from attn_tui.tour.step import Progress, Tour, clipped, summary
from attn_tui.ui.dialogs import HelpScreen
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.memory import remember_tour, remembered_tour
from attn_tui.ui.repeat import Repeat
from attn_tui.ui.slider import Slider

if TYPE_CHECKING:
    from attn_tui.ui.app import AttnApp


class Guide:
    """A tour in progress.

    Args:
        app: The application.
        tour: The tour; by default, our own.
        place: The index of the step to begin at; None for where it was left last time.

    Attributes:
        progress: The progress through the tour.
    """

    def __init__(self, app: "AttnApp", tour: Tour | None = None, place: int | None = None) -> None:
        self._app = app
        self._home = (app.current_mode, app.history)
        if tour is None:
            from attn_tui.console.asking import asked_by

            tour = our_tour(asked_by)
        picks: tuple[object, ...] = ()
        if place is None:
            place, picks = remembered_tour(tour.name)
        place = place if 0 <= place < len(tour.steps) else 0
        self.progress = Progress(tour, place, clipped(picks, tour))
        self._left: Draft | None = None
        self._screens: set[InstrumentScreen] = set()
        self._enter = Repeat()

    @property
    def is_done(self) -> bool:
        """Whether the task of this step is done, and the step is on the screen."""
        return self.progress.phase == "done" and not self.is_away

    @property
    def is_away(self) -> bool:
        """Whether the question or the instrument is not that of the step."""
        step, asked = self.progress.step, self._app.history.present
        if self._app.current_mode != step.instrument:
            return True
        if step.instrument != "explore" or asked.experiment.source.redraws:
            return False
        return asked.draft.text != self.progress.draft.text

    def begin(self) -> None:
        """Show the step with its first question."""
        self._show(self.progress.draft)

    def back(self) -> None:
        """Return to the step, with the question it was left with."""
        self._show(self._left or self.progress.draft)

    def _show(self, draft: Draft) -> None:
        self._app.ask(edits.become(draft))
        self._app.action_go(self.progress.step.instrument)

    def skip(self) -> None:
        """Skip the guess or the task."""
        self._come_to(self.progress.skipped())

    def pick(self, answer: int) -> None:
        """Record an answer as the guess."""
        self._come_to(self.progress.picked(answer))
        self._remember()

    def next(self) -> None:
        """Go to the next step; after the last one, show a summary."""
        self._enter.note()
        if not self.progress.is_last:
            self.progress = self.progress.next()
            self._left = None
            self._remember()
            self.begin()
            return
        text = summary(self.progress)
        self.progress = Progress(self.progress.tour)
        self.leave()
        self._app.push_screen(HelpScreen(text, "What there was to see"))

    def leave(self) -> None:
        """Leave the tour, and go back to the question and instrument before it."""
        self._remember()
        instrument, history = self._home
        self._app.guide = None
        for screen in self._screens:
            screen.remove_class("-guess", "-touring")
            screen.show_picture(False)
            screen.query(TourPane).remove()
            # Enter leads to no next step any more.
            screen.refresh_bindings()
        self._app.come_to(history)
        self._app.action_go(instrument)

    def _come_to(self, progress: Progress) -> None:
        """Show other progress; after a guess, the question of the step replaces the picture's."""
        before, self.progress = self.progress, progress
        if progress.draft != before.draft:
            self._app.ask(edits.become(progress.draft))
        else:
            self._app.show()

    def _remember(self) -> None:
        remember_tour(self.progress.tour.name, self.progress.at, self.progress.picks)

    def see(self, screen: InstrumentScreen, question: Question) -> None:
        """Update the progress for the present question, and show it on a screen."""
        is_away = self.is_away
        if not is_away and question.error is None:
            self._left = question.draft
            self.progress = self.progress.seen(question.experiment)
        pane = next(iter(screen.query(TourPane)), None)
        if pane is None:
            pane = TourPane(self.progress, is_away, self._enter)
            screen.mount(pane, after="#body")
            screen.add_class("-touring")
            self._screens.add(screen)
        elif (pane.progress, pane.is_away) == (self.progress, is_away):
            return
        else:
            self._update(screen, pane, is_away)
        screen.show_picture(pane.guesses and self.progress.step.picture is not None)

    def _update(self, screen: InstrumentScreen, pane: TourPane, is_away: bool) -> None:
        """Show the present progress in the pane that is there."""
        guessed = pane.guesses
        pane.progress, pane.is_away = self.progress, is_away
        if guessed and not pane.guesses:
            screen.call_after_refresh(screen.set_focus, screen.query_one(Slider))
