"""With many keys Explore answers beside the screen, which takes keys all the while."""

import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from attn_tui.compute.experiment import Experiment, never
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.files import edits
from attn_tui.files.draft import Draft, parse
from attn_tui.old.report.explore.headline import headline
from attn_tui.old.tui.actions import textual_action
from attn_tui.old.tui.explore import answering, chart_data, found
from attn_tui.old.tui.explore.view import View
from attn_tui.report.headline import Factor, Headline
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, settle

MANY = Draft("a: 1, 5, 3, 2, 4\nb: 7, 8, 9, 6", Setup(64))


class Finder:
    """Stands for `find`: goes on when told to, and counts."""

    def __init__(self) -> None:
        self.go_on, self.begun = Event(), Event()
        self.go_on.set()
        self.error: Exception | None = None
        self.times = 0

    def __call__(self, question: found.Question, before: found.Found | None) -> found.Found:
        self.times += 1
        self.begun.set()
        assert self.go_on.wait(30)
        if self.error:
            raise self.error
        return found.find(question, before)

    def hold(self) -> None:
        self.begun.clear()
        self.go_on.clear()


@pytest.fixture
def finder(monkeypatch: pytest.MonkeyPatch) -> Finder:
    finder = Finder()
    monkeypatch.setattr(found, "MANY", 3)
    monkeypatch.setattr(answering, "find", finder)
    return finder


def explore(person: Person) -> Any:
    return person.app.screen_stack[0]


async def pressed(person: Person, *keys: str) -> None:
    """Press keys without waiting for an answer."""
    for key in keys:
        await person.pilot.press(key)
    await person.pilot.pause()


async def test_while_it_answers_the_screen_takes_keys_and_then_answers_the_newest(
    finder: Finder,
) -> None:
    async with at_screen(WIDE, MANY) as person:
        person.sees("a: weights p")
        finder.hold()
        asked = finder.times
        await pressed(person, "right_square_bracket")
        await pressed(person, *["right_square_bracket"] * 5, "down", "right", "v", "t")
        await person.app.run_action(textual_action("looking.sort"))
        assert person.asked.experiment.setup.d_k > 128
        assert finder.times == asked + 1
        person.sees("a: weights p")
        await person.until_sees("computing")
        finder.go_on.set()
        await person.press("f5")
        assert finder.times == asked + 2
        person.sees("b: weights p, largest scaled first")
        person.misses("computing")
        assert explore(person).view.key == 2


async def test_sorting_answers_nothing_anew(
    finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_screen(WIDE, MANY) as person:

        def never(*_: object) -> None:
            raise AssertionError

        monkeypatch.setattr(found, "answer_vector", never)
        for _ in range(3):
            await person.run("looking.sort")
        await person.press("p")
        await person.run("looking.sort")
        assert explore(person).answer.question.pinned
        assert not explore(person).answering.job.problem


async def test_an_answer_that_fails_is_said_and_the_next_one_shown(
    finder: Finder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", ".")
    async with at_screen(WIDE, MANY) as person:
        finder.error = MemoryError()
        await person.press("right_square_bracket")
        person.sees("This failed: there is not enough memory", "attn-tui/crash-")
        finder.error = None
        await person.press("right_square_bracket")
        person.misses("This failed")
        assert explore(person).answer.question.experiment == person.asked.experiment


async def test_fewer_keys_are_answered_at_once(finder: Finder) -> None:
    async with at_screen(WIDE, MANY) as person:
        finder.hold()
        await pressed(person, "right")
        finder.go_on.set()
        explore(person).ask(edits.text("x: 2, 1"))
        await person.until_sees("x: weights p")
        await settle(person.pilot)
        assert not explore(person).answering.job.known


def test_what_draws_curves_over_d_k_is_imported_beside_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chart = "attn_tui.old.charts.explore.over_d_k"
    monkeypatch.delitem(sys.modules, chart, raising=False)
    chart_data.over(Experiment(Drawn(3)), View()).work(never)
    assert chart in sys.modules


def test_that_it_takes_long_is_known_before_the_vector_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Drawn, "scores")
    question = found.Question(Experiment(Drawn(found.MANY + 1)), 0, "position", None)
    assert question.is_long


def test_the_headline_is_made_where_the_answer_is(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(*asked: Any) -> Headline:
        made.append(asked)
        return headline(*asked)

    monkeypatch.setattr(found, "headline", counted)
    experiment = parse(Draft("n = 1000, seed = 1", Setup(d_k=64), "drawn"))
    first = found.find(found.Question(experiment, 0, "position", None), None)
    assert len(made) == 1
    said = {found.headline_of(first, None).full for _ in range(3)}
    assert len(made) == len(said) == 1
    assert "typically" in found.headline_of(first, Factor(-3.0, 0.1)).full
    assert len(made) == 2


@pytest.mark.parametrize(("n_keys", "weight"), [(1000, "0.1 %"), (20_000, "0.005 %")])
async def test_what_each_of_many_keys_has_is_never_next_to_nothing(
    n_keys: int, weight: str
) -> None:
    for size in (MEDIUM, NARROW):
        async with at_screen(size, Draft(", ".join(["1"] * n_keys))) as person:
            assert person.text.count(f" {weight}") >= 6
            person.misses("~0 %")
