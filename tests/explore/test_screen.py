"""Explore on the screen: typing, moving and choosing change the question, and can be undone."""

import json
from dataclasses import replace
from math import log

import numpy as np
import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Label, Static, TextArea
from textual.widgets._footer import FooterKey

from attn_tui.charts.figure import Figure
from attn_tui.charts.heat_map import HeatMapDrawing as Map
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.numbers import scientific, subscript
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.explore.bars import WeightBars
from attn_tui.explore.screen import TARGET, ExploreScreen
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.ui.app import AttnApp
from attn_tui.ui.dialogs import TextScreen
from attn_tui.ui.headline import Headline
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.picture import Picture
from attn_tui.ui.slider import Slider
from attn_tui.ui.terminal.input import RestOfPaste
from attn_tui.ui.theme import colours_of
from tests.ui import person


async def shown(pilot: Pilot[None]) -> ExploreScreen:
    screen = await person.shown(pilot)
    assert isinstance(screen, ExploreScreen)
    return screen


async def press(pilot: Pilot[None], *keys: str) -> ExploreScreen:
    await pilot.press(*keys)
    return await shown(pilot)


async def test_d_k_moves_weights_curves_and_headline_in_one_step() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        assert "Divided by 32 it takes 62 %" in screen.headline
        screen = await press(pilot, "right_curly_bracket", "right_curly_bracket")
        assert screen.present.experiment.setup.d_k == 4096
        assert "Divided by 64" in screen.headline
        bars = screen.query_one("#weights-pane", Picture).drawing
        assert isinstance(bars, WeightBars)
        assert bars.answer.scaled.multiplier == 1 / 64
        curves = screen.query_one("#weights-over", Picture).drawing
        assert isinstance(curves, Figure)
        assert curves.mark == (4096.0, "4,096")
        assert "4,096" in str(screen.query_one("#d_k-typed").value)  # type: ignore[attr-defined]
        await pilot.click("#d_k-typed", offset=(1, 0))
        screen = await press(pilot, "6", "4", "enter")
        assert "divided by 8" in str(screen.pane("d_k-pane").border_subtitle)
        screen = await press(pilot, "d", "1", "enter", "escape", "plus")
        assert screen.present.experiment.setup.d_k == 2
        screen = await press(pilot, "u", "u", "u")
        assert screen.present.experiment.setup.d_k == 4096


@pytest.mark.slow
async def test_scores_are_typed_and_what_is_wrong_with_them_is_said_in_full() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        screen = await press(pilot, "e", "end", "comma", "9", "x")
        headline = str(screen.query_one("#headline", Headline).render())
        assert "scores, line 1: '9x' is not a number; expected" in headline
        screen.action_view(1)
        assert "'9x' is not a number" in str(screen.query_one("#headline", Headline).render())
        assert screen.answer
        assert screen.answer.vector.vector.n_keys == 4
        screen = await press(pilot, "backspace", "backspace", "backspace", "escape")
        assert screen.answer
        assert screen.answer.vector.vector.n_keys == 3
        assert screen.query_one("#scores", TextArea).text == "a: 100, 120, 150"
        assert "Divided by 32" in str(screen.query_one("#headline", Headline).render())
        screen = await press(pilot, "e", *"7 7", "escape")
        assert screen.query_one("#scores", TextArea).text == "7 7"
        screen = await press(pilot, "u")
        screen.query_one("#weights-pane").focus()
        screen = await press(pilot, "up", "enter")
        assert screen.answer
        assert screen.answer.vector.of == 1
        assert screen.pane("gradient-pane").border_title == "Gradient ∂p₁/∂s"
        # Where there is a loss, the key that is chosen is its answer.
        screen.ask(TARGET.edit(0))
        screen.query_one("#weights-pane").focus()
        screen = await press(pilot, "enter")
        assert screen.pane("gradient-pane").border_title == "Gradient ∂L/∂s, L = −ln p₁"
        screen.ask(TARGET.edit(None))
        screen = await press(pilot, "delete")
        assert str(screen.present.draft.setup.mask) == "1"


