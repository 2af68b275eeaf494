"""The tour in use: guessing, doing the task, skipping, looking elsewhere and coming back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Markdown, OptionList, Static, TextArea

from attn_tui.console.asking import asked_by
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.tour.pane import TourPane
from attn_tui.tour.reader import our_tour, read_tour
from attn_tui.tour.step import Progress
from attn_tui.ui import repeat
from attn_tui.ui.app import AttnApp
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.keys import KeysFooter
from attn_tui.ui.pane import Pane
from attn_tui.ui.slider import Slider

LESSON = """\
[[step]]
ask = "dot --d-k 4"
say = "Of four products."
guess = "Of 64?"
answers = ["the same", "four times", "[/] times"]
right = "four times"
do = "Raise d_k to 64."
until = "d_k >= 64"
why = "Four times, for √16 is 4."

[[step]]
ask = "show 1,2,3 --d-k 16"
say = "Three scores."
do = "Raise d_k to 32."
until = "d_k >= 32"
why = "They grow alike."
"""


OURS = our_tour(asked_by)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@asynccontextmanager
async def on_tour(
    folder: Path,
    size: tuple[int, int] = (120, 40),
    lesson: str = LESSON,
    place: int | None = None,
) -> AsyncIterator[Pilot[None]]:
    path = folder / "lesson.toml"
    path.write_text(lesson, "utf-8")
    app = AttnApp(EXAMPLE, tour=read_tour(str(path), asked_by), place=place)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


async def settle(pilot: Pilot[None]) -> None:
    await pilot.app.workers.wait_for_complete()
    for _ in range(4):
        await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def texts(pilot: Pilot[None]) -> str:
    pane = pilot.app.screen.query_one(TourPane)
    return "\n".join(str(widget.render()) for widget in pane.query(Static))


def is_body_seen(pilot: Pilot[None]) -> bool:
    return bool(pilot.app.screen.query_one("#body").display)


@pytest.mark.slow
async def test_nothing_of_the_answer_is_seen_or_suggested_before_the_guess(tmp_path: Path) -> None:
    async with on_tour(tmp_path) as pilot:
        answers = pilot.app.screen.query_one(OptionList)
        assert not is_body_seen(pilot)
        assert not pilot.app.screen.query_one("#headline").display
        assert answers.has_focus
        assert answers.highlighted == 0
        assert "↑ ↓ choose, enter answers" in texts(pilot)
        # Nothing changes either, and the footer offers no key that would change anything.
        await press(pilot, "plus", "r", "t")
        assert not is_body_seen(pilot)
        assert pilot.app.screen is answers.screen
        app = pilot.app
        assert isinstance(app, AttnApp)
        assert app.history.present.experiment.setup.d_k == 4
        keys = [str(key.render()) for key in pilot.app.screen.query_one(KeysFooter).children]
        assert not [key for key in keys if "Rule" in key or "View" in key]
        await press(pilot, "down", "down", "enter")
        assert is_body_seen(pilot)
        assert isinstance(pilot.app.screen.focused, Slider)
        assert "Your guess: [/] times. Right: four times." in texts(pilot)
        assert "Raise d_k to 64." in texts(pilot)


@pytest.mark.slow
async def test_a_step_is_done_in_whatever_way_and_enter_leads_on(tmp_path: Path) -> None:
    async with on_tour(tmp_path) as pilot:
        await pilot.click("#answers", offset=(4, 1))
        await settle(pilot)
        assert "Right: four times." in texts(pilot)
        await press(pilot, "enter")
        assert pilot.app.current_mode == "dots"
        await press(pilot, "d", "6", "4", "enter")
        assert "Four times, for √16 is 4." in texts(pilot)
        await press(pilot, "enter")
        assert pilot.app.current_mode == "explore"
        assert "Tour 2 of 2" in texts(pilot)
        assert is_body_seen(pilot)
        await press(pilot, "right_curly_bracket", "enter")
        summary = pilot.app.screen.query_one(Markdown).source
        assert summary.startswith("Right guesses: 1 of 1.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        "show 1,2,3",
        *(
            pytest.param(line, marks=pytest.mark.slow)
            for line in ("dot", "sweep --draws 40", "attention --n 4")
        ),
    ],
)
async def test_enter_leads_on_wherever_the_focus_is(tmp_path: Path, asked: str) -> None:
    lesson = LESSON.replace("dot --d-k 4", asked).replace("d_k >= 64", "d_k >= 4096")
    async with on_tour(tmp_path, lesson=lesson) as pilot:
        app, screen = pilot.app, pilot.app.screen
        assert isinstance(app, AttnApp)
        await press(pilot, "x", "x")
        assert app.guide is not None
        done = app.guide.progress
        stops = [
            widget for widget in screen.focus_chain if not isinstance(widget, Input | TextArea)
        ]
        for place in range(len(stops)):
            app.guide.progress = done
            app.guide.begin()
            await settle(pilot)
            screen.set_focus(stops[place])
            await press(pilot, "enter")
            assert app.guide.progress.at == 1, stops[place]


@pytest.mark.slow
async def test_in_a_setting_enter_changes_the_setting(tmp_path: Path) -> None:
    async with on_tour(tmp_path) as pilot:
        app = pilot.app
        assert isinstance(app, AttnApp)
        await press(pilot, "x", "x", "g", "enter")
        assert app.guide is not None
        assert app.guide.progress.at == 0
        assert isinstance(app.screen, InstrumentScreen)


def test_the_first_answer_counts_and_a_step_that_is_done_stays_done(tmp_path: Path) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text(LESSON, "utf-8")
    progress = Progress(read_tour(str(path), asked_by))
    assert progress.picked(2).picked(1).pick == 2
    done = progress.skipped().skipped()
    assert done.seen(parse(progress.step.draft)).phase == "done"


@pytest.mark.slow
async def test_x_goes_on_without_a_guess_and_without_the_task(tmp_path: Path) -> None:
    async with on_tour(tmp_path) as pilot:
        await press(pilot, "x")
        assert "Of four products." in texts(pilot)
        await press(pilot, "x")
        assert "Four times, for √16 is 4." in texts(pilot)


@pytest.mark.slow
async def test_an_enter_that_is_held_on_the_next_step_does_not_answer_its_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = LESSON.partition("\n[[step]]")[0]
    now = 100.0
    monkeypatch.setattr(repeat, "monotonic", lambda: now)
    async with on_tour(tmp_path, lesson=f"{first}\n{first}") as pilot:
        await press(pilot, "x", "x", "enter")
        assert "Tour 2 of 2" in texts(pilot)
        for _ in range(3):
            now += 0.7
            await press(pilot, "enter")
            assert "Of 64?" in texts(pilot)
        now += 0.8
        await press(pilot, "enter")
        assert "Your guess: the same." in texts(pilot)


@pytest.mark.slow
async def test_the_picture_that_a_guess_is_about_stands_beside_it(tmp_path: Path) -> None:
    lesson = LESSON.replace('say = "Of four', 'picture = "dot --d-k 1"\nsay = "Of four')
    async with on_tour(tmp_path, lesson=lesson) as pilot:
        app, screen = pilot.app, pilot.app.screen
        assert isinstance(app, AttnApp)
        assert [pane.id for pane in screen.query(Pane) if pane.region] == ["bells-pane"]
        assert not screen.query_one("#headline").display
        assert app.history.present.experiment.setup.d_k == 1
        assert "Of 64?" in texts(pilot)
        await press(pilot, "down", "enter")
        # The question is now that of the step, and everything is there again.
        assert app.history.present.experiment.setup.d_k == 4
        assert len([pane for pane in screen.query(Pane) if pane.region]) > 2
        assert screen.query_one("#headline").display


@pytest.mark.slow
async def test_escape_leaves_the_tour_and_not_the_picture(tmp_path: Path) -> None:
    lesson = LESSON.replace('say = "Of four', 'picture = "dot --d-k 1"\nsay = "Of four')
    async with on_tour(tmp_path, lesson=lesson, place=0) as pilot:
        await press(pilot, "escape")
        assert pilot.app.current_mode == "explore"
        assert not pilot.app.screen.query(TourPane)
    async with on_tour(tmp_path, (40, 15), lesson, 0) as pilot:
        assert not is_body_seen(pilot)
        assert pilot.app.screen.query_one("#progress").region.bottom < 15


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(OURS.steps)))
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 15)])
async def test_a_guess_of_our_tour_has_room_beside_one_picture_at_most(
    place: int, size: tuple[int, int]
) -> None:
    async with AttnApp(EXAMPLE, tour=OURS, place=place).run_test(size=size) as pilot:
        # Not until all is computed: a map takes long.
        while not pilot.app.screen.query(OptionList):
            await pilot.pause()
        for _ in range(10):
            await pilot.pause()
        screen = pilot.app.screen
        guess = OURS.steps[place].guess
        assert guess is not None
        answers = screen.query_one(OptionList)
        assert answers.region.height == len(guess.answers)
        assert screen.query_one("#progress").region.bottom < size[1]
        shown = [pane for pane in screen.query(Pane) if pane.region]
        assert len(shown) <= 1


@pytest.mark.slow
async def test_elsewhere_escape_goes_back_and_from_there_leaves_all_as_it_was(
    tmp_path: Path,
) -> None:
    async with on_tour(tmp_path) as pilot:
        await press(pilot, "x", "right_square_bracket", "1")
        assert "esc goes back to the tour" in texts(pilot)
        await press(pilot, "escape")
        assert pilot.app.current_mode == "dots"
        assert "Raise d_k to 64." in texts(pilot)
        await press(pilot, "escape")
        assert pilot.app.current_mode == "explore"
        assert not pilot.app.screen.query(TourPane)
        app = pilot.app
        assert isinstance(app, AttnApp)
        assert app.history.present.draft == EXAMPLE


@pytest.mark.slow
async def test_a_tour_goes_on_where_it_was_left(tmp_path: Path) -> None:
    async with on_tour(tmp_path) as pilot:
        await press(pilot, "x", "x", "enter")
        assert "Tour 2 of 2" in texts(pilot)
        # With other scores the question is not that of the step.
        await press(pilot, "e", "9", "escape")
        assert "esc goes back to the tour" in texts(pilot)
        await press(pilot, "escape")
        assert "Raise d_k to 32." in texts(pilot)
    async with on_tour(tmp_path, (40, 15)) as pilot:
        assert "Tour 2 of 2" in texts(pilot)
        assert not pilot.app.screen.query_one("#headline").display
    async with on_tour(tmp_path, place=0) as pilot:
        assert "Of 64?" in texts(pilot)


@pytest.mark.slow
async def test_the_line_that_offers_the_tour_goes_once_the_tour_begins() -> None:
    async with AttnApp(EXAMPLE, offers_tour=True).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert pilot.app.screen.query("#welcome")
        app = pilot.app
        assert isinstance(app, AttnApp)
        app.start_tour()
        await settle(pilot)
        await press(pilot, "escape", "1")
        assert not pilot.app.screen.query("#welcome")


@pytest.mark.slow
async def test_leaving_a_step_that_is_done_takes_enter_out_of_the_footer(tmp_path: Path) -> None:
    async with on_tour(tmp_path, place=1) as pilot:
        await press(pilot, *["plus"] * 4)
        assert "⏎ Next step" in keys_below(pilot)
        await press(pilot, "escape")
        assert not pilot.app.screen.query(TourPane)
        assert "⏎ Next step" not in keys_below(pilot)
        assert "q Quit" in keys_below(pilot)


def keys_below(pilot: Pilot[None]) -> list[str]:
    """Return the keys of the footer."""
    return [str(key.render()) for key in pilot.app.screen.query_one(KeysFooter).children]
