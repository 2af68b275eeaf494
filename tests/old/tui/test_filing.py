"""Every instrument saves what it shows in any form, and reads it as text."""

from pathlib import Path

import pytest

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui import filing
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.widgets.choice_list import ChoiceList
from tests.old.tui.person import DEADLINE, MEDIUM, NARROW, WIDE, Person, at_screen

SETUP = Setup(64).put(dots.Settings(samples=5000)).put(sweep.Settings(n=8, points=4, draws=64))
FORMS = {"explore": "txt json csv", "dots": "txt json csv", "sweep": "txt json csv"}
HOLDS = {"explore": "100", "dots": "kurtosis", "sweep": "gradient"}


@pytest.mark.parametrize(
    ("instrument", "ending"), [(name, end) for name in FORMS for end in FORMS[name].split()]
)
async def test_an_answer_is_saved_as_the_suffix_says(
    tmp_path: Path, instrument: str, ending: str
) -> None:
    path = tmp_path / f"answer.{ending}"
    async with at_screen(WIDE, Draft(EXAMPLE.text, SETUP), instrument=instrument) as person:
        await person.press("ctrl+s")
        await person.paste(str(path))
        await person.press("enter")
        person.sees("Saved")
    written = path.read_text("utf-8")
    assert HOLDS[instrument] in written or "∂p/∂s" in written
    assert written.startswith("{") == (ending == "json")


@pytest.mark.parametrize("instrument", FORMS)
async def test_a_picture_is_of_the_screen_and_other_suffixes_are_refused(
    tmp_path: Path, instrument: str
) -> None:
    async with at_screen(WIDE, Draft(EXAMPLE.text, SETUP), instrument=instrument) as person:
        await person.press("ctrl+s")
        await person.paste(str(tmp_path / "a.doc"))
        await person.press("enter")
        person.sees("its suffix is none of ours")
        for suffix in (*FORMS[instrument].split(), "svg", "png", "ans"):
            person.sees(f".{suffix}")
        await person.press("ctrl+u")
        await person.paste(str(tmp_path / "a.svg"))
        await person.press("enter")
        person.sees("Saved")
    picture = (tmp_path / "a.svg").read_text("utf-8")
    assert picture.startswith("<svg")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.svg"]


@pytest.mark.parametrize("instrument", FORMS)
async def test_a_picture_holds_nothing_that_pops_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instrument: str
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_screen(WIDE, Draft(EXAMPLE.text, SETUP), instrument=instrument) as person:
        await person.press("u")
        person.sees("Nothing to undo")
        await person.press("ctrl+s", "ctrl+u")
        await person.paste("a.svg")
        await person.press("enter")
        person.sees("Saved")
    picture = Path("a.svg").read_text("utf-8")
    assert ">Nothing<" not in picture
    assert "attn-tui" in picture


@pytest.mark.parametrize("instrument", FORMS)
async def test_all_is_read_as_text(instrument: str) -> None:
    async with at_screen(WIDE, Draft(EXAMPLE.text, SETUP), instrument=instrument) as person:
        await person.press("i")
        person.sees("In words and numbers", "softmax" if instrument == "explore" else "seed")


@pytest.mark.parametrize("instrument", FORMS)
async def test_keys_that_come_at_once_save_and_ask_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instrument: str
) -> None:
    monkeypatch.chdir(tmp_path)
    # However long it takes here, no dialogue comes between.
    monkeypatch.setattr(filing, "PATIENCE", DEADLINE)
    path = tmp_path / "attn-tui.json"
    async with at_screen(WIDE, Draft(EXAMPLE.text, SETUP), instrument=instrument) as person:
        await person.burst("ctrl+s", "enter", "ctrl+s")
        person.sees("Saved")
        person.sees("Save what is shown", "attn-tui.json")
        await person.burst("enter")
        person.sees("is there already")
        path.write_text("")
        await person.burst("enter", "ctrl+s")
        await person.app.workers.wait_for_complete()
        person.sees("Save what is shown", "attn-tui.json")
        person.misses("is there already")
    assert path.read_text("utf-8").startswith("{")


