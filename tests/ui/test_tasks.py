"""Twenty-two tasks of newcomers: the keys that a person presses, and what that person then sees."""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from textual.pilot import Pilot

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.file_dialogs import FileScreen
from tests.contract.session import run
from tests.ui.person import (
    app_of,
    click_on,
    find_all,
    notices,
    press,
    read,
    shown,
    take_first,
    until,
)

DOCS = Path(__file__).parents[2] / "docs"

QUERIES = ("q: 1, 0, 2, 1", "0, 1, 1, 0", "1, 1, 0, 2")

KEYS = ("K: 1, 2, 0, 1", "0, 1, 1, 0", "3, 0, 1, 1")

AT_START = (
    "Unscaled, key 2 takes practically all the weight, and small changes of the scores change "
    "almost nothing. Divided by 32 it takes 62 %, and the gradient is back."
)


WITH_512_KEYS = (
    "With 512 keys and d_k = 128, dividing by √d_k makes the typical gradient 21 to 32 times "
    "smaller."
)


@asynccontextmanager
async def fresh_start() -> AsyncIterator[Pilot[None]]:
    """Start the program as it starts without arguments."""
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        yield pilot


def typed(*lines: str) -> list[str]:
    """Return the keys that type some lines."""
    return [key for line in lines for key in ("enter", *line)][1:]


async def type_scores(pilot: Pilot[None], *lines: str) -> None:
    """Type lines into the scores, and leave them."""
    await press(pilot, "e", *typed(*lines), "escape")


async def set_number(pilot: Pilot[None], key: str, number: str) -> None:
    """Type a number into the field that a key leads to."""
    await press(pilot, key, *number, "enter")


async def name_file(pilot: Pilot[None], key: str, name: str) -> None:
    """Type a name into the dialogue of files that a key opens."""
    await pilot.press(key)
    await until(pilot, lambda: isinstance(pilot.app.screen, FileScreen))
    await pilot.press(*name, "enter")
    await until(pilot, lambda: not isinstance(pilot.app.screen, FileScreen))
    await shown(pilot)


async def click(
    pilot: Pilot[None], text: str, right: int = 0, down: int = 0, label: str = ""
) -> None:
    """Click as `click_on` does, and wait until the result is shown."""
    await click_on(pilot, text, right, down, label)
    await shown(pilot)


async def test_01_type_scores_and_see_them_at_a_d_k() -> None:
    async with fresh_start() as pilot:
        await type_scores(pilot, "1 2 3 10")
        await set_number(pilot, "d", "64")
        assert (
            "Unscaled, key 3 takes 99.9 %. "
            "Divided by 8 it takes 47 %, and the gradient is 24 times larger."
        ) in read(pilot)


@pytest.mark.slow
async def test_01_by_mouse() -> None:
    async with fresh_start() as pilot:
        await click(pilot, "a: 100, 120")
        await press(pilot, *"1 2 3 10")
        await click(pilot, "64     256")
        assert "Divided by 8 it takes 47 %" in read(pilot)


@pytest.mark.slow
async def test_02_use_the_rule_of_gemma_2() -> None:
    async with fresh_start() as pilot:
        await take_first(pilot, "gemma 2", "m")
        assert "Divided by 16 and capped at 50 it takes 83 %" in read(pilot)
        assert "Gemma-2-9B" in read(pilot)


@pytest.mark.slow
async def test_02_its_lists_say_what_else_the_model_does() -> None:
    async with fresh_start() as pilot:
        hits = await find_all(pilot, "gemma", "m")
        assert hits[0].startswith("Gemma-7B")
        assert "the first Gemma: without a soft cap" in hits[0]
        await press(pilot, "down", "enter")
        assert "Divided by 16 and capped at 50 it takes 83 %" in read(pilot)
    async with fresh_start() as pilot:
        hits = await find_all(pilot, "gemma 2", "r")
        assert hits[0].startswith("fixed: 1/√a")
        assert "Gemma 2 and 3, whose soft cap or QK-norm comes with the model" in hits[0]
        await press(pilot, "enter")
        told = "Gemma-2-9B and Gemma-2-27B have a soft cap too: m sets both."
        assert told in notices(pilot)


