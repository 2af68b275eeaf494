"""No text is cut inside a word, on any screen, at any of five sizes."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from attn_tui.sweep.change import SIGNS
from attn_tui.ui.app import AttnApp
from attn_tui.ui.settings_panel import SettingsPanel, Word
from tests.pairs import slow_after
from tests.ui.person import app_of, press, shown
from tests.ui.shots import FIRST

SIZES = ((120, 40), (100, 30), (80, 24), (60, 20), (40, 15))

LARGE = (200, 60)
"""A size at which every text has room."""

APART = "Input, TextArea, Select, OptionList, DataTable, #capture"
"""What is cut where it may be: editors and lists, which scroll, and paths."""

NOTES = " ".join(
    ["each the largest of several × each the gravest of several", "t shows", *SIGNS.values()]
)
"""What only small screens say."""

WORD = re.compile(r"[^\W\d_]{2,}")

KEYS = ("", "t", "t", "t", "g", "g")
"""From view to view, and the settings."""


def lines_of(pilot: Pilot[None]) -> list[str]:
    """Return the lines of the screen, blank where a widget is that may cut its text."""
    screen = app_of(pilot).screen
    lines = [
        [character for segment in strip for character in segment.text]
        for strip in screen._compositor.render_strips()
    ]
    apart: list[Widget] = [*screen.query(APART)]
    for widget in apart:
        if not widget.is_on_screen:
            continue
        # Where it scrolls, the footer may stand over the rest of it.
        x, y, width, height = screen.find_widget(widget).visible_region
        for line in lines[max(y, 0) : y + height]:
            line[max(x, 0) : x + width] = " " * len(line[max(x, 0) : x + width])
    return ["".join(line) for line in lines]


async def seen(pilot: Pilot[None]) -> dict[str, str]:
    """Go through all views, and return each word with the line that it was seen in last."""
    words: dict[str, str] = {}
    for key in KEYS:
        await (press(pilot, key) if key else shown(pilot))
        for line in lines_of(pilot):
            words |= dict.fromkeys(WORD.findall(line), line.strip())
    return words


def cut(words: dict[str, str], whole: set[str]) -> Iterator[str]:
    """Yield words that are no words of the large screen, but the beginning or the end of one."""
    for word, line in words.items():
        is_part = any(one.startswith(word) or one.endswith(word) for one in whole)
        if word not in whole and is_part and set(word) != {"x"}:
            yield f"{word}: {line}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sizes"),
    slow_after(1, [("explore", SIZES[3:4]), *((name, SIZES) for name in FIRST)]),
)
async def test_no_text_is_cut_inside_a_word(name: str, sizes: Sequence[tuple[int, int]]) -> None:
    shot = FIRST[name]
    async with AttnApp(shot.draft, shot.instrument).run_test(size=LARGE) as pilot:
        whole = {*await seen(pilot), *WORD.findall(NOTES)}
        assert len(whole) > 30
        for size in sizes:
            await pilot.resize_terminal(*size)
            assert [*cut(await seen(pilot), whole)] == [], size


@pytest.mark.parametrize("name", slow_after(0, ["explore", "dots", "attention"]))
async def test_what_a_switch_says_has_room_in_the_settings(name: str) -> None:
    shot = FIRST[name]
    async with AttnApp(shot.draft, shot.instrument).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        screen = await press(pilot, "g")
        words = screen.query(Word)
        right = screen.query_one(SettingsPanel).content_region.right
        assert words
        for word in words:
            assert word.region.x + word.get_content_width(screen.size, screen.size) <= right


@pytest.mark.slow
async def test_no_line_of_a_sentence_ends_within_an_equation_or_before_a_percent_sign() -> None:
    for name in ("claims", "heads"):
        async with FIRST[name].app().run_test(size=LARGE) as pilot:
            await shown(pilot)
            for columns in range(45, 121, 6):
                await pilot.resize_terminal(columns, 40)
                screen = await shown(pilot)
                strips = screen._compositor.render_strips()
                for widget in screen.query("#headline, Sentences"):
                    region = widget.region.intersection(screen.region)
                    lines = [
                        strip.crop(region.x, region.right).text.strip()
                        for strip in strips[region.y : region.bottom]
                    ]
                    for line, following in pairwise(lines):
                        assert not line.endswith("=")
                        assert not following.startswith(("=", "%"))
