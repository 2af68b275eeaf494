"""The full picture: what it shows and hides, the way back, and d_k that plays in it."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.timer import Timer

from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui import full
from attn_tui.old.tui.full import STEPS, FullPicture
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.job import Job
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, settle

SMALL = sweep.Settings(n=64, n_range=(2, 512), map_points=8, draws=160, view="map", ratio=True)
DRAFTS = {
    "explore": EXAMPLE,
    "dots": EXAMPLE,
    "sweep": Draft(EXAMPLE.text, Setup(256).put(SMALL)),
}
VECTORS = Draft("q: 1, 0\nK: [[1, 0], [0, 1]]", Setup(), "vectors")


class Pace:
    """Lets the time between two steps pass when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waiting: dict[Timer, Callable[[], None]] = {}
        set_timer, waiting = InstrumentScreen.set_timer, self.waiting

        def caught(screen: Any, delay: float, callback: Any, **more: Any) -> Timer:
            timer = set_timer(screen, 1e6 if delay == full.PACE else delay, callback, **more)
            if delay == full.PACE:
                waiting[timer] = callback
                stop = timer.stop
                monkeypatch.setattr(
                    timer, "stop", lambda: (waiting.pop(timer, None), stop()), raising=False
                )
            return timer

        monkeypatch.setattr(InstrumentScreen, "set_timer", caught)

    def fire(self) -> None:
        """Let the one timer that waits fire."""
        ((timer, callback),) = self.waiting.items()
        del self.waiting[timer]
        callback()

    async def go_on(self, person: Person, steps: int = 1) -> list[int]:
        """Let steps be taken, and return where d_k was."""
        seen = []
        for _ in range(steps):
            self.fire()
            await settle(person.pilot)
            seen.append(d_k(person))
        return seen


@pytest.fixture
def pace(monkeypatch: pytest.MonkeyPatch) -> Pace:
    return Pace(monkeypatch)


def d_k(person: Person) -> int:
    return person.asked.draft.setup.d_k


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
@pytest.mark.parametrize("name", DRAFTS)
async def test_one_picture_and_its_headline_are_all_there_is_and_both_keys_lead_back(
    name: str, size: tuple[int, int]
) -> None:
    async with at_screen(size, DRAFTS[name], instrument=name) as person:
        before, focused = person.text, person.app.focused
        said = person.lines[1]
        for back in ("f", "escape"):
            await person.press("f")
            assert person.lines[0] == said
            assert person.lines[2].startswith("d_k 1")
            assert not any(re.match("[─…] ?\\w.*│ ", line) for line in person.lines)
            person.misses("Explore", "Moments", "attn-tui")
            assert person.lines[-1].strip().startswith("space Play  esc Back  -+ d_k")
            await person.press(back)
            assert person.text == before
            assert person.app.focused is focused


async def test_bars_are_as_thick_as_fits_and_a_click_finds_their_key() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("f")
        bars = ["█" in line for line in person.lines[4:-1]]
        assert bars == [*[*[True] * 5, False] * 3, False]
        await person.click("ExploreTable", 20, 10)
        assert person.line_with("▸").split()[1] == "1"


async def test_a_chart_that_has_the_keys_is_the_picture_and_other_views_are_left_there() -> None:
    async with at_screen() as person:
        await person.press("shift+tab")
        before = person.text
        await person.press("f")
        person.sees("p of the 3 largest keys")
        person.misses("divided by 32")
        await person.press("t")
        person.misses("p of the 3 largest keys")
        await person.press("escape")
        assert person.text == before


async def test_the_full_picture_follows_the_terminals_size() -> None:
    async with at_screen(WIDE) as person:
        await person.press("f")
        for size in (NARROW, MEDIUM, WIDE):
            await person.resize(*size)
            person.misses("Explore", "effective keys")
            person.sees("space Play")
        await person.resize(*MEDIUM)
        await person.press("escape")
        after = person.text
    async with at_screen(MEDIUM) as person:
        assert person.text == after


async def test_keys_go_on_working_and_a_value_can_be_typed(pace: Pace) -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("f", "right_square_bracket", "minus", "minus")
        assert d_k(person) == 896
        await person.press("d")
        await person.write("64\n")
        assert d_k(person) == 64
        await person.press("d", "escape")
        person.sees("space Play")
        await person.press("e", "escape", "escape")
        person.sees("1 Explore")


