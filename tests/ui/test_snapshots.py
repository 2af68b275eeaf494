"""Screens as text, to be read in review; one of each with its colours.

With GOLDEN=1 set, the files are written again.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from rich.segment import Segment
from textual.app import App

from attn_tui.claims import settings as claims
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.field import fields_of
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.dots.screen import DotsScreen
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.ui.app import AttnApp
from tests import golden
from tests.pairs import slow_after
from tests.sweep.asked import DRAFT as SWEEP
from tests.ui.person import press, shown

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="pictures are drawn on the baseline, Python 3.11"
)

FOLDER = Path(__file__).parent / "snapshots"
SEVERAL = replace(EXAMPLE, text="1 2 0\n3 4 9\n50 1 1", setup=Setup(mask=Mask(causal=True)))

VECTORS = EXAMPLE.with_text(
    "q: 1, 0, 2\nK: [[1, 0, 1], [0, 1, 0], [0.5, 0.5, -1]]\nV: [[10, 0], [0, 20], [3, 3]]"
)
DICE = replace(EXAMPLE, setup=Setup(64).put(Settings("die", samples=50_000, seed=7)))


CLAIM = replace(
    EXAMPLE, setup=Setup().changed(fields_of(claims.Settings)["claim"], lambda _: "S0-14")
)


@dataclass(frozen=True)
class Shot:
    """A picture of a screen.

    Attributes:
        draft: The question.
        keys: The keys pressed before it is taken.
        size: Columns and lines of the terminal.
        instrument: The name of the instrument.
    """

    draft: Draft = EXAMPLE
    keys: Sequence[str] = ()
    size: tuple[int, int] = (120, 40)
    instrument: str = "explore"


FIRST = {
    name: Shot({"sweep": SWEEP, "claims": CLAIM}.get(name, EXAMPLE), instrument=name)
    for name in ("explore", "dots", "sweep", "attention", "claims", "heads")
}
"""One of each instrument; all but that of Heads, which takes longest, are compared in every run."""

SHOTS = {
    **FIRST,
    **{f"{name}_80": replace(shot, size=(80, 24)) for name, shot in FIRST.items()},
    **{f"{name}_40": replace(shot, size=(40, 15)) for name, shot in FIRST.items()},
    "attention_rows": Shot(SEVERAL, ("T",), instrument="attention"),
    "explore_jacobian": Shot(keys=("t",)),
    "explore_lab": Shot(keys=("t", "t")),
    "explore_vectors": Shot(VECTORS, ("t", "t", "t")),
    "explore_settings": Shot(keys=("g",)),
    "explore_error": Shot(keys=("e", "comma", "x")),
    "dots_dice": Shot(DICE, instrument="dots"),
    "dots_dice_linear": Shot(DICE, ("v",), instrument="dots"),
    "dots_why": Shot(keys=("t", "t"), size=(80, 24), instrument="dots"),
    "sweep_over": Shot(SWEEP, ("t",), (80, 24), "sweep"),
}

COLOURED = ("explore", "sweep")
"""Pictures compared with their colours."""


def strips(app: App[None]) -> Iterator[list[Segment]]:
    """Yield the lines of the screen."""
    for strip in app.screen._compositor.render_strips():
        yield list(strip)


async def taken(shot: Shot) -> list[list[Segment]]:
    """Return what a screen shows once its answer is complete."""
    async with AttnApp(shot.draft, shot.instrument).run_test(size=shot.size) as pilot:
        screen = await shown(pilot)
        if shot.keys:
            screen = await press(pilot, *shot.keys)
        while isinstance(screen, DotsScreen) and not (screen.answer and screen.answer.complete):
            await pilot.pause()
        await shown(pilot)
        return list(strips(pilot.app))


@pytest.mark.parametrize("name", slow_after(len(FIRST) - 1, [*SHOTS]))
async def test_a_screen_says_what_was_reviewed(name: str) -> None:
    lines = await taken(SHOTS[name])
    text = "\n".join("".join(part.text for part in line).rstrip() for line in lines)
    golden.compare(FOLDER / f"{name}.txt", f"{text}\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", COLOURED)
async def test_a_screen_has_the_colours_that_were_reviewed(name: str) -> None:
    lines = await taken(SHOTS[name])
    rows = []
    for line in lines:
        runs = [f"{part.text!r} {part.style}" for part in line if part.text.strip()]
        rows.append("\n".join(runs))
    golden.compare(FOLDER / f"{name}_colours.txt", "\n\n".join(rows) + "\n")


def test_no_snapshot_is_left_over() -> None:
    names = {f"{name}.txt" for name in SHOTS}
    golden.compare_names(FOLDER, names | {f"{name}_colours.txt" for name in COLOURED})
