"""Attention on the screen: two maps with one cursor, the row below, the report and saving."""

import json
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from textual.pilot import Pilot

from attn_tui.attention import screen as attention
from attn_tui.attention.charts import Bars, KeyBars, RowNumbers
from attn_tui.attention.screen import AttentionScreen
from attn_tui.charts.heat_map import HeatMapDrawing as Map
from attn_tui.compute.attention import answer as answers
from attn_tui.compute.attention import rows
from attn_tui.compute.attention.answer import Answer
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.explore.screen import ExploreScreen
from attn_tui.files import edits
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.report.report import SIDES
from attn_tui.ui.app import AttnApp
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.picture import Picture
from tests.pairs import slow_after
from tests.ui.person import app_of, notices, press, read, shown, shown_title

ROWS = replace(EXAMPLE, text="1 2 0\n3 4 9\n50 1 1", setup=Setup(mask=Mask(causal=True)))


def asking(**settings: object) -> Draft:
    """Return a draft whose head is drawn."""
    own = Settings(**settings)  # type: ignore[arg-type]
    return replace(EXAMPLE, setup=Setup(64).put(own))


async def at(pilot: Pilot[None], *keys: str) -> AttentionScreen:
    """Press keys, and return Attention once everything is computed and shown."""
    screen = await press(pilot, *keys) if keys else await shown(pilot)
    assert isinstance(screen, AttentionScreen)
    return screen


def drawn(screen: AttentionScreen, id: str) -> Map:
    drawing = screen.query_one(f"#{id}-pane", Picture).drawing
    assert isinstance(drawing, Map)
    return drawing


def cell(screen: AttentionScreen, id: str, row: int, column: int) -> tuple[int, int]:
    """Return the place of an entry in the picture of a map: column and line."""
    widget = screen.query_one(f"#{id}-pane")
    size, corner = widget.content_size, widget.content_offset
    places = ((x, y) for y in range(size.height) for x in range(size.width))
    return next(
        (x + corner.x, y + corner.y)
        for x, y in places
        if drawn(screen, id).entry(x, y, *size) == (row, column)
    )


def row_title(screen: AttentionScreen) -> str:
    return str(screen.pane("row-pane").border_title)


