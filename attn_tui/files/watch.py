"""Who looks on while something long is read: told how much is done, and able to end it."""

from collections.abc import Callable

Watch = Callable[[float], None]
"""Called between short steps with the share done, which never falls; raises `Stopped` to end."""


class Stopped(Exception):  # noqa: N818 - it is no error: somebody asked for it
    """Nobody wants the rest of what is being read."""


def unwatched(share: float) -> None:
    """Let it go on: the `Watch` of what nobody interrupts."""
