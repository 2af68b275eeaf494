"""The dialogues that open and save: nothing is overwritten unasked, and every folder is near."""

import os
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Label

import attn_tui
from attn_tui.engine.settings import Settings
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.file_dialogs import Files, FileScreen
from tests.engine.captured import heads, write
from tests.ui.person import burst, click_on, notices, shown, until


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the seconds that pass before each enter, which a test may change."""
    seconds = [1.0]
    now = [0.0]

    def monotonic() -> float:
        now[0] += seconds[0]
        return now[0]

    monkeypatch.setattr("attn_tui.ui.repeat.monotonic", monotonic)
    return seconds


async def dialogue(pilot: Pilot[None], key: str) -> FileScreen:
    """Open a dialogue, and wait until its tree lists the folder."""
    await shown(pilot)
    await pilot.press(key)
    return await opened(pilot)


async def opened(pilot: Pilot[None]) -> FileScreen:
    """Wait until a dialogue is there, and its tree lists the folder."""
    await until(pilot, lambda: isinstance(pilot.app.screen, FileScreen))
    screen = pilot.app.screen
    assert isinstance(screen, FileScreen)
    await until(pilot, lambda: bool(screen.query_one(Files).root.children))
    return screen


def is_shown(pilot: Pilot[None], instrument: str) -> bool:
    """Return whether an instrument is shown."""
    return pilot.app.current_mode == instrument


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys; the tree works for as long as it is there, so nothing is waited for."""
    await pilot.press(*keys)
    for _ in range(5):
        await pilot.pause()


async def closed(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: not isinstance(pilot.app.screen, FileScreen))
    await shown(pilot)


def names(screen: FileScreen) -> list[str]:
    return [str(node.label) for node in screen.query_one(Files).root.children]


def hint(screen: FileScreen) -> str:
    return str(screen.query_one("#hint", Label).render())


async def test_the_proposed_name_saves_picture_and_numbers(folder: Path) -> None:
    (folder / "sub").mkdir()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "s")
        for ending in (".svg", ".json", ".csv", ".txt"):
            assert ending in hint(screen)
        await pilot.press("enter")
        await closed(pilot)
        where = f"Saved attn-tui.svg and attn-tui.json in {folder}: "
        assert f"{where}in Python, attn_tui.load('attn-tui.json') reads it" in notices(pilot)
    saved = attn_tui.load(folder / "attn-tui.json")
    assert saved.headline.startswith("Unscaled")
    assert saved.numbers["vectors"][0]["scaled"]["weights"].sum() == pytest.approx(1)
    assert (folder / "attn-tui.svg").read_text().startswith("<svg")


@pytest.mark.slow
async def test_a_mouse_alone_saves_and_closes(folder: Path) -> None:
    (folder / "sub").mkdir()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await click_on(pilot, "Save")
        await opened(pilot)
        await click_on(pilot, "esc closes")
        await closed(pilot)
        assert os.listdir(folder) == ["sub"]
        await dialogue(pilot, "s")
        await click_on(pilot, "⏎ takes it")
        await closed(pilot)
    assert sorted(os.listdir(folder)) == ["attn-tui.json", "attn-tui.svg", "sub"]


@pytest.mark.slow
async def test_a_folder_that_is_picked_before_a_name_is_typed_is_no_name(folder: Path) -> None:
    (folder / "sub").mkdir()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "s")
        await pilot.press("backspace")
        await pilot.click(Files, offset=(6, 1))
        field = screen.query_one(Input)
        await until(pilot, lambda: field.value == "sub/")
        await pilot.click(Files, offset=(6, 0))
        await until(pilot, lambda: field.value == f"{folder.parent}/")


@pytest.mark.slow
async def test_typing_replaces_the_proposed_name_and_its_ending_decides_the_form(
    folder: Path,
) -> None:
    (folder / "sub").mkdir()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await dialogue(pilot, "s")
        await pilot.press(*"mine.csv", "enter")
        await closed(pilot)
    assert sorted(os.listdir(folder)) == ["mine.csv", "sub"]


