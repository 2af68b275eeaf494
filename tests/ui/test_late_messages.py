"""A message may arrive when what it speaks of is gone: nothing ends, and nothing else is done."""

from asyncio import create_task, gather, sleep
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.events import MouseDown, MouseMove, MouseUp, Paste
from textual.widgets import DataTable, Select
from textual.widgets.data_table import RowKey

from attn_tui.attention.screen import AttentionScreen
from attn_tui.engine.settings import Settings
from attn_tui.explore.screen import ExploreScreen
from attn_tui.files import edits
from attn_tui.files.draft import EXAMPLE
from attn_tui.heads.opening import draft_of_head
from attn_tui.heads.table import HeadList
from attn_tui.sweep.screen import FIELDS, SweepScreen
from attn_tui.ui.app import AttnApp
from attn_tui.ui.asking_screen import AskingScreen
from attn_tui.ui.file_dialogs import FileScreen
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.setting import DRAW, MODEL
from attn_tui.ui.settings_panel import SettingsPanel
from tests.engine.captured import heads, write
from tests.sweep.asked import DRAFT as QUICK
from tests.ui.person import app_of, notices, press, shown, until

ROOMY = (160, 45)


@pytest.mark.slow
async def test_the_settings_may_be_opened_twice_at_once_and_asked_about_meanwhile() -> None:
    async with AttnApp(EXAMPLE).run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        opening = [create_task(screen.open_panel(name)) for name in ("mask", "model")]
        # The panel is there by now, and its widgets are not.
        await sleep(0)
        screen.ask(MODEL.edit("gpt-2"))
        await gather(*opening)
        await shown(pilot)
        model = screen.query_one("#set-model", Select)
        assert model.has_focus
        assert model.value == "gpt-2"
        assert len(screen.query(SettingsPanel)) == 1


@pytest.mark.slow
async def test_a_setting_of_a_draw_that_is_no_longer_shown_changes_nothing() -> None:
    async with AttnApp(EXAMPLE.with_text("n = 8, seed = 1")).run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        (number,) = (setting for setting in DRAW if setting.name == "n")
        late = number.read(screen.present, "9")
        screen.ask(edits.text("1, 2"))
        screen.ask(late)
        assert (await shown(pilot)).present.draft.text == "1, 2"


async def test_the_number_of_keys_moves_no_text_that_cannot_be_read() -> None:
    async with AttnApp(EXAMPLE.with_text("n = 8, seed = 1")).run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        screen.ask(edits.text("1 2x"))
        await shown(pilot)
        # The numbers on the screen are still those of the draw before.
        await press(pilot, "full_stop")
        assert screen.present.draft.text == "1 2x"
        assert "'2x' is not a number" in notices(pilot)


@pytest.mark.slow
async def test_a_setting_that_is_not_in_the_panel_opens_it_at_the_first() -> None:
    async with AttnApp(QUICK, "sweep").run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        await screen.open_setting("ratio")
        assert (await shown(pilot)).query_one("#set-statistic", Select).has_focus


@pytest.mark.slow
async def test_a_move_on_a_map_that_is_gone_goes_to_the_place_it_was_about() -> None:
    async with AttnApp(QUICK, "sweep").run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        assert isinstance(screen, SweepScreen)
        asked = screen.query_one("#map", HeatMap)
        last = screen.answer.points[-1].d_k if screen.answer else 0
        screen.ask(FIELDS["d_k_range"].edit((1, 4)))
        asked.action_end(-1)
        await shown(pilot)
        assert screen.place[1] == last > 4


async def test_the_mouse_over_a_head_that_is_gone_shows_the_row_of_the_cursor() -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        assert isinstance(screen, AttentionScreen)
        late = HeatMap.Hovered(screen.query_one("#unscaled-pane", HeatMap), (11, 11))
        screen.ask(edits.text("q: [[1, 0], [0, 1]]\nK: [[1, 0], [0, 1]]"))
        await shown(pilot)
        screen.post_message(late)
        await shown(pilot)
        assert str(screen.pane("row-pane").border_title).startswith("Query 1 sees 2 keys")


