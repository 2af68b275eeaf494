"""Holds each picture back until the terminal has taken the last: a slow line would fall behind.

After each picture the terminal is asked for its status, which it answers when it gets there.
Whatever is drawn meanwhile waits, and is then sent as one picture. A terminal that has never
answered is never waited for.
"""

import shutil
from collections.abc import Callable
from threading import Condition, Timer

from attn_tui.ui.terminal.cells import BRACKETS, collapsed, is_picture

REQUEST, ANSWER = "\x1b[5n", "\x1b[0n"
"""The device status report (DSR) and its reply, known to every terminal since the VT100."""

PATIENCE = 2.0
"""The longest that a picture waits, in seconds."""

PARTING = 0.5
"""The longest wait for answers on leaving, in seconds: the shell would read them as typed."""


class Flow:
    """Data that is drawn but not yet sent.

    Args:
        send: Sends the changes that data makes on the terminal, followed by a request, and returns
            whether there are any; if there are none, it sends nothing.
    """

    def __init__(self, send: Callable[[str, str], bool]) -> None:
        self._send = send
        # Another thread reads the terminal.
        self._lock = Condition()
        self._pending: list[str] = []
        self._due = 0
        self._unanswered = 0
        self._answers = False
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Send the first request, before any picture; what was asked before counts no more."""
        with self._lock:
            self._pending.clear()
            self._stop_timer()
            self._due, self._unanswered = 0, 1
            self._send(REQUEST, "")

    def end(self, write_last: Callable[[], None]) -> None:
        """Drop held data, and wait until the terminal has done the last: the program is leaving it.

        Before the last answer comes what the terminal has still to report, such as the mouse.

        Args:
            write_last: Writes the data that give the terminal back. An answer that another thread
                reads meanwhile must send no held picture behind them, onto the shell's screen.
        """
        with self._lock:
            self._pending.clear()
            self._stop_timer()
            self._due = 0
            write_last()
            if self._answers:
                self._unanswered += self._send(REQUEST, "")
                self._lock.wait_for(lambda: not self._unanswered, PARTING)
            self._answers = False

    def write(self, data: str) -> None:
        """Send data now, or hold it until the terminal has taken the last picture."""
        with self._lock:
            if not self._answers or (data in BRACKETS and not self._pending):
                self._send(data, "")
            elif not is_picture(data):
                self._go_on()
                self._send(data, "")
            elif self._due and data:
                self._pending.append(data)
                self._start_timer()
            else:
                self._ask(data)

    def answered(self) -> None:
        """Note an answer, and send held data if it answers the last request."""
        with self._lock:
            self._answers = True
            self._unanswered = max(self._unanswered - 1, 0)
            self._due = max(self._due - 1, 0)
            if not self._due:
                self._go_on()
            self._lock.notify_all()

    def _give_up(self) -> None:
        """Stop waiting for answers."""
        with self._lock:
            self._due = 0
            self._go_on()

    def _go_on(self) -> None:
        """Send all held data as one picture."""
        self._stop_timer()
        pending, self._pending = self._pending, []
        if pending:
            self._ask(collapsed("".join(pending), shutil.get_terminal_size()))

    def _ask(self, data: str) -> None:
        """Send a picture followed by a request, unless it changes nothing."""
        if self._send(data, REQUEST):
            self._due += 1
            self._unanswered += 1

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = Timer(PATIENCE, self._give_up)
            self._timer.daemon = True
            self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
