"""Names that files and vectors can have, and those they cannot."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.segment import Segment
from textual.color import Color
from textual.widgets import Input

from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.file_dialogs import completed
from attn_tui.ui.terminal.guard import VISIBLE
from tests.old.tui.person import NARROW, WIDE, Person, at_screen

HOSTILE = "data\x1b]2;PWNED\x1b\\\x1b]52;c;QUFB\x07\x9b31m\u202e\udc9b"
SHOWN = r"data\x1b]2;PWNED\x1b\\x1b]52;c;QUFB\x07\x9b31m\u202e\udc9b"


def typed(person: Person) -> str:
    return person.app.screen.query_one(Input).value


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def test_a_file_whose_name_would_write_to_the_terminal_is_completed_and_opened(
    folder: Path,
) -> None:
    Path(f"{HOSTILE}.txt").write_text("1 2 4")
    Path("other.txt").write_text("1 2 8")
    async with at_screen() as person:
        await person.press("ctrl+o", "d", "tab")
        assert typed(person) == f"{SHOWN}.txt"
        await person.press("enter")
        assert person.asked.draft.text == "a: 1, 2, 4"


async def test_a_name_is_pasted_as_it_is_shown_and_saved_as_it_is(folder: Path) -> None:
    async with at_screen() as person:
        await person.press("ctrl+s")
        await person.paste(f"{HOSTILE[:-1]}.txt\r\nmore")
        assert typed(person) == f"{SHOWN[:-6]}.txt"
        await person.press("enter")
        person.sees("Saved")
    assert os.listdir(folder) == [f"{HOSTILE[:-1]}.txt"]


async def test_a_file_in_a_folder_of_such_a_name_is_reached(folder: Path) -> None:
    Path(f"{HOSTILE}").mkdir()
    Path(f"{HOSTILE}/deep\n.txt").write_text("1 2 4")
    async with at_screen() as person:
        await person.press("ctrl+o", "d", "tab", "tab", "enter")
        assert person.asked.draft.text == "a: 1, 2, 4"


def test_names_are_completed_as_far_as_they_are_the_same(folder: Path) -> None:
    for name in ("a\x1b1.txt", "a\x1b2.txt", "b 👩\u200d🔬.txt"):
        Path(name).write_text("1")
    assert completed("a") == r"a\x1b"
    assert completed(r"a\x") == r"a\x1b"
    assert completed("b") == "b 👩\u200d🔬.txt"
    assert completed("c") == "c"
    assert completed("") == ""


@pytest.mark.parametrize("text", ["~nosuch/x", "~nosuch", "a\0/b", "\ud800/x", "x" * 300 + "/y"])
def test_where_nothing_can_be_nothing_is_completed(folder: Path, text: str) -> None:
    assert completed(text) == text


def test_a_folder_that_may_not_be_entered_completes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", denied)
    assert completed("secret/x") == "secret/x"


IMPOSSIBLE = {
    "x" * 300 + ".json": ("too long", "too long"),
    "~nosuch/x.json": ("no such folder", "no such file"),
    r"a\x00b.json": ("can be no such", "cannot be"),
    r"a\ud800.json": ("can be no such", "cannot be"),
    "folder.json": ("is a directory", "In "),
    "loop.json": ("symbolic links", "symbolic links"),
    "file.txt/a.json": ("no such folder", "Not a directory"),
    "none/a.json": ("no such folder", "no such file"),
    "secret/a.json": ("may not be written", "may not be read"),
}
"""Names, and what is said where one is to be written and where it is to be read."""


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("key", ["ctrl+s", "ctrl+o"])
async def test_a_name_that_will_not_do_is_said_in_the_line_and_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, key: str, name: str
) -> None:
    Path("folder.json").mkdir()
    Path("loop.json").symlink_to("loop.json")
    Path("file.txt").write_text("1")
    deny(monkeypatch, "secret/")
    is_save = key == "ctrl+s"
    said = IMPOSSIBLE[name][0 if is_save else 1]
    async with at_screen(WIDE, Draft(EXAMPLE.text, Setup(64))) as person:
        before = person.asked
        await person.press(key)
        await person.paste(name)
        await person.press("tab")
        assert typed(person).rstrip("/") == name
        await person.press("ctrl+u")
        await person.paste(name)
        await person.press("enter")
        person.sees(said)
        assert typed(person).rstrip("/") == name
        assert person.asked == before
    assert sorted(os.listdir(folder)) == ["file.txt", "folder.json", "loop.json"]


def deny(monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    """Let nobody enter a folder: the system lets root enter any."""
    real = os.stat

    def denied(
        path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True
    ) -> os.stat_result:
        if folder in str(path):
            raise PermissionError(13, "Permission denied", path)
        return real(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(os, "stat", denied)


async def test_what_is_pasted_in_any_field_can_be_seen() -> None:
    async with at_screen() as person:
        for key in ("ctrl+s", "ctrl+o", "d", "ctrl+p"):
            await person.press(key)
            await person.paste("1\x1b]2;x\x07\u202e\x9b2")
            field = person.app.focused
            assert isinstance(field, Input)
            assert field.value == r"1\x1b]2;x\x07\u202e\x9b2"
            await person.press("escape")


async def test_an_emoji_is_typed_a_character_at_a_time() -> None:
    async with at_screen() as person:
        await person.press("e", "ctrl+a")
        await person.burst(*"👩\u200d🔬:", "1", " ", "2")
        assert person.asked.draft.text.startswith("👩\u200d🔬:1 2")


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_vector_may_be_named_by_a_joined_emoji(size: tuple[int, int]) -> None:
    texts = [f"{name}: 100, 120, 150\nb: 1, 2" for name in ("👩\u200d🔬", "🇩🇪", "注")]
    screens: list[Sequence[str]] = []
    for text in texts:
        async with at_screen(size, Draft(text)) as person:
            assert person.asked.error is None
            name = text.split(":")[0]
            assert name in person.text
            screens.append([line.replace(name, "**") for line in person.lines])
    assert screens[0] == screens[1] == screens[2]


async def test_no_widget_shows_what_a_terminal_would_obey() -> None:
    async with at_screen() as person:
        person.app.notify("a\x1b]2;OWNED\x9c", title="b\u202e", timeout=60, markup=False)
        person.app.screen.query_one("Entry").border_title = "c\x9b"
        await person.until_sees(r"a\x1b]2;")
        person.misses("\x1b", "\x9c", "\x9b", "\u202e")


def test_the_last_line_of_defence_spells_out_and_keeps_the_width() -> None:
    line = [Segment("ab\x1b[2J\x9b"), Segment("注\u202e👩\u200d🔬 │"), Segment("end")]
    width = Segment.get_line_length(line)
    shown = VISIBLE.apply(line, Color(0, 0, 0))
    text = "".join(segment.text for segment in shown)
    assert r"ab\x1b[2J\x9b注".startswith(text[:10])
    assert Segment.get_line_length(shown) == width
    fine = [Segment("größe 👩\u200d🔬 │\xa0")]
    assert VISIBLE.apply(fine, Color(0, 0, 0)) is fine
