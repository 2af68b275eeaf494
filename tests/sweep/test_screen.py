"""Sweep on the screen: the map, its cursor, the views, the report and saving."""

import gc
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Label

from attn_tui.charts.figure import Figure
from attn_tui.charts.heat_map import HeatMapDrawing as Map
from attn_tui.compute.errors import Stop
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer, row_crossovers
from attn_tui.compute.sweep.crossover import Crossings
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.settings import Settings
from attn_tui.console.asking import asked_by
from attn_tui.sweep import runs
from attn_tui.sweep.change import SIGNS
from attn_tui.sweep.charts import PlaceNumbers
from attn_tui.sweep.runs import SweepRun
from attn_tui.sweep.screen import SweepScreen
from attn_tui.tour.reader import read_tour
from attn_tui.ui.app import AttnApp
from attn_tui.ui.picture import Picture
from attn_tui.ui.settings_panel import SettingsPanel
from tests.pairs import slow_after
from tests.sweep.asked import DRAFT, MAP
from tests.ui.person import press, read, shown, shown_title, take_first


async def at(pilot: Pilot[None], *keys: str) -> SweepScreen:
    """Press keys, and return Sweep once everything is drawn and shown."""
    screen = await press(pilot, *keys) if keys else await shown(pilot)
    assert isinstance(screen, SweepScreen)
    return screen


MANY = replace(DRAFT, setup=DRAFT.setup.put(Settings(view="map", ratio=True)))
"""A sweep of so many draws that it goes on for a while."""


async def drawing(pilot: Pilot[None]) -> SweepScreen:
    """Return Sweep once it has its first draws, while it draws more."""
    screen = pilot.app.screen_stack[0]
    while not (isinstance(screen, SweepScreen) and screen.answer):
        await pilot.pause()
        screen = pilot.app.screen_stack[0]
    return screen


def drawn(screen: SweepScreen, id: str = "map") -> Map:
    drawing = screen.query_one(f"#{id}", Picture).drawing
    assert isinstance(drawing, Map)
    return drawing


def cell(screen: SweepScreen, row: int, column: int) -> tuple[int, int]:
    """Return the place of an entry in the picture of the map: column and line."""
    size = screen.query_one("#map").content_size
    lines, columns = range(size.height), range(size.width)
    return next(
        (x, y) for y in lines for x in columns if drawn(screen).entry(x, y, *size) == (row, column)
    )


@pytest.mark.slow
async def test_the_crossovers_of_a_row_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def recorded(experiment: Experiment, stop: Stop) -> Iterator[tuple[int, Crossings]]:
        searched.append(experiment.setup.get(Settings).n)
        return row_crossovers(experiment, stop)

    monkeypatch.setattr(runs, "row_crossovers", recorded)
    async with AttnApp(DRAFT, "sweep").run_test(size=(120, 40)) as pilot:
        await at(pilot)
        for key in ("left", "left", "right", "up", "right", "down", "left"):
            screen = await at(pilot, key)
            assert screen.answer is not None
            assert {n for n, _, _ in screen.answer.crossovers} == {screen.place[0]}, key
    assert searched == [8, 16]


@pytest.mark.slow
async def test_the_cursor_goes_by_keys_and_mouse_and_each_move_is_undone() -> None:
    async with AttnApp(DRAFT, "sweep").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        assert screen.headline.startswith("With 8 keys and d_k = 64, dividing by √d_k makes")
        assert drawn(screen).cursor == (4, 5)
        for keys, place in {
            "right": (8, 128), "up": (16, 128), "h": (16, 64), "j": (8, 64), "k": (16, 64),
            "l": (16, 128), "right_curly_bracket": (16, 256), "full_stop": (24, 256),
            "comma": (16, 256), "home": (16, 2), "end": (16, 1024),
        }.items():  # fmt: skip
            screen = await at(pilot, keys)
            assert screen.place == place, keys
        assert screen.headline.startswith("With 16 keys and d_k = 1,024")
        await pilot.click("#map", offset=cell(screen, 0, 0))
        screen = await at(pilot)
        assert screen.place == (128, 2)
        title = "Median at 128 keys, d_k 2"
        assert screen.pane("place-pane").border_title == title
        await pilot.hover("#map", offset=cell(screen, 6, 9))
        screen = await at(pilot)
        assert screen.place == (128, 2)
        under = "Median at 2 keys, d_k 1,024 under the mouse"
        assert screen.pane("place-pane").border_title == under
        await pilot.hover("#headline")
        screen = await at(pilot)
        assert screen.pane("place-pane").border_title == title
        screen = await at(pilot, "u")
        assert screen.place == (16, 1024)


