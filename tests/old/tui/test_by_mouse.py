"""All that is done often is done by the mouse alone; only texts are typed."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len
from textual.events import MouseScrollDown, MouseScrollUp

from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, settle

SIZES = [WIDE, MEDIUM, NARROW]

FEW = replace(
    EXAMPLE,
    setup=Setup().put(sweep.Settings(points=4, map_points=4, draws=64, crossovers=False)),
)
"""A sweep that is drawn at once."""


def place(person: Person, text: str, beside: str = "") -> tuple[int, int] | None:
    """Return where a text is, on a line with another: where something begins so, if it does."""
    rows = [(y, line) for y, line in enumerate(person.lines) if text in line and beside in line]
    begins = (rf"(?:^|│)[ ●▸]*({re.escape(text)})", f"({re.escape(text)})")
    found = ((m, y, line) for each in begins for y, line in rows if (m := re.search(each, line)))
    match, y, line = next(found, (None, 0, ""))
    return (cell_len(line[: match.start(1)]), y) if match else None


async def click(person: Person, text: str, beside: str = "") -> None:
    """Click on a text."""
    at = place(person, text, beside)
    assert at, f"no {text!r} on\n{person.text}"
    person.clock.now += 2.0
    await person.pilot.click(offset=at)
    await settle(person.pilot)


async def choose(person: Person, text: str) -> None:
    """Turn the wheel over a list until a line is in sight, and click on it."""
    width, height = person.app.screen.size
    at = width // 3, 3 if height < 20 else height // 2
    for kind in (MouseScrollUp, MouseScrollDown):
        for _ in range(60):
            if any(re.search(rf"(^|│)[ ●▸]*{re.escape(text)}", line) for line in person.lines):
                break
            person.app.post_message(kind(None, *at, 0, 0, 0, False, False, False, *at))
            await settle(person.pilot)
    await click(person, text)


async def find(person: Person, text: str) -> None:
    """Choose a line of Find."""
    await click(person, "/ Find")
    await choose(person, text)


async def go_to_setting(person: Person, label: str) -> None:
    """Open the settings, and go to one."""
    if place(person, "tab Settings"):
        await click(person, "tab Settings")
    else:
        await find(person, "Go to the next pane")
    await choose(person, label)


@pytest.mark.parametrize("size", SIZES)
async def test_scores_and_models_and_the_way_back(size: tuple[int, int]) -> None:
    async with at_screen(size) as person:
        await click(person, "64━", "d_k 1")
        assert person.asked.draft.setup.d_k == 64
        await click(person, "100", "÷")
        await person.write("1, 2, 3, 10")
        await click(person, "esc")
        person.sees("47 %")
        await find(person, "Choose d_k and the scale")
        await choose(person, "Gemma-2-27B")
        person.sees("Gemma-2-27B")
        assert person.asked.draft.setup.d_k == 128
        await find(person, "Undo the last change")
        person.sees("47 %")
        await find(person, "Go back to the start")
        assert person.asked.draft.text == "a: 100, 120, 150"


@pytest.mark.parametrize("size", SIZES)
async def test_a_place_of_sweep_and_why_d_k(size: tuple[int, int]) -> None:
    async with at_screen(size, FEW) as person:
        await click(person, "3", " 2 ")
        slider = person.app.screen.query_one("#n-slider").region
        at = slider.x + 5, slider.y
        while person.settings(sweep.Settings).n < 512:
            person.app.post_message(MouseScrollUp(None, *at, 0, 0, 0, False, False, False, *at))
            await settle(person.pilot)
        assert person.settings(sweep.Settings).n == 512
        await click(person, "2", " 3 ")
        await click(person, "Why", "d_k")
        person.sees("averages 0")


@pytest.mark.parametrize("size", SIZES)
async def test_files_are_opened_and_saved(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.random.default_rng(1).normal(0.0, 5.0, (2, 5000))
    np.save(tmp_path / "big.npy", scores)
    monkeypatch.chdir(tmp_path)
    async with at_screen(size) as person:
        await find(person, "Open a file")
        await click(person, "big.npy")
        person.sees(str(scores[0].argmax()))
        await find(person, "Save what is shown")
        await click(person, ".svg ")
        await click(person, "enter saves")
        person.sees("Saved")
        assert (tmp_path / "attn-tui.svg").exists()
        await find(person, "Open a file")
        await click(person, "esc")
        person.misses("Open a file")


@pytest.mark.parametrize("size", SIZES)
async def test_q_and_k_a_causal_mask_and_the_command(size: tuple[int, int]) -> None:
    async with at_screen(size) as person:
        await go_to_setting(person, "from")
        await click(person, "enter Choose")
        await choose(person, "from q and K")
        assert person.asked.draft.source == "vectors"
        await click(person, "esc")
        await go_to_setting(person, "mask")
        await click(person, "›", "mask")
        assert str(person.asked.draft.setup.mask) == "causal"
        await click(person, "del Default")
        assert not person.asked.draft.setup.mask
        await click(person, "esc Close")
        await find(person, "Copy the command")
        person.sees("attn-tui show")
        await click(person, "esc closes")
        person.misses("attn-tui show")
