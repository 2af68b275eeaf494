"""A fix for Textual 8.2: a notice whose time ran out just before it was shown stopped the program.

Textual shows what is left of a notice on each new screen, with a timer for the seconds that are
left. If those end between the look at the clock and the timer, it counts backwards, without an end
and without ever letting anything else run (docs/upstream.md).
"""

from textual.events import Mount
from textual.widgets._toast import Toast

SHORTEST = 0.5
"""Seconds for which a notice is shown at least on a new screen."""


def _on_mount(self: Toast, _: Mount) -> None:
    self.set_timer(max(self._timeout, SHORTEST), self._expire)


def end_toasts() -> None:
    """Make Textual end each notice, however little of its time is left."""
    Toast._on_mount = _on_mount  # type: ignore[method-assign]