@pytest.mark.slow
async def test_what_is_pasted_goes_where_one_types_and_else_replaces_the_scores() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "e", "end")
        pilot.app.post_message(Paste(", 7, 8"))
        screen = await shown(pilot)
        assert screen.present.draft.text == "a: 100, 120, 150, 7, 8"
        screen = await press(pilot, "escape", "u")
        assert screen.present.draft.text == "a: 100, 120, 150"
        pilot.app.post_message(Paste("7, 8"))
        screen = await shown(pilot)
        assert screen.query_one("#scores", TextArea).text == "7, 8"
        pilot.app.post_message(Paste("seven"))
        screen = await shown(pilot)
        assert "'seven' is not a number" in person.notices(pilot)
        assert screen.present.draft.text == "7, 8"


@pytest.mark.slow
async def test_a_paste_that_pauses_for_long_is_one_paste_wherever_it_goes() -> None:
    pieces = Paste("4, 5,"), RestOfPaste(" 6", "4, 5,"), RestOfPaste(", 7", "4, 5, 6")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        for piece in pieces:
            pilot.app.post_message(piece)
            screen = await shown(pilot)
        assert screen.present.draft.text == "4, 5, 6, 7"
        screen = await press(pilot, "e", "end")
        for piece in (Paste(", 8"), RestOfPaste(", 9", ", 8")):
            pilot.app.post_message(piece)
            screen = await shown(pilot)
        assert screen.present.draft.text == "4, 5, 6, 7, 8, 9"


@pytest.mark.slow
async def test_lines_that_are_typed_are_in_sight() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(40, 15)) as pilot:
        await shown(pilot)
        screen = await press(pilot, "e", *"1 2", "enter", *"3 4", "enter", *"5 6", "enter", "7")
        assert screen.query_one("#scores", TextArea).content_size.height >= 4
        assert screen.query_one(Slider).region
        screen = await press(pilot, "escape")
        assert screen.query_one("#weights-pane").region


@pytest.mark.slow
async def test_both_jacobians_have_one_cursor_whose_entry_is_said() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        screen = await press(pilot, "t", "tab", "tab", "tab", "tab", "up", "h")
        maps = [screen.query_one(f"#jacobian-{side}", HeatMap) for side in ("unscaled", "scaled")]
        assert maps[0].has_focus
        for picture in maps:
            assert isinstance(picture.drawing, Map)
            assert picture.drawing.cursor == (1, 1)
        answer = screen.answer
        assert answer
        entry_text = str(screen.query_one("#entry", Label).render())
        assert entry_text.split()[0] == "∂p₁/∂s₁"
        for side in answer.vector.sides:
            entry = side.jacobian(np.array([1]), np.array([1]), "scores")[0, 0]
            assert scientific(float(entry), log(abs(entry))) in entry_text
        # The scale of the Jacobian is shown in one place only.
        assert "±" not in screen.query_one("#gradient-pane", Picture)._drawn().text()
        screen = await press(pilot, "enter")
        assert screen.pane("gradient-pane").border_title == "Gradient ∂p₁/∂s"
        await pilot.click("#jacobian-scaled", offset=(12, 2))
        await shown(pilot)
        assert str(screen.query_one("#entry", Label).render()).startswith("∂p₀/∂s₀")


@pytest.mark.slow
async def test_a_click_points_at_a_key_and_two_show_the_gradient_of_its_weight() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        await pilot.click("#weights-pane", offset=(6, 2))
        assert isinstance(await shown(pilot), ExploreScreen)
        assert screen.cursor == 0
        assert "∂p₂" in str(screen.pane("gradient-pane").border_title)
        await pilot.click("#weights-pane", offset=(6, 2), times=2)
        await shown(pilot)
        assert "∂p₀" in str(screen.pane("gradient-pane").border_title)