async def test_a_name_that_cannot_be_written_is_asked_for_again(tmp_path: Path) -> None:
    async with at_screen(WIDE, Draft(EXAMPLE.text, SETUP)) as person:
        await person.press("ctrl+s")
        await person.paste(str(tmp_path / "none" / "a.json"))
        await person.press("enter")
        person.sees("none/a.json")
        person.sees("expected")


async def test_a_line_that_loses_the_focus_to_nothing_keeps_its_text(tmp_path: Path) -> None:
    async with at_screen(WIDE) as person:
        await person.press("ctrl+s")
        await person.paste(str(tmp_path / "kept.json"))
        person.app.screen.set_focus(None)
        await person.press("enter")
        person.sees("Saved")
    assert (tmp_path / "kept.json").exists()


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_the_ending_is_chosen_by_arrows_and_clicks_and_the_whole_path_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_screen(size) as person:
        await person.press("ctrl+s")
        person.sees("● .json", "everything", ".csv", ".svg", "Writes")
        await person.press("down")
        person.sees("attn-tui.csv", "● .csv")
        await person.click("ChoiceList", 4, 0)
        person.sees("attn-tui.txt", "● .txt")
        await person.press("enter")
        person.sees("Saved")
        (said,) = [each.message for each in person.app._notifications]
        assert said == f"Saved {tmp_path / 'attn-tui.txt'}: all there is to say, as text"
    assert (tmp_path / "attn-tui.txt").exists()


async def test_a_file_is_found_in_its_folder_and_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("runs/Large.npy.txt", "runs/other.txt", "notes.md", ".hidden.txt", "run10.txt"):
        (tmp_path / name).write_text("1 2 8")
    monkeypatch.chdir(tmp_path)
    async with at_screen() as person:
        await person.press("ctrl+o")
        assert [line.value for line in listed(person)] == ["../", "runs/", "run10.txt"]
        await person.press("r", "enter")
        assert [line.title for line in listed(person)] == ["../", "Large.npy.txt", "other.txt"]
        await person.press("home")
        await person.write("x")
        await person.press("enter")
        person.sees("no such file")
        await person.press("ctrl+u", "ctrl+k")
        await person.write("runs/npy")
        assert [line.value for line in listed(person)] == ["runs/Large.npy.txt"]
        await person.press("enter")
        person.sees("no such file")
        await person.press("down", "enter")
        assert person.asked.draft.text == "Large.npy: 1, 2, 8"


async def test_a_name_that_is_not_there_opens_no_neighbour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("run10.txt", "data.txt"):
        (tmp_path / name).write_text("1 2 8")
    monkeypatch.chdir(tmp_path)
    async with at_screen() as person:
        for name in ("run1.txt", "a.txt"):
            await person.press("ctrl+o")
            await person.write(name)
            await person.press("enter")
            person.sees("no such file")
            assert person.asked.draft == EXAMPLE
            await person.press("escape")


async def test_a_file_that_is_there_is_written_over_when_entered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text("old")
    async with at_screen() as person:
        await person.press("ctrl+s")
        await person.paste("a.json")
        await person.press("enter")
        person.sees("is there already")
        await person.press("backspace", "n")
        person.misses("is there already")
        await person.press("enter", "escape", "ctrl+s")
        await person.paste("a.json")
        await person.press("enter")
        person.sees("is there already")
        assert (tmp_path / "a.json").read_text() == "old"
        await person.press("enter")
        person.sees("Saved")
    assert (tmp_path / "a.json").read_text().startswith("{")


def listed(person: Person) -> tuple[Choice, ...]:
    return person.app.screen.query_one(ChoiceList).choices


async def test_a_click_takes_a_form_and_another_one_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_screen(MEDIUM) as person:
        await person.press("s")
        await person.click("ChoiceList", 8, 3)
        assert not [*tmp_path.iterdir()]
        await person.click("ChoiceList", 8, 3)
        person.sees("Saved")
    assert [each.name for each in tmp_path.iterdir()] == ["attn-tui.svg"]


async def test_a_text_that_is_saved_in_haste_asks_once() -> None:
    async with at_screen() as person:
        await person.press("i")
        await person.burst("s", "s")
        assert len(person.app.screen_stack) == 2
        await person.press("escape")
        assert len(person.app.screen_stack) == 1
