"""Runs tasks on an executor, as they come; what fails is told, and the rest goes on."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass

from attn_tui.compute.experiment import Stop, never
from attn_tui.engine.plan import Block, Task
from attn_tui.engine.work import Done, Refused, work

_TICK = 0.1
"""Seconds between two looks at whether to stop."""

_TRIES = 3
"""Workers that may refuse a task; another may see the file."""


@dataclass(frozen=True)
class Failed:
    """A block of which nothing is known.

    Attributes:
        block: Which.
        reason: Why, in a phrase.
    """

    block: Block
    reason: str


def run(
    tasks: Iterable[Task], executor: Executor, at_once: int, stop: Stop = never
) -> Iterator[tuple[Task, Done] | Failed | Refused | None]:
    """Yield what comes of tasks, in any order, and None now and then while nothing does.

    A task that fails is tried again block by block, so that only those are lost that fail alone.

    Args:
        tasks: What there is to do.
        executor: Who does it. What is running when this ends early is not waited for.
        at_once: How many tasks it is given at a time.
        stop: Whether to stop.
    """
    waiting = deque((task, 0) for task in tasks)
    running: dict[Future[Done | Refused], tuple[Task, int]] = {}
    try:
        while (waiting or running) and not stop():
            while waiting and len(running) < at_once:
                task, tries = waiting.popleft()
                running[executor.submit(work, task)] = (task, tries)
            ended, _ = wait(running, _TICK, FIRST_COMPLETED)
            for future in ended:
                task, tries = running.pop(future)
                if future.cancelled():
                    # Who was to do it is gone, which says nothing of the task.
                    waiting.append((task, tries))
                    continue
                yield from _outcome(future, task, tries, waiting)
            if not ended:
                yield None
    finally:
        for future in running:
            future.cancel()


def _outcome(
    future: "Future[Done | Refused]", task: Task, tries: int, waiting: deque[tuple[Task, int]]
) -> Iterator[tuple[Task, Done] | Failed | Refused]:
    try:
        found = future.result()
    except Exception as error:
        if len(task.blocks) > 1:
            waiting.extend((task.single(block), 0) for block in task.blocks)
        else:
            yield Failed(task.blocks[0], _reason(error))
        return
    if isinstance(found, Done):
        yield task, found
        return
    yield found
    if tries + 1 < _TRIES:
        waiting.append((task, tries + 1))
    else:
        yield from (Failed(block, found.reason) for block in task.blocks)


def _reason(error: Exception) -> str:
    name = type(error).__name__
    if name == "KilledWorker":
        return "it ended the workers that tried it"
    text = str(error).strip().splitlines()
    return f"{name}: {text[0]}" if text else name
