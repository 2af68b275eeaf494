"""Answers of the Sweep screen that grow: kept, stopped, gone on with, and not found twice."""

import json
import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import answer as compute_sweep
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.opening import open_draft
from attn_tui.old.tui.sweep import results
from attn_tui.old.tui.sweep.screen import SweepScreen
from tests.old.tui.at_sweep import at_sweep, draft
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen


class Gate:
    """Answers that come when they are let through, and the runs there were."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.first = 2
        self.started = 0
        self.running = 0

    def answer(self, experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
        self.started += 1
        self.running += 1
        try:
            for index, each in enumerate(compute_sweep.answer(experiment, stop)):
                while index == self.first and not self.open.wait(0.005):
                    if stop():
                        return
                yield each
        finally:
            self.running -= 1


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    gate = Gate()
    monkeypatch.setattr(results, "answer", gate.answer)
    return gate


async def until(person: Person, true: Any) -> None:
    for _ in range(2000):
        if true():
            return
        await person.pilot.pause(0.005)
    raise AssertionError(person.text)


@asynccontextmanager
async def drawing(gate: Gate, size: tuple[int, int] = MEDIUM) -> AsyncIterator[Person]:
    """A screen whose sweep waits half way."""
    async with at_screen(size, draft()) as person:
        await person.app.run_action("app.instrument('sweep')")
        await person.until_sees("space stops")
        await until(person, lambda: person.screen(SweepScreen).answer is not None)
        await person.until_sees("unscaled")
        yield person


async def test_arrows_move_before_anything_is_drawn(gate: Gate) -> None:
    gate.first = 0
    start = draft(view="map", n=32, crossovers=False)
    async with at_screen(MEDIUM, start) as person:
        await person.app.run_action("app.instrument('sweep')")
        await person.until_sees("space stops")
        assert person.screen(SweepScreen).answer is None
        # Nothing is settled before there is an answer.
        await person.pilot.press("up", "right")
        await until(person, lambda: person.asked.experiment.setup.d_k == 91)
        assert person.settings(Settings).n == 128
        gate.open.set()


async def test_another_statistic_comes_at_once(gate: Gate) -> None:
    gate.open.set()
    async with at_sweep() as person:
        assert gate.started == 1
        asked = person.asked
        await person.press("e", "home", "down", "enter")
        person.sees("entropy H, median")
        await person.run("looking.ratio")
        person.sees("does to the entropy H")
        # It is looked at, and not asked: there is nothing to undo.
        assert person.asked is asked
        await person.press("u")
        person.sees("Nothing to undo", "does to the entropy H")
        await person.run("looking.statistic('gradient')")
        await person.run("looking.ratio")
        person.sees("‖∂p/∂s‖_F, median")
        assert gate.started == 1


async def test_what_is_looked_at_is_saved_and_is_what_a_file_begins_with(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    async with at_sweep(WIDE, draft(statistic="entropy", ratio=True)) as person:
        person.sees("does to the entropy H")
        await person.run("looking.statistic('trace')")
        await person.run("looking.ratio")
        await person.press("s", "ctrl+u")
        await person.paste(str(path))
        await person.press("enter")
        person.sees("Saved")
    settings = json.loads(path.read_text())["experiment"]["settings"]["sweep"]
    assert (settings["statistic"], settings.get("ratio", False)) == ("trace", False)
    async with at_sweep(WIDE, open_draft(str(path), Setup())) as person:
        person.sees("tr J, median")


async def test_a_sweep_seen_before_comes_at_once(gate: Gate) -> None:
    gate.open.set()
    async with at_sweep() as person:
        await person.press("a")
        assert person.settings(Settings).seed == 2
        assert gate.started == 2
        await person.press("u")
        assert gate.started == 2
        person.sees("equal at")


async def test_a_stopped_sweep_keeps_what_it_has_and_goes_on(gate: Gate) -> None:
    async with drawing(gate) as person:
        await person.press("space")
        person.sees("unscaled")
        # How far it is stands at the end of the line of tabs.
        assert "Numbers" in (tabs := person.lines[4])
        assert re.search(r"stopped at \d+%; space goes on", tabs)
        await until(person, lambda: gate.running == 0)
        await person.press("plus")
        person.sees("stopped at")
        gate.open.set()
        await person.press("space")
        person.sees("equal at")
        person.misses("stopped")
        assert gate.started == 2


async def test_a_sweep_says_how_far_it_is_at_every_width(gate: Gate) -> None:
    async with drawing(gate) as person:
        assert re.search(r"drawing \d+%.*; space stops", person.lines[4])
        await person.pilot.resize_terminal(*NARROW)
        await until(person, lambda: re.search(r" \d+% ", person.lines[5]))
        gate.open.set()
        await person.press("f5")
        person.misses("%")


async def test_what_says_how_far_it_is_stops_it_when_clicked(gate: Gate) -> None:
    async with drawing(gate) as person:
        column = person.lines[4].index("space stops")
        await person.pilot.click(offset=(column, 4))
        await person.until_sees("space goes on")
        gate.open.set()


async def test_a_sweep_stopped_at_once_says_so_and_goes_on(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "first", 0)
    async with at_screen(MEDIUM, draft()) as person:
        await person.app.run_action("app.instrument('sweep')")
        await person.until_sees("space stops")
        await person.press("space")
        person.sees("stopped before anything was drawn; space goes on", "Nothing is drawn yet")
        await until(person, lambda: gate.running == 0)
        gate.open.set()
        await person.press("space")
        person.sees("equal at")
        person.misses("stopped")


async def test_leaving_the_screen_stops_a_sweep_and_coming_back_goes_on(gate: Gate) -> None:
    async with drawing(gate) as person:
        await person.app.run_action("app.instrument('explore')")
        await until(person, lambda: gate.running == 0)
        gate.open.set()
        await person.press("3")
        person.sees("equal at")
        assert gate.running == 0


async def test_a_sweep_goes_on_while_the_terminal_is_resized(gate: Gate) -> None:
    async with drawing(gate) as person:
        await person.pilot.resize_terminal(*WIDE)
        await person.until_sees("the middle half")
        await person.pilot.resize_terminal(*NARROW)
        await person.pilot.resize_terminal(*MEDIUM)
        gate.open.set()
        await person.press("f5")
        person.sees("equal at")
        assert gate.started == 1


async def test_a_late_answer_is_dropped(gate: Gate) -> None:
    async with drawing(gate) as person:
        await person.pilot.press("a")
        await until(person, lambda: gate.started == 2)
        gate.open.set()
        await person.press("f5")
        answer = person.screen(SweepScreen).answer
        assert answer is not None
        assert answer.settings.seed == 2
        assert answer.progress == 1.0
        assert gate.running == 0
