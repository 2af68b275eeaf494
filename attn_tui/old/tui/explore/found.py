"""What the Explore screen shows of a vector besides its chart: the answer, and keys in an order."""

from dataclasses import dataclass
from functools import lru_cache

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, answer_vector
from attn_tui.compute.explore.compare import compare
from attn_tui.old.report.explore.headline import headline
from attn_tui.old.tui.explore.order import Order, Sort, ordered
from attn_tui.report.headline import Factor, Headline

MANY = 50_000
"""Keys above which the answer takes too long to be found between two pictures."""


@dataclass(frozen=True)
class Question:
    """What the screen shows depends on this.

    Attributes:
        experiment: What is asked.
        vector: Which of its vectors.
        sort: What keys are listed by.
        pinned: The answer that the vector's is compared with, or None.
    """

    experiment: Experiment
    vector: int
    sort: Sort
    pinned: VectorAnswer | None

    @property
    def is_long(self) -> bool:
        """Whether it is to be answered in a thread, where then the vector is made."""
        return self.experiment.vectors.n_keys > MANY


@dataclass(frozen=True, eq=False)
class Found:
    """What there is to show.

    Attributes:
        question: What it answers.
        answer: The answer about the vector.
        shown: The same, or the comparison of the pinned one with it.
        order: Its keys by position, or the largest first, as is asked or where not all fit.
    """

    question: Question
    answer: VectorAnswer
    shown: VectorAnswer
    order: Order


def find(question: Question, before: Found | None) -> Found:
    """Answer a question; what was found before and has not changed is kept."""
    old = before and before.question
    pinned, sort = question.pinned, question.sort
    if before and old and (old.experiment, old.vector) == (question.experiment, question.vector):
        answer = before.answer
    else:
        answer = answer_vector(question.experiment, question.vector)
    if before and old and before.answer is answer and old.pinned is pinned:
        shown = before.shown
    else:
        shown = compare(pinned, answer) if pinned else answer
    if before and old and _listed(before.shown, old.sort) == _listed(shown, sort):
        order = before.order
    else:
        order = ordered(shown, sort)
    found = Found(question, answer, shown, order)
    # It looks at every key, so it is made where the answer is.
    headline_of(found, None)
    return found


@lru_cache(maxsize=1)
def headline_of(found: Found, typical: Factor | None) -> Headline:
    """Return the headline, with what is typical of such draws if it is known."""
    return headline(found.shown, found.question.experiment, typical)


def _listed(shown: VectorAnswer, sort: Sort) -> tuple[object, ...]:
    """Return what the order depends on: sorting a million keys takes longer than all else."""
    return shown.vector, sort, shown.scaled.precision.scores
