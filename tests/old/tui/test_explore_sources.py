"""Where scores come from, on the Explore screen."""

import json
from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from tests.old.tui.person import MEDIUM, NARROW, at_screen, settle

DRAWN = Draft("n = 8, seed = 7", Setup(d_k=64), "drawn")
PRODUCTS = Draft("q: 1, 0\nK: [[1, 0], [0, 1]]\nV: [[10, 0], [0, 20]]", Setup(), "vectors")


async def test_sources_are_chosen_from_a_list_and_each_keeps_its_text() -> None:
    async with at_screen() as person:
        await person.run("scores.choose_source")
        await person.press("down", "enter")
        assert person.asked.draft.source == "drawn"
        person.sees(" · drawn", "seed", "draw: weights p")
        await person.press("end")
        await person.write("9")
        await person.press("escape")
        await person.run("scores.choose_source")
        await person.press("up", "enter", "escape")
        assert person.asked.draft.text == EXAMPLE.text
        await person.run("scores.source('drawn')")
        await settle(person.pilot)
        assert person.asked.draft.text.endswith("9")
        await person.press("escape", "u", "u", "u", "u")
        assert person.asked.draft == EXAMPLE


async def test_drawn_scores_move_with_d_k_and_are_drawn_anew() -> None:
    async with at_screen(draft=DRAWN) as person:
        first = person.asked.experiment.vectors[0].scores
        person.sees("÷ √64")
        await person.press("e")
        person.sees("seed = 7")
        await person.press("escape")
        await person.press("right_square_bracket")
        second = person.asked.experiment.vectors[0].scores
        ratio = second / first
        assert np.allclose(ratio, ratio[0])
        assert ratio[0] > 1.0
        await person.press("u", "a")
        assert "seed = 8" in person.asked.draft.text
        assert not np.allclose(person.asked.experiment.vectors[0].scores, first)


async def test_every_press_of_redraw_counts() -> None:
    async with at_screen(draft=DRAWN) as person:
        await person.burst(*["a"] * 20)
        assert person.asked.draft.text.startswith("n = 8, seed = 27")


async def test_keys_and_letters_that_arrive_together_take_effect_in_order() -> None:
    async with at_screen() as person:
        await person.press("e")
        await person.burst("home", "ctrl+k", "7", "8")
        assert person.asked.draft.text == "78"


async def test_rows_of_q_and_k_typed_as_scores_say_how_to_multiply_them() -> None:
    async with at_screen(draft=Draft("q: 1, 0\nK: 1, 0")) as person:
        person.sees("from, a setting, multiplies q and K")


async def test_scores_that_are_typed_are_not_drawn_anew() -> None:
    async with at_screen() as person:
        await person.press("a")
        person.sees("Scores are not drawn")
        assert person.asked.draft == EXAMPLE


@pytest.mark.parametrize("text", ["n = 0", "n = 8, seed = x", "m = 3", "n = 8, n = 9"])
async def test_a_bad_draw_is_an_error_that_keeps_the_last_answer(text: str) -> None:
    async with at_screen(draft=DRAWN) as person:
        await person.press("e", "ctrl+a")
        await person.paste(text)
        person.sees("draw", "expected", "last readable")
        await person.press("ctrl+z")
        assert person.asked.draft == DRAWN


async def test_scores_from_q_and_k_hold_the_slider_and_show_gradients() -> None:
    async with at_screen(draft=PRODUCTS) as person:
        assert person.asked.experiment.setup.d_k == 2
        person.sees("67.0 %", "73.1 %", "■", "÷ √2")
        await person.press("right_square_bracket")
        person.sees("d_k is the length of q")
        assert person.asked.experiment.setup.d_k == 2
        await person.run("looking.tab('vectors')")
        await settle(person.pilot)
        person.sees("∂p", "q")
        await person.resize(*MEDIUM)
        person.sees("∂p")
        await person.run("fields.change('qk_norm', 1)")
        assert person.asked.draft.setup.scale.qk_norm


async def test_a_key_that_does_not_match_the_query_is_an_error() -> None:
    async with at_screen(draft=PRODUCTS) as person:
        await person.press("e", "ctrl+home", "end")
        await person.write(", 5")
        person.sees("expected", "last readable")
        await person.press("ctrl+z")
        person.misses("last readable")


