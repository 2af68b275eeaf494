"""Statistics of the heads of a capture, which grow as blocks are computed."""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from attn_tui.captures.capture import HeadId
from attn_tui.compute.arrays import Floats
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.heads.partial import Partial, merge
from attn_tui.engine.executors import threads
from attn_tui.engine.plan import LONG, SHORT, Block, Plan, Task
from attn_tui.engine.work import RefusedError, work

_TICK = 0.1
"""Seconds between two checks of whether to stop."""


@dataclass(frozen=True)
class Failed:
    """A block whose computation failed.

    Attributes:
        block: The block.
        reason: Why it failed, in a phrase.
    """

    block: Block
    reason: str


@dataclass(frozen=True, eq=False)
class Survey:
    """The statistics of the heads of a capture so far.

    Attributes:
        plan: The question and its blocks.
        partials: The statistics of blocks, by index; blocks that are not done are missing.
        failed: The blocks that failed, and why.
        elapsed: Seconds so far.
    """

    plan: Plan
    partials: Mapping[int, Partial] = field(default_factory=dict)
    failed: tuple[Failed, ...] = ()
    elapsed: float = 0.0

    @property
    def progress(self) -> float:
        """The share of the work that is done."""
        blocks = self.plan.blocks
        total = sum(block.seconds for block in blocks)
        failed = {failure.block.index for failure in self.failed}
        done = sum(
            block.seconds
            for block in blocks
            if block.index in self.partials or block.index in failed
        )
        return done / total if total else 1.0

    @property
    def complete(self) -> bool:
        """Whether every block of the question was computed."""
        return len(self.partials) == len(self.plan.blocks)

    @cached_property
    def heads(self) -> dict[HeadId, Partial]:
        """The statistics of each head with a finished block, in the order of the capture."""
        by_head: dict[HeadId, list[Partial]] = {}
        for block in self.plan.blocks:
            if block.index in self.partials:
                by_head.setdefault(block.head, []).append(self.partials[block.index])
        return {head: merge(partials) for head, partials in by_head.items()}

    def grown(self, task: Task, partials: Sequence[Partial]) -> "Survey":
        """Return the survey with the partials of a finished task."""
        indices = [block.index for block in task.blocks]
        added = dict(zip(indices, partials, strict=True))
        return replace(self, partials={**self.partials, **added})

    def values(self, name: str) -> Floats:
        """Return a statistic of each head of the plan, shape (heads,); NaN if it is not known."""
        if name not in self._columns:
            values = np.full(len(self.plan.heads), np.nan)
            for head, partial in self.heads.items():
                values[self.plan.places[head]] = partial.value(name).value
            self._columns[name] = values
        return self._columns[name]

    @cached_property
    def _columns(self) -> dict[str, Floats]:
        """The results of `values` so far, by statistic."""
        return {}

    def counted(self, name: str) -> Floats:
        """Return `values` with NaN for heads whose statistic does not count."""
        values = self.values(name).copy()
        for head, partial in self.heads.items():
            if not partial.counts(name):
                values[self.plan.places[head]] = np.nan
        return values

    def grid(self, name: str, batch: int) -> Floats:
        """Return a statistic of a sequence, shape (layers, heads); NaN if it is not known."""
        layers = self.plan.capture.layers
        grid = np.full((len(layers), self.plan.n_heads), np.nan)
        for head, partial in self.heads.items():
            if head.batch == batch:
                grid[layers.index(head.layer), head.head] = partial.value(name).value
        return grid

    @property
    def is_exact(self) -> bool:
        """Whether the statistics of every head so far cover all its rows."""
        return all(partial.is_exact for partial in self.heads.values())


def survey(
    plan: Plan,
    executor: Executor | None = None,
    stop: Stop = never,
    at_once: int = 4,
) -> Iterator[Survey]:
    """Yield the survey of a plan as it grows; the last one is final.

    Args:
        plan: The question and its blocks.
        executor: Computes the tasks; by default, threads of this process. If this ends early, it
            does not wait for tasks that are running.
        stop: Returns whether to stop.
        at_once: How many tasks a given executor gets at a time.
    """
    begun = time.monotonic()
    latest = Survey(plan)
    pool = None
    if executor is None:
        pool, at_once = threads()
        executor = pool
    waiting = deque(plan.tasks(LONG if pool is None else SHORT))
    running: dict[Future[list[Partial]], Task] = {}
    try:
        while (waiting or running) and not stop():
            while waiting and len(running) < at_once:
                task = waiting.popleft()
                running[executor.submit(work, task)] = task
            for future in wait(running, _TICK, FIRST_COMPLETED).done:
                task = running.pop(future)
                if future.cancelled():
                    # Its worker is gone, which says nothing about the task.
                    waiting.append(task)
                elif (error := future.exception()) is None:
                    latest = latest.grown(task, future.result())
                elif len(task.blocks) > 1:
                    # Run each block alone, so that only those that fail are lost.
                    waiting.extend(plan.task([block]) for block in task.blocks)
                else:
                    failed = Failed(task.blocks[0], _reason(error))
                    latest = replace(latest, failed=(*latest.failed, failed))
            yield replace(latest, elapsed=time.monotonic() - begun)
    finally:
        for future in running:
            future.cancel()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
    yield replace(latest, elapsed=time.monotonic() - begun)


def _reason(error: BaseException) -> str:
    name = type(error).__name__
    if name == "KilledWorker":
        return "it ended the workers that tried it"
    text = str(error).strip().splitlines()
    if isinstance(error, RefusedError):
        return text[0]
    return f"{name}: {text[0]}" if text else name
