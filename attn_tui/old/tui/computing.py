"""Long answers in threads: a task does the work, and a job says how it stands."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any, Generic, TypeVar

from textual.message import Message

from attn_tui.compute.errors import Stopped
from attn_tui.compute.experiment import Stop
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.parts import Host
from attn_tui.ui.crash import Reports

R = TypeVar("R")


def progress(found: object) -> float:
    """Return how much of the work a result is, where it says so."""
    return getattr(found, "progress", 1.0)


class Task(Generic[R]):
    """Work that is done in a thread; others see of it the job alone, which is replaced as a whole.

    Args:
        job: Running.
        work: Returns a result, or an iterator of results that grow; ends soon once it is stopped.
        share: How much of the work a result is.
        words: Says in plain words what went wrong.
        tell: Called in the thread whenever the job is another.
    """

    def __init__(
        self,
        job: Job[R],
        work: Callable[["Task[R]"], R | Iterator[R] | None],
        share: Callable[[R], float] = progress,
        words: Callable[[Exception], str] = str,
        tell: Callable[["Task[R]"], object] = lambda _: None,
    ) -> None:
        self.job = job
        self._work = work
        self._share = share
        self._words = words
        self._tell = tell
        self._stop = Event()

    def run(self) -> None:
        """Do it; to be called in a thread."""
        try:
            found = self._work(self)
            for result in found if isinstance(found, Iterator) else (found,):
                if self.stopped():
                    break
                if result is not None:
                    self._become(self.job.grown(result, self._share(result)))
            self._become(self.job.ended())
        except Stopped:
            self._become(self.job.ended())
        except Exception as error:
            self._become(self.job.ended(self._words(error)))

    def _become(self, job: Job[R]) -> None:
        self.job = job
        self._tell(self)

    def stop(self) -> None:
        """Let it end soon; what is over stays what it is."""
        if self.job.running:
            self._stop.set()

    def stopped(self) -> bool:
        """Return whether it is to end, or was ended."""
        return self._stop.is_set()

    def watch(self, share: float) -> None:
        """Take note of the share done; raises `Stopped` if it is to end."""
        self.job = self.job.at(share)
        if self.stopped():
            raise Stopped


class Computing(Generic[R]):
    """Has one question at a time answered beside a screen.

    Args:
        screen: It is sent `Changed`, and gives it to `take`.
        share: How much of the work a result is.
        most: So many results are kept.

    Attributes:
        job: How it stands.
    """

    @dataclass
    class Changed(Message):
        """A task has another job."""

        task: Task[Any]

        def can_replace(self, message: Message) -> bool:
            """Say whether one that waits behind this one makes it unnecessary."""
            return isinstance(message, Computing.Changed) and message.task is self.task

    def __init__(
        self,
        screen: Host,
        share: Callable[[R], float] = progress,
        most: int = 1,
    ) -> None:
        self.job: Job[R] = Job(most=most)
        self._screen = screen
        self._share = share
        self._task: Task[R] | None = None
        self._reports = Reports()

    def ask(self, question: object, work: Callable[[Stop], R | Iterator[R] | None]) -> None:
        """Have a question answered, unless it is known, or runs, was stopped or has failed."""
        if self.job.state == "idle" or self.job.question != question:
            self.start(question, work)

    def start(self, question: object, work: Callable[[Stop], R | Iterator[R] | None]) -> None:
        """Have a question answered, whatever became of it before."""
        self._drop()
        self.job = self.job.asked(question, time.monotonic())
        if self.job.running:
            asked, screen = self._screen.asked, self._screen
            task = self._task = Task(
                self.job,
                lambda task: work(task.stopped),
                self._share,
                lambda error: self._reports.words(error, asked),
                lambda task: screen.post_message(self.Changed(task)),
            )
            self._screen.run_worker(task.run, thread=True, group="compute")

    def take(self, task: Task[R]) -> bool:
        """Take over the job of a task, and return whether it is one that still matters."""
        if task is not self._task:
            return False
        self.job = task.job
        if not self.job.running:
            self._task = None
        return True

    def stop(self) -> None:
        """Stop, and keep what there is."""
        self._drop()
        self.job = self.job.ended()

    def leave(self) -> None:
        """Leave nothing running that nobody sees."""
        self._drop()
        self.job = self.job.left()

    def forget(self) -> None:
        """Leave, and keep nothing of what is known."""
        self._drop()
        self.job = Job(most=self.job.most)

    def _drop(self) -> None:
        if self._task:
            self._task.stop()
            self._task = None
