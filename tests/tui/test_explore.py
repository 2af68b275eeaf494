import re

import pytest
from textual.events import MouseScrollUp
from textual.widget import Widget

from attn_tui.charts.rows import plain
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.tui.explore.key_table import KeyTable
from attn_tui.tui.explore.table_rows import Marks, key_rows
from attn_tui.tui.widgets.score_editor import ScoreEditor
from tests.tui.person import MEDIUM, NARROW, WIDE, at_screen, settle

WEIGHTS = ("1.93e-22", "9.36e-14", "1.0000", "0.1309", "0.2446", "0.6245")


@pytest.mark.parametrize("size", [WIDE, MEDIUM])
async def test_first_screen_shows_the_example_without_a_key_pressed(
    size: tuple[int, int],
) -> None:
    async with at_screen(size) as person:
        person.sees(*WEIGHTS, "gradient of p₀ w", "+3.56e-03", "−1.00e-03", "−2.55e-03")
        person.sees("+1.93e-22", "−1.80e-35", "−1.93e-22")


async def test_narrow_screen_reaches_weights_gradient_and_every_chart_by_one_key() -> None:
    async with at_screen(NARROW) as person:
        person.sees(*WEIGHTS)
        await person.press("t")
        person.sees("∂p₀/∂s", "+3.56e-03", "−1.80e-35")
        await person.press("t")
        person.sees("p, 0–1")
        await person.press("t")
        person.sees("∂p_i/∂s_j")
        await person.press("t")
        person.sees("at 1024:")
        await person.press("tab", "right")
        person.sees("nats")
        await person.press("t")
        person.sees("bf16", "exact")
        await person.press("t")
        person.sees("f asks for")
        await person.press("t")
        person.sees(*WEIGHTS)


async def test_moving_d_k_changes_the_scaled_side_alone() -> None:
    async with at_screen() as person:
        await person.press("left_square_bracket")
        assert person.asked.draft.setup.d_k == 896
        person.sees("1.93e-22", "9.36e-14", " 896", "× 0.033408")
        person.misses("0.1309", "0.6245")
        await person.press("right", "right")
        assert person.asked.draft.setup.d_k == 1280
        await person.press("end", "plus")
        assert person.asked.draft.setup.d_k == 65_536
        await person.press("home", "minus", "plus")
        assert person.asked.draft.setup.d_k == 2
        await person.press("pageup", "pageup", "pagedown")
        assert person.asked.draft.setup.d_k == 4


async def test_every_whole_number_can_be_typed_as_d_k() -> None:
    async with at_screen() as person:
        await person.press("d")
        await person.write("777")
        await person.press("enter")
        assert person.asked.draft.setup.d_k == 777
        await person.press("enter")
        await person.write("5")
        await person.press("escape")
        assert person.asked.draft.setup.d_k == 777
        await person.press("enter")
        await person.write("5")
        await person.press("enter")
        assert person.asked.draft.setup.d_k == 5


@pytest.mark.parametrize("rubbish", ["0", "-3", "2.5", "abc", "9" * 30, "65537"])
async def test_a_bad_d_k_is_refused_beside_the_field_and_nothing_is_lost(rubbish: str) -> None:
    async with at_screen() as person:
        await person.press("d")
        await person.write(rubbish)
        await person.press("enter")
        person.sees("expected a whole number")
        person.sees(*WEIGHTS)
        await person.press("escape", "right")
        assert person.asked.draft.setup.d_k == 1280


async def test_typing_evaluates_at_each_key_and_is_one_step_of_history() -> None:
    async with at_screen() as person:
        await person.press("e", "ctrl+end")
        await person.write(", 150")
        person.sees("0.5000", "a, 4 keys")
        assert person.asked.draft.text == "a: 100, 120, 150, 150"
        await person.press("ctrl+z")
        assert person.asked.draft == EXAMPLE
        person.sees("a: 100, 120, 150", "a, 3 keys")
        await person.press("ctrl+y")
        person.sees("a, 4 keys")


async def test_text_that_is_no_vector_names_token_and_line_and_keeps_the_last_answer() -> None:
    async with at_screen() as person:
        await person.press("e", "ctrl+end")
        await person.write("\ntwo, 3")
        person.sees("line 2", "'two' is not a number", "last readable", *WEIGHTS)
        await person.press("escape", "right_square_bracket")
        person.sees("line 2", "0.5954", "1.93e-22")
        assert person.app.screen.has_class("-stale")
        await person.resize(*NARROW)
        person.sees("line 2", " old ")
        await person.resize(*WIDE)
        await person.press("u", "u")
        await person.resize(*NARROW)
        person.misses("line 2", " old ")
        await person.resize(*WIDE)
        person.misses("line 2", "last readable")
        assert not person.app.screen.has_class("-stale")


