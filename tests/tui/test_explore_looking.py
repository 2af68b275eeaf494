"""Pointing and looking on the Explore screen, as a person does it."""

import re
from pathlib import Path

import numpy as np
import pytest
from textual.events import MouseScrollUp
from textual.widget import Widget

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer, answer_vector
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Typed
from attn_tui.compute.vector import Vector
from attn_tui.files.draft import Draft, draft_of
from attn_tui.report.explore import text
from attn_tui.report.rows import plain
from attn_tui.tui import edits
from attn_tui.tui.explore import found
from attn_tui.tui.explore.key_table import KeyTable
from attn_tui.tui.explore.screen import ExploreScreen
from attn_tui.tui.instrument_screen import InstrumentScreen
from tests.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, settle


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


MANY = Draft(", ".join(str((7 * key) % 100) for key in range(300)))


def explore(person: Person) -> ExploreScreen:
    """Return the screen."""
    return person.screen(ExploreScreen)


async def look_at(person: Person, tab: str) -> None:
    """Show a tab."""
    await person.run(f"looking.tab('{tab}')")
    await settle(person.pilot)


def cursors(person: Person) -> list[str]:
    """Return the number and the score of the key the cursor is on."""
    return person.line_with("▸").split()[1:3]


async def test_where_not_all_keys_fit_the_largest_stand_first() -> None:
    async with at_screen(MEDIUM, MANY) as person:
        person.sees("a: weights p, largest scaled first: 1–6 of 300", "divided by 32 ↓")
        assert cursors(person) == ["57", "99"]
        await person.press("down", "down", "down")
        assert cursors(person) == ["14", "98"]
        await person.run("looking.sort")
        person.sees("a: weights p: 1–4 and 15 of 300")
        person.misses("first", "↓")
        assert cursors(person) == ["14", "98"]


async def test_the_cursor_is_on_the_key_the_headline_speaks_of_until_it_is_moved() -> None:
    async with at_screen(MEDIUM) as person:
        assert cursors(person) == ["2", "150"]
        await look_at(person, "jacobian")
        person.sees("∂p₂/∂s at key", "[")
        assert (explore(person).view.key, explore(person).view.other) == (2, 2)
        await person.put("scores", "9, 7, 8")
        assert cursors(person) == ["0", "9"]
        await person.press("down")
        await person.press("plus")
        assert cursors(person) == ["1", "7"]
        await person.run("fields.default('key')")
        assert cursors(person) == ["0", "9"]
        # What acts on its key leaves it there.
        await person.press("delete")
        assert cursors(person)[0] == "0"
        await person.press("delete")
        person.sees("[9 7 8]")


async def test_few_keys_stand_in_order_of_position_unless_the_largest_are_asked_for() -> None:
    async with at_screen(MEDIUM) as person:
        person.misses("first", "↓")
        await person.press("home")
        assert cursors(person) == ["0", "100"]
        await person.run("looking.sort")
        person.sees("largest scaled first", "↓")
        assert cursors(person) == ["2", "150"]


async def test_the_cursor_stays_on_its_key_in_a_screen_of_another_size() -> None:
    async with at_screen(WIDE) as person:
        await person.press("home")
        for size in ((30, 10), NARROW, (30, 10), WIDE):
            await person.resize(*size)
            assert cursors(person)[0] == "0"


async def test_a_key_far_down_stands_apart_below_the_largest_until_the_cursor_moves() -> None:
    async with at_screen(MEDIUM, MANY) as person:
        await person.run("fields.type('key')")
        await person.write("100\n")
        person.sees("1–4 and 299 of 300")
        between = person.lines.index(person.line_with("┊ 294 more"))
        shown = [line.split()[0] for line in person.lines[between - 4 : between]]
        assert shown == ["57", "157", "257", "14"]
        assert between + 1 == person.lines.index(person.line_with("▸"))
        assert cursors(person) == ["100", "0"]
        # On the line between there is no key.
        await person.click("#table", 5, 6)
        assert cursors(person) == ["100", "0"]
        await person.press("up")
        # The list has come to the cursor, which stays on its line.
        person.misses("more")
        assert between + 1 == person.lines.index(person.line_with("▸"))
        assert cursors(person) == ["0", "0"]
        await person.click("#table", 5, 2)
        assert cursors(person) == ["186", "2"]


async def test_a_key_that_falls_behind_in_another_draw_stays_in_sight() -> None:
    async with at_screen(MEDIUM, Draft("n = 300, seed = 1", Setup(64), "drawn")) as person:
        first = cursors(person)[0]
        await person.press("down", "up", "a")
        assert cursors(person)[0] == first
        person.sees("1–4 and ", " more")


async def test_all_keys_stand_in_their_order_once_there_is_room() -> None:
    scores = ", ".join(map(str, range(12)))
    async with at_screen(MEDIUM, Draft(scores)) as person:
        person.sees("1–6 of 12")
        await person.resize(120, 50)
        person.misses("of 12", "first")


async def test_a_long_vector_scrolls_sorts_and_keeps_its_cursor_in_sight() -> None:
    async with at_screen(MEDIUM, MANY) as person:
        await person.run("looking.sort")
        await person.press("end")
        assert person.line_with("▸").split()[1] == "299"
        await person.press("pageup", "home")
        await person.run("looking.sort")
        assert person.line_with("▸").split()[1:3] == ["57", "99"]
        await person.press("pagedown")
        await person.run("looking.sort")
        await person.run("looking.sort")
        assert person.line_with("▸").split()[1:3] == ["57", "99"]
        await person.run("looking.sort")
        await person.press("home")
        assert person.line_with("▸").split()[1:3] == ["0", "0"]


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
        await look_at(person, "bars")
        person.misses("0.6245", "1.93e-22 unscaled")
        await look_at(person, "jacobian")
        assert person.text.count("7.33e-03") == 1
        await person.resize(*NARROW)
        await look_at(person, "over_d_k")
        person.sees("key 2 62.5 %")


