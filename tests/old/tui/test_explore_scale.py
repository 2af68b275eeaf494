"""The scale, the precision and masks on the Explore screen."""

from threading import Event
from typing import Any

import pytest

from attn_tui.compute.explore import precision_lab
from attn_tui.compute.explore.precision_lab import lab
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.actions import textual_action
from attn_tui.old.tui.explore.panes import ExploreChart
from tests.old.tui.person import DEADLINE, NARROW, WIDE, at_screen


async def test_a_soft_cap_is_typed_and_taken_away() -> None:
    async with at_screen() as person:
        await person.run("fields.type('softcap')")
        await person.write("50")
        await person.press("enter")
        assert person.asked.draft.setup.scale.softcap == 50.0
        person.sees("cap 50")
        await person.run("fields.type('softcap')")
        await person.press("delete", "enter")
        assert person.asked.draft == EXAMPLE


@pytest.mark.parametrize("rubbish", ["-1", "0", "x", "nan", "1e999"])
async def test_a_bad_cap_is_refused_beside_the_field(rubbish: str) -> None:
    async with at_screen() as person:
        await person.run("fields.type('softcap')")
        await person.write(rubbish)
        await person.press("enter")
        person.sees("soft cap", "expected")
        await person.press("escape")
        assert person.asked.draft == EXAMPLE


async def test_a_sink_takes_weight_and_says_how_much() -> None:
    async with at_screen(draft=Draft("0, 0", Setup(scale=Scale("none")))) as person:
        await person.run("fields.type('sink')")
        await person.write("0")
        await person.press("enter")
        person.sees("the sink takes 0 % → 33.3 %", "50.0 %", "the sink takes 33 %")


async def test_rules_keep_the_cap_and_parameters_are_checked() -> None:
    scale = Scale(softcap=50.0)
    async with at_screen(draft=Draft("1, 2", Setup(scale=scale))) as person:
        await person.run("scale.rule('mup')")
        await person.press("backspace")
        await person.write("x")
        await person.press("enter")
        person.sees("expected")
        await person.press("ctrl+u")
        await person.write("d0=256")
        await person.press("enter")
        assert person.asked.draft.setup.scale == Scale("mup", (("d0", 256.0),), 50.0)


async def test_a_model_brings_its_d_k_and_its_scale() -> None:
    async with at_screen() as person:
        await person.press("m")
        person.sees("BERT-base", "d_k 64")
        await person.press("escape")
        await person.run("scale.model('gemma-2-27b')")
        await person.pilot.pause()
        setup = person.asked.draft.setup
        assert (setup.d_k, setup.scale.softcap) == (128, 50.0)
        await person.press("u")
        assert person.asked.draft == EXAMPLE


async def test_formats_and_rounding_are_separate_choices() -> None:
    async with at_screen(draft=Draft("100.0, 100.2", Setup(scale=Scale("none")))) as person:
        person.sees("45.0 %")
        for _ in range(3):
            await person.run("fields.next('round_scores')")
        person.sees("f64, s in bf16", "50.0 %")
        for name in ("round_scores", *["precision"] * 3):
            await person.run(f"fields.next({name!r})")
        person.sees("bf16")
        await person.run("fields.next('round_vectors')")
        person.sees("no q and k to round")


async def test_keys_are_masked_at_the_cursor_in_a_range_and_behind_it() -> None:
    async with at_screen() as person:
        await person.press("home", "down", "delete")
        assert person.asked.draft.setup.mask == Mask(((1, 2),))
        person.sees("(120)", "[100 −∞ 150]")
        await person.press("backspace")
        assert person.asked.draft == EXAMPLE
        await person.press("shift+down", "delete")
        assert person.asked.draft.setup.mask == Mask(((1, 3),))
        person.sees("(120)", "(150)", "▪", "[100 −∞ −∞]")
        await person.press("u", "home")
        await person.run("scores.mask_after")
        assert person.asked.draft.setup.mask == Mask(((1, None),))
        await person.run("fields.type('mask')")
        await person.write("9")
        await person.press("enter")
        person.sees("there is no key 9")
        await person.press("ctrl+u")
        await person.write("causal")
        await person.press("enter")
        assert person.asked.draft.setup.mask == Mask(causal=True)


async def test_a_mask_past_a_text_cut_short_is_an_error_that_loses_nothing() -> None:
    async with at_screen(draft=Draft("1, 2, 3", Setup(mask=Mask(((2, 3),))))) as person:
        await person.press("e", "end", "backspace", "backspace", "backspace")
        person.sees("mask: there is no key 2", "last readable")
        await person.press("ctrl+z", "ctrl+z", "ctrl+z")
        person.misses("last readable")


async def test_what_has_no_effect_says_so() -> None:
    async with at_screen() as person:
        await person.run("fields.change('qk_norm', 1)")
        person.sees("QK-norm acts on q and k: choose where scores come from")
        assert person.asked.draft == EXAMPLE
    async with at_screen(draft=Draft("1, 2", Setup(scale=Scale(qk_norm=True)))) as person:
        person.sees("no q and k for QK-norm")


async def test_all_there_is_to_say_can_be_read_on_a_narrow_screen() -> None:
    async with at_screen(NARROW) as person:
        await person.press("i")
        person.sees("In words and numbers", "typed: d_k moves")
        await person.press("escape")
        person.misses("In words")


async def test_a_key_before_the_precision_lab_is_there_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on = Event()

    def waiting(*asked: Any) -> object:
        go_on.wait(DEADLINE)
        return lab(*asked)

    monkeypatch.setattr(precision_lab, "lab", waiting)
    async with at_screen() as person:
        await person.run("looking.tab('over_d_k')")
        await person.press("shift+tab")
        assert isinstance(person.app.focused, ExploreChart)
        await person.app.run_action(textual_action("looking.tab('precision')"))
        await person.pilot.press("down")
        go_on.set()
        await person.until_sees("bfloat16")


async def test_naive_formats_stand_side_by_side_in_the_precision_lab() -> None:
    async with at_screen() as person:
        await person.run("looking.tab('precision')")
        await person.press("f5")
        person.sees("bfloat16", "naive", "e^z overflows float32 above 88.72")
        await person.resize(*NARROW)
        person.sees("bf16", "more")
        await person.app.run_action("app.focus_next")
        for _ in range(30):
            await person.press("down")
        person.sees("above")
        await person.resize(*WIDE)


async def test_a_click_on_a_label_of_the_track_goes_to_its_value() -> None:
    async with at_screen() as person:
        slider = person.app.screen.query_one("#slider").region
        for label in ("64", "4096", "512", "1"):
            column = person.lines[slider.y].index(label, slider.x + len("d_k "))
            await person.click("#slider", column - slider.x + len(label) - 1)
            assert person.asked.draft.setup.d_k == int(label)


async def test_what_is_no_number_is_written_one_way() -> None:
    async with at_screen(
        draft=Draft("100, 1e300", Setup(precision=Precision("float32")))
    ) as person:
        person.sees("effective keys NaN → NaN")