@pytest.mark.slow
async def test_between_the_columns_a_place_is_drawn_for_itself_and_spoken_of() -> None:
    async with AttnApp(DRAFT, "sweep").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot, "plus")
        assert screen.place == (8, 80)
        assert screen.headline.startswith("With 8 keys and d_k = 80")
        assert drawn(screen).cursor == (4, 5)
        assert screen.answer
        assert screen.answer.here
        place = screen.query_one("#place-pane", Picture).drawing
        assert isinstance(place, PlaceNumbers)
        assert {point.d_k for point in place.points} == {80}
        # The next view draws the curves of this n, and a step to another n draws those of that n.
        screen = await at(pilot, "t")
        assert screen.answer
        assert screen.answer.points.ns == (8,)
        screen = await at(pilot, "full_stop")
        assert screen.answer
        assert screen.answer.points.ns == (screen.place[0],) != (8,)
        explore = await press(pilot, "enter")
        assert explore.NAME == "explore"
        assert explore.present.experiment.source == Drawn(screen.place[0], 1)
        assert explore.present.experiment.setup.d_k == 80
        screen = await at(pilot, "3", "u")
        assert screen.present.draft.text == DRAFT.text


@pytest.mark.slow
async def test_every_number_is_of_the_place_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[Place, str, str, str, bool]] = []
    watch = SweepScreen.watch_answer

    def watch_and_record(screen: SweepScreen, answer: Answer) -> None:
        watch(screen, answer)
        title, row_title = (
            str(screen.pane(pane).border_title) for pane in ("place-pane", "row-pane")
        )
        shown.append((screen.place, screen.headline, title, row_title, bool(answer.nearby)))

    monkeypatch.setattr(SweepScreen, "watch_answer", watch_and_record)
    async with AttnApp(DRAFT, "sweep").run_test(size=(120, 40)) as pilot:
        await at(pilot)
        await at(pilot, "plus")
        await at(pilot, "full_stop")
        before = len(shown)
        await at(pilot, "comma")
        for (n, d_k), headline, place_title, row_title, is_known in shown:
            assert headline.endswith("…") != is_known
            assert f" {n:,} keys" in headline
            assert f"d_k = {d_k:,}" in headline
            assert place_title == f"Median at {n:,} keys, d_k {d_k:,}"
            assert row_title == ("Gradient, 8 keys" if n == 8 else "Nearest row, 16 keys")
        assert {place for place, *_ in shown} == {(8, 64), (8, 80), (12, 80)}
        assert {place for place, *_, is_known in shown if is_known} == {
            (8, 64), (8, 80), (12, 80)
        }  # fmt: skip
        # What was drawn for a place is there as soon as one comes back.
        assert all(is_known for *_, is_known in shown[before:])


@pytest.mark.slow
async def test_views_ask_for_what_they_show_and_arrows_go_along_their_curves() -> None:
    async with AttnApp(DRAFT, "sweep").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot, "t")
        assert (screen.sweep.view, screen.sweep.over) == ("curves", "d_k")
        figure = screen.query_one("#over-pane", Picture).drawing
        assert isinstance(figure, Figure)
        assert [curve.kind for curve in figure.curves] == ["unscaled", "scaled"]
        assert len(figure.curves[0].x) == 19
        before = screen.place
        screen = await at(pilot, "right")
        assert screen.place[0] == before[0]
        assert screen.place[1] > before[1]
        screen = await at(pilot, "t")
        assert (screen.sweep.view, screen.sweep.over) == ("curves", "n")
        before = screen.place
        screen = await at(pilot, "left")
        assert screen.place[1] == before[1]
        assert screen.place[0] < before[0]
        screen = await at(pilot, "t")
        assert screen.view == "numbers-pane"
        screen = await at(pilot, "t")
        assert (screen.view, screen.sweep.view) == ("map-pane", "map")
        # The sweep was kept, so nothing is drawn again.
        assert screen.answer
        assert screen.answer.progress == 1.0