async def test_the_report_of_the_vector_shown_is_read_as_wide_as_there_is_room() -> None:
    draft = Draft("first: 1, 2\nsecond: 100, 120, 150", Setup())
    async with AttnApp(draft).run_test(size=(80, 24)) as pilot:
        screen = await shown(pilot)
        # The slider has the arrow keys while it has the focus.
        assert screen.query_one(Slider).has_focus
        screen = await press(pilot, "greater_than_sign")
        report = screen.report_text()
        assert report.startswith("Unscaled, key 2 takes practically all the weight")
        assert "second: 3 keys" in report
        assert "first" not in report
        await pilot.press("i")
        while not isinstance(pilot.app.screen, TextScreen):
            await pilot.pause()
        await pilot.pause()
        text = pilot.app.screen.query_one(Static)
        assert text.content_size.width >= max(map(len, report.splitlines()))
        assert text.content_size.height == len(report.split("\n"))


@pytest.mark.slow
async def test_the_footer_offers_to_pin_and_then_to_let_go() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        keys = [key.description for key in screen.query(FooterKey)]
        assert "Pin" in keys
        screen = await press(pilot, "p", "minus")
        await pilot.pause()
        keys = [key.description for key in screen.query(FooterKey)]
        assert ("Unpin" in keys, "Pin" in keys) == (True, False)
        assert screen.headline.startswith("As pinned, key 2 takes 62 %. Now it takes")
        screen = await press(pilot, "p")
        assert screen.headline.startswith("Unscaled")


async def test_the_picture_is_of_the_key_that_is_named() -> None:
    named = replace(EXAMPLE, setup=EXAMPLE.setup.put(Settings(0)))
    async with AttnApp(named).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        pane, picture = screen.pane("gradient-over"), screen.query_one("#gradient-over")
        assert pane.border_title == "Gradient over d_k: ‖∂p₀/∂s‖"
        assert isinstance(picture, Picture)
        assert isinstance(picture.drawing, Figure)
        assert screen.answer
        norms = [np.linalg.norm(side.gradient(0, "scores")) for side in screen.answer.vector.sides]
        assert [value for value, _ in picture.drawing.dots] == pytest.approx(norms)
        assert "the gradient of key 0 is back" in screen.headline


@pytest.mark.slow
async def test_it_is_said_where_the_largest_weight_of_all_vectors_is() -> None:
    draft = Draft("1 2 3\n0 0 9\n4 5 6", Setup(64))
    async with AttnApp(draft).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        says = "largest of all, scaled: 60.6 % on key 2 of vector 2"
        assert says in str(screen.pane("weights-pane").border_subtitle)
        screen = await press(pilot, "greater_than_sign")
        assert "vector 2 of 3" in str(screen.pane("scores-pane").border_subtitle)
        assert says in str(screen.pane("weights-pane").border_subtitle)
        # Cut after the colon it would say nothing.
        screen = await press(pilot, "question_mark")
        briefly = "vector 2 has the largest, 60.6 % on key 2"
        assert screen.pane("weights-pane").border_subtitle == briefly
        screen = await press(pilot, "question_mark")
        screen = await press(pilot, "d", "1", "enter")
        assert "~100 % on key 2 of vector 2" in str(screen.pane("weights-pane").border_subtitle)
        screen = await press(pilot, "e", "7", "escape")
        assert "of all" not in str(screen.pane("weights-pane").border_subtitle)


async def test_what_is_saved_holds_all_vectors_beside_the_pinned_answer() -> None:
    draft = Draft("first: 1, 2\nsecond: 100, 120, 150", Setup())
    async with AttnApp(draft).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        screen = await press(pilot, "escape", "p", "right_curly_bracket")
        forms = {ending: "".join(map(str, write())) for ending, write in screen.forms().items()}
        assert list(forms) == [".txt", ".json", ".csv"]
        plain = json.loads(forms[".json"])
        assert [vector["name"] for vector in plain["vectors"]] == ["first", "second"]
        assert {vector["comparison"]["vectors"][0] for vector in plain["vectors"]} == {"pinned"}
        assert "second: pinned and now compared" in forms[".txt"]
        assert forms[".csv"].startswith("vector,key,gradient_of,first_weight")
        assert max(map(len, forms[".txt"].splitlines())) <= 80


