"""Who looks on while something long is read: told how much is done, and able to end it."""

from collections.abc import Callable

Watch = Callable[[float], None]
"""Called between short steps with the share done, which never falls; raises `Stopped` to end."""


def unwatched(share: float) -> None:
    """Let it go on: the `Watch` of what nobody interrupts."""