async def test_a_sink_and_a_soft_cap_that_do_not_count_here_are_said_to_be_left_out() -> None:
    scale = Scale(softcap=50.0, sink=0.0)
    draft = replace(DRAFT, setup=replace(DRAFT.setup, scale=scale))
    async with AttnApp(draft, "sweep").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        subtitle = str(screen.pane("map-pane").border_subtitle)
        assert "Not applied here: soft cap, sink" in subtitle
        # The weight of a leading key is beside the sink.
        await take_first(pilot, "statistic lead_weight")
        screen = await at(pilot)
        subtitle = str(screen.pane("map-pane").border_subtitle)
        assert "Not applied here: soft cap" in subtitle
        assert "sink" not in subtitle


@pytest.mark.slow
async def test_settings_and_another_seed_ask_something_else_and_too_many_are_refused() -> None:
    async with AttnApp(DRAFT, "sweep").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        levels = drawn(screen).levels
        screen = await at(pilot, "a")
        assert screen.sweep.seed == 2
        assert (drawn(screen).levels != levels).any()
        screen = await at(pilot, "slash", *"statistic effective_keys", "enter")
        assert screen.sweep.statistic == "effective_keys"
        assert screen.headline.startswith("Of 8 keys about ")
        assert str(screen.pane("map-pane").border_title).endswith("the effective keys")
        screen = await at(pilot, "slash", *"draws 100000", "enter")
        assert "expected at most" in "".join(note.message for note in pilot.app._notifications)


@pytest.mark.slow
async def test_what_is_shown_is_read_and_saved() -> None:
    async with AttnApp(DRAFT, "sweep").run_test(size=(80, 24)) as pilot:
        screen = await at(pilot)
        text = screen.report_text()
        assert " ".join(text.split()).startswith(screen.headline)
        forms = {ending: "".join(map(str, write())) for ending, write in screen.forms().items()}
        plain = json.loads(forms[".json"])
        assert plain["headline"] == screen.headline
        assert len(plain["points"]) == 7 * 10 * 2
        assert {crossover["n"] for crossover in plain["crossovers"]} == {8}
        assert forms[".csv"].startswith("n,d_k,rule,multiplier,draws,statistic")


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", slow_after(1, [((60, 20),), ((120, 40),), ((80, 24),), ((100, 30),)])
)
async def test_the_legend_explains_the_signs_that_the_map_shows_and_fits(
    size: tuple[int, int],
) -> None:
    draft = replace(DRAFT, setup=DRAFT.setup.put(replace(MAP, d_k_range=(1, 8192))))
    async with AttnApp(draft, "sweep").run_test(size=size) as pilot:
        screen = await at(pilot)
        label = screen.query_one("#legend", Label)
        legend = str(label.render())
        lines = legend.split("\n")
        assert "▼ smaller  ▲ larger  ⡇ where it turns" in lines[0]
        assert len(lines) == label.content_size.height
        assert max(map(len, lines)) <= label.content_size.width
        picture = screen.query_one("#map").content_size
        shown_texts = {text for row in drawn(screen).texts_in(*picture) for text in row}
        sides = Content.from_markup(str(screen.pane("row-pane").border_subtitle)).plain
        is_beside = bool(screen.pane("row-pane").size)
        assert not is_beside or sides.endswith("1/√d_k")
        assert not is_beside or "unscaled" in sides
        assert is_beside or size[0] < 100
        for sign, meaning in SIGNS.items():
            assert (sign in shown_texts) == (f"{sign} {meaning}" in legend), sign
        assert "M" in shown_texts


@pytest.mark.slow
async def test_a_map_without_room_for_signs_says_what_its_other_places_are() -> None:
    many = replace(MAP, n_range=(2, 4096), d_k_range=(1, 8192))
    draft = replace(DRAFT, setup=DRAFT.setup.put(many))
    async with AttnApp(draft, "sweep").run_test(size=(60, 20)) as pilot:
        screen = await at(pilot)
        shades = drawn(screen)
        assert any("?" in row for row in shades.texts)
        words = str(screen.query_one("#legend", Label).render())
        # A colour would be a lie in one of the two themes.
        assert "else: same or draws do not tell" in words
        assert len(words) <= screen.query_one("#legend").content_size.width


