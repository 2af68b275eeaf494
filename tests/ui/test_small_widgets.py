"""Slider, number pane, settings panel and dialogues by themselves: what each asks for, and when."""

from collections.abc import Iterator
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Label

from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.errors import InputError
from attn_tui.compute.field import fields_of
from attn_tui.compute.log_scale import D_K, LogScale
from attn_tui.files.draft import EXAMPLE
from attn_tui.files.history import Question
from attn_tui.ui.d_k import DkPane
from attn_tui.ui.dialogs import TextScreen
from attn_tui.ui.file_dialogs import FileScreen
from attn_tui.ui.setting import CAUSAL, MASK, of_field
from attn_tui.ui.settings_panel import SettingsPanel
from attn_tui.ui.slider import Slider

SCALE = LogScale("d_k", 1, 4096, tuple(2**power for power in range(13)))


class Host(App[None]):
    """An application with one widget, which keeps what is asked for."""

    def __init__(self, *widgets: Widget) -> None:
        super().__init__()
        self._widgets = widgets
        self.asked: list[Any] = []

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def on_slider_moved(self, event: Slider.Moved) -> None:
        self.asked.append((event.value, event.gesture))
        event.slider.value = event.value
        for pane in self.query(DkPane):
            pane.value = event.value

    def on_settings_panel_changed(self, event: SettingsPanel.Changed) -> None:
        self.asked.append((event.name, event.edit))


async def used(pilot: Pilot[None]) -> None:
    """Wait until a file is used; the tree of files never ends looking for more."""
    await pilot.pause()
    workers = [worker for worker in pilot.app.workers if worker.name == "use"]
    if workers:
        await pilot.app.workers.wait_for_complete(workers)
    await pilot.pause()


def numbers(host: Host) -> Iterator[int]:
    return (value for value, _ in host.asked)


async def test_a_slider_goes_by_stops_by_one_and_to_its_ends_and_asks_for_nothing_it_has() -> None:
    host = Host(Slider(SCALE, (), "d_k"))
    async with host.run_test(size=(60, 4)) as pilot:
        host.query_one(Slider).focus()
        await pilot.press("end", "end", "shift+left", "home", "home", "right")
        assert [*numbers(host)] == [4096, 4095, 1, 2]
        # One step after the other is one change to undo; a jump is one by itself.
        assert [gesture for _, gesture in host.asked] == ["", "d_k step", "", "d_k step"]


async def test_a_slider_follows_the_mouse_while_a_button_is_down_and_each_drag_is_one_gesture() -> (
    None
):
    host = Host(Slider(SCALE, (), "d_k"))
    async with host.run_test(size=(60, 4)) as pilot:
        await pilot.hover(Slider, offset=(40, 0))
        assert not host.asked
        for column in (58, 0):
            await pilot.mouse_down(Slider, offset=(column, 0))
            await pilot.mouse_up(Slider, offset=(column, 0))
        assert [*numbers(host)] == [4096, 1]
        assert host.asked[0][1] != host.asked[1][1]


async def test_a_number_moves_by_a_click_on_the_keys_beside_its_slider() -> None:
    host = Host(DkPane())
    async with host.run_test(size=(60, 6)) as pilot:
        host.query_one(DkPane).value = 64
        for key in (".more", ".key", ".key"):
            await pilot.click(key)
        steps = [D_K.step(64, steps) for steps in (1, 0, -1)]
        assert [*numbers(host)] == steps


async def test_a_typed_number_is_asked_for_by_enter_alone_and_a_wrong_one_is_named() -> None:
    host = Host(DkPane())
    async with host.run_test(size=(60, 6)) as pilot:
        pane = host.query_one(DkPane)
        pane.edit()
        await pilot.press(*"1000")
        assert not host.asked
        await pilot.press("enter")
        assert host.asked == [(1000, "")]
        assert host.query_one(Slider).has_focus
        pane.edit()
        await pilot.press(*"70000", "enter")
        assert host.asked == [(1000, "")]
        assert next(iter(host._notifications)).message.startswith("d_k: ")
        # Leaving the field gives it the number again that it had.
        host.query_one(Slider).focus()
        await pilot.pause()
        assert host.query_one(Input).value.strip() == "1,000"


async def test_doubling_stops_at_the_ends_of_the_scale() -> None:
    host = Host(DkPane())
    async with host.run_test(size=(60, 6)):
        pane = host.query_one(DkPane)
        pane.value = D_K.maximum // 2 + 1
        assert pane.doubled(1) == D_K.maximum
        pane.value = D_K.maximum
        assert (pane.doubled(1), pane.doubled(-1)) == (D_K.maximum, D_K.maximum // 2)
        pane.value = 1
        assert pane.doubled(-1) == 1


async def test_a_click_beside_a_setting_leads_to_it_and_turns_a_switch() -> None:
    panel = SettingsPanel([("Mask", [MASK, CAUSAL])])
    panel.question = Question.first(EXAMPLE)
    host = Host(panel)
    async with host.run_test(size=(60, 12)) as pilot:
        await panel.open("mask")
        label = panel.query(".setting Label").last()
        for offset in ((0, 0), (label.size.width + 1, 0)):
            await pilot.click(label, offset=offset)
        await pilot.pause()
        assert panel.widget_of("mask-causal").has_focus
        assert [name for name, _ in host.asked] == ["mask causal"]


async def test_a_setting_is_asked_for_once_it_is_another_and_its_problem_stands_below() -> None:
    fields = fields_of(Settings)
    panel = SettingsPanel([("Drawn", [of_field(fields[name]) for name in ("samples", "seed")])])
    panel.question = Question.first(EXAMPLE)
    panel.display = False
    host = Host(panel)
    async with host.run_test(size=(60, 12)) as pilot:
        # Nothing is mounted before it is opened, and then the setting asked for has the focus.
        assert not panel.query(Input)
        await panel.open("seed")
        await pilot.pause()
        field = panel.widget_of("seed")
        assert field.has_focus
        await pilot.press("enter")
        assert not host.asked
        await pilot.press(*"-1", "enter")
        problem = panel.query_one("#problem", Label)
        assert (problem.display, host.asked) == (True, [])
        await pilot.press("ctrl+u", *"7", "enter")
        ((name, edit),) = host.asked
        assert (name, problem.display) == ("seed", False)
        assert edit(EXAMPLE).setup.get(Settings).seed == 7


async def test_a_dialogue_closes_once_however_often_it_is_asked_to() -> None:
    host = Host()
    results: list[Any] = []
    async with host.run_test(size=(60, 12)) as pilot:
        screen = TextScreen("Title", "text")
        await host.push_screen(screen, results.append)
        screen.action_close(True)
        screen.action_close(False)
        await pilot.pause()
        assert results == [True]


async def test_a_file_that_cannot_be_used_leaves_the_dialogue_open_with_the_reason() -> None:
    def use(path: str) -> str:
        if path != "right":
            raise InputError("file", "there is no such file", "a file")
        return path

    host = Host()
    results: list[Any] = []
    async with host.run_test(size=(60, 20)) as pilot:
        await host.push_screen(FileScreen("Open", use, name="wrong"), results.append)
        await pilot.press("enter")
        await used(pilot)
        hint = str(host.screen.query_one("#hint", Label).content)
        assert "there is no such file" in hint
        assert not results
        await pilot.press("ctrl+u", *"right", "enter")
        await used(pilot)
        assert results == ["right"]
