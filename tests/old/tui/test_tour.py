"""The tour on the screen: guesses, tasks, detours, leaving and coming back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from attn_tui.commands.asked import asked_by
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.app import AttnApp
from attn_tui.old.tui.explore.screen import ExploreScreen
from attn_tui.old.tui.running import opening
from attn_tui.old.tui.scene import LOW
from attn_tui.old.tui.tour_rows import panel
from attn_tui.old.tui.widgets.tour_pane import TourPane
from attn_tui.report.rows import plain
from attn_tui.tour.reader import our_tour, read_tour
from attn_tui.tour.step import Progress, Tour
from attn_tui.ui import memory
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Clock, Person, settle, still

LESSON = """
[[step]]
ask = "show 1,2,3 --d-k 16"
say = "Three scores, divided by 4."
guess = "Who takes the largest weight?"
answers = ["key zero", "key one", "key two"]
right = "key two"
do = "Hold + until d_k is 64."
until = "d_k >= 64"
why = "It has the largest score."

[[step]]
ask = "dot --d-k 4 --samples 1000"
say = "Products of four."
do = "Move d_k to 16."
until = "d_k == 16"
why = "That is four times as many."
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "attn-tui" / "tour"


@pytest.fixture
def lesson(tmp_path: Path) -> Tour:
    path = tmp_path / "lesson.toml"
    path.write_text(LESSON, "utf-8")
    return read_tour(str(path), asked_by)


@asynccontextmanager
async def on_tour(
    tour: Tour | None, size: tuple[int, int] = MEDIUM, draft: Draft = EXAMPLE
) -> AsyncIterator[Person]:
    """Start the program on a tour, or without one; it is settled once the first step is shown."""
    clock = Clock()
    app = AttnApp(opening(draft), clock=clock, tour=tour)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        person = Person(app, pilot, clock)
        if tour:
            await person.until_sees(f" of {len(tour.steps)} ·" if size[1] > LOW else "1/")
            await settle(pilot)
        still(app)
        yield person


def key_line(person: Person) -> str:
    """Return the table's line of the key with the largest score."""
    return person.line_with(lambda line: "  2" in line[:8] and " 3 " in line)


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_the_answer_is_covered_until_there_is_a_guess(
    lesson: Tour, size: tuple[int, int]
) -> None:
    async with on_tour(lesson, size) as person:
        person.sees("Three scores, divided by 4.", "Who takes the largest", "key one", "?")
        person.misses("Unscaled", "█", "0.42", "Hold +")
        if size == WIDE:
            assert person.line_with("softmax(").rstrip().endswith(")")
        await person.press("right", "right", "enter")
        person.sees("Right: key two.", "Hold + until", "█")
        person.misses("Three scores", "key one", "guessed")
        assert isinstance(person.app.focused, type(person.screen(ExploreScreen).drawer.home))


async def test_a_wrong_guess_is_told_with_the_right_answer(lesson: Tour) -> None:
    async with on_tour(lesson) as person:
        await person.press("enter")
        person.sees("Your guess: key zero. Right: key two.")


@pytest.mark.parametrize("way", ["held", "typed", "dragged", "found"])
async def test_a_task_is_done_in_every_way(lesson: Tour, way: str) -> None:
    async with on_tour(lesson) as person:
        await person.press("enter")
        match way:
            case "held":
                await person.hold("plus", 3)
                person.misses("It has the largest score.")
                await person.hold("plus", 5)
            case "typed":
                await person.press("d")
                await person.write("100\n")
            case "dragged":
                await person.click("#slider", 60)
            case "found":
                await person.press("slash")
                await person.write("d_k 64\n")
        person.sees("It has the largest score.", "enter: the next step")
        await person.press("minus", "minus")
        person.sees("It has the largest score.")
        await person.press("enter")
        person.sees("Products of four.", "Move d_k to 16.")
        assert person.app.current_mode == "dots"
        person.misses("covered")


async def test_what_was_done_before_the_guess_counts_only_if_it_still_holds(lesson: Tour) -> None:
    async with on_tour(lesson) as person:
        await person.put("d_k", "64")
        await person.put("d_k", "32")
        await person.press("enter")
        person.sees("Hold + until")
    async with on_tour(lesson) as person:
        await person.press("x", "down", "down", "enter")
        await person.put("d_k", "64")
        await person.press("enter")
        person.sees("It has the largest score.")


async def test_a_click_picks_an_answer_and_goes_on(lesson: Tour) -> None:
    async with on_tour(lesson) as person:
        pane = person.app.screen.query_one(TourPane)
        line = person.lines[pane.region.y + 1]
        await person.click("#tour", line.index("key two") + 2, 1)
        person.sees("Right: key two.")
        await person.put("d_k", "64")
        await person.click("#tour", 3, 1)
        person.sees("Products of four.")


async def test_escape_comes_back_from_a_detour_and_then_leaves(lesson: Tour) -> None:
    own = replace(EXAMPLE, text="5, 6, 7", setup=Setup(256))
    async with on_tour(lesson, draft=own) as person:
        await person.press("enter")
        await person.put("d_k", "32")
        await person.press("3")
        person.sees("Tour 1 of 2 · esc goes back to it.")
        await person.press("escape")
        assert person.app.current_mode == "explore"
        assert person.asked.draft.setup.d_k == 32
        person.sees("Hold + until")
        await person.run("examples.show('ties')")
        person.sees("esc goes back to it")
        person.misses("Keys 0 and 1 tie, so")
        await person.press("escape")
        assert person.asked.draft.text == "a: 1, 2, 3"
        await person.press("tab", "escape")
        person.sees("Hold + until")
        await person.press("escape")
        person.misses("Tour", "Hold +")
        assert person.asked.draft == opening(own)


