"""The sample behind the screen: it goes on where it stopped, whatever thread asks."""

from collections.abc import Callable, Iterator
from threading import Lock

from attn_tui.compute.dots import Answer, Run
from attn_tui.compute.experiment import Experiment, Stop


class Sampling:
    """A run that outlives what asks for it.

    Attributes:
        stopped: Whether the user wants no more to be drawn.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._run: Run | None = None
        self._lock = Lock()

    def work(self, experiment: Experiment) -> Callable[[Stop], Iterator[Answer]]:
        """Return what draws for a question, to be run in a thread; it goes on if it can."""

        def answers(stop: Stop) -> Iterator[Answer]:
            # Whoever was asked before ends within a block of draws, and lets go.
            with self._lock:
                if stop():
                    return
                if self._run is None or not self._run.become(experiment):
                    self._run = Run(experiment)
                yield from self._run.answers(lambda: stop() or self.stopped)

        return answers