async def test_rubbish_pasted_is_inert_and_can_be_undone() -> None:
    async with at_screen() as person:
        await person.press("e")
        await person.paste("\x1b[31m[bold]red[/bold]\x1b]52;c;AAAA\x07 \u202e1,2\r\n\x00")
        assert not any(not c.isprintable() and c != "\n" for c in person.asked.draft.text)
        assert person.asked.error is not None
        assert "␛[31m[bold]red[/bold]␛]52" in person.asked.draft.text
        person.sees("'150␛' is not a number", *WEIGHTS)
        await person.press("ctrl+z")
        assert person.asked.draft == EXAMPLE


async def test_letters_type_in_the_editor_and_act_elsewhere() -> None:
    async with at_screen() as person:
        await person.press("e", "ctrl+end")
        await person.write("q]u?1")
        assert person.asked.draft.text == "a: 100, 120, 150q]u?1"
        await person.press("ctrl+z", "escape", "right_square_bracket")
        assert person.asked.draft.setup.d_k == 1280


async def test_a_held_key_is_one_step_and_separate_taps_are_several() -> None:
    async with at_screen() as person:
        await person.hold("right", 8)
        held = person.asked.draft.setup.d_k
        await person.press("right")
        await person.press("u")
        assert person.asked.draft.setup.d_k == held
        await person.press("u")
        assert person.asked.draft.setup.d_k == 1024
        await person.press("u")
        await person.until_sees("Nothing to undo")


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


async def test_rules_are_chosen_from_a_list_and_take_their_parameter() -> None:
    async with at_screen() as person:
        await person.press("r")
        person.sees("1/√d_k", "arXiv 1706.03762", "at d_k = 1024, n = 3: × 0.03125")
        await person.press("down", "enter")
        assert person.asked.draft.setup.scale.rule == "none"
        person.sees("d_k moves nothing in this rule")
        await person.press("r", "end", "enter")
        person.sees("temperature: T=1")
        await person.write("T=0")
        await person.press("enter")
        person.sees("above 0")
        assert person.asked.draft.setup.scale.rule == "none"
        await person.press("backspace")
        await person.write("32")
        await person.press("enter")
        assert person.asked.draft.setup.scale.parameters == {"T": 32.0}
        person.sees("0.1309", "1/T, T = 32")
        await person.press("u")
        assert person.asked.draft.setup.scale.rule == "none"


async def test_gradient_of_another_weight_with_respect_to_logits() -> None:
    async with at_screen() as person:
        await person.press("w")
        person.sees("with respect to z", "+1.14e-01", "‖∂p/∂z‖_F")
        await person.press("tab", "down", "down", "enter")
        person.sees("gradient of p₂ with respect to z", "+2.34e-01")
        await person.press("w", "u", "u", "u")
        assert person.asked.draft == EXAMPLE


async def test_a_click_points_at_a_key_and_a_second_chooses_its_gradient() -> None:
    async with at_screen() as person:
        await person.click("#table", 5, 3)
        assert person.line_with("▸").split()[1] == "1"
        await person.click("#table", 5, 4, times=2)
        person.sees("gradient of p₂")


async def test_naive_softmax_overflows_and_says_so() -> None:
    async with at_screen(draft=Draft("800, 0")) as person:
        await person.press("n", "r", "down", "enter")
        person.sees("NaN", "naive", "overflows float64 above 709.78")
        await person.press("p")
        person.sees("f32 naive", "overflows float32 above 88.72")
        await person.press("n")
        person.sees("1.0000")
        person.misses("NaN")


async def test_masked_and_single_keys_are_shown_for_what_they_are() -> None:
    async with at_screen(draft=Draft("m: -inf, -inf\none: 5\nhalf: 1, -inf, 1")) as person:
        person.sees("m: weights p", "3 vectors", "every key is masked")
        person.misses("NaN")
        await person.press("v")
        person.sees("one: weights p", "1.0000")
        await person.press("v")
        person.sees("half: weights p", "−∞", "0.5000")
        await person.press("v")
        person.sees("m: weights p")


async def test_the_editors_line_picks_the_vector_that_is_shown() -> None:
    async with at_screen(draft=Draft("one: 1, 2\ntwo: 3, 4, 5\n\nthree: 6, 6")) as person:
        person.sees("one: weights p")
        await person.press("e", "down")
        person.sees("two: weights p")
        await person.press("down", "down")
        person.sees("three: weights p")


async def test_a_long_vector_scrolls_sorts_and_keeps_its_cursor_in_sight() -> None:
    scores = ", ".join(str((7 * key) % 100) for key in range(300))
    async with at_screen(MEDIUM, Draft(scores)) as person:
        await person.press("tab", "end")
        assert person.line_with("▸").split()[1] == "299"
        await person.press("pageup", "home", "s")
        assert person.line_with("▸").split()[1:3] == ["57", "99"]
        await person.press("pagedown", "s", "s")
        assert person.line_with("▸").split()[1:3] == ["57", "99"]
        await person.press("home")
        assert person.line_with("▸").split()[1:3] == ["0", "0"]


async def test_jacobian_says_the_value_under_the_cursor() -> None:
    async with at_screen() as person:
        await person.press("t", "tab", "tab", "down", "right", "right")
        person.sees("∂p_1/∂s_2 = −9.36e-14 unscaled, −4.77e-03 scaled")
        await person.press("w")
        person.sees("∂p_1/∂z_2", "−1.53e-01 scaled")