async def test_what_is_done_on_a_tour_is_no_step_of_what_is_asked_beside_it() -> None:
    async with on_tour(None) as person:
        await person.put("d_k", "64")
        await person.run("app.tour('begin')")
        await person.press("enter")
        await person.put("d_k", "32")
        await person.press("escape", "u")
        assert person.asked.draft == opening(EXAMPLE)
        await person.press("U")
        assert person.asked.draft.setup.d_k == 64


async def test_each_step_is_one_step_of_history(lesson: Tour) -> None:
    async with on_tour(lesson) as person:
        assert len(person.app.history.past) == 1
        await person.press("enter")
        await person.put("d_k", "64")
        await person.press("enter")
        assert len(person.app.history.past) == 3
        await person.press("u", "u", "u")
        assert person.asked.draft == opening(EXAMPLE)


async def test_it_is_taken_up_where_it_was_left(lesson: Tour, state: Path) -> None:
    async with on_tour(lesson) as person:
        await person.press("right", "enter")
        await person.put("d_k", "64")
        await person.press("enter", "escape")
        assert person.app.current_mode == "explore"
        await person.press("x", "enter")
        person.sees("Products of four.")
    async with on_tour(lesson) as person:
        person.sees("Products of four.")
        await person.put("d_k", "16")
        person.sees("what you have seen")
        await person.press("enter")
        person.sees("0 of 1 guesses were right.", "Your guess: key one. Right: key two.")
        person.sees("the largest score.", "That is four times as many.")
        await person.press("escape")
        assert person.asked.draft == opening(EXAMPLE)
    async with on_tour(lesson) as person:
        person.sees("Three scores")
    for spoilt in (b"\xff", b"[1]", b'{"%s": {"step": 7, "picks": 3}}' % lesson.name.encode()):
        state.write_bytes(spoilt)
        assert memory.remembered_tour(lesson.name) in ((0, ()), (7, ()))
        async with on_tour(lesson) as person:
            person.sees("Three scores")


async def test_a_lesson_that_is_another_one_is_begun_anew(lesson: Tour) -> None:
    memory.remember_tour("other", 1, (1,))
    memory.remember_tour(lesson.name, 1, (2, None))
    assert memory.remembered_tour("other") == (1, (1,))
    for at in range(memory.MOST_TOURS):
        memory.remember_tour(f"tour {at}", at, ())
    assert memory.remembered_tour(lesson.name) == (0, ())


async def test_what_was_looked_at_is_looked_at_again(lesson: Tour) -> None:
    async with on_tour(None) as person:
        await person.press("p", "down")
        await person.run("looking.tab('jacobian')")
        before = person.screen(ExploreScreen).view
        await person.run("app.tour('begin')")
        person.misses("pinned")
        assert person.app.current_mode == "dots"
        await person.press("1")
        await person.press("escape", "escape")
        view = person.screen(ExploreScreen).view
        assert replace(view, follows=before.follows) == before


async def test_ours_is_offered_at_the_start_and_under_x(lesson: Tour) -> None:
    clock = Clock()
    app = AttnApp(opening(EXAMPLE), clock=clock, guided=True)
    async with app.run_test(size=MEDIUM) as pilot:
        await settle(pilot)
        person = Person(app, pilot, clock)
        person.sees("x tour")
        await person.press("x")
        person.sees("The tour: a guess at every step")
        await person.press("enter")
        person.sees("Tour 1 of 12", "q·k multiplies two vectors")
        person.misses("Hold -")
        await person.press("slash")
        await person.write("lesson")
        person.sees("The tour from its first step")


async def test_enter_is_for_what_is_typed_and_for_a_dialogue_first(lesson: Tour) -> None:
    async with on_tour(lesson) as person:
        await person.press("enter")
        await person.put("d_k", "64")
        await person.press("d", "8", "0", "enter")
        assert person.asked.draft.setup.d_k == 80
        await person.press("r", "enter", "tab", "enter", "escape", "escape")
        person.sees("It has the largest score.")
        await person.press("f")
        person.misses("Tour 1")
        await person.press("escape")
        person.sees("It has the largest score.")


def test_the_right_answer_has_room_on_the_smallest_screen() -> None:
    tour = our_tour(asked_by)
    for at, step in enumerate(tour.steps):
        assert step.guess
        right = step.guess.answers[step.guess.right]
        for pick in range(3):
            rows = panel(Progress(tour, at).picked(pick), False, 40, low=True).rows
            text = " ".join(plain([row]).strip() for row in rows)
            assert f"{'Right' if pick == step.guess.right else 'No'}: {right}." in text
            assert text.endswith(step.task)
            assert len(rows) <= 3


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_the_key_bar_says_how_to_go_on_and_to_leave_at_every_phase(
    lesson: Tour, size: tuple[int, int]
) -> None:
    async with on_tour(lesson, size) as person:
        assert "esc Leave" in person.lines[-1]
        await person.press("enter")
        assert "x Skip" in person.lines[-1]
        assert "esc Leave" in person.lines[-1]
        await person.press("3")
        assert "esc Back" in person.lines[-1]
        await person.press("escape", "x")
        person.sees("Go on without what there is to do")
        await person.press("enter")
        person.sees("It has the largest")
        assert "enter Next" in person.lines[-1]
        assert "esc Leave" in person.lines[-1]
        await person.press("x")
        person.misses("Go on without")
        await person.press("escape", "enter")
        person.sees("Move d_k to 16.")
        await person.press("enter")
        person.sees("Not done yet")
        await person.put("d_k", "16")
        await person.press("enter", "escape")
        assert person.asked.draft == opening(EXAMPLE)
        assert not {"Skip", "Leave"} & {*person.lines[-1].split()}
