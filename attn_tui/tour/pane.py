"""What a step of the tour says, above the footer; a guess has the whole body for itself."""

from collections.abc import Iterable, Iterator

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Label, OptionList, ProgressBar, Static

from attn_tui.tour.step import Progress, verdict
from attn_tui.ui.markup import plain


class Answers(OptionList):
    """The answers to a guess, of which none is suggested; they have the keys."""

    def __init__(self, answers: Iterable[str]) -> None:
        super().__init__(*answers, id="answers", markup=False)
        # Textual's list begins at its first option.
        self.highlighted = None

    def on_mount(self) -> None:
        """Take the keys."""
        super().on_mount()
        self.focus()


class TourPane(Vertical):
    """Shows how far somebody is in a tour.

    Args:
        progress: How far.
        is_away: Whether something else is asked than the step is about.
    """

    DEFAULT_CSS = """
    TourPane {
        height: auto; max-height: 60%; padding: 0 1; background: $panel;
        & > Static { height: auto; }
        & #question, & #task { text-style: bold; }
        & #progress { height: 1; }
        & #progress > Label { width: auto; color: $foreground 70%; }
        & #progress > ProgressBar { width: 1fr; margin: 0 2; & Bar { width: 1fr; } }
        &.-guess { height: 1fr; max-height: 100%; background: $background; }
        &.-guess #page { height: 1fr; align: center middle; }
        &.-guess #says, &.-guess #question { width: 100%; max-width: 90; height: auto; }
        &.-guess #question { margin-top: 1; }
        & #answers {
            width: 100%; max-width: 90; height: auto;
            border: none; padding: 0; margin: 1 0; background: transparent;
        }
    }
    """

    progress: reactive[Progress | None] = reactive(None, recompose=True)
    is_away: reactive[bool] = reactive(False, recompose=True)

    class Picked(Message):
        """An answer was picked.

        Attributes:
            answer: Its index.
        """

        def __init__(self, answer: int) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, progress: Progress, is_away: bool) -> None:
        super().__init__()
        self.set_reactive(TourPane.progress, progress)
        self.set_reactive(TourPane.is_away, is_away)

    @property
    def guesses(self) -> bool:
        """Whether a guess is wanted."""
        return self.progress is not None and self.progress.phase == "guess" and not self.is_away

    def compose(self) -> ComposeResult:
        """Lay out the text of the step, and a line of how far this is."""
        progress = self.progress
        if progress is None:
            return
        self.set_class(self.guesses, "-guess")
        self.screen.set_class(self.guesses, "-guess")
        self.screen.refresh_bindings()
        if self.guesses:
            with Vertical(id="page"):
                yield from self._guess(progress)
        else:
            yield from self._texts(progress)
        with Horizontal(id="progress"):
            yield Label(f"Tour {progress.at + 1} of {len(progress.tour.steps)}")
            bar = ProgressBar(len(progress.tour.steps), show_percentage=False, show_eta=False)
            bar.advance(progress.at + (progress.phase == "done"))
            yield bar
            yield Label(self._keys(progress))

    def _guess(self, progress: Progress) -> Iterator[Widget]:
        guess = progress.step.guess
        assert guess is not None
        yield Static(progress.step.says, id="says", markup=False)
        yield Static(guess.question, id="question", markup=False)
        yield Answers(guess.answers)

    def _texts(self, progress: Progress) -> Iterator[Widget]:
        step = progress.step
        if self.is_away:
            yield Static("[@click=app.tour_back]esc goes back to the tour[/]", id="task")
        elif progress.phase == "done":
            goal = "what you have seen" if progress.is_last else "the next step"
            yield Static(step.learnt, id="says", markup=False)
            yield Static(f"[@click=app.tour_next]enter: {goal}[/]", id="task")
        else:
            yield Static(plain(verdict(step, progress.pick) or step.says), id="says")
            yield Static(step.task, id="task", markup=False)

    def _keys(self, progress: Progress) -> str:
        """Return what keys lead on and away."""
        if self.is_away:
            return ""
        if progress.phase == "done":
            return "[@click=app.tour_back]esc leaves[/]"
        return "[@click=app.tour_skip]x skips[/]   [@click=app.tour_back]esc leaves[/]"

    @on(Answers.OptionSelected)
    def _pick(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Picked(event.option_index))