@pytest.mark.slow
async def test_beside_the_settings_no_number_is_cut_and_n_is_typed_where_it_is_seen() -> None:
    async with AttnApp(DRAFT, "sweep").run_test(size=(80, 24)) as pilot:
        await at(pilot)
        screen = await press(pilot, "g")
        assert "median ● unscaled 0.106 ● 1/√d_k 0.0458 " in read(pilot)
        assert shown_title(screen.pane("map-pane")) == "e Gradient: dividing by √d_k"
        # The slider of n has no room there, and its setting has.
        assert " n , " not in read(pilot)
        screen = await press(pilot, "n", "9", "enter")
        assert screen.present.experiment.setup.get(Settings).n == 9


@pytest.mark.slow
async def test_drawing_can_be_stopped_and_goes_on() -> None:
    async with AttnApp(MANY, "sweep").run_test(size=(120, 40)) as pilot:
        screen = await drawing(pilot)
        assert screen.answer is not None
        await pilot.press("space")
        await shown(pilot)
        known = screen.answer.progress
        assert known < 1.0
        assert str(screen.pane("map-pane").border_subtitle).endswith("%: space goes on")
        await pilot.press("space")
        while screen.answer.progress == known:
            await pilot.pause()
        assert str(screen.pane("map-pane").border_subtitle).endswith("% done")
        await pilot.press("space")


@pytest.mark.slow
async def test_drawing_rests_while_another_instrument_is_shown_and_then_goes_on() -> None:
    async with AttnApp(MANY, "sweep").run_test(size=(120, 40)) as pilot:
        screen = await drawing(pilot)
        assert screen.answer is not None
        # Once every thread has ended, the sweep is still not complete.
        await press(pilot, "1")
        known = screen.answer.progress
        assert known < 1.0
        await pilot.press("3")
        while screen.answer.progress == known:
            await pilot.pause()
        await pilot.press("space")


@pytest.mark.slow
async def test_draws_that_nobody_asks_for_any_more_are_forgotten() -> None:
    async with AttnApp(MANY, "sweep").run_test(size=(120, 40)) as pilot:
        for seed in (1, 2, 3):
            screen = pilot.app.screen_stack[0]
            while not (
                isinstance(screen, SweepScreen)
                and screen.answer
                and screen.answer.settings.seed == seed
            ):
                await pilot.pause()
                screen = pilot.app.screen_stack[0]
            await pilot.press("space")
            await shown(pilot)
            assert screen.answer.progress < 1.0
            await pilot.press("a")
        await pilot.press("space")
        await shown(pilot)
        gc.collect()
        assert sum(isinstance(each, SweepRun) for each in gc.get_objects()) == 1


LESSON = """\
[[step]]
ask = "sweep --map --ratio --n 2:16 --d-k 1:64 --points 4 --draws 20"
say = "A map."
do = "Go left until d_k is 4 or less."
until = "d_k <= 4"
why = "There it is so."

"""


@pytest.mark.slow
async def test_on_a_tour_enter_is_the_next_step_and_leads_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = tmp_path / "lesson.toml"
    path.write_text(LESSON, "utf-8")
    app = AttnApp(DRAFT, tour=read_tour(str(path), asked_by))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        screen.query_one("#map").focus()
        screen = await at(pilot, "enter")
        assert screen.NAME == "sweep"
        assert app.guide
        assert app.guide.progress.at == 0
        await at(pilot, "home")
        # After the last step the tour returns to where it began.
        home = await press(pilot, "enter")
        assert app.guide is None
        assert home.present.draft == DRAFT


@pytest.mark.slow
async def test_n_leads_to_its_setting_in_sight_where_the_slider_has_no_room() -> None:
    async with AttnApp(DRAFT, "sweep").run_test(size=(40, 15)) as pilot:
        screen = await shown(pilot)
        # Once the panel was open at another setting, opening it again must scroll, too.
        for key, name in (("e", "statistic"), ("n", "n")):
            await press(pilot, key)
            await shown(pilot)
            panel = screen.query_one(SettingsPanel)
            field = panel.widget_of(name)
            assert field.has_focus
            assert field.region.y in panel.content_region.line_range, name
            await press(pilot, "escape")
