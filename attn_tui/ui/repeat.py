"""Tells a key that is held from one that is pressed again."""

from math import inf
from time import monotonic

REPEAT_GAP = 0.75
"""Seconds between two enters, below which the key may be held: no terminal tells, and X waits 0.66
seconds before it repeats a key."""


class Repeat:
    """One key, such as enter."""

    def __init__(self) -> None:
        self._latest = -inf

    def note(self) -> bool:
        """Note that the key comes; return whether it may be held since it came before."""
        before, self._latest = self._latest, monotonic()
        return self._latest - before < REPEAT_GAP