@pytest.mark.slow
async def test_02_a_list_offers_only_what_is_in_it() -> None:
    async with fresh_start() as pilot:
        hits = await find_all(pilot, "gemx", "r")
        assert hits[0] == "Nothing has all of “gemx”. Perhaps one of these:"
        assert hits[1].startswith("fixed: 1/√a")


@pytest.mark.slow
async def test_03_how_much_smaller_is_the_gradient_with_512_keys() -> None:
    async with fresh_start() as pilot:
        await press(pilot, "3")
        await set_number(pilot, "n", "512")
        await set_number(pilot, "d", "128")
        assert WITH_512_KEYS in read(pilot)


@pytest.mark.slow
async def test_03_by_mouse() -> None:
    async with fresh_start() as pilot:
        await click(pilot, "3 Sweep")
        await click(pilot, "d_k - ", 30)
        await click(pilot, "n , ", 14)
        assert WITH_512_KEYS in read(pilot)


@pytest.mark.slow
async def test_04_why_the_variance_is_d_k() -> None:
    async with fresh_start() as pilot:
        await press(pilot, "2", "t", "t")
        assert "So the variance of q·k is d_k." in read(pilot)


@pytest.mark.slow
async def test_05_open_two_vectors_and_find_the_largest_weight(tmp_path: Path) -> None:
    scores = np.zeros((2, 5_000))
    scores[0, 3], scores[1, 4_321] = 2.0, 3.0
    np.save(tmp_path / "scores.npy", scores)
    async with fresh_start() as pilot:
        await name_file(pilot, "o", str(tmp_path / "scores.npy"))
        assert "vector 1 of 2, 5,000 keys" in read(pilot)
        # Far below a tenth of a percent, it is a number nevertheless.
        assert "largest of all, scaled: 0.022 % on key 4,321 of vector 2" in read(pilot)
        await click(pilot, "> vector")
        assert "vector 2 of 2, 5,000 keys" in read(pilot)


@pytest.mark.slow
async def test_06_float16_beside_float64() -> None:
    async with fresh_start() as pilot:
        await press(pilot, "t", "t")
        assert "Precision: the weight of key 2 in every format" in read(pilot)
        assert re.search(r"float64 stable 1\.0000 1\.11e-16 0\.6245", read(pilot))
        assert re.search(r"float16 stable 1\.0000 9\.36e-14 0\.6245", read(pilot))
    async with fresh_start() as pilot:
        assert "view: Precision lab" in (await find_all(pilot, "float16"))[1]
        await press(pilot, "enter")
        assert "the gradient is no longer exactly 0 in float16." in read(pilot)
        assert "The precision lab has all formats side by side" in notices(pilot)


@pytest.mark.slow
async def test_07_save_picture_and_numbers(tmp_path: Path) -> None:
    async with fresh_start() as pilot:
        await name_file(pilot, "s", str(tmp_path / "mine"))
    assert {path.name for path in tmp_path.iterdir()} == {"mine.json", "mine.svg"}
    assert json.loads((tmp_path / "mine.json").read_text("utf-8"))["headline"] == AT_START
    assert "Divided by 32" in (tmp_path / "mine.svg").read_text("utf-8").replace("&#160;", " ")


@pytest.mark.slow
async def test_08_back_to_the_start() -> None:
    async with fresh_start() as pilot:
        for back in ("0", ""):
            await type_scores(pilot, "1 2 3 10")
            await set_number(pilot, "d", "64")
            assert AT_START not in read(pilot)
            await (press(pilot, back) if back else take_first(pilot, "reset"))
            assert AT_START in read(pilot)
        await press(pilot, "u")
        assert "Divided by 8 it takes 47 %" in read(pilot)


