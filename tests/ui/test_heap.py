"""Giving memory back: in a pause, and only then; and what was left out is garbage in the next."""

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from attn_tui.ui import heap
from attn_tui.ui.heap import Heap


class Node:
    """What only a collection frees, since it holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    callbacks = list(gc.callbacks)
    monkeypatch.setattr(heap, "PAUSE", 0.001)
    # What Python does by itself would be counted too.
    gc.disable()
    yield
    gc.enable()
    gc.callbacks[:] = callbacks
    gc.unfreeze()


class Watched(Heap):
    """A heap that tells when it gives memory back."""

    def __init__(self, computes: list[bool]) -> None:
        super().__init__(computes.pop)
        self.done = asyncio.Event()
        self.count = 0

    def give_back(self) -> None:
        self.count += 1
        self.done.set()


async def test_memory_goes_back_once_in_each_pause() -> None:
    watched = Watched(100 * [False])
    watched.note()
    watched.note()
    await watched.done.wait()
    watched.done.clear()
    watched.note()
    await watched.done.wait()
    assert watched.count == 2


async def test_a_computation_is_no_pause() -> None:
    computes = [False, True, True, True]
    watched = Watched(computes)
    watched.note()
    await watched.done.wait()
    assert not computes


@pytest.mark.slow
def test_what_was_left_out_and_is_closed_since_is_freed() -> None:
    under = Heap(lambda: False)
    node = Node()
    gone = weakref.ref(node)
    gc.collect()
    under.give_back()
    del node
    gc.collect()
    assert gone() is not None, "it is left out of what Python does by itself"
    under.give_back()
    assert gone() is None


def test_after_little_has_been_made_nothing_is_looked_through() -> None:
    under = Heap(lambda: False)
    node = Node()
    gone = weakref.ref(node)
    gc.collect()
    under.give_back()
    del node
    under.give_back()
    assert gone() is not None
