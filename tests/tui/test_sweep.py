"""The Sweep screen, as a person uses it."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep import answer as compute_sweep
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.settings import Settings, View
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.opening import open_draft
from attn_tui.tui.sweep import results
from attn_tui.tui.sweep.drawing import number_lines
from attn_tui.tui.sweep.screen import SweepScreen
from attn_tui.tui.widgets.canvas import Canvas
from tests.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen

SMALL = Settings(n=8, points=8, map_points=5, n_range=(2, 512), draws=320)


def draft(**changes: Any) -> Draft:
    return Draft(EXAMPLE.text, Setup(64).put(replace(SMALL, **changes)))


@asynccontextmanager
async def at_sweep(
    size: tuple[int, int] = MEDIUM, start: Draft | None = None
) -> AsyncIterator[Person]:
    async with at_screen(size, start or draft()) as person:
        await person.app.run_action("app.instrument('sweep')")
        await person.press("f5")
        yield person


def screen_of(person: Person) -> SweepScreen:
    screen = person.app.screen_stack[0]
    assert isinstance(screen, SweepScreen)
    return screen


def settings_of(person: Person) -> Settings:
    return person.asked.draft.setup.get(Settings)


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
        await person.until_sees("x stops")
        await until(person, lambda: screen_of(person).answer is not None)
        await person.until_sees("A unscaled")
        yield person


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_it_says_where_removing_the_scale_enlarges_the_median(size: tuple[int, int]) -> None:
    async with at_sweep(size) as person:
        person.sees("‖∂p/∂s‖_F", "A unscaled")
        person.sees("d* 102")
        person.misses("x stops")
        words = screen_of(person).query_one("#words", Canvas)
        said = " ".join(" ".join(person.lines[words.region.y : words.region.bottom]).split())
        if size == NARROW:
            assert said == (
                "Unscaled the median is larger from d_k 2 to 102 [58.9 to 166], then smaller."
            )
        else:
            assert said.startswith("With 8 keys, removing 1/√d_k makes the median ‖∂p/∂s‖_F larger")
            assert said.endswith(".")


async def test_what_is_not_said_for_want_of_room_stands_in_the_numbers() -> None:
    async with at_sweep(MEDIUM) as person:
        person.misses("goes from")
        await person.press("i", "tab", "tab", *["down"] * 14)
        text = " ".join(person.text.split())
        assert "Unscaled, the median ‖∂p/∂s‖_F goes from 0.348 at d_k = 1 to" in text


@pytest.mark.parametrize("view", ["curves", "map"])
async def test_a_ratio_where_nothing_is_scaled_is_one(view: View) -> None:
    setup = Setup(64, Scale("none")).put(replace(SMALL, view=view))
    async with at_sweep(WIDE, Draft(EXAMPLE.text, setup)) as person:
        await person.press("slash", "o", "i")
        person.sees("unscaled")
        assert screen_of(person).view.shown.ratio


async def test_d_k_moves_on_both_screens() -> None:
    async with at_sweep() as person:
        before = person.line_with("mean, median: A")
        await person.press("]", "]", "]")
        assert person.asked.experiment.setup.d_k == 112
        assert person.line_with("mean, median: A") != before
        await person.press("1")
        person.sees("112")


async def test_arrows_move_the_cursor_from_place_to_place() -> None:
    async with at_sweep() as person:
        places = sorted({point.d_k for point in screen_of(person).answer.points})  # type: ignore[union-attr]
        await person.press("tab", "tab", "right")
        assert person.asked.experiment.setup.d_k == places[4]
        person.sees(f"d_k {places[4]:,} mean, median: A")
        await person.press("left", "left")
        assert person.asked.experiment.setup.d_k == places[2]
        await person.press(*["left"] * 9)
        assert person.asked.experiment.setup.d_k == places[0]


async def test_n_has_a_slider_and_can_be_typed() -> None:
    async with at_sweep() as person:
        await person.press("full_stop")
        assert settings_of(person).n == 12
        person.sees("With 12 keys")
        await person.press("comma", "n")
        await person.write("16")
        await person.press("enter")
        assert settings_of(person).n == 16
        await person.press("tab", "right")
        assert settings_of(person).n == 24
        await person.press("u")
        assert settings_of(person).n == 16


@pytest.mark.parametrize(
    ("keys", "text", "said"),
    [
        (("n",), "1", "will not do"),
        (("g",), "9:3", "'9:3' will not do"),
        (("g",), "3:3", "'3:3' is empty"),
        (("g",), "12", "not a range"),
        (("G",), "1:5", "will not do"),
        (("A",), "x", "not a whole number"),
        (("A",), "-1", "will not do"),
        (("m",), "0", "will not do"),
        (("m",), "100000", "at most 65,536"),
        (("p",), "1", "will not do"),
        (("R",), "nothing", "not a rule"),
        (("R",), "none,none", "twice"),
    ],
)
async def test_bad_input_is_said_beside_it_and_the_picture_stays(
    keys: tuple[str, ...], text: str, said: str
) -> None:
    async with at_sweep(WIDE) as person:
        before, asked = person.lines[6:30], settings_of(person)
        await person.press(*keys)
        await person.write(text)
        await person.press("enter")
        assert said in " ".join(line[:60].strip() for line in person.lines[2:6])
        assert settings_of(person) == asked
        assert set(before[:6]) & set(person.lines)
        await person.press("escape")
        assert person.lines[6:30] == before


async def test_another_statistic_comes_at_once(gate: Gate) -> None:
    gate.open.set()
    async with at_sweep() as person:
        assert gate.started == 1
        asked = person.asked
        await person.press("s", "home", "down", "enter")
        person.sees("H, log", "= exact")
        await person.press("slash")
        person.sees("H unscaled over scaled")
        # It is looked at, and not asked: there is nothing to undo.
        assert person.asked is asked
        await person.press("u")
        person.sees("Nothing to undo", "H unscaled over scaled")
        screen_of(person).action_statistic("gradient")
        await person.press("slash")
        person.sees("‖∂p/∂s‖_F, log")
        assert gate.started == 1


async def test_what_is_looked_at_is_saved_and_is_what_a_file_begins_with(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    async with at_sweep(WIDE, draft(statistic="entropy", ratio=True)) as person:
        person.sees("H unscaled over scaled")
        screen_of(person).action_statistic("trace")
        await person.press("slash", "ctrl+s", "ctrl+u")
        await person.paste(str(path))
        await person.press("enter")
        await person.until_sees("Saved")
    settings = json.loads(path.read_text())["experiment"]["settings"]["sweep"]
    assert (settings["statistic"], settings.get("ratio", False)) == ("trace", False)
    async with at_sweep(WIDE, open_draft(str(path), Setup())) as person:
        person.sees("tr J, log")


async def test_a_sweep_seen_before_comes_at_once(gate: Gate) -> None:
    gate.open.set()
    async with at_sweep() as person:
        await person.press("a")
        assert settings_of(person).seed == 2
        assert gate.started == 2
        await person.press("u")
        assert gate.started == 2
        person.sees("d* 102")


async def test_a_stopped_sweep_keeps_what_it_has_and_goes_on(gate: Gate) -> None:
    async with drawing(gate) as person:
        await person.press("x")
        person.sees("Stopped at", "x goes on", "A unscaled")
        await until(person, lambda: gate.running == 0)
        await person.press("]")
        person.sees("Stopped at")
        gate.open.set()
        await person.press("x")
        person.sees("d* 102")
        person.misses("Stopped")
        assert gate.started == 2


async def test_a_sweep_stopped_at_once_says_so_and_goes_on(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "first", 0)
    async with at_screen(MEDIUM, draft()) as person:
        await person.app.run_action("app.instrument('sweep')")
        await person.until_sees("x stops")
        await person.press("x")
        person.sees("Stopped before anything was drawn; x goes on.", "Nothing is drawn yet")
        await until(person, lambda: gate.running == 0)
        gate.open.set()
        await person.press("x")
        person.sees("d* 102")
        person.misses("Stopped")


async def test_leaving_the_screen_stops_a_sweep_and_coming_back_goes_on(gate: Gate) -> None:
    async with drawing(gate) as person:
        await person.app.run_action("app.instrument('explore')")
        await until(person, lambda: gate.running == 0)
        gate.open.set()
        await person.press("3")
        person.sees("d* 102")
        assert gate.running == 0


async def test_a_sweep_goes_on_while_the_terminal_is_resized(gate: Gate) -> None:
    async with drawing(gate) as person:
        await person.pilot.resize_terminal(*WIDE)
        await person.until_sees("letters mean")
        await person.pilot.resize_terminal(*NARROW)
        await person.pilot.resize_terminal(*MEDIUM)
        gate.open.set()
        await person.press("f5")
        person.sees("d* 102")
        assert gate.started == 1


async def test_a_late_answer_is_dropped(gate: Gate) -> None:
    async with drawing(gate) as person:
        await person.pilot.press("a")
        await until(person, lambda: gate.started == 2)
        gate.open.set()
        await person.press("f5")
        answer = screen_of(person).answer
        assert answer is not None
        assert answer.settings.seed == 2
        assert answer.progress == 1.0
        assert gate.running == 0


async def test_rules_are_chosen_together_or_typed() -> None:
    async with at_sweep(WIDE, draft(crossovers=False)) as person:
        await person.press("r")
        person.sees("[x] inverse-sqrt", "[x] none", "[ ] inverse:")
        await person.press("down", "down", "space", "escape")
        assert settings_of(person).rules == ("none", "inverse-sqrt", "inverse")
        person.sees("C 1/d_k")
        await person.press("R")
        await person.write("none, temperature:T=4")
        await person.press("enter")
        person.sees("B 1/T, T = 4")
        await person.press("R", "ctrl+u", "enter")
        assert settings_of(person).rules == ()


@pytest.mark.parametrize("view", ["curves", "map"])
async def test_a_sweep_of_one_place_can_be_opened(view: str) -> None:
    async with at_sweep(start=draft(view=view, n_range=(8, 8), d_k_range=(32, 32))) as person:
        person.sees(
            "g d_k 32:32", "d_k 32 mean, median: A" if view == "curves" else "n = 8, d_k = 32"
        )
        await person.press("tab", "tab", "right", "i")
        person.sees("At n = 8, d_k = 32:")


async def test_numbers_stand_in_place_of_the_chart() -> None:
    async with at_sweep() as person:
        await person.press("i")
        person.sees("At n = 8, d_k = 48:", "median     from", "[58.9 to 166]", "‖∂L/∂q‖, n = 8")
        await person.press("tab", "tab", "down", "down")
        person.misses("the Frobenius norm of")
        await person.press("i")
        person.sees("A unscaled")


def test_numbers_say_which_crossovers_are_not_finished() -> None:
    (*_, found) = compute_sweep.answer(Experiment(Drawn(8), draft().setup))
    one, *others = found.crossovers
    some = replace(found, crossovers=(replace(one, finished=False), *others))
    lines = [line for line in number_lines(some, (8, 48), 100) if "]" in line]
    assert [line.endswith("[58.9 to 166], so far") for line in lines[1:]] == [True, False, False]
    assert not any("so far" in line for line in number_lines(found, (8, 48), 100))


async def test_the_chart_is_looked_at_another_way() -> None:
    async with at_sweep(WIDE) as person:
        person.sees("of A's lower ends")
        await person.press("z")
        person.misses("lower ends")
        await person.press("l")
        person.sees("‖∂p/∂s‖_F, 0 to 0.5")
        await person.press("b")
        person.misses("10 to 90 %")
        await person.app.run_action("app.ascii")
        await person.press("f5")
        person.sees("letters mean, lines median")
        person.misses("⠉", "┃")


async def test_d_k_of_typed_queries_is_held() -> None:
    start = Draft("q: 1, 0\nK: 1, 0\nK: 0, 1", Setup(2).put(SMALL), "vectors")
    async with at_sweep(start=start) as person:
        await person.press("]")
        assert person.asked.experiment.setup.d_k == 2
        person.sees("d_k is the length of q")


async def test_a_rule_that_yields_no_multiplier_is_said_and_the_picture_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with at_sweep() as person:

        def refused(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
            Scale("nothing")
            yield from ()

        monkeypatch.setattr(results, "answer", refused)
        await person.press("a")
        person.sees("is not a rule", "A unscaled")


@pytest.mark.parametrize("size", [WIDE, MEDIUM])
async def test_what_is_drawn_names_the_keys_that_change_it(size: tuple[int, int]) -> None:
    async with at_sweep(size, draft(crossovers=False)) as person:
        person.sees("g d_k 1:8192", "A seed 1", "p 8 places", "m 320 draws")
        person.misses("G n")
        await person.press("t")
        person.sees("G n 2:512", "A seed 1", "p 8 places", "m 320 draws")
        await person.press("t")
        person.sees("g d_k 1:8192", "G n 2:512", "A seed 1", "p 5×5 places", "m 320 draws")


async def test_every_pane_explains_itself() -> None:
    async with at_sweep(WIDE) as person:
        for keys, title in (((), "Rules"), (("tab",), "Drawn vectors"), (("tab",), "Charts")):
            await person.press(*keys, "question_mark")
            person.sees(title, "Source:")
            await person.press("escape")
