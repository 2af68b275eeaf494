"""Sends no picture before the terminal has taken the last one: over a slow line it would be old.

Behind each picture the terminal is asked how it is, which it answers once it has come so far. What
is drawn meanwhile waits, and then goes as one picture. A terminal that has never answered is never
waited for.
"""

import shutil
from collections.abc import Callable
from threading import Condition, Timer

from attn_tui.ui.terminal.cells import BRACKETS, collapsed, is_picture

REQUEST, ANSWER = "\x1b[5n", "\x1b[0n"
"""DSR: the status report that every terminal since the VT100 knows."""

PATIENCE = 2.0
"""Seconds that a picture waits at most."""

PARTING = 0.5
"""Seconds that leaving waits at most for answers, which the shell would read as typed."""


class Flow:
    """What was drawn and not sent.

    Args:
        send: Sends what data changes on the terminal, and behind it a request; returns whether it
            changed anything. Nothing changed, nothing is sent.
    """

    def __init__(self, send: Callable[[str, str], bool]) -> None:
        self._send = send
        # The terminal is read by another thread.
        self._lock = Condition()
        self._held: list[str] = []
        self._due = 0
        self._unanswered = 0
        self._answers = False
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Ask for the first time, before there is any picture."""
        self._unanswered = 1
        self._send(REQUEST, "")

    def end(self) -> None:
        """Forget what was held, and wait for answers on their way: the screen is left."""
        with self._lock:
            self._held.clear()
            self._stop_timer()
            if self._answers:
                self._lock.wait_for(lambda: not self._unanswered, PARTING)
            self._answers = False

    def write(self, data: str) -> None:
        """Send data now, or hold it until the terminal has taken the last picture."""
        with self._lock:
            if not self._answers or (data in BRACKETS and not self._held):
                self._send(data, "")
            elif not is_picture(data):
                self._go_on()
                self._send(data, "")
            elif self._due and data:
                self._held.append(data)
                self._start_timer()
            else:
                self._ask(data)

    def answered(self) -> None:
        """Take note of an answer, and send what was held if it is that to the last request."""
        with self._lock:
            self._answers = True
            self._unanswered = max(self._unanswered - 1, 0)
            self._due = max(self._due - 1, 0)
            if not self._due:
                self._go_on()
            self._lock.notify_all()

    def _give_up(self) -> None:
        """Wait for no answer any longer."""
        with self._lock:
            self._due = 0
            self._go_on()

    def _go_on(self) -> None:
        """Send all that was held as one picture."""
        self._stop_timer()
        held, self._held = self._held, []
        if held:
            self._ask(collapsed("".join(held), shutil.get_terminal_size()))

    def _ask(self, data: str) -> None:
        """Send a picture, and ask behind it, unless it changes nothing."""
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
