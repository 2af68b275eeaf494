"""Writes to the terminal in order, on a thread of its own, whether or not the terminal is there.

Textual's writer ends at the first error, after which everybody who writes waits for it without
end; and its queue must not be used in a signal handler, which may interrupt the queue itself.
"""

import os
from collections import deque
from select import select
from threading import Condition, Thread

MOST = 30
"""Pieces that wait; a program that writes more waits itself."""


class Output:
    """The data on its way to a terminal. Its methods may be called in a signal handler.

    Args:
        descriptor: The terminal.
        encoding: Of what is written; other characters are spelled out.
    """

    def __init__(self, descriptor: int, encoding: str) -> None:
        self._descriptor = descriptor
        self._encoding = encoding
        self._waiting: deque[str] = deque()
        # Its lock may be taken twice by one thread, such as one that a signal interrupts.
        self._changed = Condition()
        self._is_closed = False
        self._is_gone = False
        self._thread = Thread(target=self._run, name="attn-tui-output", daemon=True)
        self._thread.start()

    def put(self, data: str, waits: bool = True) -> None:
        """Write data soon.

        Args:
            data: What to write.
            waits: Whether to wait while much is on its way.
        """
        with self._changed:
            while waits and len(self._waiting) >= MOST and not self._is_gone:
                self._changed.wait()
            self._waiting.append(data)
            self._changed.notify_all()

    def drain(self, seconds: float) -> bool:
        """Wait so many seconds at most until all is written; return whether it is."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_gone or not self._waiting, seconds)
            return not self._waiting

    def close(self) -> None:
        """Take no more data: what is on its way is still written."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                if not self._waiting:
                    return
                data = self._waiting[0]
            if not self._is_gone:
                self._write(data.encode(self._encoding, "backslashreplace"))
            with self._changed:
                self._waiting.popleft()
                self._changed.notify_all()

    def _write(self, data: bytes) -> None:
        """Write data, or note that the terminal is gone."""
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                # Another program on this terminal wants to be told to try again.
                select([], [self._descriptor], [])
            except OSError:
                self._is_gone = True
                return
