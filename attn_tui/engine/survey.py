"""Statistics of the heads of a capture, which grow while blocks are worked off."""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from math import isnan

from attn_tui.captures.capture import HeadId
from attn_tui.compute.experiment import Stop, never
from attn_tui.compute.heads.partial import Partial, Value, merge
from attn_tui.compute.heads.statistic import STATISTICS, TAU
from attn_tui.engine.executors import threads
from attn_tui.engine.plan import LONG, SHORT, Plan
from attn_tui.engine.running import Failed, run
from attn_tui.engine.work import Machine, Refused


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of the heads of a capture.

    Attributes:
        plan: What was asked, and its blocks.
        partials: Of blocks by their index; what is not there is not known.
        failed: Blocks that came to nothing, and why.
        refused: Workers that saw another capture, or none, and why.
        machines: What the last bits depend on, wherever blocks were worked off.
        elapsed: Seconds so far.
    """

    plan: Plan
    partials: Mapping[int, Partial] = field(default_factory=dict)
    failed: tuple[Failed, ...] = ()
    refused: tuple[Refused, ...] = ()
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

    @property
    def heads(self) -> dict[HeadId, Partial]:
        """What is known of each head of which anything is, in the order of the capture."""
        found: dict[HeadId, list[Partial]] = {}
        for block in self.plan.blocks:
            if block.index in self.partials:
                found.setdefault(block.head, []).append(self.partials[block.index])
        return {head: merge(partials) for head, partials in found.items()}

    def values(self, name: str, tau: float = TAU) -> dict[HeadId, Value]:
        """Return a statistic of each head of which anything is known."""
        return {head: partial.value(name, tau) for head, partial in self.heads.items()}

    def order(self, sort: str | None = None, tau: float = TAU) -> tuple[HeadId, ...]:
        """Return the heads of which anything is known.

        They are in the order of the capture or, if a statistic is named, those first that it
        makes stand out, and NaN last.
        """
        if sort is None:
            return (*self.heads,)
        values = self.values(sort, tau)
        sign = 1.0 if STATISTICS[sort].worst == "small" else -1.0
        return (*sorted(values, key=lambda h: (isnan(values[h].value), sign * values[h].value, h)),)


def survey(
    plan: Plan,
    executor: Executor | None = None,
    stop: Stop = never,
    at_once: int = 4,
) -> Iterator[Survey]:
    """Yield what is known of the heads of a plan, more each time; the last is all there is.

    Args:
        plan: What is asked.
        executor: Who works; threads of this process unless given.
        stop: Whether to stop.
        at_once: How many tasks an executor that is given gets at a time.
    """
    begun = time.monotonic()
    found = Survey(plan)
    own = None
    if executor is None:
        own, at_once = threads()
        executor = own
    partials: dict[int, Partial] = {}
    try:
        tasks = plan.tasks(LONG if own is None else SHORT)
        for news in run(tasks, executor, at_once, stop):
            if isinstance(news, Failed):
                found = replace(found, failed=(*found.failed, news))
            elif isinstance(news, Refused):
                found = replace(found, refused=(*found.refused, news))
            elif news is not None:
                task, done = news
                indices = [block.index for block in task.blocks]
                partials = partials | dict(zip(indices, done.partials, strict=True))
                machines = found.machines | {done.machine}
                found = replace(found, partials=partials, machines=machines)
            yield replace(found, elapsed=time.monotonic() - begun)
    finally:
        if own is not None:
            own.shutdown(wait=False, cancel_futures=True)
    yield replace(found, elapsed=time.monotonic() - begun)