@pytest.mark.slow
async def test_09_type_q_and_k() -> None:
    async with fresh_start() as pilot:
        await type_scores(pilot, "q: 1, 0, 2, 1", *KEYS)
        assert "Unscaled, key 2 takes 96 %. Divided by 2 it takes 79 %" in read(pilot)
        assert "s, from q and K" in read(pilot)
        assert "q: 1, 0, 2, 1" in read(pilot)


@pytest.mark.slow
async def test_10_a_causal_mask_on_typed_q_and_k() -> None:
    async with fresh_start() as pilot:
        await type_scores(pilot, *QUERIES, *KEYS)
        await take_first(pilot, "causal")
        assert "vector 1 of 3, 3 keys" in read(pilot)
        assert "largest of all, scaled: 100 % on key 0 of vector 1" in read(pilot)
        await press(pilot, "4")
        assert re.search(r"0 100 % .* 1 50\.0 % 50\.0 %", read(pilot))


@pytest.mark.slow
async def test_10_by_mouse() -> None:
    async with fresh_start() as pilot:
        await click(pilot, "a: 100, 120")
        await press(pilot, *typed(*QUERIES, *KEYS))
        await click(pilot, "esc Done")
        await click(pilot, "g Settings")
        await click(pilot, "no", label=" causal ")
        # The text beside it says the same.
        assert re.search(r" mask +causal .* causal +yes ", read(pilot))
        await click(pilot, "g Settings")
        assert "largest of all, scaled: 100 % on key 0 of vector 1" in read(pilot)
        await click(pilot, "g Settings")
        await click(pilot, "yes", label=" causal ")
        assert re.search(r" mask +none .* causal +no ", read(pilot))


@pytest.mark.slow
async def test_11_copy_the_command_that_gives_this_screen() -> None:
    async with fresh_start() as pilot:
        await set_number(pilot, "d", "64")
        await press(pilot, "c")
        assert app_of(pilot).clipboard == "attn-tui show 100,120,150 --d-k 64 --screen"
        assert "paste it into a shell. If nothing is pasted" in notices(pilot)


@pytest.mark.slow
async def test_12_compare_two_score_vectors() -> None:
    async with fresh_start() as pilot:
        await type_scores(pilot, "1 2 3 10")
        await press(pilot, "p")
        await type_scores(pilot, "1 2 3 4")
        assert (
            "As pinned, key 3 takes 30 %. Now, the 4 keys share almost equally, and the gradient "
            "stays about the same."
        ) in read(pilot)


@pytest.mark.slow
async def test_13_a_temperature() -> None:
    async with fresh_start() as pilot:
        await take_first(pilot, "temperature 0.5")
        assert "Multiplied by 2 it still does, and the gradient is gone." in read(pilot)


@pytest.mark.slow
async def test_14_scale_by_one_over_d_k() -> None:
    async with fresh_start() as pilot:
        await press(pilot, "r", "down", "down", "enter")
        assert (
            "Divided by 1,024, the 3 keys share almost equally, and the gradient is larger, but "
            "still small."
        ) in read(pilot)


@pytest.mark.slow
async def test_15_a_soft_cap_and_what_it_does_to_the_gradient() -> None:
    async with fresh_start() as pilot:
        await take_first(pilot, "cap 30")
        assert (
            "Divided by 32 and capped at 30 it takes 62 %, and the gradient is back. "
            "The cap leaves 98 % of the slope at key 2."
        ) in read(pilot)
        assert "capped: ∂z₂/∂s₂ is 98 % of m" in read(pilot)
    async with fresh_start() as pilot:
        await press(pilot, "p")
        await take_first(pilot, "cap 30")
        assert "Now it still does, and the gradient stays about the same." in read(pilot)
        assert "7.33e-3 7.19e-3 ×0.981" in read(pilot)


@pytest.mark.slow
async def test_16_what_about_gradient_explosion() -> None:
    async with fresh_start() as pilot:
        await take_first(pilot, "gradient explosion")
        assert "dividing by √d_k prevents exploding gradients.” It holds only" in read(pilot)
        assert "◐ CONDITIONAL" in read(pilot)


