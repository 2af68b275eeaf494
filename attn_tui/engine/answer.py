"""The answer of Heads: every statistic of every head of a capture."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TypeVar

from attn_tui.captures.capture import Capture
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.engine.plan import Plan, Selection
from attn_tui.engine.request import parse_mask, request_of
from attn_tui.engine.settings import Settings
from attn_tui.engine.survey import Survey, survey

T = TypeVar("T")

_EVERY = 0.1
"""The least number of seconds between two answers."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to a question so far.

    Attributes:
        experiment: The question.
        survey: The statistics of the capture's heads so far.
    """

    experiment: Experiment
    survey: Survey


def opened(settings: Settings) -> Capture:
    """Open the capture as the settings say.

    Raises:
        InputError: Naming the file, the layout or the name that cannot be used.
    """
    return open_capture(settings.capture, settings.layouts, settings.names).settled()


def selection_of(experiment: Experiment) -> Selection:
    """Return the question that an experiment asks about its capture."""
    settings = experiment.setup.get(Settings)
    # The model multiplied q and k as captured, so any QK-norm was applied before.
    scale = replace(experiment.setup.scale, qk_norm=False)
    request = request_of(scale, parse_mask(settings.mask))
    return Selection(settings.rows, settings.seed, request=request)


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield the answer to a question as it grows; nothing if it names no capture.

    Raises:
        InputError: If the capture cannot be read, or does not fit the question.
    """
    settings = experiment.setup.get(Settings)
    if not settings.capture:
        return
    plan = Plan.of(opened(settings), selection_of(experiment), stop)
    if stop():
        return
    # An empty answer comes at once, so that there is something to show.
    yield Answer(experiment, Survey(plan))
    for latest in now_and_then(survey(plan, stop=stop)):
        yield Answer(experiment, latest)


def now_and_then(results: Iterator[T]) -> Iterator[T]:
    """Yield the first of many results, some of the others, and the last.

    The caller takes up at most a tenth of the time, however long it needs for each result.
    """
    newest, due = None, -inf
    for newest in results:
        if (now := time.monotonic()) >= due:
            yield newest
            newest, then = None, time.monotonic()
            due = then + max(_EVERY, 9.0 * (then - now))
    if newest is not None:
        yield newest
