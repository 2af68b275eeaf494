"""Runs the program so that it writes where it stands when it is asked: threads, tasks and queues.

    python tests/terminal/watched.py FILE [ARGUMENT …]

runs ``attn-tui ARGUMENT …``. `THREADS` then adds the stacks of all threads to the file, even if
the interpreter stands still; `TASKS` the tasks of the event loop, each down to what it waits for.
"""

import asyncio
import faulthandler
import gc
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, TextIO

THREADS = signal.SIGURG
TASKS = signal.SIGXFSZ
"""Signals that the program leaves alone."""

END = "end of tasks\n"


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


if __name__ == "__main__":
    sys.path.pop(0)
    watch(open(sys.argv.pop(1), "a"))  # noqa: SIM115

    from attn_tui.cli import main

    main()
