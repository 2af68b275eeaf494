"""The pane of a tour step, above the footer; a guess takes up the whole body."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Label, OptionList, ProgressBar, Static

from attn_tui.tour.step import Progress, verdict
from attn_tui.ui.markup import plain
from attn_tui.ui.repeat import Repeat

CHOOSE = "[b $mark]↑ ↓[/] choose, [b $mark]enter[/] answers"


class Answers(OptionList):
    """The answers to a guess, the first highlighted; the list takes the focus.

    Args:
        answers: The answers.
        enter: When enter came last: one that has led here and is still held answers nothing.
    """

    def __init__(self, answers: Iterable[str], enter: Repeat) -> None:
        super().__init__(*answers, id="answers", markup=False)
        self._enter = enter

    def action_select(self) -> None:
        """Answer, unless enter is held."""
        if not self._enter.note():
            super().action_select()

    def on_mount(self) -> None:
        """Take the focus."""
        super().on_mount()
        self.focus()


class TourPane(Vertical):
    """Shows the present step of a tour.

    Args:
        progress: The progress through the tour.
        is_away: Whether the question or the instrument is not that of the step.
        enter: When enter came last.
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
        & #choose { color: $foreground 70%; width: 100%; max-width: 90; }
        &.-guess #says, &.-guess #question { width: 100%; max-width: 90; height: auto; }
        &.-guess #question { margin-top: 1; }
        & #answers {
            width: 100%; max-width: 90; height: auto;
            border: none; padding: 0; margin: 1 0; background: transparent;
        }
        &.-pictured { height: auto; max-height: 60%; background: $panel; }
        &.-pictured #page { height: auto; align: left top; }
        &.-pictured #answers { margin: 0; }
    }
    """

    progress: reactive[Progress | None] = reactive(None, recompose=True)
    is_away: reactive[bool] = reactive(False, recompose=True)

    @dataclass
    class Picked(Message):
        """The user picks an answer.

        Attributes:
            answer: The index of the answer.
        """

        answer: int

    def __init__(self, progress: Progress, is_away: bool, enter: Repeat) -> None:
        super().__init__()
        self._enter = enter
        self.set_reactive(TourPane.progress, progress)
        self.set_reactive(TourPane.is_away, is_away)

    @property
    def guesses(self) -> bool:
        """Whether the pane asks for a guess."""
        return self.progress is not None and self.progress.phase == "guess" and not self.is_away

    def compose(self) -> ComposeResult:
        """Lay out the text of the step, and a line with the progress."""
        progress = self.progress
        if progress is None:
            return
        self.set_class(self.guesses, "-guess")
        self.set_class(self.guesses and progress.step.picture is not None, "-pictured")
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
        yield Answers(guess.answers, self._enter)
        yield Static(CHOOSE, id="choose")

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
        """Return the keys that skip and leave, as markup."""
        if self.is_away:
            return ""
        if progress.phase == "done":
            return "[@click=app.tour_back]esc leaves[/]"
        return "[@click=app.tour_skip]x skips[/]   [@click=app.tour_back]esc leaves[/]"

    @on(Answers.OptionSelected)
    def _pick(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Picked(event.option_index))
