"""The work on a task: check that the capture is the same, and compute its blocks."""

import os
import platform
from dataclasses import replace

import numpy as np

from attn_tui.captures.capture import Capture
from attn_tui.captures.not_finite import not_finite
from attn_tui.captures.opening import reopened
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.partial import Partial, statistics
from attn_tui.engine.plan import Block, Task
from attn_tui.engine.reconstruction import of_head


class RefusedError(Exception):
    """A worker could not read the capture, or found another; the message names the worker."""


def work(task: Task) -> list[Partial]:
    """Compute a task on one thread; return a partial for each of its blocks, in their order.

    Raises:
        RefusedError: If the capture here is another one, or cannot be read.
    """
    try:
        with one_thread(), np.errstate(all="ignore"):
            capture = reopened(task.capture)
            return [_partial(task, capture, block) for block in task.blocks]
    except InputError as error:
        worker = f"{platform.node()}, process {os.getpid()}"
        raise RefusedError(f"{worker}: {error}") from None


def _partial(task: Task, capture: Capture, block: Block) -> Partial:
    layer = task.masks[block.head.layer]
    reading = capture.readings(block.head.layer)[layer.reading]
    head = capture.read(block.head, block.rows, reading)
    reconstruction = of_head(capture, layer, block.head)
    model = task.request.over(reconstruction.model.with_sink(head), block.head.layer, head)
    queries = capture.vectors(block.head, "q", reading) if block.is_first else None
    partial = statistics(head, model, block.is_first, queries, task.computed_in)
    if not block.is_first:
        return partial
    multiplier = reconstruction.multiplier
    return replace(
        partial,
        odd=tuple(not_finite(capture, block.head, reading)),
        residual=reconstruction.residual,
        rounding=reconstruction.rounding,
        fits=reconstruction.fits,
        multiplier=multiplier if multiplier != layer.multiplier else None,
        untold=layer.is_untold and multiplier is None,
    )
