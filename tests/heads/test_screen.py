"""Heads on the screen: the map, the card, the table and the doctor, which share a cursor."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Label, Static

from attn_tui.captures.capture import HeadId
from attn_tui.captures.demo import demos, tensors_of
from attn_tui.captures.writer import write_safetensors
from attn_tui.charts.heat_map import HeatMapDrawing as Map
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.setup import Setup
from attn_tui.engine.answer import Answer, answer
from attn_tui.engine.settings import Settings
from attn_tui.files.draft import EXAMPLE, Draft, parse
from attn_tui.heads import charts, looking
from attn_tui.heads.card import CardDrawing
from attn_tui.heads.doctor_pane import Chart, DoctorPane, MultiplierPlot, Multipliers
from attn_tui.heads.looking import Looking, Results
from attn_tui.heads.screen import HeadsScreen
from attn_tui.heads.table import HeadList, head_of
from attn_tui.ui.app import AttnApp
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Picture
from attn_tui.ui.whole_words import WholeWords
from tests.engine.captured import heads, write
from tests.ui.person import app_of, notices, press, read, shown


def asking(paths: tuple[str, ...]) -> Draft:
    """Return the draft that asks about the heads of files."""
    return replace(EXAMPLE, setup=Setup().put(Settings(capture=paths)))


async def at(pilot: Pilot[None], *keys: str) -> HeadsScreen:
    """Press keys, and return the Heads screen once everything is computed and shown."""
    screen = await press(pilot, *keys) if keys else await shown(pilot)
    assert isinstance(screen, HeadsScreen)
    return screen


def drawn(screen: HeadsScreen) -> Map:
    drawing = screen.query_one("#map-pane", HeatMap).drawing
    assert isinstance(drawing, Map)
    return drawing


def card(screen: HeadsScreen) -> str:
    """Return the sentence of the card and its words, as one text."""
    drawing = screen.query_one("#card-pane", Picture).drawing
    assert isinstance(drawing, CardDrawing)
    return " ".join([drawing.card.sentence, *(measure.word for measure in drawing.card.measures)])


def here(screen: HeadsScreen) -> list[HeadId | None]:
    """Return the head with the cursor in the settings, the map, the table and the doctor's pane."""
    survey, lines = screen.survey, screen.query_one(HeadList)
    assert survey
    row, column = drawn(screen).cursor or (-1, -1)
    listed = lines.coordinate_to_cell_key(lines.cursor_coordinate).row_key.value
    chart = screen.query_one(Multipliers).drawing
    assert isinstance(chart, Chart)
    assert chart.cursor
    return [
        screen.here, HeadId(0, survey.plan.capture.layers[row], column),
        head_of(str(listed)), HeadId(*chart.cursor),
    ]  # fmt: skip


def written(screen: HeadsScreen, id: str) -> str:
    return str(screen.query_one(f"#{id}", Static).render())


@pytest.mark.slow
async def test_it_opens_on_an_example_and_one_cursor_goes_through_all_panes() -> None:
    async with AttnApp(EXAMPLE, "heads", clock=lambda: 0.0).run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        assert screen.headline == (
            "Of 64 heads 13 saturate: their rows put over 90 % of the weight on one key on "
            "average. Layer 4 head 7 is the sharpest."
        )
        assert screen.query_one("#opens").display
        assert here(screen) == [HeadId(0, 4, 7)] * 4
        assert "parked on the first key" in card(screen)
        assert "practically one dead in most rows parked: a sink safe in float16" in card(screen)
        screen = await at(pilot, "down", "h")
        assert here(screen) == [HeadId(0, 5, 6)] * 4
        assert card(screen).startswith("Sharp, not saturated: a row puts 52 % on one key")
        screen.query_one(HeadList).focus()
        screen = await at(pilot, "k")
        assert here(screen) == [HeadId(0, 3, 1)] * 4
        screen.query_one(Multipliers).focus()
        screen = await at(pilot, "j", "l")
        assert here(screen) == [HeadId(0, 4, 2)] * 4
        screen = await at(pilot, "u")
        assert here(screen) == [HeadId(0, 3, 1)] * 4
        assert screen.app.line == "attn-tui example --layer 3 --head 1"  # type: ignore[attr-defined]