async def test_a_weight_that_only_rounds_to_all_is_about_all_wherever_it_stands() -> None:
    head = replace(EXAMPLE, setup=Setup(1024).put(Settings(n=4)))
    async with AttnApp(head, "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot, "up")
        # Query 2 gives its key all but 1e-33; query 0 sees only one.
        sides = drawn(screen, "unscaled").longer
        assert [[row[0] for row in texts[::2]] for texts in sides] == [
            ["100 %", "~100 %"], ["100", ">99"],
        ]  # fmt: skip
        assert "key 0 ~100 % → 90.9 %" in read(pilot)
        assert "largest weight ~100 % → 90.9 %" in read(pilot)
        assert "▲ over a million times" in read(pilot)
        await press(pilot, "t")
        assert "0 1 100 % 100 %" in read(pilot)
        assert "▸ 2 3 ~100 % 90.9 %" in read(pilot)


@pytest.mark.slow
async def test_both_maps_have_one_cursor_that_goes_by_keys_and_by_mouse() -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        # The cursor starts on the last query, which sees the most keys, at its largest weight.
        assert screen.cursor == (11, 2)
        assert row_title(screen) == "Query 11 sees 12 keys"
        # Masked entries are blank, and all others are on one ramp.
        assert screen.answer
        for name, side in zip(("unscaled", "scaled"), screen.answer.sides, strict=True):
            levels = drawn(screen, name).levels
            assert np.isnan(levels[np.triu_indices(12, 1)]).all()
            below = np.tril_indices(12)
            np.testing.assert_allclose(levels[below] ** 2, side.blocks[below])
        for keys, place in {
            "up": (10, 2), "right": (10, 3), "k": (9, 3), "j": (10, 3), "h": (10, 2),
            "l": (10, 3), "home": (10, 0), "end": (10, 11),
        }.items():  # fmt: skip
            screen = await at(pilot, keys)
            assert screen.cursor == place, keys
            assert drawn(screen, "unscaled").cursor == drawn(screen, "scaled").cursor == place
        await pilot.click("#scaled-pane", offset=cell(screen, "scaled", 5, 1))
        await pilot.hover("#unscaled-pane", offset=cell(screen, "unscaled", 8, 8))
        screen = await at(pilot)
        assert row_title(screen) == "Query 8 sees 9 keys under the mouse"
        assert screen.cursor == (5, 1)
        await pilot.hover("#headline")
        screen = await at(pilot)
        assert row_title(screen) == "Query 5 sees 6 keys"
        numbers = screen.query_one("#row-pane", Picture).drawing
        assert isinstance(numbers, RowNumbers)
        assert screen.answer
        weights = [side.weights()[1] for side in screen.answer.row(5)]
        assert [side.weights()[1] for side in numbers.sides] == weights
        bars = screen.query_one("#bars", Picture).drawing
        assert isinstance(bars, Bars)
        assert bars.mark == pytest.approx(weights[1] ** 0.5)
        assert row_title(screen) == "Query 5 sees 6 keys"
        text = screen.report_text()
        assert " ".join(text.split()).startswith(screen.headline)
        assert "12 × 12: rows drawn" in text
        lines = "".join(map(str, screen.forms()[".csv"]())).splitlines()
        assert lines[0].startswith("query,keys,unscaled_multiplier,")
        assert len(lines) == 13


@pytest.mark.slow
async def test_a_head_of_128_keys_fits_and_says_what_each_cell_is() -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        await at(pilot, "n", *"24", "enter")
        screen = await at(pilot)
        assert screen.pane("scaled-pane").border_subtitle == "drawn · queries ↓ keys →"
        await at(pilot, "n", *"128", "enter")
        # The arrow key moves on from the cursor of the new head.
        screen = await at(pilot, "up")
        assert screen.cursor[0] == 126
        assert screen.answer
        assert screen.answer.n_queries == 128
        for name in ("unscaled", "scaled"):
            subtitle = str(screen.pane(f"{name}-pane").border_subtitle)
            assert subtitle == "queries ↓ keys → · each the largest of 3 × 3"
            picture = screen.query_one(f"#{name}-pane", Picture)
            wide, high = drawn(screen, name).room(*picture.content_size)
            assert min(wide, high) >= 43
        bars = screen.query_one("#bars-pane", Picture)
        assert isinstance(bars.drawing, KeyBars)
        assert screen.pane("bars-pane").border_subtitle == "each the largest of several"
        await pilot.resize_terminal(80, 24)
        screen = await at(pilot)
        assert "each the largest of 5 × 6" in str(screen.pane("unscaled-pane").border_subtitle)


@pytest.mark.parametrize(
    "size", slow_after(0, [((80, 24),), ((60, 20),), ((100, 30),), ((120, 40),)])
)
async def test_both_sides_are_seen_beside_each_other_and_beside_an_open_panel(
    size: tuple[int, int],
) -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=size) as pilot:
        screen = await at(pilot)
        for key in ("", "g") if size[0] >= 80 else ("",):
            screen = await at(pilot, key) if key else screen
            first, second = (screen.query_one(f"#{name}-pane", HeatMap) for name in SIDES)
            assert first.region.y == second.region.y
            assert first.region.right <= second.region.x
            for name, picture in zip(SIDES, (first, second), strict=True):
                wide, high = drawn(screen, name).room(*picture.content_size)
                # All twelve keys have a column, and the queries at least half a line for two.
                assert wide >= 12
                assert high >= 8


