"""Opening a file runs beside the screen: it says how far it is, and can be stopped."""

from asyncio import to_thread
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.watch import Watch, unwatched
from attn_tui.old.tui import filing
from attn_tui.old.tui.computing import Task
from attn_tui.old.tui.explore.screen import ExploreScreen
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.reading import ReadDialog
from attn_tui.old.tui.work import WorkDialog
from tests.old.tui.person import MEDIUM, Person, at_screen


class Reader:
    """Stands for `open_draft`: goes on when told to, and notes whether it was stopped."""

    def __init__(self, outcome: Draft | Exception) -> None:
        self.outcome = outcome
        self.go_on, self.begun, self.ended = Event(), Event(), Event()

    def __call__(self, path: str, setup: Setup, watch: Watch = unwatched) -> Draft:
        try:
            watch(0.25)
            self.begun.set()
            while not self.go_on.wait(0.01):
                watch(0.25)
        finally:
            self.ended.set()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


async def opening(person: Person, monkeypatch: pytest.MonkeyPatch, reader: Reader) -> None:
    """Ask for a file that takes long, and wait until the screen says so."""
    monkeypatch.setattr("attn_tui.files.opening.open_draft", reader)
    await person.press("ctrl+o")
    await person.paste("big [b].csv")
    person.patient = False
    await person.press("enter")
    await person.until_sees(" 25%")
    assert isinstance(person.app.screen, WorkDialog)
    person.sees("Opening big [b].csv", "esc stops", "left")


async def test_a_file_that_takes_long_shows_its_progress_and_is_then_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = Reader(Draft("a: 7, 8, 9"))
    async with at_screen(MEDIUM) as person:
        await opening(person, monkeypatch, reader)
        await person.resize(40, 15)
        await person.until_sees("─  25%")
        person.sees("esc stops")
        await person.resize(*MEDIUM)
        reader.go_on.set()
        await person.until_sees("[7 8 9]")
        assert person.asked.draft.text == "a: 7, 8, 9"
        await person.press("u")
        assert person.asked.draft == EXAMPLE


async def test_keys_from_before_it_is_seen_are_for_what_is_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = Reader(Draft("a: 7, 8, 9"))
    monkeypatch.setattr("attn_tui.files.opening.open_draft", reader)
    monkeypatch.setattr(filing, "PATIENCE", 0.0)
    async with at_screen(MEDIUM) as person:
        await person.press("ctrl+o")
        await person.paste("big.csv")
        person.patient = False
        await person.burst("enter", "space", "escape", "2")
        await person.until_sees(" 25%")
        await person.press("f1", "escape")
        assert isinstance(person.app.screen, WorkDialog)
        assert not reader.ended.is_set()
        reader.go_on.set()
        await person.until_sees("q·k")
        assert person.asked.draft.text == "a: 7, 8, 9"
        assert person.app.current_mode == "dots"


async def test_what_is_read_over_it_stays_when_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(Draft("a: 7, 8, 9"))
    async with at_screen(MEDIUM) as person:
        await opening(person, monkeypatch, reader)
        work = person.app.screen
        await person.press("f1")
        work.dismiss()
        assert isinstance(person.app.screen, ReadDialog)
        await person.press("escape")
        assert person.app.screen is work
        reader.go_on.set()
        await person.until_sees("[7 8 9]")


async def test_what_is_done_late_does_not_lie_over_what_was_opened_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on, begun = Event(), Event()

    def late(self: object) -> str:
        begun.set()
        assert go_on.wait(30)
        return "late"

    monkeypatch.setattr(ExploreScreen, "said", late)
    monkeypatch.setattr(filing, "PATIENCE", 0.0)
    async with at_screen(MEDIUM) as person:
        screen = person.app.screen_stack[0]
        assert isinstance(screen, ExploreScreen)
        other = ReadDialog("Since", "opened since")
        await person.app.push_screen(other)
        reading = screen.run_worker(screen.parts["filing"].do("read"))
        assert await to_thread(begun.wait, 30)
        go_on.set()
        await reading.wait()
        assert person.app.screen_stack == [screen, other]


async def test_a_problem_that_comes_late_is_told_where_nobody_can_be_asked() -> None:
    async with at_screen(MEDIUM) as person:
        screen = person.app.screen_stack[0]
        assert isinstance(screen, ExploreScreen)
        await person.app.push_screen(ReadDialog("Since", "opened since"))
        await screen.parts["filing"].do("open", "x.csv", "line 3 is no number")
        await person.press("escape")
        person.sees("line 3 is no number")


async def test_what_is_stopped_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(Draft("a: 7, 8, 9"))
    async with at_screen(MEDIUM) as person:
        await opening(person, monkeypatch, reader)
        await person.press("escape")
        person.sees("Stopped: nothing is changed")
        assert reader.ended.wait(30)
        assert person.asked.draft == EXAMPLE
        await person.press("right_square_bracket")
        assert person.asked.experiment.setup.d_k == 1280


async def test_saving_can_be_stopped_and_then_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Event()

    def endless(self: object) -> dict[str, object]:
        def pieces() -> Iterator[str]:
            begun.set()
            while True:
                yield "more"

        return {".txt": pieces}

    monkeypatch.setattr(ExploreScreen, "forms", endless)
    async with at_screen(MEDIUM) as person:
        await person.press("ctrl+s", "ctrl+u")
        await person.paste(str(tmp_path / "long.txt"))
        person.patient = False
        await person.press("enter")
        await person.until_sees("Saving long.txt")
        assert begun.wait(30)
        await person.press("escape")
        person.sees("Stopped: nothing is changed")
        await person.press("ctrl+q")
    assert not [*tmp_path.iterdir()]


async def test_leaving_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(Draft("a: 7, 8, 9"))
    async with at_screen(MEDIUM) as person:
        await opening(person, monkeypatch, reader)
        await person.press("ctrl+q")
    assert reader.ended.wait(30)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("file", "line 3: 'x' is no number", "numbers"), "line 3: 'x' is no number"),
        (MemoryError(), "there is not enough memory"),
        (RuntimeError("boom"), "This failed: RuntimeError: boom"),
    ],
)
async def test_what_cannot_be_read_after_all_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, said: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    reader = Reader(error)
    async with at_screen(MEDIUM) as person:
        await opening(person, monkeypatch, reader)
        reader.go_on.set()
        await person.until_sees(said)
        person.sees("big [b].csv")
        await person.press("escape")
        assert person.asked.draft == EXAMPLE


async def test_a_large_file_is_read_while_the_screen_answers(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("\n".join(str(number % 97) for number in range(400_000)))
    async with at_screen(MEDIUM) as person:
        await person.press("ctrl+o")
        await person.paste(str(path))
        await person.press("enter")
        await person.until_sees("400,000 keys")


async def test_while_it_goes_on_the_keys_are_back_where_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = Reader(Draft("a: 7, 8, 9"))
    async with at_screen(MEDIUM) as person:
        focused = person.app.focused
        await opening(person, monkeypatch, reader)
        assert person.app.screen_stack[0].focused is focused
        reader.go_on.set()
        await person.until_sees("[7 8 9]")
        assert person.app.focused is focused


def test_what_is_over_cannot_be_stopped() -> None:
    def fail(task: Task[None]) -> None:
        raise InputError("file", "it is full", "room")

    task = Task(Job().asked("a", 0.0), fail)
    task.run()
    task.stop()
    assert not task.stopped()
    assert task.job.state == "failed"
    assert task.job.problem == "file: it is full; expected room"
