from textwrap import wrap

import pytest

from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.examples import EXAMPLES
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.old.tui.widgets.score_editor import ScoreEditor
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, settle

WEIGHTS = (" ~0 %", "~100 %", "13.1 %", "24.5 %", "62.5 %")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_first_screen_shows_the_example_without_a_key_pressed(
    size: tuple[int, int],
) -> None:
    async with at_screen(size) as person:
        person.sees(*WEIGHTS, "[100 120 150] ÷ √1024 = [3.1 3.8 4.7]", "effective keys 1.00 → 2.47")
        if size == WIDE:
            person.sees("gradient of p₂ w", "−2.55e-03", "−4.77e-03", "+7.33e-03")
            person.sees("−1.93e-22", "−9.36e-14", "+9.36e-14")


async def test_the_gradient_that_has_no_columns_is_in_the_jacobian_and_in_the_text() -> None:
    async with at_screen(MEDIUM) as person:
        await person.run("looking.tab('jacobian')")
        await settle(person.pilot)
        person.sees("+9.36e-14", "+7.33e-03")
        await person.press("i")
        person.sees("9.36e-14", "0.2446", "−4.77e-03", "−2.55e-03")
        person.sees("1.93e-22", "0.1309", "+7.33e-03")


async def test_columns_name_a_sink_only_where_there_is_one() -> None:
    async with at_screen(draft=Draft("100, 120", Setup(d_k=1))) as person:
        person.sees("Nothing is divided here", "█ scaled")
        person.misses("with a sink")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_the_headline_is_the_first_thing_said_and_follows_d_k(size: tuple[int, int]) -> None:
    async with at_screen(size) as person:
        assert "attn-tui" in person.lines[0] or "Explore" in person.lines[0]
        assert person.lines[1].startswith(" Unscaled")
        assert "Divided by 32" in person.lines[2]
        assert "62 %" in person.lines[2]
        await person.press("d", "ctrl+u", *"64", "enter")
        said = " ".join(person.lines[1:3])
        assert "ivided by 8" in said
        assert "97 %" in said or "98 %" in said
        await person.put("d_k", "1")
        assert "Nothing is divided here" in person.lines[1]


async def test_the_editor_comes_with_e_or_a_click_and_goes_with_escape() -> None:
    async with at_screen() as person:
        editor = person.app.screen.query_one(ScoreEditor)
        person.misses("a: 100, 120, 150")
        await person.press("e")
        person.sees("a: 100, 120, 150")
        assert person.app.focused is editor
        await person.press("escape")
        person.misses("a: 100, 120, 150")
        assert person.app.focused not in (None, editor)
        await person.click("#formula", 12)
        assert person.app.focused is editor
        await person.press("escape")
        person.misses("a: 100, 120, 150")


async def test_a_drawn_vectors_headline_says_what_is_typical_once_it_is_known() -> None:
    draft = Draft("n = 8, seed = 7", Setup(d_k=64), "drawn")
    async with at_screen(draft=draft) as person:
        person.sees("In this draw")
        person.sees("(typically ")
        await person.press("right_square_bracket")
        person.sees("(typically ")


async def test_narrow_screen_reaches_weights_gradient_and_every_chart_by_one_key() -> None:
    async with at_screen(NARROW) as person:
        person.sees(*WEIGHTS)
        await person.press("t")
        person.sees("∂p₂/∂s", "+7.33e-03", "−9.36e-14")
        await person.press("t")
        person.sees("p, 0–1")
        await person.press("t")
        person.sees("∂p_i/∂s_j")
        await person.press("t")
        person.sees("key 2 62.5 %, key 1 24.5 %")
        await person.press("right")
        person.sees("‖∂p/∂s‖_F\n", "0.02┤", "largest at d_k 384")
        await person.press("right")
        person.sees("0.905 nats")
        await person.press("t")
        person.sees("bf16", "exact")
        await person.press("t")
        person.sees(*WEIGHTS)


async def test_moving_d_k_changes_the_scaled_side_alone() -> None:
    async with at_screen() as person:
        await person.press("left_square_bracket")
        assert person.asked.draft.setup.d_k == 896
        person.sees(" ~0 %", "~100 %", " 896", "÷ √896")
        person.misses("13.1 %", "62.5 %")
        await person.press("plus", "equals_sign")
        assert person.asked.draft.setup.d_k == 1280
        await person.put("d_k", "65536")
        await person.press("plus", "right_curly_bracket")
        assert person.asked.draft.setup.d_k == 65_536
        await person.put("d_k", "1")
        await person.press("minus", "left_curly_bracket", "plus")
        assert person.asked.draft.setup.d_k == 2
        await person.press("right_curly_bracket", "right_curly_bracket", "left_curly_bracket")
        assert person.asked.draft.setup.d_k == 4


