"""Compute, in a thread, the statistics of a capture's heads and then the doctor's report."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from textual.cache import LRUCache

from attn_tui.captures.capture import HeadId
from attn_tui.compute.errors import InputError, Stop
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.diffing.capture_difference import CaptureDifference
from attn_tui.engine.answer import Answer, answer
from attn_tui.engine.plan import Plan
from attn_tui.engine.settings import Settings
from attn_tui.heads import examination, reference
from attn_tui.heads.examination import Examination

T = TypeVar("T")

KEPT = 4
"""The most questions whose results are kept."""


@dataclass(frozen=True)
class Results:
    """The results on a capture so far.

    Attributes:
        answer: Statistics of its heads; None while there are none.
        examination: The doctor's examination; None before it has begun.
        failure: Why there are no statistics; empty if nothing failed.
        refusal: Why the doctor cannot examine the capture; empty if he can.
        difference: What differs from the reference; None before that is known.
        unlike: Why the capture cannot be held against the reference; empty if it can.
    """

    answer: Answer | None = None
    examination: Examination | None = None
    failure: str = ""
    refusal: str = ""
    difference: CaptureDifference | None = None
    unlike: str = ""


def key_of(experiment: Experiment) -> object:
    """Return the settings that the numbers depend on; the statistic and the cursor do not count."""
    settings, scale = experiment.setup.get(Settings), experiment.setup.scale
    source = settings.capture, settings.layouts, settings.names
    logit_scale = Scale(scale.rule, scale.arguments, softcap=scale.softcap, sink=scale.sink)
    return (*source, settings.rows, settings.seed, settings.mask, logit_scale)


class Looking:
    """Computes results on captures, and keeps those of the last few."""

    def __init__(self) -> None:
        self._answers: LRUCache[object, Answer] = LRUCache(KEPT)
        self._examinations: LRUCache[object, Examination] = LRUCache(KEPT)
        self._differences: LRUCache[object, CaptureDifference] = LRUCache(KEPT)

    def forget(self) -> None:
        """Forget all results, since a file has changed."""
        self._answers.clear()
        self._examinations.clear()
        self._differences.clear()

    def results(self, experiment: Experiment) -> Results:
        """Return the results that are kept, without reading a file."""
        settings = experiment.setup.get(Settings)
        return Results(
            self._answers.get(key_of(experiment)),
            self._examinations.get(examination.key_of(settings)),
            difference=self._differences.get(reference.key_of(settings)),
        )

    def look(self, experiment: Experiment, stop: Stop) -> Iterator[Results]:
        """Yield the results as they grow, or a failure if the files have changed."""
        settings, results = experiment.setup.get(Settings), self.results(experiment)
        try:
            if results.answer is not None:
                results.answer.survey.plan.capture.fingerprint.verify()
            if results.answer is None or results.answer.survey.progress < 1.0:
                for latest in answer(experiment, stop):
                    _keep(self._answers, key_of(experiment), latest)
                    results = replace(results, answer=latest)
                    yield results
        except InputError as error:
            yield replace(results, failure=str(error))
            return
        if settings.reference and results.difference is None:
            try:
                for found in reference.differences(settings, stop):
                    _keep(self._differences, reference.key_of(settings), found)
                    results = replace(results, difference=found)
                    yield results
            except InputError as error:
                results = replace(results, unlike=str(error))
                yield results
        try:
            if results.examination is None or results.examination.report.progress < 1.0:
                for examined in examination.examinations(settings, stop):
                    _keep(self._examinations, examination.key_of(settings), examined)
                    results = replace(results, examination=examined)
                    yield results
        except InputError as error:
            yield replace(results, refusal=str(error))


def _keep(kept: LRUCache[object, T], key: object, value: T) -> None:
    """Keep a value in place of the one before, which Textual's cache does not replace itself."""
    kept.discard(key)
    kept[key] = value


def nearest(plan: Plan, wanted: HeadId) -> HeadId:
    """Return the wanted head, or the nearest one in the plan."""
    if wanted in plan.places:
        return wanted
    batch = min(wanted.batch, plan.n_batches - 1)
    layer = min(plan.capture.layers, key=lambda layer: (abs(layer - wanted.layer), layer))
    heads = [head for head in plan.heads if (head.batch, head.layer) == (batch, layer)]
    return min(heads or plan.heads, key=lambda head: abs(head.head - wanted.head))