async def test_logarithmic_charts_show_what_linear_ones_cannot() -> None:
    async with at_screen() as person:
        person.sees("│ linear")
        await person.press("l")
        person.sees("│ log", "1e-20")


async def test_over_d_k_marks_the_present_one() -> None:
    async with at_screen() as person:
        await person.press("t", "t")
        person.sees("at 1024:", "0.905 nats", "0.0127")
        await person.press("home")
        person.sees("at 1:")


async def test_the_example_can_be_gone_back_to_and_that_undone() -> None:
    async with at_screen(draft=Draft("1, 2", Setup(d_k=64))) as person:
        await person.press("x", "enter")
        assert person.asked.draft == EXAMPLE
        await person.press("u")
        assert person.asked.draft == Draft("1, 2", Setup(d_k=64))


async def test_every_pane_explains_itself() -> None:
    async with at_screen() as person:
        await person.press("question_mark")
        person.sees("z = m·s; by default m = 1/√d_k", "Source:", "arXiv 1706.03762")
        await person.press("escape", "tab", "question_mark")
        person.sees("p = softmax(z)", "δ_ij")
        await person.press("escape", "tab", "question_mark")
        person.sees("what the rule")
        await person.press("escape", "e", "f1")
        person.sees("Everywhere", "ctrl+z")


async def test_the_palette_finds_what_has_no_key() -> None:
    async with at_screen() as person:
        await person.press("ctrl+p")
        await person.write("ASCII")
        await person.press("enter")
        person.sees("> ")
        person.misses("▸", "█")


async def test_resizing_while_it_draws_loses_nothing() -> None:
    async with at_screen() as person:
        for size in (NARROW, MEDIUM, (20, 6), (200, 60), (1, 1), WIDE):
            await person.pilot.press("right")
            await person.resize(*size)
        person.sees("gradient of p₀ with respect to s", "weights p")
        assert person.asked.draft.setup.d_k == 3072


async def test_keys_that_arrive_together_all_count() -> None:
    async with at_screen() as person:
        await person.burst(*["right_square_bracket"] * 5)
        assert person.asked.draft.setup.d_k == 2560
        await person.burst(*["left"] * 5)
        assert person.asked.draft.setup.d_k == 1024
        await person.burst("plus", "plus", "plus")
        assert person.asked.draft.setup.d_k == 1027
        await person.burst("n", "n", "w", "w", "p", "p", "p", "p")
        assert person.asked.draft.setup == Setup(d_k=1027)


async def test_undo_never_overtakes_what_was_done_before_it() -> None:
    async with at_screen() as person:
        await person.burst("right", "u")
        assert person.asked.draft == EXAMPLE
        await person.press("e", "end")
        await person.burst("0", "ctrl+z", "1", "ctrl+z")
        assert person.asked.draft == EXAMPLE
        assert person.app.screen.query_one(ScoreEditor).text == EXAMPLE.text


async def test_undo_leaves_the_cursor_where_the_change_was() -> None:
    async with at_screen() as person:
        await person.press("e", "end")
        await person.write("\nq: 3, 4")
        await person.press("ctrl+z")
        await person.write("7")
        assert person.asked.draft.text == "a: 100, 120, 1507"


async def test_the_vector_that_is_typed_or_pasted_is_the_one_shown() -> None:
    async with at_screen() as person:
        await person.press("e", "end")
        await person.write("\nq: 3, 4")
        person.sees("q: weights p")
        await person.paste("\nb: 1, 2\nc: 5, 6, 7")
        person.sees("c: weights p", "4 vectors")


async def test_a_parameter_opened_and_entered_again_stays_exactly_as_it_was() -> None:
    scale = Scale("temperature", (("T", 1.23456789),))
    async with at_screen(draft=Draft("1, 2", Setup(scale=scale))) as person:
        await person.press("r", "end", "enter", "enter")
        assert person.asked.draft.setup.scale == scale


async def test_a_masked_key_s_gradient_says_why_it_is_0() -> None:
    async with at_screen(draft=Draft("-inf, 3, 4")) as person:
        person.sees("∂p₀/∂s (masked: 0)")


async def test_the_title_line_and_the_rule_can_be_clicked() -> None:
    async with at_screen() as person:
        await person.click("#rule", 3)
        person.sees("arXiv 1706.03762")
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
                await person.app.run_action(f"screen.tab('{tab}')")
                await settle(person.pilot)
                table = person.app.screen.query_one(KeyTable)
                page = table.page
                assert page
                marks = Marks(page.cursor, page.span, page.ascii)
                rows = key_rows(page.answer, page.keys, page.columns, marks)
                whole = set(NUMBER.findall(plain([*rows, *page.statistics])))
                for line in person.lines[table.region.y : table.region.bottom]:
                    if len(line) == columns:
                        last = NUMBER.findall(line)[-1:]
                        assert line.endswith("…") or set(last) <= whole, (columns, line)
