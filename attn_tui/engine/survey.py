"""Statistics of the heads of a capture, which grow while blocks are worked off."""

import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import HeadId
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.heads.partial import Partial, merge
from attn_tui.engine.executors import threads
from attn_tui.engine.plan import LONG, SHORT, Block, Plan, Task
from attn_tui.engine.work import Done, Machine, RefusedError, work

Numbers = NDArray[np.float64]

_TICK = 0.1
"""Seconds between two looks at whether to stop."""


@dataclass(frozen=True)
class Failed:
    """A block of which nothing is known.

    Attributes:
        block: Which.
        reason: Why, in a phrase.
    """

    block: Block
    reason: str


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of the heads of a capture.

    Attributes:
        plan: What was asked, and its blocks.
        partials: Of blocks by their index; what is not there is not known.
        failed: Blocks that came to nothing, and why.
        machines: What the last bits depend on, wherever blocks were worked off.
        elapsed: Seconds so far.
    """

    plan: Plan
    partials: Mapping[int, Partial] = field(default_factory=dict)
    failed: tuple[Failed, ...] = ()
    machines: frozenset[Machine] = frozenset()
    elapsed: float = 0.0

    @property
    def progress(self) -> float:
        """The share of the work that is done."""
        blocks = self.plan.blocks
        total = sum(each.seconds for each in blocks)
        failed = {each.block.index for each in self.failed}
        done = sum(b.seconds for b in blocks if b.index in self.partials or b.index in failed)
        return done / total if total else 1.0

    @property
    def complete(self) -> bool:
        """Whether every block of the question is known."""
        return len(self.partials) == len(self.plan.blocks)

    @cached_property
    def heads(self) -> dict[HeadId, Partial]:
        """What is known of each head of which anything is, in the order of the capture."""
        found: dict[HeadId, list[Partial]] = {}
        for block in self.plan.blocks:
            if block.index in self.partials:
                found.setdefault(block.head, []).append(self.partials[block.index])
        return {head: merge(partials) for head, partials in found.items()}

    def grown(self, task: Task, done: Done) -> "Survey":
        """Return it with what came of a task."""
        indices = [block.index for block in task.blocks]
        partials = {**self.partials, **dict(zip(indices, done.partials, strict=True))}
        return replace(self, partials=partials, machines=self.machines | {done.machine})

    def values(self, name: str) -> Numbers:
        """Return a statistic of each head of the plan, shape (heads,); NaN where none is known."""
        if name not in self._columns:
            values = np.full(len(self.plan.heads), np.nan)
            for head, partial in self.heads.items():
                values[self.plan.places[head]] = partial.value(name).value
            self._columns[name] = values
        return self._columns[name]

    @cached_property
    def _columns(self) -> dict[str, Numbers]:
        """What was asked of `values` already."""
        return {}

    def counted(self, name: str) -> Numbers:
        """Return the same, NaN where the statistic of a head does not count."""
        values = self.values(name).copy()
        for head, partial in self.heads.items():
            if not partial.counts(name):
                values[self.plan.places[head]] = np.nan
        return values

    def grid(self, name: str, batch: int) -> Numbers:
        """Return a statistic of a sequence, shape (layers, heads); NaN where none is known."""
        layers = self.plan.capture.layers
        grid = np.full((len(layers), self.plan.n_heads), np.nan)
        for head, partial in self.heads.items():
            if head.batch == batch:
                grid[layers.index(head.layer), head.head] = partial.value(name).value
        return grid

    @property
    def is_exact(self) -> bool:
        """Whether all rows of all heads that are known were looked at."""
        return all(partial.is_exact for partial in self.heads.values())


def survey(
    plan: Plan,
    executor: Executor | None = None,
    stop: Stop = never,
    at_once: int = 4,
) -> Iterator[Survey]:
    """Yield what is known of the heads of a plan, more each time; the last is all there is.

    Args:
        plan: What is asked.
        executor: Who works; threads of this process unless given. What is running when this ends
            early is not waited for.
        stop: Whether to stop.
        at_once: How many tasks an executor that is given gets at a time.
    """
    begun = time.monotonic()
    found = Survey(plan)
    own = None
    if executor is None:
        own, at_once = threads()
        executor = own
    waiting = deque(plan.tasks(LONG if own is None else SHORT))
    running: dict[Future[Done], Task] = {}
    try:
        while (waiting or running) and not stop():
            while waiting and len(running) < at_once:
                task = waiting.popleft()
                running[executor.submit(work, task)] = task
            for future in wait(running, _TICK, FIRST_COMPLETED).done:
                task = running.pop(future)
                if future.cancelled():
                    # Who was to do it is gone, which says nothing of the task.
                    waiting.append(task)
                elif (error := future.exception()) is None:
                    found = found.grown(task, future.result())
                elif len(task.blocks) > 1:
                    # Only those are to be lost that fail alone.
                    waiting.extend(plan.task([block]) for block in task.blocks)
                else:
                    failed = Failed(task.blocks[0], _reason(error))
                    found = replace(found, failed=(*found.failed, failed))
            yield replace(found, elapsed=time.monotonic() - begun)
    finally:
        for future in running:
            future.cancel()
        if own is not None:
            own.shutdown(wait=False, cancel_futures=True)
    yield replace(found, elapsed=time.monotonic() - begun)


def _reason(error: BaseException) -> str:
    name = type(error).__name__
    if name == "KilledWorker":
        return "it ended the workers that tried it"
    text = str(error).strip().splitlines()
    if isinstance(error, RefusedError):
        return text[0]
    return f"{name}: {text[0]}" if text else name