@pytest.mark.slow
async def test_a_click_fills_in_the_name_and_an_existing_file_is_asked_about_once(
    folder: Path,
) -> None:
    file = folder / "old.json"
    file.write_text("x" * 1234)
    os.utime(file, (0, 0))
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "s")
        await pilot.click(Files, offset=(6, 1))
        await until(pilot, lambda: screen.query_one(Input).value == "old.json")
        assert screen.query_one(Input).has_focus
        assert file.read_text() == "x" * 1234
        await press(pilot, "enter")
        assert "old.json (1 kB, 1970-01-01" in hint(screen)
        # Another name is another question, and none if there is no such file.
        await press(pilot, "backspace", "backspace", *"on")
        assert "already there" not in hint(screen)
        await press(pilot, "enter")
        assert "already there" in hint(screen)
        assert file.read_text() == "x" * 1234
        await pilot.press("enter")
        await closed(pilot)
    assert file.read_text() != "x" * 1234


@pytest.mark.slow
async def test_an_enter_that_is_held_does_not_replace_a_file(
    folder: Path, clock: list[float]
) -> None:
    (folder / "attn-tui.json").write_text("kept")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "s")
        # The first repeat comes late, as X has it.
        for seconds in (0.0, 0.66, 0.04, 0.04, 0.04):
            clock[0] = seconds
            await press(pilot, "enter")
            assert "already there" in hint(screen)
        assert os.listdir(folder) == ["attn-tui.json"]
        clock[0] = 1.0
        await pilot.press("enter")
        await closed(pilot)
    assert {*os.listdir(folder)} == {"attn-tui.json", "attn-tui.svg"}


@pytest.mark.slow
async def test_both_files_of_a_name_without_an_ending_are_asked_about(folder: Path) -> None:
    (folder / "attn-tui.json").write_text("kept")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "s")
        await press(pilot, "enter")
        assert "attn-tui.json (4 bytes" in hint(screen)
        await press(pilot, "escape")
    assert os.listdir(folder) == ["attn-tui.json"]


async def test_a_folder_that_is_picked_is_where_the_file_goes(folder: Path) -> None:
    (folder / "sub").mkdir()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "s")
        await pilot.click(Files, offset=(6, 1))
        await until(pilot, lambda: screen.query_one(Input).value == "sub/attn-tui")
        await press(pilot, "home", "enter")
        above = str(folder.parent / "attn-tui")
        await until(pilot, lambda: screen.query_one(Input).value == above)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_what_may_not_be_read_is_not_offered(folder: Path) -> None:
    for name in ("a.npy", "secret.npy"):
        (folder / name).touch()
    (folder / "secret.npy").chmod(0)
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        assert names(await dialogue(pilot, "o")) == ["a.npy"]


async def test_only_files_that_can_be_read_are_offered(folder: Path) -> None:
    for name in ("a.CSV", "b.md", "c.npy", ".hidden.npy", "d.safetensors"):
        (folder / name).touch()
    os.mkfifo(folder / "pipe.npy")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "o")
        assert names(screen) == ["a.CSV", "c.npy", "d.safetensors"]


@pytest.mark.slow
async def test_the_folder_above_is_near_and_heads_offers_the_same(folder: Path) -> None:
    for name in ("a.CSV", "c.npy", "d.safetensors"):
        (folder / name).touch()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "o")
        await pilot.press("tab", "home", "enter")
        await until(pilot, lambda: "here" in names(screen))
        await pilot.press("escape", "5")
        screen = await dialogue(pilot, "o")
        assert names(screen) == ["a.CSV", "c.npy", "d.safetensors"]


@pytest.mark.slow
async def test_a_file_is_opened_in_the_instrument_that_reads_it(folder: Path) -> None:
    (folder / "scores.csv").write_text("1,2,30\n")
    (folder / "model").mkdir()
    write(folder / "model" / "capture.safetensors", heads())
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        for path, instrument in (
            ("model/capture.safetensors", "heads"), ("scores.csv", "explore"), ("model", "heads")
        ):  # fmt: skip
            await dialogue(pilot, "o")
            await pilot.press(*path, "enter")
            await closed(pilot)
            await until(pilot, partial(is_shown, pilot, instrument))
        screen = await shown(pilot)
        assert screen.present.draft.setup.get(Settings).capture == ("model",)


