"""Long computations of a screen: one value or growing ones, overtaken, stopped, never lost."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from threading import Event
from typing import Any, ClassVar

from rich.style import Style
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from attn_tui.compute.experiment import Stop
from attn_tui.tui.instrument_screen import Explanation, InstrumentScreen
from attn_tui.tui.state import Asked


class Bare(App[None]):
    role_styles: ClassVar[Mapping[str, Style]] = defaultdict(Style)


class Computing(InstrumentScreen):
    NAME = "computing"
    explanation = Explanation("Computing", "n", "Counts.", "this test")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[object, Any, bool]] = []

    def compose_panes(self) -> ComposeResult:
        return iter(())

    @property
    def status(self) -> list[tuple[str, str]]:
        return []

    def show(self, asked: Asked) -> None:
        pass

    def take_computed(self, key: object, value: Any) -> None:
        self.found.append((key, value, self.computing is None))


async def until(pilot: Pilot[None], event: Event) -> None:
    while not event.is_set():
        await pilot.pause()


async def ended(pilot: Pilot[None], screen: Computing) -> None:
    while screen.computing is not None:
        await pilot.pause()


async def test_values_that_grow_are_brought_one_by_one() -> None:
    screen, shown = Computing(), Event()

    def work(stop: Stop) -> Iterator[int]:
        yield 1
        shown.wait(30)
        yield from (2, 3)

    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        screen.compute("a", work)
        while not screen.found:
            await pilot.pause()
        assert screen.found == [("a", 1, False)]
        shown.set()
        await ended(pilot, screen)
        assert screen.found[-1] == ("a", 3, True)


async def test_one_value_and_none_are_done_at_once() -> None:
    screen = Computing()
    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        screen.compute("a", lambda stop: 7)
        await ended(pilot, screen)
        screen.compute("b", lambda stop: iter(()))
        await ended(pilot, screen)
        assert screen.found == [("a", 7, True), ("b", None, True)]


async def test_what_is_overtaken_or_left_ends_and_is_not_shown() -> None:
    screen, begun, gone = Computing(), Event(), Event()

    def endless(stop: Stop) -> Iterator[int]:
        begun.set()
        count = 0
        while not stop():
            count += 1
            yield count
        gone.set()

    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        screen.compute("a", endless)
        await until(pilot, begun)
        screen.compute("b", lambda stop: iter((5,)))
        await ended(pilot, screen)
        await until(pilot, gone)
        assert screen.found[-1] == ("b", 5, True)

        begun.clear()
        gone.clear()
        screen.compute("c", endless)
        await until(pilot, begun)
        await pilot.app.push_screen(Computing())
        await ended(pilot, screen)
        await until(pilot, gone)
        seen = len(screen.found)
        await pilot.pause()
        assert len(screen.found) == seen
