"""A tour of steps, each with a question, a guess and a task; and the progress through it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from attn_tui.compute.experiment import Experiment
from attn_tui.files.draft import Draft
from attn_tui.tour.condition import Condition

Phase = Literal["guess", "try", "done"]
"""The phase of a step: waiting for a guess, waiting for the task, or done."""


@dataclass(frozen=True)
class Guess:
    """A guess before the answer is shown.

    Attributes:
        question: The question.
        answers: Three answers to choose from.
        right: The index of the right answer.
    """

    question: str
    answers: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class Step:
    """One step of a tour.

    Attributes:
        instrument: The name of the instrument it uses.
        draft: The question there at the start of the step.
        says: What the step is about, in a sentence.
        task: What to do.
        until: The condition on the question that holds once the task is done.
        learnt: What there was to see, in a sentence or two.
        guess: The guess that comes first, if any.
        picture: The question whose picture stands beside the guess, if any.
        asks: The command line of the question, with the name of the program or without.
    """

    instrument: str
    draft: Draft
    says: str
    task: str
    until: Condition
    learnt: str
    guess: Guess | None = None
    picture: Draft | None = None
    asks: str = ""


@dataclass(frozen=True)
class Tour:
    """Steps in order, at least one.

    Attributes:
        name: The name under which progress is remembered.
        steps: The steps.
    """

    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Progress:
    """The progress through a tour.

    Attributes:
        tour: The tour.
        at: The index of the present step.
        picks: The index of the answer picked at each step; None if none was.
        is_passed: Whether the guess of this step was skipped.
        is_done: Whether the task of this step is done.
    """

    tour: Tour
    at: int = 0
    picks: tuple[int | None, ...] = ()
    is_passed: bool = False
    is_done: bool = False

    def __post_init__(self) -> None:
        n_steps = len(self.tour.steps)
        missing = (None,) * n_steps
        object.__setattr__(self, "picks", (*self.picks, *missing)[:n_steps])

    @property
    def step(self) -> Step:
        """The present step."""
        return self.tour.steps[self.at]

    @property
    def pick(self) -> int | None:
        """The index of the answer picked at this step, or None."""
        return self.picks[self.at]

    @property
    def phase(self) -> Phase:
        """The phase of this step."""
        if self.step.guess and self.pick is None and not self.is_passed:
            return "guess"
        return "done" if self.is_done else "try"

    @property
    def draft(self) -> Draft:
        """The question of this phase at its start."""
        if self.phase == "guess" and self.step.picture is not None:
            return self.step.picture
        return self.step.draft

    @property
    def is_last(self) -> bool:
        """Whether this is the last step."""
        return self.at == len(self.tour.steps) - 1

    def picked(self, answer: int) -> "Progress":
        """Return the progress after picking an answer; only the first pick counts."""
        if self.phase != "guess":
            return self
        return replace(self, picks=(*self.picks[: self.at], answer, *self.picks[self.at + 1 :]))

    def seen(self, experiment: Experiment) -> "Progress":
        """Return the progress after a question is asked on the instrument of the step."""
        if self.phase != "try":
            return self
        return replace(self, is_done=self.step.until.holds(experiment))

    def skipped(self) -> "Progress":
        """Return the progress after skipping the guess or the task."""
        if self.phase == "guess":
            return replace(self, is_passed=True)
        return replace(self, is_done=True)

    def next(self) -> "Progress":
        """Return the progress at the start of the next step."""
        return Progress(self.tour, self.at + 1, self.picks)

    @property
    def verdict(self) -> str:
        """Whether the guess of this step was right, and the right answer; empty without one."""
        return verdict(self.step, self.pick)


def verdict(step: Step, pick: int | None) -> str:
    """Return whether a guess was right, with the right answer; empty without a guess."""
    if step.guess is None or pick is None:
        return ""
    right = step.guess.answers[step.guess.right]
    if pick == step.guess.right:
        return f"Right: {right}."
    return f"Your guess: {step.guess.answers[pick]}. Right: {right}."


def score(progress: Progress) -> tuple[int, int]:
    """Return the number of right guesses, and of all guesses made."""
    pairs = zip(progress.tour.steps, progress.picks, strict=True)
    guesses = [step.guess.right == pick for step, pick in pairs if step.guess and pick is not None]
    return sum(guesses), len(guesses)


def clipped(picks: Sequence[object], tour: Tour) -> tuple[int | None, ...]:
    """Return remembered picks, with None for those that are no answers of the tour."""
    counts = [len(step.guess.answers) if step.guess else 0 for step in tour.steps]
    return tuple(
        pick if type(pick) is int and 0 <= pick < count else None
        for pick, count in zip(picks, counts, strict=False)
    )


def summary(progress: Progress) -> str:
    """Return in Markdown what there was to see at every step, and which guesses were right."""
    right, n_guesses = score(progress)
    paragraphs = [f"Right guesses: {right} of {n_guesses}."] if n_guesses else []
    for step, pick in zip(progress.tour.steps, progress.picks, strict=True):
        question = step.guess.question if step.guess else step.says
        paragraphs.append(f"**{question}** {verdict(step, pick)}\n\n{step.learnt}")
    return "\n\n".join(paragraphs)
