"""Every instrument saves what it shows in any form, and reads it as text."""

from pathlib import Path

import pytest

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.tui import filing
from attn_tui.tui.instrument_screen import InstrumentScreen
from attn_tui.tui.widgets.entry import Entry
from attn_tui.tui.widgets.score_editor import ScoreEditor
from attn_tui.tui.widgets.slider import Slider
from tests.tui.person import DEADLINE, WIDE, at_screen, settle

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
        await person.until_sees("Saved")
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
        await person.until_sees("its suffix is none of ours")
        for suffix in (*FORMS[instrument].split(), "svg", "png", "ans"):
            person.sees(f".{suffix}")
        await person.press("ctrl+u")
        await person.paste(str(tmp_path / "a.svg"))
        await person.press("enter")
        await person.until_sees("Saved")
    picture = (tmp_path / "a.svg").read_text("utf-8")
    assert picture.startswith("<svg")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.svg"]


async def test_a_name_is_asked_for_again_though_the_keys_have_just_gone_elsewhere() -> None:
    async with at_screen() as person:
        await person.press("ctrl+s")
        screen = person.app.screen
        assert isinstance(screen, InstrumentScreen)
        entry, slider = screen.query_one(Entry), screen.query_one(Slider)
        entry.close()
        slider.display = True
        screen.set_focus(slider)
        await person.pilot.pause()
        await screen.action_part("filing", "save", ("a.json", "the disk is full; expected room"))
        # On a busy machine the line is told of it only now.
        entry.on_descendant_blur()
        await settle(person.pilot)
        person.sees("the disk is full")
        assert person.app.focused is entry.field
        screen.set_focus(screen.query_one(ScoreEditor))
        await settle(person.pilot)
        person.misses("the disk is full")


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
        await person.until_sees("Saved")
    picture = Path("a.svg").read_text("utf-8")
    assert ">Nothing<" not in picture
    assert "attn-tui" in picture


@pytest.mark.parametrize("instrument", FORMS)
async def test_all_is_read_as_text(instrument: str) -> None:
    async with at_screen(WIDE, Draft(EXAMPLE.text, SETUP), instrument=instrument) as person:
        await person.press("y")
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
        await person.until_sees("Saved")
        person.sees("save attn-tui.json")
        await person.burst("enter")
        person.sees("is there already")
        path.write_text("")
        await person.burst("end", "!", "enter", "ctrl+s")
        await person.app.workers.wait_for_complete()
        person.sees("save attn-tui.json")
        person.misses("is there already")
    assert path.read_text("utf-8").startswith("{")


async def test_a_name_that_cannot_be_written_is_asked_for_again(tmp_path: Path) -> None:
    async with at_screen(WIDE, Draft(EXAMPLE.text, SETUP)) as person:
        await person.press("ctrl+s")
        await person.paste(str(tmp_path / "none" / "a.json"))
        await person.press("enter")
        await person.until_sees("none/a.json")
        await person.until_sees("expected")


async def test_a_line_that_loses_the_focus_to_nothing_keeps_its_text(tmp_path: Path) -> None:
    async with at_screen(WIDE) as person:
        await person.press("ctrl+s")
        await person.paste(str(tmp_path / "kept.json"))
        person.app.screen.set_focus(None)
        await person.press("enter")
        await person.until_sees("Saved")
    assert (tmp_path / "kept.json").exists()