async def test_play_goes_to_both_ends_and_is_one_step_of_history(pace: Pace) -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("f", "space")
        person.sees("space Stop")
        places = [d_k(person), *await pace.go_on(person, 22)]
        assert places == [*STEPS[11:], *STEPS[-2::-1], 2]
        await person.press("u")
        assert d_k(person) == 1024
        await pace.go_on(person)
        assert d_k(person) == 1024
        person.sees("space Play")
        await person.press("U")
        assert d_k(person) == 2


async def test_a_step_waits_until_the_last_one_is_drawn(
    pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("f", "space")
        await pace.go_on(person)
        for _ in range(5):
            # Nothing is shown in between, however often the time comes.
            pace.fire()
        await settle(person.pilot)
        assert d_k(person) == 8192
        monkeypatch.setattr(full.FullPicture, "is_drawn", False)
        assert await pace.go_on(person, 3) == [8192] * 3
        monkeypatch.undo()


Deed = Callable[[Person], Awaitable[None]]


def pressed(*keys: str) -> Deed:
    async def deed(person: Person) -> None:
        await person.press(*keys)

    return deed


async def dragged(person: Person) -> None:
    await person.click("#slider", 10)


@pytest.mark.parametrize(
    "deed",
    [
        pressed("space"),
        pressed("right_square_bracket"),
        pressed("minus"),
        pressed("right_curly_bracket"),
        pressed("d"),
        pressed("u"),
        pressed("escape"),
        pressed("f"),
        pressed("r"),
        pressed("2"),
        dragged,
    ],
)
async def test_what_moves_d_k_or_leaves_stops_it(deed: Deed, pace: Pace) -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("f", "space")
        await deed(person)
        stopped = d_k(person)
        for _ in range(2):
            if pace.waiting:
                await pace.go_on(person)
        assert not pace.waiting
        assert d_k(person) == stopped


async def test_a_key_that_can_move_d_k_no_further_stops_it(pace: Pace) -> None:
    async with at_screen(MEDIUM, Draft(EXAMPLE.text, Setup(32_768))) as person:
        await person.press("f", "space")
        assert d_k(person) == 65_536
        await person.press("right_square_bracket")
        await pace.go_on(person)
        assert not pace.waiting
        assert d_k(person) == 65_536


async def test_play_never_runs_twice(pace: Pace) -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("f", *["space"] * 7)
        assert len(pace.waiting) == 1
        await person.press("space", "escape", "f", "space", "escape")
        assert not pace.waiting


async def test_space_plays_whatever_has_the_keys(pace: Pace) -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("f", "tab", "space")
        person.sees("space Stop")
        await person.press("space", "escape", "tab", "space")
        person.misses("space Stop")
        assert not pace.waiting


async def test_where_q_and_k_say_what_d_k_is_it_says_so_and_does_not_play(pace: Pace) -> None:
    async with at_screen(MEDIUM, VECTORS) as person:
        await person.press("f", "space")
        person.sees("d_k is the length of q")
        assert not pace.waiting
        person.sees("space Play")


async def test_the_cursor_of_a_sweep_plays(pace: Pace) -> None:
    async with at_screen(MEDIUM, DRAFTS["sweep"], instrument="sweep") as person:
        await person.press("f", "space")
        assert [d_k(person), *await pace.go_on(person, 2)] == [512, 1024, 2048]
        person.sees("d_k = 2,048")


class Screen:
    """A screen whose answer comes bit by bit."""

    def __init__(self, job: Job[str], due: bool = False) -> None:
        self.job = job
        self.charting = self
        self.due = due


def test_the_first_of_an_answer_that_grows_is_waited_for_and_not_the_rest() -> None:
    job = Job[str]().asked("?", 0.0)
    for there, screen in (
        (False, Screen(job)),
        (True, Screen(job.grown("first", 0.1))),
        (False, Screen(job.grown("first", 0.1), due=True)),
        (True, Screen(job.ended())),
    ):
        part: FullPicture[Any] = FullPicture(screen)
        assert part.is_drawn is there


async def test_it_goes_along_to_another_instrument_and_back() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("f")
        for key in ("2", "3", "1"):
            await person.press(key)
            assert "esc Back" in person.lines[-1]
        await person.press("2", "escape", "1")
        for key in ("3", "2", "1"):
            assert "q Quit" in person.lines[-1]
            await person.press(key)
