"""Timers that fire though they begin late."""

from textual.message_pump import MessagePump
from textual.timer import Timer, TimerCallback


class Punctual(MessagePump):
    """Has each timer that is to fire once do so.

    Textual's skips turns that it has missed. Where the process waits for a processor for longer
    than the delay while the timer begins, that is the only one: a new size stayed unheard of then,
    and after a change of instruments nothing was drawn any more.
    """

    def set_timer(
        self,
        delay: float,
        callback: TimerCallback | None = None,
        *,
        name: str | None = None,
        pause: bool = False,
    ) -> Timer:
        """Call something once after a delay in seconds."""
        timer = super().set_timer(delay, callback, name=name, pause=pause)
        timer._skip = False
        return timer
