"""The program, so that it says where it stands when it is asked: threads, tasks and its question.

`begin` is called in a process that a server which has imported this module forks: a start then
costs no imports. `THREADS` adds the stacks of all threads to a file, even if the interpreter
stands still; `TASKS` the tasks of the event loop, each down to what it waits for. The key `ASKS`,
in its turn, tells the question once all that came before it is done, computed and drawn.
"""

import asyncio
import faulthandler
import gc
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from math import inf
from multiprocessing.connection import Connection
from pkgutil import walk_packages
from typing import Any, TextIO

from textual.events import Event, Key

from attn_tui.claims import ledger
from attn_tui.claims.claim import try_claim
from attn_tui.cli import main
from attn_tui.files.codec import experiment_to_plain
from attn_tui.old.tui import app
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.ui.terminal.turns import Give, Turns
from tests.claims.shared import share
from tests.settled import until_settled

THREADS = signal.SIGURG
TASKS = signal.SIGXFSZ
"""Signals that the program leaves alone."""

END = "end of tasks\n"

ASKS = "ctrl+f12", "\x1b[24;5~"
"""A key that the program does not get: its name, and what a terminal sends for it."""


def prepare() -> None:
    """Import what the program imports when it is wanted, and try all claims once."""
    for room in ("tui", "report", "charts", "compute", "commands"):
        package = import_module(f"attn_tui.{room}")
        for each in walk_packages(package.__path__, f"attn_tui.{room}."):
            import_module(each.name)
    share()
    for name in ledger.ledger():
        ledger.own_finding(name)


def begin(
    terminal: str,
    stacks: str,
    questions: Connection,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    fresh: bool,
) -> None:
    """Run ``attn-tui ARGUMENT …`` on a terminal, and exit.

    Args:
        terminal: Its name.
        stacks: Where it is written where the program stands.
        questions: To which its question is told.
        arguments: Its own.
        environment: All that it finds there.
        folder: It works there.
        fresh: Whether no claim has been tried yet.
    """
    os.setsid()
    descriptor = os.open(terminal, os.O_RDWR)
    for number in range(3):
        os.dup2(descriptor, number)
    os.close(descriptor)
    names = ("stdin", "r"), ("stdout", "w"), ("stderr", "w")
    for number, (name, mode) in enumerate(names):
        stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    if fresh:
        ledger._own_finding.cache_clear()
        vars(ledger)["try_claim"] = try_claim
    os.chdir(folder)
    sys.argv = ["attn-tui", *arguments]
    watch(open(stacks, "a"))  # noqa: SIM115
    vars(app)["Turns"] = partial(_Asked, questions)
    main()


class _Asked(Turns):
    """Tells what is asked as it gives out the key for that."""

    def __init__(
        self, questions: Connection, owner: app.AttnApp, give: Give, rest: Callable[[], None]
    ) -> None:
        super().__init__(owner, partial(self._give_or_tell, give), rest)
        self._owner, self._questions, self._told = owner, questions, 0

    async def _give_or_tell(self, give: Give, event: Event) -> None:
        if not (isinstance(event, Key) and event.key == ASKS[0]):
            await give(event)
            return
        self._waiting = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        """Tell it, though keys that come meanwhile may ask something else."""
        owner = self._owner
        await until_settled(owner, inf, hurries=False, is_answered=_is_answered)
        if not owner.is_running:
            return
        base = owner.screen_stack[0]
        # What Sweep asks depends on what is looked at.
        question = getattr(base, "question", None) or owner.asked.experiment
        self._questions.send(None if owner.asked.error else experiment_to_plain(question))
        assert owner._driver
        self._told += 1
        owner._driver.write(mark(self._told))


def mark(times: int) -> str:
    """Return what the terminal is sent behind all that was drawn, when it was told so often."""
    return f"\x1b]7;told {times}\x07"


def _is_answered(screen: InstrumentScreen) -> bool:
    # Claims goes on with all others, of which nothing is asked.
    return screen.settled or (screen.NAME == "claims" and screen.job.state == "done")


def watch(file: TextIO) -> None:
    """Listen, in a thread that none of the program's can hold up."""
    faulthandler.register(THREADS, file, all_threads=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {TASKS})
    threading.Thread(target=_listen, args=(file,), daemon=True).start()


def _listen(file: TextIO) -> None:
    while True:
        signal.sigwait({TASKS})
        file.writelines(f"{line}\n" for line in _told())
        file.write(END)
        file.flush()


def _told() -> Iterator[str]:
    start = time.process_time()
    time.sleep(0.5)
    yield f"computing for {time.process_time() - start:.2f} of 0.5 s"
    # What the program keeps is not listed before.
    gc.unfreeze()
    loops = [each for each in gc.get_objects() if isinstance(each, asyncio.AbstractEventLoop)]
    for loop in loops:
        for task in asyncio.all_tasks(loop):
            yield from _chain(task)


def _chain(task: asyncio.Task[Any]) -> Iterator[str]:
    """Yield what a task waits in, unless it is a widget's queue with nothing in it."""
    awaited: Any = task.get_coro()
    lines = []
    while (frame := getattr(awaited, "cr_frame", None)) is not None:
        lines.append(f"  {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_qualname}")
        names = {name: frame.f_locals[name] for name in frame.f_locals if name != "self"}
        if "attn_tui" in frame.f_code.co_filename:
            lines += [f"    {name} = {_short(value)}" for name, value in names.items()]
        if frame.f_code.co_name == "_process_messages_loop":
            queue = frame.f_locals["self"]._message_queue
            inner = getattr(awaited.cr_await, "cr_code", None)
            if inner and inner.co_name == "_get_message" and not queue.qsize():
                return
            lines.append(f"    {queue.qsize()} wait: {_short([*queue._queue])}")
            lines += [f"    {name} = {_short(value)}" for name, value in names.items()]
        awaited = awaited.cr_await
    yield from (f"{task.get_name()}, on {_short(awaited)}", *lines)


def _short(value: object) -> str:
    try:
        return repr(value)[:300]
    except Exception as error:
        return repr(error)