@pytest.mark.slow
def test_17_the_doctor_on_a_demo_capture(tmp_path: Path) -> None:
    assert "README.txt there says what to try" in run("demo", "demo", folder=tmp_path)
    readme = (tmp_path / "demo" / "README.txt").read_text("utf-8")
    line = "attn-tui doctor multiplied/capture.safetensors --config multiplied"
    assert line in readme
    done = subprocess.run(
        [sys.executable, "-m", "attn_tui", *line.split()[1:]],
        cwd=tmp_path / "demo", capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout.startswith("differs: m = 8 = √64 in all 4 heads, promised 0.125 = 1/√64")


@pytest.mark.slow
async def test_17_without_leaving_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with fresh_start() as pilot:
        hits = await find_all(pilot, "doctor demo")
        assert any("Doctor's demo: Scores are multiplied by √d_k." in hit for hit in hits)
        await press(pilot, "escape", "escape")
        await take_first(pilot, "demo multiplied")
        assert "4 heads differ from what was promised." in read(pilot)
        assert "Scores are multiplied by √d_k." in notices(pilot)
        await press(pilot, "c")
        capture = tmp_path / "attn-tui" / "demos" / "multiplied" / "capture.safetensors"
        assert capture.is_file()
        assert str(capture) in app_of(pilot).clipboard
    monkeypatch.setenv("XDG_STATE_HOME", "nowhere")
    async with fresh_start() as pilot:
        await take_first(pilot, "demo multiplied")
        assert "It cannot be written: XDG_STATE_HOME is no absolute path" in notices(pilot)


@pytest.mark.slow
async def test_18_these_numbers_into_a_notebook(tmp_path: Path) -> None:
    async with fresh_start() as pilot:
        hits = await find_all(pilot, "python")
        assert ".json is for a notebook, where import attn_tui computes the same" in hits[0]
        await press(pilot, "escape", "escape")
        await name_file(pilot, "s", str(tmp_path / "numbers.json"))
    numbers = json.loads((tmp_path / "numbers.json").read_text("utf-8"))
    library = "import attn_tui; print(attn_tui.softmax([100, 120, 150], d_k=1024)[2])"
    done = subprocess.run([sys.executable, "-c", library], capture_output=True, text=True)
    assert float(done.stdout) == pytest.approx(
        numbers["vectors"][0]["scaled"]["weights"][2], rel=1e-9
    )


@pytest.mark.slow
def test_19_write_a_lesson_of_two_steps(tmp_path: Path) -> None:
    text = (DOCS / "tour.md").read_text("utf-8")
    lesson = text.partition("```toml\n")[2].partition("```")[0]
    assert lesson.count("[[step]]") == 2
    (tmp_path / "lesson.toml").write_text(lesson, "utf-8")
    printed = run("tour", "lesson.toml", folder=tmp_path)
    assert "Hold + until d_k is 64." in printed
    assert "Press e and choose ±1 coins" in printed


@pytest.mark.slow
async def test_20_hide_a_key() -> None:
    async with fresh_start() as pilot:
        # The mask is the fifth setting that can be changed.
        await press(pilot, "g", *["tab"] * 4, *"0", "enter", "escape")
        assert re.search(r"0 masked –", read(pilot))
        assert "of 2 ─" in read(pilot)


@pytest.mark.slow
async def test_21_find_an_error_in_the_articles() -> None:
    async with fresh_start() as pilot:
        await press(pilot, "6", "e", *"false", "enter")
        assert "19 of 117 claims" in read(pilot)
        # What is shown is one of those that are listed.
        assert "“For zero-mean entries the expected dot product is d_k.”" in read(pilot)


@pytest.mark.slow
async def test_22_go_on_in_a_small_terminal() -> None:
    async with fresh_start() as pilot:
        await type_scores(pilot, "1 2 3 10")
        await pilot.resize_terminal(60, 20)
        await press(pilot, "plus")
        assert ("Unscaled, key 3 takes 99.9 %. Divided by 35.8 it takes 29 %") in read(pilot)
        await press(pilot, "g")
        assert "soft cap none" in read(pilot)
