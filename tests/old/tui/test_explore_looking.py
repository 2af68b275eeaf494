"""Pointing and looking on the Explore screen, as a person does it."""

import re

import pytest
from textual.events import MouseScrollUp
from textual.widget import Widget

from attn_tui.compute.explore.answer import answer
from attn_tui.compute.setup import Setup
from attn_tui.explore.report import report
from attn_tui.files.draft import Draft
from attn_tui.old.tui.explore.key_table import KeyTable
from attn_tui.old.tui.explore.screen import ExploreScreen
from attn_tui.report.rows import plain
from attn_tui.report.text import text
from tests.old.tui.person import MEDIUM, NARROW, at_screen, settle


async def test_a_drag_is_one_step_of_history() -> None:
    async with at_screen() as person:
        slider = person.app.screen.query_one("#slider")
        await person.pilot.mouse_down(slider, offset=(10, 0))
        for x in range(11, 31):
            person.clock.now += 2.0
            await person.pilot.hover(slider, offset=(x, 0))
        await person.pilot.mouse_up(slider, offset=(30, 0))
        await person.press("u")
        assert person.asked.draft.setup.d_k == 1024
        assert not person.app.history.past


def scroll_up(widget: Widget) -> MouseScrollUp:
    return MouseScrollUp(
        widget, x=9, y=0, delta_x=0, delta_y=-1, button=0, shift=False, meta=False, ctrl=False
    )


async def test_clicking_the_slider_goes_there_and_the_wheel_moves_by_stops() -> None:
    async with at_screen() as person:
        await person.click("#slider", 4)
        assert person.asked.draft.setup.d_k == 1
        slider = person.app.screen.query_one("#slider")
        slider.post_message(scroll_up(slider))
        await settle(person.pilot)
        assert person.asked.draft.setup.d_k == 2


async def test_a_click_points_at_a_key_and_a_second_chooses_its_gradient() -> None:
    async with at_screen() as person:
        await person.click("#table", 5, 3)
        assert person.line_with("▸").split()[1] == "1"
        await person.click("#table", 5, 4, times=2)
        person.sees("gradient of p₂")


async def test_the_editors_line_picks_the_vector_that_is_shown() -> None:
    async with at_screen(draft=Draft("one: 1, 2\ntwo: 3, 4, 5\n\nthree: 6, 6")) as person:
        person.sees("one: weights p")
        await person.press("e", "down")
        person.sees("two: weights p")
        await person.press("up")
        person.sees("one: weights p")
        await person.press("down", "down", "down")
        person.sees("three: weights p")


async def test_jacobian_says_the_value_under_the_cursor() -> None:
    async with at_screen() as person:
        await person.run("looking.tab('jacobian')")
        await person.press("shift+tab", "up")
        person.sees("∂p_1/∂s_2 = −9.36e-14 unscaled, −4.77e-03 scaled")
        await person.run("fields.next('wrt')")
        person.sees("∂p_1/∂z_2", "−1.53e-01 scaled")


async def test_logarithmic_charts_show_what_linear_ones_cannot() -> None:
    async with at_screen() as person:
        person.sees("│ auto: linear")
        await person.press("v")
        person.sees("│ log", "1e-20")


async def test_over_d_k_marks_the_present_one() -> None:
    async with at_screen() as person:
        assert person.line_with("d_k 1 ").split().count("1024") == 3
        await person.put("d_k", "1")
        await person.press("right_square_bracket")
        assert person.line_with("d_k 1 ").split().count("2") == 3


async def test_what_the_table_shows_is_not_written_again() -> None:
    async with at_screen() as person:
        person.misses("largest weight", "0.6245", "0.62", "nats:")
        assert person.text.count("0.0127") == person.text.count("1.87e-13") == 1
        await person.run("looking.tab('bars')")
        person.misses("0.6245", "1.93e-22 unscaled")
        await person.run("looking.tab('jacobian')")
        assert person.text.count("7.33e-03") == 1
        await person.resize(*NARROW)
        await person.run("looking.tab('over_d_k')")
        person.sees("key 2 62.5 %")