async def test_a_long_paste_is_attached_and_can_be_undone() -> None:
    async with at_screen() as person:
        await person.press("e", "end")
        await person.paste("\nlong: " + ", ".join(map(str, range(30_000))))
        assert len(person.asked.draft.text) < 200
        assert person.asked.experiment.vectors[1].n_keys == 30_000
        person.sees("30,000 scores")
        await person.press("ctrl+z")
        assert person.asked.draft == EXAMPLE


async def test_a_million_drawn_keys_are_listed_sorted_searched_and_drawn() -> None:
    draft = Draft("n = 1000000, seed = 3", Setup(d_k=64), "drawn")
    async with at_screen(draft=draft) as person:
        person.sees("of 1,000,000")
        scores = person.asked.experiment.vectors[0].scores
        assert str(int(scores.argmax())) in person.line_with("▸")
        await person.run("fields.type('key')")
        await person.write("777,777")
        await person.press("enter")
        assert "777777" in person.line_with("▸")
        await person.run("looking.sort")
        await person.press("end")
        assert "999999" in person.line_with("▸")
        await person.run("looking.tab('bars')")
        await settle(person.pilot)
        person.sees("keys a column: largest shown")
        await person.run("looking.tab('jacobian')")
        await settle(person.pilot)
        person.sees("largest of")


async def test_an_example_says_what_to_look_at() -> None:
    async with at_screen(draft=Draft("1, 2")) as person:
        await person.press("x", "down", "down", "enter")
        assert person.asked.draft == EXAMPLE
        await person.press("u")
        assert person.asked.draft == Draft("1, 2")


async def test_what_is_saved_as_json_can_be_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "question.json"
    async with at_screen(draft=DRAWN) as person:
        await person.press("ctrl+s")
        await person.paste(str(path))
        await person.press("enter")
        person.sees("Saved")
        assert json.loads(path.read_text("utf-8"))["schema"] == "attn-tui/1"
        await person.press("ctrl+s")
        await person.paste(str(path.with_name("ques")))
        await person.press("tab", "enter")
        person.sees("is there already")
        await person.press("escape", "x", "enter", "ctrl+o")
        await person.paste(str(path))
        await person.press("enter")
        assert person.asked.draft.source == "drawn"
        assert person.asked.draft.setup == DRAWN.setup


async def test_scores_that_are_not_understood_are_saved_as_a_picture_only(tmp_path: Path) -> None:
    async with at_screen() as person:
        await person.press("e", "end")
        await person.write("x")
        await person.press("escape", "ctrl+s")
        await person.paste(str(tmp_path / "a.txt"))
        await person.press("enter")
        person.sees("the scores are not")
        assert not (tmp_path / "a.txt").exists()


async def test_a_folder_that_is_not_there_is_said_beside_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_screen() as person:
        await person.press("ctrl+s")
        await person.paste("no/a.txt")
        await person.press("enter")
        person.sees("there is no such folder")


@pytest.mark.parametrize("ending", ["txt", "csv", "svg"])
async def test_the_screen_can_be_saved_in_every_form(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"picture.{ending}"
    async with at_screen() as person:
        await person.press("ctrl+s")
        await person.paste(str(path))
        await person.press("enter")
        person.sees("Saved")
    assert "100" in path.read_text("utf-8")


@pytest.mark.parametrize("name", ["nothing.npy", "x.doc"])
async def test_a_file_that_cannot_be_opened_is_named_beside_the_field(name: str) -> None:
    async with at_screen(NARROW) as person:
        await person.press("ctrl+o")
        await person.paste(name)
        await person.press("enter")
        person.sees("expected")
        await person.press("escape")
        assert person.asked.draft == EXAMPLE


async def test_what_is_typed_takes_the_place_of_the_vector_in_view_or_of_one_query() -> None:
    async with at_screen(draft=Draft("one: 1, 2\ntwo: 3, 4\nthree: 5, 6")) as person:
        await person.run("looking.next_vector")
        await person.press("e")
        await person.write("7 8 9")
        assert person.asked.draft.text == "one: 1, 2\n7 8 9\nthree: 5, 6"
    async with at_screen(
        draft=Draft("q: 1, 0\nK: [[1, 0]]\nV: [[1]]", Setup(2), "vectors")
    ) as person:
        await person.press("e")
        await person.paste("q: 1\nK: [[1], [2]]")
        assert person.asked.draft.text == "q: 1\nK: [[1], [2]]"
        assert person.asked.error is None
