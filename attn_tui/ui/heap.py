"""Gives memory back to the system while nobody waits for the program.

Python looks through all that is in use, for garbage, whenever much has been made, which is while
somebody types: through 600,000 objects once all instruments are open, which takes .4 s. So that is
done in a pause instead, and what is in use then is left out until the next one. What a sweep has
freed goes back too; it would stay until something else is made.
"""

import asyncio
import ctypes
import gc
import sys
from collections.abc import Callable
from functools import partial

OPTIONS = {-8: 1, -3: 2**22, -1: 2**23}
"""Options of glibc's mallopt: one arena for all threads (M_ARENA_MAX), and the bytes from which an
array has pages of its own (M_MMAP_THRESHOLD) or free memory is returned (M_TRIM_THRESHOLD)."""

LAST = 2
"""The last generation of Python's garbage, with which all that is not left out is collected."""

PAUSE = 5.0
"""Seconds without a key or a computation after which memory is given back."""


class Heap:
    """The memory that Python and glibc keep.

    Args:
        is_computing: Returns whether a thread computes anything.
    """

    def __init__(self, is_computing: Callable[[], bool]) -> None:
        self._is_computing = is_computing
        self._latest = 0.0
        """When anything happened last, by the clock of the event loop."""
        self._is_watched = False
        self._is_full = False
        """Whether enough has been made since the last pause to look through all."""
        self._trim = trimming()
        gc.callbacks.append(self._collected)

    def note(self) -> None:
        """Note that something happens; it is called twice at each key, and takes no time."""
        self._latest = asyncio.get_running_loop().time()
        if not self._is_watched:
            self._wait(PAUSE)

    def _wait(self, seconds: float) -> None:
        self._is_watched = True
        asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        """Give memory back if nothing has happened for a while; wait on if anything has."""
        now = asyncio.get_running_loop().time()
        if self._is_computing():
            self._latest = now
        rest = now - self._latest
        if rest < PAUSE:
            self._wait(PAUSE - rest)
            return
        self._is_watched = False
        self.give_back()

    def give_back(self) -> None:
        """Return what is free to the system, and free what is garbage if there may be much."""
        if self._is_full:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._is_full = False
        self._trim()

    def _collected(self, phase: str, details: dict[str, int]) -> None:
        """Return free memory after Python has collected garbage of all ages by itself."""
        if phase == "stop" and details["generation"] == LAST:
            self._is_full = True
            self._trim()


def trimming() -> Callable[[], object]:
    """Have glibc return what it frees to the system, and return a function that does so.

    By itself it keeps up to 64 MB in each arena, of which every thread has one, once it has freed a
    large array; and what lies between two pieces in use, which is a fifth of all after a while.
    """
    if sys.platform == "linux":
        system = ctypes.CDLL(None)
        if hasattr(system, "mallopt"):
            for option, value in OPTIONS.items():
                system.mallopt(option, value)
            return partial(system.malloc_trim, 0)
    return nothing


def nothing() -> None:
    """Do nothing, where there is nothing to be returned."""
