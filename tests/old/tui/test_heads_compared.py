"""Two captures side by side on the screen of Heads: pinned, compared, told apart."""

import re
from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures.example import tensors
from attn_tui.captures.writer import write_safetensors
from tests.old.tui.at_heads import at_heads, here
from tests.old.tui.person import MEDIUM, NARROW, WIDE


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_a_pinned_capture_says_what_opens_another_at_every_size(
    size: tuple[int, int],
) -> None:
    async with at_heads(size) as person:
        await person.press("p")
        assert "pinned: o" in person.lines[3]


async def test_two_captures_are_compared_and_the_headline_says_where_they_part(
    tmp_path: Path,
) -> None:
    made = tensors(3)
    odd = made["2.q"].copy()
    odd[0, 2, 7] = np.nan
    write_safetensors(tmp_path / "one.safetensors", made | {"2.q": odd})
    made["1.q"] = made["1.q"].copy()
    made["1.q"][0, 5] *= 2
    write_safetensors(tmp_path / "two.safetensors", made)
    async with at_heads(capture=(str(tmp_path / "one.safetensors"),)) as person:
        alone = person.lines[1:3]
        await person.press("p")
        # Until another is opened nothing is compared, least of all with itself.
        person.sees("pinned: o opens what to compare with it")
        person.misses("compared with", "the same in", "→")
        assert person.lines[1:3] == alone
        assert person.app.line.startswith("attn-tui heads")
        await person.press("o", "ctrl+u")
        await person.paste(str(tmp_path / "two.safetensors"))
        await person.press("enter")
        person.sees("They part in layer 1, head 5")
        assert here(person) == (1, 5)
        person.sees("two.safetensors compared with one.safetensors", "→", "less")
        await person.resize(*MEDIUM)
        assert re.search(r"Layer 1 head 5: largest p .* → ", person.text)
        await person.resize(*WIDE)
        # The card has the room that the map leaves: no pair of numbers is cut.
        assert not [line for line in person.lines if "→" in line and line.endswith("…")]
        person.sees(r" times → ")
        await person.put("statistic", "query_norm")
        person.sees("▲2.0", "=", "! meets NaN")
        assert person.app.line.startswith("attn-tui compare")
        await person.press("i")
        person.sees("They part in layer 1, head 5", "differs in 2 of 24 heads, first in")
        await person.press("escape")
        await person.press("p")
        person.misses("compared with")


async def test_captures_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        write_safetensors(tmp_path / folder / "capture.safetensors", tensors(1))
    one, other = (str(tmp_path / each / "capture.safetensors") for each in ("after", "before"))
    async with at_heads(capture=(one,), other=(other,)) as person:
        person.sees(" after/capture.safetensors compared with before/capture.safetensors")
    async with at_heads(capture=(one,)) as person:
        assert person.lines[3].startswith(" capture.safetensors ")