@pytest.mark.slow
async def test_of_drawn_scores_both_sides_are_drawn_anew_at_each_d_k() -> None:
    async with AttnApp(EXAMPLE.with_text("n = 64, seed = 1")).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        while screen.answer is None or screen.answer.over is None:
            await pilot.pause()
        figure = screen.query_one("#weights-over", Picture).drawing
        assert isinstance(figure, Figure)
        unscaled = next(curve.y for curve in figure.curves if curve.kind == "unscaled")
        scaled = next(curve.y for curve in figure.curves if curve.kind == "scaled")
        # At d_k = 1 nothing is divided; at the present d_k the numbers are those of the answer.
        assert unscaled[0] == pytest.approx(scaled[0])
        place = list(figure.curves[0].x).index(1024)
        leader = int(screen.answer.over.keys[0])
        assert unscaled[place] == pytest.approx(screen.answer.vector.unscaled.weights()[leader])
        assert scaled[place] == pytest.approx(screen.answer.vector.scaled.weights()[leader])
        assert screen.pane("weights-over").border_subtitle == "drawn anew at each d_k"


async def test_the_title_says_how_many_keys_have_room_unless_all_have() -> None:
    async with AttnApp(replace(EXAMPLE, text="1 2 3 4 5 6 7 8 9 10 11 12")).run_test(
        size=(80, 24)
    ) as pilot:
        screen = await shown(pilot)
        pane = screen.pane("weights-pane")
        drawn = screen.query_one("#weights-pane", Picture)
        lines = drawn.content_size.height
        assert pane.border_title == f"Weights p: {lines - 1} of 12 keys"
        await pilot.resize_terminal(120, 60)
        await shown(pilot)
        assert pane.border_title == "Weights p"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(100, 30), (120, 40)])
async def test_beside_the_settings_no_picture_is_blank(size: tuple[int, int]) -> None:
    async with AttnApp(replace(EXAMPLE, text="n = 5000, seed = 7")).run_test(size=size) as pilot:
        screen = await press(pilot, "g")
        pictures = [widget for widget in screen.query("*") if isinstance(widget, Picture)]
        on_screen = [picture for picture in pictures if picture.is_on_screen]
        assert {"weights-over", "gradient-over", "keys-over"} <= {one.id for one in on_screen}
        for picture in on_screen:
            assert picture.drawing is not None, picture.id
            cells = picture.drawing.draw(*picture.content_size, colours_of(pilot.app))
            assert cells.text().strip(), picture.id


@pytest.mark.slow
async def test_the_jacobian_of_many_keys_has_those_with_the_largest_weights() -> None:
    async with AttnApp(EXAMPLE.with_text("n = 5000, seed = 1")).run_test(size=(120, 40)) as pilot:
        screen = await person.take_first(pilot, "jacobian")
        assert isinstance(screen, ExploreScreen)
        assert screen.answer
        vector = screen.answer.vector
        largest = np.argsort(-vector.scaled.weights())[:128].tolist()
        shown_maps = screen.query_one("#jacobian-scaled", HeatMap).drawing
        assert isinstance(shown_maps, Map)
        assert [*shown_maps.row_labels[:5]] == [f"{key:,}" for key in largest[:5]]
        among = "the 128 keys with the largest weights"
        assert among in str(screen.pane("jacobian").border_subtitle)
        entry = str(screen.query_one("#entry", Label).render())
        leader = subscript(vector.leader)
        assert f"∂p{leader}/∂s{leader}" in entry


@pytest.mark.slow
async def test_weights_that_leave_a_rest_say_what_the_sink_has() -> None:
    draft = replace(EXAMPLE, setup=Setup(64, Scale("inverse-sqrt", sink=0.0)))
    async with AttnApp(draft).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        subtitle = str(screen.pane("weights-pane").border_subtitle)
        # Of three keys no more than three would share the weight.
        assert " of 3 and the sink" in subtitle
        assert "the sink [$unscaled]" in subtitle
        assert screen.pane("keys-over").border_subtitle == "of 3 keys and the sink"