async def test_the_gradient_heads_the_jacobian_where_the_table_has_no_room_for_it() -> None:
    async with at_screen(MEDIUM) as person:
        person.misses("+7.33e-03")
        await look_at(person, "jacobian")
        person.sees("∂p₂/∂s at key", "−2.55e-03 −4.77e-03 +7.33e-03")
        assert person.text.count("7.33e-03") == 1
        # A click finds the entry below the head.
        await person.click("#chart", 30, 6)
        assert (explore(person).view.key, explore(person).view.other) == (1, 1)
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
        found = answer_vector(experiment, 0)
        report = "".join(text.render_vector(experiment, 0, found)).splitlines()
        shown = [line.rstrip() for line in person.lines]
        first = shown.index(report[0])
        assert shown[first : first + 12] == report[:12]


async def test_every_pane_explains_itself() -> None:
    async with at_screen() as person:
        await person.press("question_mark")
        person.sees("Weights and gradient", "Source:", "log-sum-exp")
        await person.press("escape", "tab", "question_mark")
        person.sees("z = m·s; by default m = 1/√d_k", "Source:", "arXiv 1706.03762")
        await person.press("escape", "escape", "e", "f1")
        person.sees("one score for each key")


async def test_the_palette_finds_what_has_no_key() -> None:
    async with at_screen() as person:
        await person.press("ctrl+p")
        await person.write("ASCII")
        await person.press("enter")
        person.sees("> ")
        person.misses("▸", "█")


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
        for columns in (*range(24, 84, 5), 72, 80, 100, 120):
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
        report = "".join(text.render(next(answer(person.asked.experiment))))
        said = next(line for line in report.split("draw 1")[1].splitlines() if "by law" in line)
        person.sees("draw 1: 6 keys", said)


def shown(person: Person) -> list[str]:
    """Return the numbers of the keys in the table, from its top to the cursor."""
    lines = [line.split() for line in person.lines]
    first = next(n for n, words in enumerate(lines) if words[:2] == ["key", "s"]) + 1
    last = next(n for n, words in enumerate(lines) if words[:1] == ["▸"])
    return [words[words[0] == "▸"] for words in lines[first : last + 1]]


RISING = ", ".join(map(str, range(100)))
FALLING = ", ".join(map(str, range(100, 0, -1)))


@pytest.mark.parametrize("asked", ["open", "example", "undo", "vector"])
@pytest.mark.parametrize("by", ["weight", "position"])
async def test_other_scores_are_seen_from_the_top_of_the_table(
    asked: str, by: str, tmp_path: Path
) -> None:
    file = tmp_path / "scores.txt"
    file.write_text(FALLING)
    draft = Draft(FALLING) if asked == "undo" else Draft(f"{RISING}\n{FALLING}")
    async with at_screen(MEDIUM, draft) as person:
        if by == "position":
            await person.run("looking.sort")
        if asked == "undo":
            person.app.screen.post_message(InstrumentScreen.Ask(edits.text(RISING)))
            await settle(person.pilot)
        await person.press("down", "down", "end")
        if asked == "open":
            await person.press("ctrl+o")
            await person.write(f"{file}\n")
            person.sees("scores: weights p")
        elif asked == "example":
            await person.run("examples.show('tens')")
        elif asked == "undo":
            await person.press("u")
        else:
            await person.run("looking.next_vector")
        await settle(person.pilot)
        # Down to the cursor, which is on the key of the largest weight.
        assert shown(person) == (["0", "1", "2"] if asked == "example" else ["0"])


async def test_what_takes_long_is_seen_from_the_top_once_it_is_there() -> None:
    numbers = np.random.default_rng(1).permutation(found.MANY + 1)
    vectors = Vector("a", numbers.astype(float)), Vector("b", numbers[::-1].astype(float))
    async with at_screen(MEDIUM, draft_of(Experiment(Typed(vectors)))) as person:
        largest = [str(each.scores.argmax()) for each in vectors]
        assert shown(person) == largest[:1]
        await person.run("looking.next_vector")
        await settle(person.pilot)
        assert shown(person) == largest[1:]


async def test_a_list_that_is_sorted_begins_at_its_top() -> None:
    async with at_screen(MEDIUM, MANY) as person:
        await person.press(*["down"] * 20)
        key = cursors(person)[0]
        await person.run("looking.sort")
        assert shown(person)[:4] == ["0", "1", "2", "3"]
        assert shown(person)[-1] == key
        person.sees("1–4 and ", "more")
        await person.run("looking.sort")
        # The largest weights come with the cursor on the first of them.
        assert shown(person) == ["57"]


async def test_another_seed_leaves_the_cursor_on_its_key() -> None:
    async with at_screen(MEDIUM, Draft("n = 300, seed = 1", Setup(64), "drawn")) as person:
        await person.press("down")
        key = cursors(person)[0]
        await person.press("a", "u")
        assert cursors(person)[0] == key


async def test_the_cursor_stays_on_its_key_while_the_editor_takes_lines() -> None:
    async with at_screen(NARROW, Draft("1, 2, 9, 3")) as person:
        await person.press("up", "e")
        assert person.screen(ExploreScreen).view.key == 1
        await person.press("escape")
        assert person.screen(ExploreScreen).view.key == 1


async def test_no_line_is_empty_where_a_key_has_no_room() -> None:
    async with at_screen((40, 15), Draft("3, 3, 3, 3, 3", Setup())) as person:
        for key in range(5):
            assert person.line_with(f"   {key}      3  20.0 %")
