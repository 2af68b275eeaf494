"""Long answers of a screen: one value or growing ones, overtaken, stopped, failed, never lost."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event
from typing import Any, ClassVar

import pytest
from rich.style import Style
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.experiment import Stop
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.history import Asked
from attn_tui.old.tui.computing import Computing
from attn_tui.old.tui.dots.sampling import Sampling
from attn_tui.old.tui.explaining import Explanation
from attn_tui.old.tui.explore import chart_data
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.reading import ReadDialog
from attn_tui.old.tui.sweep import results
from tests.old.tui.person import NARROW, WIDE, at_screen


class Bare(App[None]):
    role_styles: ClassVar[Mapping[str, Style]] = defaultdict(Style)
    in_ascii = False


class Counting(InstrumentScreen):
    NAME = "counting"
    PERSISTS = True
    explanation = Explanation("Counting", "n", "Counts.", "this test")

    def __init__(self) -> None:
        super().__init__()
        self.asked = Asked.first(EXAMPLE)
        self.computing = Computing[int](self, lambda value: value / 3, most=2)
        self.computings = (self.computing,)
        self.found: list[tuple[object, Any, str]] = []

    def compose_panes(self) -> ComposeResult:
        return iter(())

    def show(self, asked: Asked) -> None:
        pass

    def show_job(self) -> None:
        job = self.job
        self.found.append((job.question, job.result(job.question), job.state))


async def until(pilot: Pilot[None], event: Event) -> None:
    while not event.is_set():
        assert pilot.app.is_running
        await pilot.pause()


async def ended(pilot: Pilot[None], screen: Counting) -> None:
    while screen.job.running:
        assert pilot.app.is_running
        await pilot.pause()


async def test_values_that_grow_are_brought_one_by_one() -> None:
    screen, shown = Counting(), Event()

    def work(stop: Stop) -> Iterator[int]:
        yield 1
        shown.wait(30)
        yield from (2, 3)

    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        screen.computing.ask("a", work)
        while not screen.found:
            assert pilot.app.is_running
            await pilot.pause()
        assert screen.found == [("a", 1, "running")]
        shown.set()
        await ended(pilot, screen)
        assert screen.found[-1] == ("a", 3, "done")


async def test_what_is_known_is_not_asked_again_and_the_oldest_is_forgotten() -> None:
    screen, asked = Counting(), []

    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        for question in ("a", "b", "a", "c", "a", "b"):

            def work(stop: Stop, question: str = question) -> int:
                asked.append(question)
                return 3

            screen.computing.ask(question, work)
            await ended(pilot, screen)
            assert screen.job.result(question) == 3
    assert asked == ["a", "b", "c", "b"]


async def test_what_was_stopped_stays_so_until_it_is_asked_for_anew() -> None:
    screen, begun = Counting(), Event()

    def endless(stop: Stop) -> Iterator[int]:
        yield 2
        begun.set()
        while not stop():
            pass

    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        screen.computing.ask("a", endless)
        await until(pilot, begun)
        await pilot.pause()
        screen.computing.stop()
        screen.computing.ask("a", lambda stop: 3)
        assert (screen.job.state, screen.job.result("a")) == ("stopped", 2)
        screen.computing.start("a", lambda stop: iter((1,)))
        await ended(pilot, screen)
        # What was better before stays.
        assert (screen.job.state, screen.job.result("a")) == ("stopped", 2)


async def test_work_goes_on_behind_a_dialogue() -> None:
    screen, opened = Counting(), Event()

    def work(stop: Stop) -> Iterator[int]:
        yield 1
        opened.wait(30)
        yield 3

    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        screen.computing.ask("a", work)
        await pilot.app.push_screen(ReadDialog("Words", "text"))
        await pilot.pause()
        opened.set()
        await ended(pilot, screen)
        assert (screen.job.state, screen.job.result("a")) == ("done", 3)


async def test_what_is_overtaken_or_left_ends_and_is_not_shown() -> None:
    screen, begun, gone = Counting(), Event(), Event()

    def endless(stop: Stop) -> Iterator[int]:
        begun.set()
        while not stop():
            yield 1
        gone.set()

    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        screen.computing.ask("a", endless)
        await until(pilot, begun)
        screen.computing.ask("b", lambda stop: iter((3,)))
        await ended(pilot, screen)
        await until(pilot, gone)
        assert screen.found[-1] == ("b", 3, "done")

        begun.clear()
        gone.clear()
        screen.computing.ask("c", endless)
        await until(pilot, begun)
        await pilot.app.push_screen(Counting())
        await ended(pilot, screen)
        await until(pilot, gone)
        seen = len(screen.found)
        await pilot.pause()
        assert len(screen.found) == seen


async def test_leaving_the_program_stops_it() -> None:
    screen, begun, gone = Counting(), Event(), Event()

    def endless(stop: Stop) -> None:
        begun.set()
        while not stop():
            pass
        gone.set()

    async with Bare().run_test() as pilot:
        await pilot.app.push_screen(screen)
        screen.computing.ask("a", endless)
        await until(pilot, begun)
    assert gone.wait(30)


SETUP = Setup(64).put(dots.Settings(samples=5000)).put(sweep.Settings(n=8, points=4, draws=64))
PLACES = {
    "explore": (chart_data, "over_d_k", (), "delete"),
    "dots": (Sampling, "_run", ("2",), "a"),
    "sweep": (results, "answer", ("3",), "a"),
}


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("error", [MemoryError("9 TiB"), ZeroDivisionError("by nothing")])
@pytest.mark.parametrize("instrument", PLACES)
async def test_what_fails_is_said_and_another_question_answers(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    instrument: str,
    error: Exception,
    size: tuple[int, int],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", ".")
    where, name, keys, another = PLACES[instrument]

    def fail(*_: Any, **__: Any) -> Any:
        raise error

    whole = getattr(where, name)
    monkeypatch.setattr(where, name, fail)
    async with at_screen(size, Draft(EXAMPLE.text, SETUP)) as person:
        if size == NARROW and instrument == "explore":
            keys = ("t", "t", "t", "t")
        await person.press(*keys)
        (report,) = tmp_path.glob("attn-tui/crash-*.json")
        said = "there is not enough memory" if isinstance(error, MemoryError) else str(error)
        together = "".join(person.text.split())
        for part in ("This failed:", said, str(report.relative_to(tmp_path))):
            assert "".join(part.split()) in together
        # Looking, and asking for what fails too, goes on, and is not reported again.
        await person.press("v", another, "u", "U")
        assert [*tmp_path.glob("attn-tui/*")] == [report]
        monkeypatch.setattr(where, name, whole)
        await person.press(another)
        person.misses("This failed")
        assert person.app.history.past
    written = json.loads(report.read_text())
    assert type(error).__name__ in "".join(written["crash"]["traceback"])
    assert written["experiment"]["d_k"] == 64


def test_a_job_says_how_it_stands() -> None:
    job: Job[int] = Job(most=2)
    assert job.state == "idle"
    job = job.asked("a", 5.0)
    assert (job.state, job.share, job.since) == ("running", 0.0, 5.0)
    job = job.grown(1, 0.5)
    assert (job.result("a"), job.complete("a"), job.share) == (1, False, 0.5)
    assert job.ended().state == "stopped"
    assert job.grown(2, 1.0).ended().state == "done"
    failed = job.ended("no room")
    assert (failed.state, failed.problem, failed.result("a")) == ("failed", "no room", 1)
    again = failed.asked("a", 6.0)
    assert (again.state, again.problem) == ("running", "")
