"""What Heads answers: every statistic of every head of a capture, and of another beside it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TypeVar

from attn_tui.captures.capture import Capture
from attn_tui.captures.opening import open_capture
from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.engine.comparison import Comparison, compared
from attn_tui.engine.making import Making, parse_mask
from attn_tui.engine.plan import Plan, Question
from attn_tui.engine.settings import Settings
from attn_tui.engine.survey import Survey, survey
from attn_tui.engine.table import HeadTable

T = TypeVar("T")

_EVERY = 0.1
"""Seconds between two answers at least, while they grow."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What is known.

    Attributes:
        experiment: The question.
        survey: Of the capture: what was asked of it, and all that is known.
        table: The same as arrays.
        other: That of the capture it is compared with, if there is one.
        comparison: Where the two part, as far as known.
        progress: The share of the work that is done.
    """

    experiment: Experiment
    survey: Survey
    table: HeadTable
    other: HeadTable | None
    comparison: Comparison | None
    progress: float


def opened(settings: Settings, paths: tuple[str, ...]) -> Capture:
    """Open a capture as settings say.

    Raises:
        InputError: Naming the file, the layout or the name that will not do.
    """
    return open_capture(paths, settings.layouts, settings.names).settled()


def question_of(experiment: Experiment) -> Question:
    """Return what is asked about each capture."""
    settings = experiment.setup.get(Settings)
    # Captured q and k are those that were multiplied, whatever came before.
    scale = replace(experiment.setup.scale, qk_norm=False)
    own = settings.what_if or not scale.is_default
    making = Making(scale, parse_mask(settings.mask), own_rule=own)
    return Question(settings.rows, settings.seed, making=making)


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield what is known of the heads that a question asks about, more each time.

    Raises:
        InputError: If a capture cannot be read, or is not what is asked.
    """
    settings = experiment.setup.get(Settings)
    if not settings.capture:
        return
    question = question_of(experiment)
    paths = filter(None, (settings.capture, settings.compared))
    captures = [opened(settings, each) for each in paths]
    parts = 3 if settings.compared else 1
    plan = Plan.of(captures[0], question, stop)
    if stop():
        return
    for found, table in _grown(plan, stop):
        yield Answer(experiment, found, table, None, None, found.progress / parts)
    if not settings.compared or stop():
        return
    plan = Plan.of(captures[1], question, stop)
    if stop():
        return
    for other, beside in _grown(plan, stop):
        yield Answer(experiment, found, table, beside, None, (1.0 + other.progress) / parts)
    for comparison in now_and_then(compared(captures[1], captures[0], question, stop)):
        share = (2.0 + comparison.progress) / parts
        yield Answer(experiment, found, table, beside, comparison, share)


def _grown(plan: Plan, stop: Stop) -> Iterator[tuple[Survey, HeadTable]]:
    """Yield what is known of a capture: at once nothing, then more now and then, at last all."""
    yield Survey(plan), HeadTable.of(Survey(plan))
    for found in now_and_then(survey(plan, stop=stop)):
        yield found, HeadTable.of(found)


def now_and_then(found: Iterator[T]) -> Iterator[T]:
    """Yield of what grows the first, others now and then, and the last.

    Whoever asks takes a tenth of the time at most, however long he takes over each.
    """
    newest, due = None, -inf
    for newest in found:
        if (now := time.monotonic()) >= due:
            yield newest
            newest, then = None, time.monotonic()
            due = then + max(_EVERY, 9.0 * (then - now))
    if newest is not None:
        yield newest
