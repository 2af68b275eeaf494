"""Who looks on while something takes long: told how much is done, and able to end it."""

from collections.abc import Callable

Watch = Callable[[float], None]
"""Called between steps with the share done, 0 if it is not known; raises `Stopped` to end."""


def unwatched(share: float) -> None:
    """Let it go on: the `Watch` of what nobody interrupts."""
