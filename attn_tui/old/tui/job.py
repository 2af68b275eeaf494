"""What is known of a long answer, as a value: how far it is, and what was found before."""

from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Generic, Literal, TypeVar

from attn_tui.report.rows import Row

R = TypeVar("R")

State = Literal["idle", "running", "stopped", "done", "failed"]


@dataclass(frozen=True, eq=False)
class Known(Generic[R]):
    """A result.

    Attributes:
        question: What it answers.
        result: The best there is.
        share: How much of the work on it is done, 0 to 1.
    """

    question: object
    result: R
    share: float


@dataclass(frozen=True, eq=False)
class Job(Generic[R]):
    """A long answer as it stands.

    Attributes:
        question: What is or was last asked; anything that can be compared.
        state: Whether it is answered: running and stopped ones may have a result in part.
        share: How much of the work is done, 0 to 1; 0 while that is not known.
        since: When it began, in seconds.
        problem: What failed, in plain words; or empty.
        known: Results by question, those asked for last at the end.
        most: So many of them are kept.
    """

    question: object = None
    state: State = "idle"
    share: float = 0.0
    since: float = 0.0
    problem: str = ""
    known: tuple[Known[R], ...] = ()
    most: int = 1

    @property
    def running(self) -> bool:
        """Whether somebody works on it."""
        return self.state == "running"

    def result(self, question: object) -> R | None:
        """Return the best result of a question, if there is any."""
        known = self._known(question)
        return None if known is None else known.result

    def complete(self, question: object) -> bool:
        """Return whether all there is to find of a question is known."""
        known = self._known(question)
        return known is not None and known.share == 1.0

    def _known(self, question: object) -> Known[R] | None:
        return next((known for known in self.known if known.question == question), None)

    def problem_rows(self, width: int) -> list[Row]:
        """Return what failed, in as many lines as it takes."""
        return [
            ((f" {line}", "error"),)
            for line in wrap(self.problem, max(width - 2, 10), break_on_hyphens=False)
        ]

    def asked(self, question: object, now: float) -> "Job[R]":
        """Return the job of a question: done if all of it is known, else running."""
        others = tuple(known for known in self.known if known.question != question)
        known = self._known(question)
        state: State = "done" if self.complete(question) else "running"
        share = 1.0 if state == "done" else 0.0
        kept = (*others, known) if known else others
        return Job(question, state, share, now, "", kept, self.most)

    def grown(self, result: R, share: float) -> "Job[R]":
        """Return the job with more found; what an earlier run found stays where it is better."""
        old = self._known(self.question)
        if old is None or share >= old.share:
            others = (known for known in self.known if known is not old)
            kept = (*others, Known(self.question, result, share))[-self.most :]
            return replace(self, share=share, known=kept)
        return self.at(share)

    def at(self, share: float) -> "Job[R]":
        """Return the job with a share done, of which there is nothing to see."""
        return replace(self, share=share)

    def ended(self, problem: str = "") -> "Job[R]":
        """Return the job when nobody works on it any more: failed if there is a problem."""
        state: State = "failed" if problem else "done" if self.share == 1.0 else "stopped"
        return replace(self, state=state, problem=problem)

    def left(self) -> "Job[R]":
        """Return the job when nobody waits for it any more: it is to be asked for anew."""
        return replace(self, state="idle", problem="")
