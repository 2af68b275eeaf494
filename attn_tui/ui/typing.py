"""Lets work that nobody waits for stand aside while somebody types."""

import time

from attn_tui.compute.errors import Stop

REST = 0.05
"""Seconds after the last key in which what only refines stands aside."""


class Typing:
    """When somebody has typed last.

    Attributes:
        is_pending: Whether what was typed has yet to take effect.
    """

    def __init__(self) -> None:
        self.is_pending = False
        self._until = 0.0

    def note(self) -> None:
        """Note that somebody types, or that what was typed has just been shown."""
        self._until = time.monotonic() + REST

    @property
    def is_on(self) -> bool:
        """Whether somebody types, or has typed just now."""
        return time.monotonic() < self._until

    def stand_aside(self, stop: Stop) -> bool:
        """Wait in a thread while somebody types; return whether to stop, which ends the wait.

        Args:
            stop: Returns whether the work is still wanted.
        """
        while (left := self._until - time.monotonic()) > 0.0 and not stop():
            time.sleep(left)
        return stop()