@pytest.mark.slow
async def test_a_move_of_the_cursor_makes_no_map_anew_and_the_table_is_filled_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []

    def counted(owner: object, name: str) -> None:
        own = getattr(owner, name)

        def call(*given: object, **named: object) -> object:
            made.append(name)
            return own(*given, **named)

        monkeypatch.setattr(owner, name, call)

    counted(HeadList, "add_row")
    counted(charts, "head_map")
    counted(MultiplierPlot, "draw")
    async with AttnApp(EXAMPLE, "heads").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        assert made.count("add_row") == 64
        made.clear()
        screen = await at(pilot, "down", "left", "up")
        assert here(screen) == [HeadId(0, 4, 6)] * 4
        assert made == []


@pytest.mark.slow
async def test_by_mouse_alone_the_cursor_goes_everywhere_and_headings_sort() -> None:
    async with AttnApp(EXAMPLE, "heads").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        await pilot.click("#map-pane", offset=(7, 1))
        screen = await at(pilot)
        assert here(screen) == [HeadId(0, 0, 0)] * 4
        await pilot.hover("#map-pane", offset=(7, 4))
        screen = await at(pilot)
        assert screen.pane("card-pane").border_title == "Layer 1 head 0 under the mouse"
        assert here(screen) == [HeadId(0, 0, 0)] * 4
        chart = screen.query_one(Multipliers)
        drawing = chart.drawing
        assert isinstance(drawing, Chart)
        column = drawing.points.columns(chart.content_size.width)[0, 7, 7]
        await pilot.click(Multipliers, offset=(column, 2))
        screen = await at(pilot)
        assert here(screen) == [HeadId(0, 7, 7)] * 4
        lines = screen.query_one(HeadList)
        assert lines.sort_by == ("max_weight", False)
        await pilot.click(HeadList, offset=(2, 0))
        screen = await at(pilot)
        assert lines.sort_by == ("place", False)
        assert [str(lines.get_row_at(row)[0]) for row in (0, 1, 63)] == ["0.0", "0.1", "7.7"]
        await pilot.click(HeadList, offset=(2, 0))
        await at(pilot)
        assert lines.sort_by == ("place", True)
        await pilot.click(HeadList, offset=(7, 4))
        screen = await at(pilot)
        assert here(screen)[0] != HeadId(0, 7, 7)
        lines.focus()
        await at(pilot, "right", "right")
        assert lines.sort_by == ("effective_keys", False)
        numbers = [float(str(lines.get_row_at(row)[2])) for row in range(64)]
        assert numbers == sorted(numbers)


