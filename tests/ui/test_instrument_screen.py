"""What all instruments share: playing d_k, moving n, the remembered theme, errors."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from textual.app import App, ComposeResult
from textual.color import Color
from textual.widgets import Input, Label, Select, Static, Tab

from attn_tui.compute.explore import precision_lab
from attn_tui.compute.setup import Setup
from attn_tui.explore.screen import ExploreScreen
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.dialogs import HelpScreen, TextScreen
from attn_tui.ui.file_dialogs import FileScreen
from attn_tui.ui.memory import remembered_theme
from attn_tui.ui.setting import MODEL
from attn_tui.ui.settings_panel import SettingsPanel
from attn_tui.ui.title import Title
from tests.pairs import slow_after
from tests.ui.person import press, read, shown, until

DRAWN = EXAMPLE.with_text("n = 64, seed = 1")


def n_keys(screen: object) -> int:
    assert isinstance(screen, ExploreScreen)
    assert screen.answer
    return screen.answer.vector.vector.n_keys


@pytest.mark.slow
async def test_n_moves_where_keys_are_drawn() -> None:
    seconds = 0.0
    async with AttnApp(DRAWN, clock=lambda: seconds).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "d", "6", "4", "enter")
        assert n_keys(screen) == 64
        assert "typically" in screen.headline
        assert n_keys(await press(pilot, "full_stop")) == 80
        seconds += 10.0
        assert n_keys(await press(pilot, "comma", "comma")) == 48
        seconds += 10.0
        assert n_keys(await press(pilot, "n", "7", "enter")) == 7
        await press(pilot, "escape")
        # Steps that follow each other soon are taken back together.
        assert [n_keys(await press(pilot, "u")) for _ in range(3)] == [48, 80, 64]


async def test_space_plays_d_k_in_a_pane_shown_alone_until_it_is_left() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "f", "space")
        await until(pilot, lambda: screen.present.experiment.setup.d_k != 1024)
        await press(pilot, "f")
        assert not screen.is_playing


@pytest.mark.slow
async def test_a_theme_that_is_named_is_there_from_the_first_picture_on() -> None:
    for named, theme in (("attn-light", "attn-light"), ("nord", "nord"), ("none of them", "attn")):
        app = AttnApp(EXAMPLE, theme=named)
        async with app.run_test(size=(120, 40)) as pilot:
            await shown(pilot)
            assert app.theme == theme
            assert app.screen.styles.background == Color.parse(app.current_theme.background or "")
        assert remembered_theme() == ""


async def test_a_theme_that_is_chosen_is_remembered() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        pilot.app.theme = "nord"
        await pilot.pause()
        assert remembered_theme() == "nord"


async def test_what_fails_in_a_thread_is_said_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError("nothing to divide by")

    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        line = screen.query_one("#headline", Static)
        monkeypatch.setattr(precision_lab, "lab", fail)
        await pilot.press("t", "t")
        await until(pilot, lambda: bool(screen.failure))
        assert "worked out: ZeroDivisionError: nothing to divide by." in str(line.render())
        assert "report it, with the command that c copies" in str(line.render())
        await press(pilot, "T", "right_curly_bracket")
        assert screen.present.experiment.setup.d_k == 2048
        assert str(line.render()).startswith("Unscaled, key 2")


@pytest.mark.slow
async def test_the_panel_and_the_title_follow_what_is_asked() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(140, 40)) as pilot:
        screen = await press(pilot, "g")
        screen.ask(MODEL.edit("gpt-2"))
        await shown(pilot)
        status, model = screen.query_one("#status", Label), screen.query_one("#set-model", Select)
        assert str(status.render()) == "GPT-2 small"
        assert model.value == "gpt-2"
        await press(pilot, "escape", "plus")
        assert str(status.render()) == "GPT-2 small, but d_k 80"
        await press(pilot, "g", "escape", "u", "u")
        assert str(status.render()) == ""


async def test_the_title_says_what_changes_numbers_and_stands_in_no_pane() -> None:
    """Without it float16 could be read as float64, and a spread of 2 as the law itself."""
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        for name, value in (("precision", "float16"), ("σ_q", 2.0)):
            setting = next(each for each in screen.settings if name in (each.name, each.label))
            screen.ask(setting.edit(value))
        await shown(pilot)
        # Typed scores are not drawn, so that their spread is nothing to say.
        assert str(screen.query_one("#status", Label).render()) == "float16"
        drawn = await press(pilot, "2")
        assert str(drawn.query_one("#status", Label).render()) == "σ_q = 2"
        assert drawn.headline.startswith("At d_k = 1,024, q·k is typically ±64")


@pytest.mark.slow
@pytest.mark.parametrize("instrument", ["explore", "dots", "sweep", "attention"])
async def test_a_d_k_of_1_is_written_too(instrument: str) -> None:
    """Its field stood empty wherever d_k was 1 from the start."""
    draft = replace(EXAMPLE, setup=Setup(1))
    async with AttnApp(draft, instrument).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        assert screen.query_one("#d_k-typed", Input).value.strip() == "1"
        await press(pilot, "plus", "minus")
        assert screen.query_one("#d_k-typed", Input).value.strip() == "1"


@pytest.mark.slow
async def test_a_narrow_title_says_it_in_place_of_titles_of_instruments() -> None:
    """At 80 columns float16 could not be told from float64."""
    async with AttnApp(EXAMPLE, "dots").run_test(size=(80, 24)) as pilot:
        screen = await shown(pilot)
        assert "attn-tui 1 Explore 2 Dot products 3 Sweep 4 Attention" in read(pilot)
        sigma = next(each for each in screen.settings if each.label == "σ_q")
        screen.ask(sigma.edit(0.7))
        await shown(pilot)
        assert "1 Explore 2 Dots 3 Sweep 4 Attention 5 Heads 6 Claims σ_q = 0.7" in read(pilot)
        await pilot.resize_terminal(60, 20)
        await shown(pilot)
        assert "1 2 Dot products 3 4 5 6 σ_q = 0.7" in read(pilot)
        await pilot.resize_terminal(120, 40)
        await shown(pilot)
        assert "attn-tui 1 Explore 2 Dot products 3 Sweep" in read(pilot)
        assert "6 Claims σ_q = 0.7" in read(pilot)


async def test_a_file_that_fails_unforeseen_is_refused_with_what_went_wrong() -> None:
    def fail(path: str) -> None:
        raise ZeroDivisionError(f"in {path}")

    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        dialogue = FileScreen("Open", fail)
        await pilot.app.push_screen(dialogue)
        await pilot.press("x", "enter")
        await until(pilot, lambda: dialogue.query_one("#hint").has_class("-wrong"))
        hint = str(dialogue.query_one("#hint", Label).render())
        assert hint == "this could not be read: ZeroDivisionError: in x"
        assert dialogue.query_one(Input).value == "x"


@pytest.mark.parametrize(
    ("columns", "is_alone"), slow_after(0, [(79, True), (80, False), (60, True)])
)
async def test_open_settings_take_the_whole_width_where_panes_have_no_room(
    columns: int, is_alone: bool
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(columns, 20)) as pilot:
        screen = await press(pilot, "g")
        panel = screen.query_one(SettingsPanel)
        assert (panel.outer_size.width == columns) == is_alone
        assert screen.query_one("#weights-pane").is_on_screen != is_alone
        await press(pilot, "g")
        assert screen.query_one("#weights-pane").is_on_screen
        assert screen.focused is screen.home


@pytest.mark.slow
async def test_a_dialogue_closes_once_and_only_where_it_lies_over_all_others() -> None:
    dialogues = FileScreen("Open", str), TextScreen("Report", "text"), HelpScreen("text")
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        for dialogue in dialogues:
            results: list[object] = []
            await pilot.app.push_screen(dialogue, results.append)
            await pilot.app.push_screen(HelpScreen("over it"))
            dialogue.dismiss()
            assert len(pilot.app.screen_stack) == 3
            await pilot.press("escape")
            dialogue.dismiss()
            dialogue.dismiss()
            await shown(pilot)
            assert results == [None]
            assert len(pilot.app.screen_stack) == 1


class Host(App[None]):
    """An application with a title, which notes its tabs before the first layout."""

    labels: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        yield Title("heads")

    def on_mount(self) -> None:
        self.labels = [tab.label_text for tab in self.query(Tab)]


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        (60, ["1", "2", "3", "4", "5 Heads", "6"]),
        (80, ["1 Explore", "2 Dot products", "3 Sweep", "4 Attention", "5 Heads", "6 Claims"]),
    ],
)
async def test_tabs_have_room_from_the_first_picture_on(columns: int, labels: list[str]) -> None:
    async with Host().run_test(size=(columns, 20)) as pilot:
        assert isinstance(pilot.app, Host)
        assert pilot.app.labels == labels
        assert [tab.label_text for tab in pilot.app.query(Tab)] == labels
