"""What a worker does: it opens the capture, makes sure it is the same, and works off blocks."""

import os
import platform
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from attn_tui.captures.capture import Capture
from attn_tui.captures.fingerprint import Fingerprint
from attn_tui.captures.not_finite import not_finite
from attn_tui.captures.opening import reopened
from attn_tui.compute.blas import machine, one_thread
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.partial import Partial, statistics
from attn_tui.engine.finding import of_head
from attn_tui.engine.plan import Task

Machine = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Done:
    """What came of a task.

    Attributes:
        partials: One for each block, in their order.
        machine: What the last bits depend on, where it was worked off.
    """

    partials: tuple[Partial, ...]
    machine: Machine


@dataclass(frozen=True)
class Refused:
    """Why a worker could not work on a capture.

    Attributes:
        worker: Its name.
        reason: What is wrong with what it sees, in a phrase.
    """

    worker: str
    reason: str


def work(task: Task) -> Done | Refused:
    """Work off a task, on one thread."""
    try:
        mark, (layouts, names) = task.capture, task.capture.asked
        capture = _opened(mark.paths, (*sorted(layouts.items()),), names, mark.fingerprint)
        with one_thread(), np.errstate(all="ignore"):
            return Done(tuple(_partials(capture, task)), machine())
    except InputError as error:
        return Refused(f"{platform.node()}, process {os.getpid()}", str(error))


def _partials(capture: Capture, task: Task) -> list[Partial]:
    found = []
    for block in task.blocks:
        layer = task.masks[block.head.layer]
        reading = capture.readings(block.head.layer)[layer.reading]
        head = capture.read(block.head, block.rows, reading)
        known = of_head(capture, layer, block.head)
        weighing = task.making.at_layer(block.head.layer).weighing(head, known)
        queries = capture.vectors(block.head, "q", reading) if block.is_first else None
        partial = statistics(head, weighing, block.is_first, queries, task.computed_in)
        odd = tuple(not_finite(capture, block.head, reading)) if block.is_first else ()
        if block.is_first:
            partial = replace(
                partial,
                odd=odd,
                miss=known.residual,
                allowed=known.allowed,
                multiplier=known.multiplier if known.multiplier != layer.multiplier else None,
                untold=layer.is_untold and known.multiplier is None,
                hidden=known.mask.hidden,
                packed=known.mask.packed,
            )
        found.append(partial)
    return found


@lru_cache(maxsize=8)
def _opened(
    paths: tuple[str, ...],
    layouts: tuple[tuple[str, str], ...],
    names: str | None,
    fingerprint: Fingerprint,
) -> Capture:
    return reopened(paths, dict(layouts), names, fingerprint)
