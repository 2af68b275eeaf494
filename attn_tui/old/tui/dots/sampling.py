"""The samples behind the screen: each goes on where it stopped, whatever thread asks."""

from collections.abc import Callable, Iterator
from threading import Lock

from attn_tui.compute.dots.answer import Answer, Run
from attn_tui.compute.experiment import Experiment, Stop

KEPT = 16
"""So many samples are kept, each of some kilobytes: coming back to one draws nothing anew."""


class Sampling:
    """Runs that outlive what asks for them.

    Attributes:
        stopped: What the user wants no more of to be drawn: keys that `work` was given.
    """

    def __init__(self) -> None:
        self.stopped: set[object] = set()
        self._runs: list[Run] = []
        self._lock = Lock()

    def work(self, key: object, experiment: Experiment) -> Callable[[Stop], Iterator[Answer]]:
        """Return what draws for a question, to be run in a thread; it goes on if it can."""

        def answers(stop: Stop) -> Iterator[Answer]:
            # Whoever was asked before ends within a block of draws, and lets go.
            with self._lock:
                if stop():
                    return
                run = self._run(experiment)
                yield from run.answers(lambda: stop() or key in self.stopped)

        return answers

    def _run(self, experiment: Experiment) -> Run:
        """Return the longest sample that will do, or a new one; it is then the latest."""
        longest = sorted(self._runs, key=lambda run: -run.count)
        run = next((run for run in longest if run.become(experiment)), None)
        if run is None:
            run = Run(experiment, self._runs[0] if self._runs else None)
        self._runs = [run, *(other for other in self._runs if other is not run)][:KEPT]
        return run