async def test_every_whole_number_can_be_typed_as_d_k() -> None:
    async with at_screen() as person:
        await person.press("d")
        await person.write("777")
        await person.press("enter")
        assert person.asked.draft.setup.d_k == 777
        await person.press("d")
        await person.write("5")
        await person.press("escape")
        assert person.asked.draft.setup.d_k == 777
        await person.press("d")
        await person.write("5")
        await person.press("enter")
        assert person.asked.draft.setup.d_k == 5


@pytest.mark.parametrize("rubbish", ["0", "-3", "2.5", "abc", "9" * 30, "65537"])
async def test_a_bad_d_k_is_refused_beside_the_field_and_nothing_is_lost(rubbish: str) -> None:
    async with at_screen() as person:
        await person.press("d")
        await person.write(rubbish)
        await person.press("enter")
        person.sees("expected")
        # What it says stands over the first key.
        person.sees(*WEIGHTS[1:2], *WEIGHTS[3:])
        await person.press("escape", "plus")
        assert person.asked.draft.setup.d_k == 1280


async def test_typing_evaluates_at_each_key_and_is_one_step_of_history() -> None:
    async with at_screen() as person:
        await person.press("e", "end")
        await person.write(", 150")
        person.sees("50.0 %", "a, 4 keys")
        assert person.asked.draft.text == "a: 100, 120, 150, 150"
        await person.press("ctrl+z")
        assert person.asked.draft == EXAMPLE
        person.sees("a: 100, 120, 150", "a, 3 keys")
        await person.press("ctrl+y")
        person.sees("a, 4 keys")


def faded_with(person: Person) -> list[Canvas]:
    """Return what is faded while the text is no vector."""
    return [*person.app.screen.query("KeyTable Canvas, ChartCanvas").results(Canvas)]


async def test_headlines_in_which_no_scores_play_a_part_are_not_about_the_last_readable() -> None:
    async with at_screen() as person:
        await person.press("e", "end")
        await person.write("\nabc")
        await person.press("escape")
        for name in ("dots", "attention", "claims"):
            await person.app.run_action(f"app.instrument('{name}')")
            await person.press("p" if name == "dots" else "f5")
            person.misses("last readable")
            if name == "dots":
                person.sees("press 1, 4 or 5")
        await person.app.run_action("app.instrument('explore')")
        await person.press("f5")
        person.sees("(last readable)")


async def test_text_that_is_no_vector_names_token_and_line_and_keeps_the_last_answer() -> None:
    async with at_screen() as person:
        await person.press("e", "end")
        await person.write("\ntwo, 3")
        person.sees("line 2", "'two' is not a number", "last readable", *WEIGHTS)
        await person.press("escape", "right_square_bracket")
        person.sees("line 2", "(last readable scores)", "59.5 %", "~100 %")
        assert all(canvas.faded for canvas in faded_with(person))
        await person.resize(*NARROW)
        person.sees("line 2", " old ")
        await person.resize(*WIDE)
        await person.press("u", "u")
        await person.resize(*NARROW)
        person.misses("line 2", " old ")
        await person.resize(*WIDE)
        person.misses("line 2", "last readable")
        assert not any(canvas.faded for canvas in faded_with(person))


async def test_rubbish_pasted_is_inert_and_can_be_undone() -> None:
    async with at_screen() as person:
        await person.press("e")
        await person.paste("\x1b[31m[bold]red[/bold]\x1b]52;c;AAAA\x07 \u202e1,2\r\n\x00")
        assert not any(not c.isprintable() and c != "\n" for c in person.asked.draft.text)
        assert person.asked.error is not None
        assert r"\x1b[31m[bold]red[/bold]\x1b]52" in person.asked.draft.text
        person.sees(r"x1b' is not a number", *WEIGHTS)
        await person.press("ctrl+z")
        assert person.asked.draft == EXAMPLE


async def test_what_is_masked_is_said_on_narrow_screens_too() -> None:
    draft = Draft("1, 2, 3\n3, 2, 1", Setup(mask=parse_mask("causal")))
    async with at_screen(NARROW, draft) as person:
        person.sees("2 vectors, a, 3 keys, masked: causal")


async def test_every_key_is_in_sight_again_once_the_editor_has_gone() -> None:
    async with at_screen(NARROW) as person:
        await person.press("e", "escape")
        person.sees("0    100", "1    120", "2    150")


async def test_letters_type_in_the_editor_and_act_elsewhere() -> None:
    async with at_screen() as person:
        await person.press("e", "end")
        await person.write("q]u?1")
        assert person.asked.draft.text == "a: 100, 120, 150q]u?1"
        await person.press("ctrl+z", "escape", "right_square_bracket")
        assert person.asked.draft.setup.d_k == 1280


