"""What a tour is: steps, each something to ask, to guess and to do; and how far somebody is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from attn_tui.compute.experiment import Experiment
from attn_tui.files.draft import Draft
from attn_tui.tour.condition import Condition

Phase = Literal["guess", "try", "done"]
"""Whether a guess is wanted, something is to be done, or it is done."""


@dataclass(frozen=True)
class Guess:
    """A question before the answer.

    Attributes:
        question: What is asked.
        answers: Three, of which one is picked.
        right: The index of the right one.
    """

    question: str
    answers: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        instrument: The name of the one it is on.
        draft: What is asked there as it begins.
        says: What it is about, a sentence.
        task: What to do.
        until: What is asked once that is done.
        learnt: What there was to see, a sentence or two.
        guess: What is guessed first, or nothing.
    """

    instrument: str
    draft: Draft
    says: str
    task: str
    until: Condition
    learnt: str
    guess: Guess | None = None


@dataclass(frozen=True)
class Tour:
    """Steps in their order, one at least.

    Attributes:
        name: What is remembered of it goes by this.
        steps: The steps.
    """

    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Progress:
    """How far somebody is in a tour.

    Attributes:
        tour: The tour.
        at: The index of the present step, one of the tour's.
        picks: The answer that was picked at each step, by its index; None where none was.
        is_passed: Whether the guess at this step was passed over.
        is_done: Whether what there is to do at this step is done.
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
        """The answer that was picked at this step."""
        return self.picks[self.at]

    @property
    def phase(self) -> Phase:
        """What is wanted now."""
        if self.step.guess and self.pick is None and not self.is_passed:
            return "guess"
        return "done" if self.is_done else "try"

    @property
    def is_last(self) -> bool:
        """Whether there is no step after this one."""
        return self.at == len(self.tour.steps) - 1

    def picked(self, answer: int) -> "Progress":
        """Return how far somebody is who picks an answer, the first that is picked."""
        if self.phase != "guess":
            return self
        return replace(self, picks=(*self.picks[: self.at], answer, *self.picks[self.at + 1 :]))

    def seen(self, experiment: Experiment) -> "Progress":
        """Return how far somebody is who asks this on the instrument of the step."""
        if self.phase != "try":
            return self
        return replace(self, is_done=self.step.until.holds(experiment))

    def skipped(self) -> "Progress":
        """Return how far somebody is who goes on without guessing, or without the task."""
        if self.phase == "guess":
            return replace(self, is_passed=True)
        return replace(self, is_done=True)

    def next(self) -> "Progress":
        """Return how far somebody is at the beginning of the next step."""
        return Progress(self.tour, self.at + 1, self.picks)

    @property
    def verdict(self) -> str:
        """How the guess at this step was, with the right answer; nothing where none was."""
        return verdict(self.step, self.pick)


def verdict(step: Step, pick: int | None) -> str:
    """Return how a guess was, with the right answer; nothing where there was none."""
    if step.guess is None or pick is None:
        return ""
    right = step.guess.answers[step.guess.right]
    if pick == step.guess.right:
        return f"Right: {right}."
    return f"Your guess: {step.guess.answers[pick]}. Right: {right}."


def score(progress: Progress) -> tuple[int, int]:
    """Return how many guesses were right, and how many were made."""
    pairs = zip(progress.tour.steps, progress.picks, strict=True)
    made = [step.guess.right == pick for step, pick in pairs if step.guess and pick is not None]
    return sum(made), len(made)


def clipped(picks: Sequence[object], tour: Tour) -> tuple[int | None, ...]:
    """Return what is remembered of picks, as far as there are such answers."""
    counts = [len(step.guess.answers) if step.guess else 0 for step in tour.steps]
    return tuple(
        pick if type(pick) is int and 0 <= pick < count else None
        for pick, count in zip(picks, counts, strict=False)
    )


def summary(progress: Progress) -> str:
    """Return as Markdown what there was to see at every step, and how the guesses were."""
    right, made = score(progress)
    paragraphs = [f"{right} of {made} guesses were right."] if made else []
    for step, pick in zip(progress.tour.steps, progress.picks, strict=True):
        question = step.guess.question if step.guess else step.says
        paragraphs.append(f"**{question}** {verdict(step, pick)}\n\n{step.learnt}")
    return "\n\n".join(paragraphs)
