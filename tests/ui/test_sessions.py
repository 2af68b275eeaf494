"""What is asked is saved by itself, and taken up at the next start."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from attn_tui.compute.errors import InputError
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.session import Session, read_session
from attn_tui.ui import sessions
from attn_tui.ui.app import AttnApp
from attn_tui.ui.opening import opened
from attn_tui.ui.session_file import SessionFile, newest
from attn_tui.ui.sessions import Keeping
from tests.ui.person import app_of, find_all, notices, press, read, shown, take_first, until
from tests.ui.test_tasks import name_file

OFFER = "y goes on where you were just now"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Save at once, into a folder of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(sessions, "SOON", 0.01)
    return tmp_path / "attn-tui" / "sessions"


@asynccontextmanager
async def started(keeping: Keeping) -> AsyncIterator[Pilot[None]]:
    """Start the program without a question."""
    async with AttnApp(EXAMPLE, keeping=keeping).run_test(size=(100, 32)) as pilot:
        await shown(pilot)
        yield pilot


async def saved(pilot: Pilot[None], folder: Path) -> Session:
    """Wait until what is asked now is saved, and return it."""
    wanted = app_of(pilot).sessions.present

    def found() -> list[Session]:
        paths = folder.glob("*.session")
        kept = [read_session(str(path), folder / "arrays").session for path in paths]
        return [one for one in kept if (one.steps, one.place) == (wanted.steps, wanted.place)]

    await until(pilot, lambda: bool(found()))
    return found()[0]


def left(folder: Path, session: Session) -> Keeping:
    """Leave a session, and return what offers it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "left.session"
    SessionFile.at(str(path)).save(session)
    return Keeping(is_on=True, offered=path)


LEFT = Session(
    (Draft("1, 2, 3"), Draft("1, 2, 30"), Draft("7, 8")), 1, "dots", {"dots": "over-pane"},
    {"explore": Draft("100, 0")},
)  # fmt: skip


async def test_what_is_asked_is_saved_and_only_looking_is_not(state: Path) -> None:
    async with started(Keeping(is_on=True)) as pilot:
        await press(pilot, "2", "t", "1")
        assert not state.exists()
        await press(pilot, "e", *"5,6", "escape", "plus", "u")
        kept = await saved(pilot, state)
        assert [step.text for step in kept.steps] == [EXAMPLE.text, "5,6", "5,6"]
        assert kept.place == 1
        assert kept.views == {"dots": "over-pane"}


@pytest.mark.slow
async def test_y_goes_on_where_somebody_was(state: Path) -> None:
    async with started(left(state, LEFT)) as pilot:
        assert OFFER in read(pilot)
        screen = await press(pilot, "y")
        assert OFFER not in read(pilot)
        assert (screen.NAME, screen.view) == ("dots", "over-pane")
        screen = await press(pilot, "1")
        assert "1, 2, 30" in read(pilot)
        assert "pinned: 100, 0" in read(pilot)
        await press(pilot, "u")
        assert app_of(pilot).history.present.draft.text == "1, 2, 3"
        await press(pilot, "U", "U")
        assert app_of(pilot).history.present.draft.text == "7, 8"
        # The session that was taken up stays as it was.
        assert read_session(str(state / "left.session")).session == LEFT


@pytest.mark.slow
async def test_the_offer_goes_when_something_else_is_asked(state: Path) -> None:
    async with started(left(state, LEFT)) as pilot:
        await press(pilot, "plus")
        assert OFFER not in read(pilot)
        await press(pilot, "y")
        assert app_of(pilot).history.present.draft.text == EXAMPLE.text
        assert read_session(str(state / "left.session")).session == LEFT


@pytest.mark.slow
async def test_esc_hides_the_offer_and_the_palette_still_finds_it(state: Path) -> None:
    async with started(left(state, LEFT)) as pilot:
        await press(pilot, "escape")
        assert OFFER not in read(pilot)
        assert (await find_all(pilot, "last session"))[0].startswith("Go on where you were")
        await press(pilot, "escape")
        await take_first(pilot, "last session")
        assert app_of(pilot).current_mode == "dots"


@pytest.mark.slow
async def test_what_could_not_be_read_when_it_was_left_is_there_again(state: Path) -> None:
    session = Session((Draft("1, 2"), Draft("1, 2, x")), 1)
    async with started(left(state, session)) as pilot:
        await press(pilot, "y")
        assert "1, 2, x" in read(pilot)
        assert "'x' is not a number" in read(pilot)


@pytest.mark.slow
async def test_a_damaged_session_is_said_and_kept_aside(state: Path) -> None:
    keeping = left(state, LEFT)
    path = state / "left.session"
    path.write_text('{"schema": "attn-tui/session/9"}', "utf-8")
    async with started(keeping) as pilot:
        await press(pilot, "y")
        assert '"schema" is \'attn-tui/session/9\'; expected "attn-tui/session/1"' in notices(pilot)
        assert "100, 120, 150" in read(pilot)
        await press(pilot, "plus")
        await saved(pilot, state)
    assert path.with_name("left.session.unread").read_text("utf-8") == (
        '{"schema": "attn-tui/session/9"}'
    )
    assert not path.exists()


@pytest.mark.slow
async def test_where_nothing_can_be_saved_that_is_said_once(state: Path, tmp_path: Path) -> None:
    (tmp_path / "attn-tui").write_text("a file in place of the folder", "utf-8")
    async with started(Keeping(is_on=True)) as pilot:
        await press(pilot, "plus")
        await until(pilot, lambda: "What you ask is not kept" in notices(pilot))
        await press(pilot, "plus", "minus")
        assert notices(pilot).count("not kept") == 1
        assert newest() is None


@pytest.mark.slow
async def test_s_saves_all_steps_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with started(Keeping()) as pilot:
        await press(pilot, "plus")
        await name_file(pilot, "s", "mine.session")
        told = notices(pilot)
        assert f"Saved mine.session in {tmp_path}: " in told
        assert "attn-tui replay mine.session goes through it" in told
        assert read_session("mine.session").session == app_of(pilot).sessions.present


@pytest.mark.parametrize(
    ("name", "problem", "command"),
    [
        ("friend.session", "it is a session", "replay"),
        ("lesson.toml", "it may be a lesson", "tour"),
    ],
)
def test_who_opens_what_a_command_opens_is_told_the_command(
    name: str, problem: str, command: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as raised:
        opened(str(tmp_path / name), EXAMPLE)
    assert raised.value.problem == problem
    assert f"attn-tui {command} {tmp_path / name} in a shell" in raised.value.expected