async def test_a_held_key_is_one_step_and_separate_taps_are_several() -> None:
    async with at_screen() as person:
        await person.hold("plus", 8)
        held = person.asked.draft.setup.d_k
        await person.press("plus")
        await person.press("u")
        assert person.asked.draft.setup.d_k == held
        await person.press("u")
        assert person.asked.draft.setup.d_k == 1024
        await person.press("u")
        person.sees("Nothing to undo")


async def test_rules_are_chosen_from_a_list_and_take_their_parameter() -> None:
    async with at_screen() as person:
        await person.press("r")
        person.sees("1/√d_k", "Vaswani et al. 2017", "÷ 32 as now")
        await person.press("down", "enter")
        assert person.asked.draft.setup.scale.rule == "none"
        person.sees("Nothing is divided here (rule none)")
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
        person.sees("13.1 %", "m = 1/32")
        await person.press("u")
        assert person.asked.draft.setup.scale.rule == "none"


async def test_gradient_of_another_weight_with_respect_to_logits() -> None:
    async with at_screen() as person:
        await person.run("fields.next('wrt')")
        person.sees("gradient of p₂ w.r.t. z", "+2.34e-01", "‖∂p/∂z‖_F")
        await person.press("home", "enter")
        person.sees("gradient of p₀ w.r.t. z", "+1.14e-01")
        await person.run("fields.next('wrt')")
        await person.press("u", "u", "u")
        assert person.asked.draft == EXAMPLE


async def test_naive_softmax_overflows_and_says_so() -> None:
    async with at_screen(draft=Draft("800, 0")) as person:
        await person.run("fields.next('naive')")
        await person.press("r", "down", "enter")
        person.sees("NaN", "naive", "e^800 is too large for float64")
        await person.run("fields.next('precision')")
        person.sees("f32 naive", "e^800 is too large for float32")
        await person.run("fields.next('naive')")
        person.sees(" 100 %")
        person.misses("NaN")


async def test_masked_and_single_keys_are_shown_for_what_they_are() -> None:
    async with at_screen(draft=Draft("m: -inf, -inf\none: 5\nhalf: 1, -inf, 1")) as person:
        person.sees("m: weights p", "3 vectors", "Every key is masked")
        person.misses("NaN")
        await person.press("right")
        person.sees("one: weights p", " 100 %")
        await person.press("right")
        person.sees("half: weights p", "50.0 %", "the 2 unmasked keys share equally")
        assert person.line_with(" masked ").split()[:4] == ["1", "−∞", "masked", "masked"]
        await person.press("right")
        person.sees("m: weights p")
        await person.press("left")
        person.sees("half: weights p")


async def test_the_example_can_be_gone_back_to_and_that_undone() -> None:
    async with at_screen(draft=Draft("1, 2", Setup(d_k=64))) as person:
        await person.press("x", "down", "down", "enter")
        assert person.asked.draft == EXAMPLE
        await person.press("u")
        assert person.asked.draft == Draft("1, 2", Setup(d_k=64))


async def test_resizing_while_it_draws_loses_nothing() -> None:
    async with at_screen() as person:
        for size in (NARROW, MEDIUM, (20, 6), (200, 60), (1, 1), WIDE):
            await person.pilot.press("plus")
            await person.resize(*size)
        person.sees("gradient of p₂ w", "weights p", "Unscaled")
        # Where the window was too small, two keys were typed for nothing that is seen.
        assert person.asked.draft.setup.d_k == 2048


async def test_keys_that_arrive_together_all_count() -> None:
    async with at_screen() as person:
        await person.burst(*["right_square_bracket"] * 5)
        assert person.asked.draft.setup.d_k == 2560
        await person.burst(*["minus"] * 5)
        assert person.asked.draft.setup.d_k == 1024
        await person.burst(
            "home", "down", "delete", "down", "delete", "t", "T", "backspace", "v", "v"
        )
        assert person.asked.draft.setup == Setup(d_k=1024, mask=parse_mask("1"))


async def test_undo_never_overtakes_what_was_done_before_it() -> None:
    async with at_screen() as person:
        await person.burst("plus", "u")
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
    asked = Setup().put(Settings(of=0))
    async with at_screen(draft=Draft("-inf, 3, 4", asked)) as person:
        person.sees("∂p₀/∂s (masked: 0)")


@pytest.mark.parametrize("name", EXAMPLES)
async def test_what_to_look_at_is_said_whole_or_not_at_all(name: str) -> None:
    look = EXAMPLES[name].look
    for size in (MEDIUM, NARROW):
        async with at_screen(size, draft=EXAMPLES[name].draft) as person:
            said = " ".join(" ".join(person.lines).split())
            assert (look in said) == (size == MEDIUM and name != "worked")
            assert size == MEDIUM or wrap(look, NARROW[0] - 2)[0] not in said