@pytest.mark.slow
async def test_the_doctor_says_which_heads_differ_and_by_how_much(tmp_path: Path) -> None:
    demo = next(demo for demo in demos() if demo.name == "layer-scale")
    path = tmp_path / "capture.safetensors"
    write_safetensors(path, tensors_of(demo), {"layout": "out=bnhd"})
    (tmp_path / "config.json").write_text(json.dumps(demo.config), "utf-8")
    # The example would be examined first, head by head.
    (tmp_path / "first").mkdir()
    few = str(write(tmp_path / "first" / "few.safetensors", heads()))
    draft = replace(EXAMPLE, setup=EXAMPLE.setup.put(Settings(capture=(few,))))
    async with AttnApp(draft, "heads").run_test(size=(120, 40)) as pilot:
        await at(pilot)
        # The tree of the dialogue keeps a worker running, so do not wait for all workers.
        await pilot.press("o", *"nonsense.txt", "enter")
        while not pilot.app.screen.query_one("#hint", Label).has_class("-wrong"):
            await pilot.pause()
        pilot.app.screen.query_one(Input).value = str(path)
        screen = await at(pilot, "enter")
        assert screen.survey
        assert len(screen.survey.heads) == 12
        assert screen.query_one(DoctorPane).diagnosis.verdict == "differs"
        assert " from what was promised" in screen.headline
        assert "DIFFERS" in written(screen, "doctor-badge")
        assert "layers 1–2" in written(screen, "doctor-sentence")
        chart = screen.query_one(Multipliers).drawing
        assert isinstance(chart, Chart)
        verdicts = {
            multiplier.place[1]: multiplier.verdict for multiplier in chart.points.multipliers
        }
        assert verdicts == {0: "agrees", 1: "differs", 2: "differs"}
        assert chart.points.end[1:] == ("×4", "÷4")
        # The map and the table mark the heads of the layers that differ, and say how.
        shown_texts = drawn(screen).texts_in(*screen.query_one("#map-pane", HeatMap).content_size)
        assert [{"✗" in text for text in row} for row in shown_texts] == [{False}, {True}, {True}]
        table = screen.query_one(HeadList)
        marks = {str(line[0]): str(line[-1])[-1] for line in map(table.get_row, table.rows)}
        assert {name[0] for name, mark in marks.items() if mark == "✗"} == {"1", "2"}
        for pane in ("map-pane", "table-pane"):
            assert "✗ differs, says the doctor" in str(screen.pane(pane).border_subtitle)
        second = next(
            multiplier for multiplier in chart.points.multipliers if multiplier.place[1] == 2
        )
        assert second.value == pytest.approx(second.expected / 3, rel=1e-3)
        assert app_of(pilot).line.startswith("attn-tui ")
        screen.query_one(Multipliers).focus()
        screen = await at(pilot)
        assert screen.report_text().startswith("differs: ")
        assert screen.report_title == "The doctor's report"
        screen.query_one("#map-pane").focus()
        screen = await at(pilot)
        assert screen.report_title.startswith("The heads; i in the doctor's pane reads")
        # Evidence for which there is no room is said to be left out.
        await pilot.resize_terminal(80, 24)
        await at(pilot, "t", "t")
        screen.query_one(Multipliers).focus()
        screen = await at(pilot, "f")
        words = screen.query_one("#doctor-words", WholeWords)
        assert screen.pane("doctor-pane").region.contains_region(words.region)
        assert words.render().plain.endswith("… i has the rest")


@pytest.mark.slow
async def test_rows_are_sampled_until_all_are_wanted(tmp_path: Path) -> None:
    path = write(tmp_path / "long.safetensors", heads(n=300, layers=2))
    async with AttnApp(asking((str(path),)), "heads").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        assert "128 of 300 rows" in str(screen.pane("map-pane").border_subtitle)
        before = drawn(screen).levels
        screen = await at(pilot, "a")
        assert not np.array_equal(drawn(screen).levels, before, equal_nan=True)
        screen = await at(pilot, "w")
        assert "all 300 rows" in str(screen.pane("map-pane").border_subtitle)
        assert app_of(pilot).line.endswith("--rows all --seed 2")


@pytest.mark.slow
async def test_space_stops_what_goes_on_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    real = answer
    gate, went_on = Event(), Event()

    def halting(experiment: Experiment, stop: Stop) -> Iterator[Answer]:
        answers = real(experiment, stop)
        yield next(answers)
        gate.wait()
        stop()
        went_on.set()
        yield from answers

    monkeypatch.setattr(looking, "answer", halting)
    async with AttnApp(EXAMPLE, "heads").run_test(size=(120, 40)) as pilot:
        app = pilot.app
        assert isinstance(app, AttnApp)
        while not isinstance(app.instrument, HeadsScreen) or app.instrument.answer is None:
            await pilot.pause()
        screen = app.instrument
        pane = screen.pane("map-pane")
        await pilot.press("space")
        await pilot.pause()
        assert str(pane.border_subtitle).endswith("0 % · stopped: space goes on")
        gate.set()
        for _ in range(5):
            await pilot.pause()
        assert not went_on.is_set()
        screen = await at(pilot, "space")
        assert screen.answer
        assert screen.answer.survey.progress == 1.0
        assert "stopped" not in str(pane.border_subtitle)