async def test_no_mark_stands_alone_in_the_tree(folder: Path) -> None:
    (folder / "a.csv").touch()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "o")
        tree = screen.query_one(Files)
        lines = [tree.render_line(line).text.strip() for line in range(2)]
        assert lines == [f"▴ .. above {folder}", "a.csv"]


@pytest.mark.slow
async def test_a_dropped_path_is_opened(folder: Path) -> None:
    (folder / "my file.csv").write_text("1,2,30\n")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await dialogue(pilot, "o")
        await pilot.press(*f"'{folder}/my file.csv' ", "enter")
        await closed(pilot)
        screen = await shown(pilot)
        assert screen.present.experiment.vectors[0].n_keys == 3


async def test_down_goes_into_the_list_and_enter_opens_what_is_marked(folder: Path) -> None:
    (folder / "a.csv").write_text("1,2,30\n")
    (folder / "b.csv").write_text("1,2,3,40\n")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        # At once, as a hand does that knows the palette: the list may not have been read yet.
        await burst(pilot, "o", "down", "enter")
        await closed(pilot)
        screen = await shown(pilot)
        assert screen.present.experiment.vectors[0].n_keys == 3
        asking = await dialogue(pilot, "o")
        assert "↓" in str(asking.query_one(".dialogue").border_subtitle)
        await pilot.press("down", "down", "up", "down", "enter")
        await closed(pilot)
        screen = await shown(pilot)
        assert screen.present.experiment.vectors[0].n_keys == 4


async def test_the_beginning_of_one_name_alone_stands_for_it(folder: Path) -> None:
    for name in ("small.csv", "smaller.csv", "smaller.pdf"):
        (folder / name).write_text("1,2,30,4\n")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "o")
        await pilot.press(*"smal", "enter")
        await until(pilot, lambda: "there is no such file" in hint(screen))
        await pilot.press(*"le", "enter")
        await closed(pilot)
        there = await shown(pilot)
        assert there.present.experiment.vectors[0].n_keys == 4


@pytest.mark.parametrize("name", ["n" * 300, "~unknown/there"], ids=["long", "user"])
async def test_a_name_that_no_file_can_have_is_refused_with_its_reason(
    folder: Path, name: str
) -> None:
    (folder / "a.csv").touch()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "o")
        screen.query_one(Input).value = name
        await pilot.press("enter")
        await until(pilot, lambda: "-wrong" in screen.query_one("#hint", Label).classes)
        assert "Error" not in hint(screen)


async def test_enter_without_a_name_takes_the_marked_line(folder: Path) -> None:
    (folder / "a.csv").touch()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "o")
        await pilot.press("enter")
        await until(pilot, lambda: "here" in names(screen))
        assert screen.query_one(Input).has_focus


@pytest.mark.slow
async def test_what_is_typed_in_the_list_stands_in_the_field(folder: Path) -> None:
    (folder / "old.json").touch()
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "s")
        field = screen.query_one(Input)
        await press(pilot, "down", *"new.csv")
        assert (field.value, field.has_focus) == ("new.csv", True)
        await press(pilot, "down", "up", "up")
        assert field.has_focus
        # In Save, a file of the list is a name, which enter then takes.
        await press(pilot, "down", "down", "enter")
        await until(pilot, lambda: field.value == "old.json")
        assert field.has_focus


async def test_a_folder_that_holds_no_capture_is_gone_into(folder: Path) -> None:
    """What was meant may lie one folder deeper: `o demos enter` leads on, and says why."""
    (folder / "demos" / "healthy").mkdir(parents=True)
    write(folder / "demos" / "healthy" / "capture.safetensors", heads())
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await dialogue(pilot, "o")
        await pilot.press(*"demos", "enter")
        await until(pilot, lambda: screen.query_one(Files).folder == folder / "demos")
        await until(pilot, lambda: bool(screen.query_one(Files).root.children))
        assert "no file in this folder holds tensors" in hint(screen)
        await pilot.press(*"demos/healthy", "enter")
        await until(pilot, lambda: is_shown(pilot, "heads"))
