"""What Heads answers: every statistic of every head of a capture."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TypeVar

from attn_tui.captures.capture import Capture
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.engine.making import Making, parse_mask
from attn_tui.engine.plan import Plan, Question
from attn_tui.engine.settings import Settings
from attn_tui.engine.survey import Survey, survey

T = TypeVar("T")

_EVERY = 0.1
"""Seconds between two answers at least, while they grow."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What is known.

    Attributes:
        experiment: The question.
        survey: Of the capture: what was asked of it, and all that is known.
    """

    experiment: Experiment
    survey: Survey


def opened(settings: Settings) -> Capture:
    """Open the capture as settings say.

    Raises:
        InputError: Naming the file, the layout or the name that will not do.
    """
    return open_capture(settings.capture, settings.layouts, settings.names).settled()


def question_of(experiment: Experiment) -> Question:
    """Return what is asked about the capture."""
    settings = experiment.setup.get(Settings)
    # Captured q and k are those that were multiplied, whatever came before.
    scale = replace(experiment.setup.scale, qk_norm=False)
    making = Making(scale, parse_mask(settings.mask), own_rule=not scale.is_default)
    return Question(settings.rows, settings.seed, making=making)


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield what is known of the heads that a question asks about, more each time.

    Raises:
        InputError: If a capture cannot be read, or is not what is asked.
    """
    settings = experiment.setup.get(Settings)
    if not settings.capture:
        return
    plan = Plan.of(opened(settings), question_of(experiment), stop)
    if stop():
        return
    # At once nothing is known, and then more now and then.
    yield Answer(experiment, Survey(plan))
    for known in now_and_then(survey(plan, stop=stop)):
        yield Answer(experiment, known)


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