@pytest.mark.slow
async def test_in_a_small_window_panes_come_one_after_another() -> None:
    async with AttnApp(EXAMPLE, "heads").run_test(size=(80, 24)) as pilot:
        screen = await at(pilot)
        seen = []
        for _ in range(4):
            seen.append([pane.id for pane in screen.query(Pane) if pane.display])
            text = read(pilot)
            screen = await at(pilot, "t")
        # No number stands without what it is.
        assert all(statistic.words in text for statistic in [*STATISTICS.values()][:12])
        assert seen == [
            ["map-pane", "card-pane"], ["table-pane"], ["doctor-pane"], ["numbers-pane"],
        ]  # fmt: skip
        await pilot.resize_terminal(40, 15)
        screen = await at(pilot, "t")
        assert [pane.id for pane in screen.query(Pane) if pane.display] == ["card-pane"]
        await pilot.resize_terminal(120, 40)
        screen = await at(pilot)
        assert sum(pane.display for pane in screen.query(Pane)) == 4


@pytest.mark.slow
async def test_what_cannot_be_read_is_said_in_place_of_the_headline(tmp_path: Path) -> None:
    path = write(tmp_path / "one.safetensors", heads(layers=1))
    async with AttnApp(asking((str(path),)), "heads").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        path.write_bytes(b"rubbish")
        screen = await at(pilot, "a")
        assert "one.safetensors" in screen.failure
        # Nor is an earlier result of the same question shown.
        screen = await at(pilot, "space")
        assert "one.safetensors" in screen.failure
        write(path, heads(layers=2))
        screen = await at(pilot, "space")
        assert not screen.failure
        for keys in ((), ("u",)):
            # Nor is a result of the previous file shown.
            screen = await at(pilot, *keys)
            assert screen.survey
            assert len(screen.survey.heads) == 8


def test_what_was_found_is_kept_as_long_as_the_file_is_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "one.safetensors", heads(n=20, layers=1, query_heads=2))
    experiment, looking = parse(asking((str(path),))), Looking()
    *_, last = looking.look(experiment, never)
    assert last.answer
    assert last.answer.survey.complete
    assert looking.results(experiment) == last
    assert [*looking.look(experiment, never)] == []
    write(path, heads(n=20, layers=2, query_heads=2))
    (told,) = looking.look(experiment, never)
    assert "it has changed since it was opened" in told.failure


@pytest.mark.slow
async def test_enter_opens_the_head_in_attention() -> None:
    async with AttnApp(EXAMPLE, "heads").run_test(size=(120, 40)) as pilot:
        await at(pilot)
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        source = pilot.app.history.present.experiment.source  # type: ignore[attr-defined]
        assert source.place == (0, 4, 7)
        assert pilot.app.history.present.draft.setup.mask.causal  # type: ignore[attr-defined]


async def test_a_pane_that_is_empty_yet_is_not_said_to_be_there(tmp_path: Path) -> None:
    path = str(write(tmp_path / "a.safetensors", heads()))
    async with AttnApp(asking((path,)), "heads").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        for _ in range(2):
            screen.show_view("doctor-pane")
            await pilot.pause()
        assert "Doctor is on the screen already" in notices(pilot)
        screen.set_reactive(HeadsScreen.results, Results())
        screen.show_view("doctor-pane")
        await pilot.pause()
        assert "Doctor is on the screen; its numbers are still being worked out" in notices(pilot)