@pytest.mark.slow
async def test_where_there_is_little_room_the_second_map_waits_behind_t() -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(59, 24)) as pilot:
        screen = await at(pilot)

        def seen() -> list[str | None]:
            panes = ("unscaled-pane", "scaled-pane", "rows-pane")
            return [name for name in panes if screen.pane(name).display]

        assert seen() == ["unscaled-pane"]
        # The map has its own colour bar.
        assert drawn(screen, "unscaled").bar
        await at(pilot, "t")
        assert seen() == ["scaled-pane"]
        await at(pilot, "t")
        assert seen() == ["rows-pane"]
        await pilot.resize_terminal(120, 40)
        await at(pilot, "t")
        assert seen() == ["unscaled-pane", "scaled-pane"]
        assert drawn(screen, "unscaled").bar is None
        await at(pilot, "f")
        assert seen() == ["unscaled-pane"]
        assert drawn(screen, "unscaled").bar
        await at(pilot, "escape")
        await pilot.resize_terminal(40, 15)
        await at(pilot)
        assert seen() == ["unscaled-pane"]
        assert screen.query_one("Slider").size.width > 5


async def test_the_row_says_its_own_multiplier_under_a_rule_of_the_number_of_keys() -> None:
    setup = Setup(64, Scale("log-length")).put(Settings(n=12))
    rule = replace(EXAMPLE, setup=setup)
    async with AttnApp(rule, "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        assert row_title(screen).startswith("Query 11 sees 12 keys, m = 0.0498")
        screen = await at(pilot, "up", "up")
        assert row_title(screen).startswith("Query 9 sees 10 keys, m = 0.0461")


@pytest.mark.slow
async def test_enter_opens_the_row_in_explore() -> None:
    async with AttnApp(ROWS, "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        weights = screen.shown.row(1)[1].weights()
        explore = await press(pilot, "up", "enter")
        assert isinstance(explore, ExploreScreen)
        assert explore.answer
        assert explore.answer.index == 1
        assert (explore.answer.vector.scaled.weights() == weights).all()


@pytest.mark.slow
async def test_a_row_of_a_drawn_head_keeps_its_mask_in_explore() -> None:
    async with AttnApp(asking(n=5), "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot, "up")
        weights = screen.shown.row(3)[1].weights()
        explore = await press(pilot, "enter")
        assert isinstance(explore, ExploreScreen)
        assert explore.answer
        assert (explore.answer.vector.scaled.weights() == weights).all()
        # The question now consists of these rows, so Attention keeps showing them.
        screen = await at(pilot, "4")
        assert (screen.shown.row(3)[1].weights() == weights).all()
        screen = await at(pilot, "u")
        assert screen.present.experiment.setup.get(Settings).n == 5


@pytest.mark.slow
async def test_another_head_is_drawn_and_stands_beside_the_pinned_one() -> None:
    async with AttnApp(asking(), "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot, "full_stop")
        assert (screen.head.n, drawn(screen, "scaled").levels.shape) == (16, (16, 16))
        screen = await at(pilot, "comma", "comma", "p", "a")
        assert (screen.head.n, screen.head.seed) == (8, 10)
        # A pinned head stands beside heads of its size until it is unpinned.
        assert shown_title(screen.pane("unscaled-pane")) == "e Pinned"
        assert screen.headline.startswith("Pinned, a query typically uses about")
        screen = await at(pilot, "full_stop")
        assert shown_title(screen.pane("unscaled-pane")) == "e Unscaled"
        screen = await at(pilot, "comma", "p")
        assert shown_title(screen.pane("unscaled-pane")) == "e Unscaled"
        assert screen.query_one("#n-pane").display
        screen.ask(lambda draft: replace(draft, text="1 2\n3 4"))
        screen = await at(pilot, "full_stop")
        assert not screen.query_one("#n-pane").display
        assert "with rows drawn" in notices(pilot)
        assert screen.answer
        assert screen.answer.n_queries == 2


async def test_queries_and_keys_are_called_by_their_tokens() -> None:
    tokens = ("the", "[c\x1bat]", "sat", "猫")
    async with AttnApp(asking(n=5, tokens=tokens), "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        labels = ["the", "[c\\x1ba…", "sat", "猫", "4"]
        assert [*drawn(screen, "unscaled").row_labels] == labels
        assert [*drawn(screen, "unscaled").column_labels] == labels
        screen = await at(pilot, "up", "up", "up", "home")
        assert row_title(screen) == "Query 1 “\\[c\\x1bat]” sees 2 keys"
        # Other tokens change no number, so nothing is computed again.
        before = screen.answer
        screen.ask(screen.GROUPS[0][1][4].edit(("a", "b")))
        screen = await at(pilot)
        assert screen.answer is before
        assert drawn(screen, "unscaled").row_labels[0] == "a"
        plain = json.loads("".join(map(str, screen.forms()[".json"]())))
        assert plain["experiment"]["settings"]["attention"]["tokens"] == ["a", "b"]
        # Tokens can also be typed behind q.
        screen.ask(screen.GROUPS[0][1][4].edit(()))
        screen.ask(edits.text("q the cat: [[1, 0], [0, 1]]\nK: [[1, 0], [0, 1]]"))
        screen = await at(pilot)
        assert screen.labels.tokens == ("the", "cat")
        assert "'q the cat: [[1, 0], [0, 1]]'" in app_of(pilot).line


@pytest.mark.slow
async def test_the_last_head_that_was_asked_is_shown_while_many_are_asked() -> None:
    async with AttnApp(asking(n=100), "attention").run_test(size=(120, 40)) as pilot:
        await pilot.press(*["plus"] * 12, "full_stop")
        screen = await at(pilot)
        assert screen.answer
        assert (screen.answer.n_queries, screen.answer.progress) == (128, 1.0)
        assert screen.answer.experiment.setup.d_k == screen.present.experiment.setup.d_k == 512


async def test_a_large_head_grows_and_is_stopped_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "_BETWEEN", 1_000)
    gate = Event()

    def gated(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
        for result in answers.answer(experiment, stop):
            yield result
            gate.wait(60)

    monkeypatch.setattr(attention, "answer_rows", gated)
    async with AttnApp(asking(n=60), "attention").run_test(size=(120, 40)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, AttentionScreen)
        while screen.answer is None:
            await pilot.pause()
        subtitle = str(screen.pane("scaled-pane").border_subtitle)
        assert f"{screen.answer.done} of 60 rows, space stops" in subtitle
        await pilot.press("space")
        while not screen.stopped:
            await pilot.pause()
        gate.set()
        await at(pilot)
        assert screen.answer.progress < 1.0
        assert "stopped: space goes on" in str(screen.pane("scaled-pane").border_subtitle)
        await at(pilot, "space")
        assert screen.answer.progress == 1.0
        assert (
            screen.pane("scaled-pane").border_subtitle
            == "queries ↓ keys → · each the largest of 2 × 2"
        )


async def test_a_click_on_a_cell_of_several_keys_goes_to_the_largest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "MOST_BLOCKS", 4)
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        await pilot.click("#unscaled-pane", offset=cell(screen, "unscaled", 11, 2))
        screen = await at(pilot)
        assert screen.answer
        assert screen.answer.block == 3
        weights = screen.answer.row(11)[0].weights()
        assert screen.cursor == (11, 6 + int(weights[6:9].argmax()))
        assert weights[screen.cursor[1]] == pytest.approx(screen.answer.unscaled.blocks[11, 2])


LONG = " ".join("01" * 1_200)
"""So many keys that several stand in one column of the map."""


@pytest.mark.parametrize("longer", ["1 2 3", LONG], ids=["3 keys", "2400 keys"])
async def test_the_cursor_stays_on_the_keys_of_a_row_shorter_than_others(longer: str) -> None:
    draft = EXAMPLE.with_text(f"{longer}\n4")
    async with AttnApp(draft, "attention").run_test(size=(120, 40)) as pilot:
        assert (await at(pilot)).cursor == (1, 0)
        assert (await at(pilot, "right")).cursor == (1, 0)
        screen = await at(pilot, "up", "end")
        assert screen.cursor[1] > 0
        assert (await at(pilot, "down")).cursor == (1, 0)
        # The mouse may point behind the last key of a row.
        assert drawn(screen, "scaled").place(1, 2) == (1, 0)
        await at(pilot, "up", "end")
        screen.ask(edits.text(f"4\n{longer}"))
        assert (await at(pilot)).cursor == (0, 0)
