"""Looking at captures, in a thread: statistics of heads first, then what the doctor says."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from textual.cache import LRUCache

from attn_tui.captures.capture import HeadId
from attn_tui.compute.errors import InputError, Stop
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.engine.answer import Answer, answer
from attn_tui.engine.plan import Plan
from attn_tui.engine.settings import Settings
from attn_tui.heads import examination
from attn_tui.heads.examination import Examination

KEPT = 4
"""Captures, or ways of asking about one, of which what was found is kept."""


@dataclass(frozen=True)
class Known:
    """What is known of a capture.

    Attributes:
        answer: Statistics of its heads; None while there are none.
        examination: What the doctor says; None before he has begun.
        failure: Why there are no statistics.
        refusal: Why the doctor says nothing.
    """

    answer: Answer | None = None
    examination: Examination | None = None
    failure: str = ""
    refusal: str = ""


def key_of(experiment: Experiment) -> object:
    """Return what numbers depend on: neither the statistic nor where the cursor is."""
    settings, scale = experiment.setup.get(Settings), experiment.setup.scale
    asked = settings.capture, settings.layouts, settings.names
    weighed = Scale(scale.rule, scale.given, softcap=scale.softcap, sink=scale.sink)
    return (*asked, settings.rows, settings.seed, settings.mask, weighed)


class Looking:
    """Looks at captures, and keeps what was found of the last few."""

    def __init__(self) -> None:
        self._answers: LRUCache[object, Answer] = LRUCache(KEPT)
        self._examinations: LRUCache[object, Examination] = LRUCache(KEPT)

    def forget(self) -> None:
        """Let go of all that was found: a file has changed."""
        self._answers.clear()
        self._examinations.clear()

    def known(self, experiment: Experiment) -> Known:
        """Return what is known without looking."""
        asked_of_doctor = examination.key_of(experiment.setup.get(Settings))
        return Known(
            self._answers.get(key_of(experiment)), self._examinations.get(asked_of_doctor)
        )  # fmt: skip

    def look(self, experiment: Experiment, stop: Stop) -> Iterator[Known]:
        """Yield more and more of what is asked."""
        settings, known = experiment.setup.get(Settings), self.known(experiment)
        try:
            if known.answer is None or known.answer.survey.progress < 1.0:
                for found in answer(experiment, stop):
                    self._answers[key_of(experiment)] = found
                    known = replace(known, answer=found)
                    yield known
        except InputError as error:
            yield replace(known, failure=str(error))
            return
        try:
            if known.examination is None or known.examination.report.progress < 1.0:
                for said in examination.examinations(settings, stop):
                    self._examinations[examination.key_of(settings)] = said
                    known = replace(known, examination=said)
                    yield known
        except InputError as error:
            yield replace(known, refusal=str(error))


def nearest(plan: Plan, asked: HeadId) -> HeadId:
    """Return the head that is asked, or the nearest there is."""
    if asked in plan.places:
        return asked
    batch = min(asked.batch, plan.n_batches - 1)
    layer = min(plan.capture.layers, key=lambda layer: (abs(layer - asked.layer), layer))
    own = [head for head in plan.heads if (head.batch, head.layer) == (batch, layer)]
    return min(own or plan.heads, key=lambda head: abs(head.head - asked.head))