async def test_the_gradient_heads_the_jacobian_where_the_table_has_no_room_for_it() -> None:
    async with at_screen(MEDIUM) as person:
        person.misses("+7.33e-03")
        await person.run("looking.tab('jacobian')")
        person.sees("∂p₂/∂s at key", "−2.55e-03 −4.77e-03 +7.33e-03")
        assert person.text.count("7.33e-03") == 1
        # A click finds the entry below the head.
        await person.click("#chart", 30, 6)
        assert (person.screen(ExploreScreen).view.key, person.screen(ExploreScreen).view.other) == (
            1,
            1,
        )
        person.sees("∂p_1/∂s_1 = +9.36e-14 unscaled, +5.77e-03 scaled")


async def test_a_view_that_has_nothing_to_show_is_not_offered() -> None:
    async with at_screen() as person:
        person.misses("q, K, V")
        await person.press("t", "t")
        person.sees("weights p of a, scale 0 to 1")
        await person.run("examples.show('identity')")
        await settle(person.pilot)
        person.sees("q, K, V")
        await person.press("t", "t", "t", "t")
        person.sees("with respect to q and to key 0")
        await person.press("u")
        person.sees("No q and K here: the setting from brings them")
        await person.press("t")
        person.misses("q, K, V")


async def test_a_text_has_the_lines_of_a_report_on_a_screen_of_80_columns() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("i")
        experiment = person.asked.experiment
        said = "".join(text(report(next(answer(experiment))))).splitlines()
        shown = [line.rstrip() for line in person.lines]
        first = shown.index(said[0])
        assert shown[first : first + 12] == said[:12]


async def test_every_pane_explains_itself() -> None:
    async with at_screen() as person:
        await person.press("question_mark")
        person.sees("Weights and gradient", "Source:", "log-sum-exp")
        await person.press("escape", "tab", "question_mark")
        person.sees("z = m·s; by default m = 1/√d_k", "Source:", "arXiv 1706.03762")
        await person.press("escape", "escape", "e", "f1")
        person.sees("one score for each key")


async def test_what_stands_in_the_title_line_can_be_clicked() -> None:
    async with at_screen() as person:
        await person.click("#title", person.lines[0].index("1/√d_k"))
        person.sees("Vaswani et al. 2017")
        await person.press("escape")
        await person.click("#title", person.lines[0].index("f64"))
        person.sees("f32")


NUMBER = re.compile(r"[-+−×<]?\d[\d.,]*(?:e[+-]?\d+)?")


@pytest.mark.parametrize("scores", ["100, 120, 150", "1000, 0, -250.125", "1e300, 0, 5"])
async def test_no_number_is_ever_cut_into_another(scores: str) -> None:
    """A number of the table that touches the right edge is whole, or an ellipsis ends it."""
    async with at_screen((160, 50), Draft(scores)) as person:
        for columns in (*range(40, 84, 11), 72, 80, 100, 120):
            for tab in ("weights", "gradient"):
                await person.resize(columns, 24)
                await person.run(f"looking.tab('{tab}')")
                await settle(person.pilot)
                table = person.app.screen.query_one(KeyTable)
                page = table.page
                assert page
                whole = set(NUMBER.findall(plain([*page.rows, *page.statistics])))
                for line in person.lines[table.region.y : table.region.bottom]:
                    if len(line) == columns:
                        last = NUMBER.findall(line)[-1:]
                        assert line.endswith("…") or set(last) <= whole, (columns, line)


async def test_what_is_said_of_a_vector_is_of_that_one() -> None:
    async with at_screen(draft=Draft("n = 6, vectors = 2, seed = 1", Setup(64), "drawn")) as person:
        await person.press("right", "i")
        whole = "".join(text(report(next(answer(person.asked.experiment)))))
        said = next(line for line in whole.split("draw 1")[1].splitlines() if "by law" in line)
        person.sees("draw 1: 6 keys", said)