@pytest.mark.slow
async def test_a_capture_is_opened_while_the_scores_cannot_be_read(tmp_path: Path) -> None:
    capture = write(tmp_path / "capture.safetensors", heads())
    async with AttnApp(EXAMPLE).run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        screen.ask(edits.text("1, 2, x"))
        await pilot.press("5", "o")
        await until(pilot, lambda: isinstance(pilot.app.screen, FileScreen))
        pilot.app.post_message(Paste(str(capture)))
        screen = await press(pilot, "enter")
        assert screen.present.draft.setup.get(Settings).capture == (str(capture),)
        assert screen.present.error is not None


async def test_a_vector_is_gone_to_by_its_name_and_not_at_all_if_it_is_gone() -> None:
    draft = EXAMPLE.with_text("a: 1, 2\nb: 3, 4\nc: 5, 6")
    async with AttnApp(draft).run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        assert isinstance(screen, ExploreScreen)
        for name, index in (("c", 2), ("b", 1), ("z", 1)):
            screen.post_message(screen.Go("explore", name))
            await shown(pilot)
            assert screen.index == index
        screen.post_message(screen.Go("explore", "c"))
        screen.ask(edits.text("c: 5, 6"))
        await shown(pilot)
        assert screen.index == 0


async def test_a_click_on_what_is_just_taken_away_does_nothing() -> None:
    async with AttnApp(EXAMPLE).run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        headline = screen.query_one("#headline")
        x, y = headline.region.offset
        # It stands on the screen until the next layout, which waits meanwhile.
        with pilot.app.batch_update():
            await headline.remove()
            for kind in (MouseMove, MouseDown, MouseMove, MouseUp):
                await pilot.app.on_event(kind(None, x, y, 0, 0, 1, False, False, False))
            await until(pilot, lambda: app_of(pilot).turns.idle)
        assert (await shown(pilot)).is_current


@pytest.mark.slow
async def test_what_is_read_late_takes_nobody_away_from_where_one_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = write(tmp_path / "capture.safetensors", heads())
    draft = replace(EXAMPLE, setup=EXAMPLE.setup.put(Settings(capture=(str(capture),))))
    gone = Event()

    def waited(name: str, read: Callable[..., Any]) -> None:
        def late(*arguments: Any) -> Any:
            gone.wait(60)
            return read(*arguments)

        monkeypatch.setattr(name, late)

    waited("attn_tui.heads.screen.draft_of_head", draft_of_head)
    waited("attn_tui.ui.asking_screen.AskingScreen.report_text", AskingScreen.report_text)
    async with AttnApp(draft, "heads").run_test(size=ROOMY) as pilot:
        for key, thing in (("enter", "Layer 2 head 1"), ("i", "The report")):
            gone.clear()
            app_of(pilot).action_go("heads")
            before = (await shown(pilot)).present
            await pilot.press(key, "1")
            gone.set()
            screen = await shown(pilot)
            assert screen.NAME == "explore"
            assert screen.present == before
            assert f"{thing} is not shown: something else was opened meanwhile" in notices(pilot)


@pytest.mark.parametrize("key", ["slash", "question_mark", "o"])
async def test_what_is_closed_twice_closes_once(key: str) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(100, 30)) as pilot:
        screen = await shown(pilot)
        await pilot.press(key)
        await until(pilot, lambda: pilot.app.screen is not screen)
        await pilot.press("a")
        opened = pilot.app.screen
        # Another escape may come before the first has taken it away.
        opened.dismiss()
        opened.dismiss()
        assert (await shown(pilot)).is_current
        assert pilot.app.screen is screen


@pytest.mark.slow
async def test_a_row_of_a_table_that_is_filled_otherwise_moves_to_no_other_head(
    tmp_path: Path,
) -> None:
    capture = write(tmp_path / "capture.safetensors", heads())
    draft = replace(EXAMPLE, setup=EXAMPLE.setup.put(Settings(capture=(str(capture),))))
    async with AttnApp(draft, "heads").run_test(size=ROOMY) as pilot:
        screen = await shown(pilot)
        table, before = screen.query_one(HeadList), screen.present
        for key in (None, RowKey(None), RowKey("0.9.9")):
            # Textual tells no key of a table that was emptied, whatever its type says.
            table.post_message(DataTable.RowHighlighted(table, 0, key))  # type: ignore[arg-type]
            assert (await shown(pilot)).present == before
        table.post_message(DataTable.RowHighlighted(table, 0, RowKey("0.0.1")))
        settings = (await shown(pilot)).present.draft.setup.get(Settings)
        assert (settings.layer, settings.head) == (0, 1)
