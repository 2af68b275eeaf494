"""What the new screens show, as text to be read in review; one of each with its colours.

With GOLDEN=1 set the files are written anew.
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
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.dots.screen import DotsScreen
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.ui.app import AttnApp
from tests import golden
from tests.pairs import everyday
from tests.sweep.asked import DRAFT as SWEEP
from tests.ui.person import press, shown

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="pictures are drawn on the baseline, Python 3.11"
)

FOLDER = Path(__file__).parent / "snapshots"
WIDE, MEDIUM, SMALL = (120, 40), (80, 24), (40, 15)

VECTORS = EXAMPLE.with_text(
    "q: 1, 0, 2\nK: [[1, 0, 1], [0, 1, 0], [0.5, 0.5, -1]]\nV: [[10, 0], [0, 20], [3, 3]]"
)
CAPPED = replace(
    EXAMPLE,
    setup=Setup(
        128,
        Scale("fixed", (("a", 144.0),), softcap=50.0, sink=0.0),
        Precision("bfloat16"),
        Mask(((1, 2),)),
    ),
)
NAIVE = replace(EXAMPLE, setup=Setup(precision=Precision("float32", stable=False)))
DICE = replace(EXAMPLE, setup=Setup(64).put(Settings("die", samples=50_000, seed=7)))


@dataclass(frozen=True)
class Shot:
    """A picture of a screen.

    Attributes:
        draft: What is asked.
        keys: What is pressed before it is taken.
        sizes: Of the terminal.
        instrument: Which one.
    """

    draft: Draft = EXAMPLE
    keys: Sequence[str] = ()
    sizes: Sequence[tuple[int, int]] = (WIDE,)
    instrument: str = "explore"


CLAIM = replace(
    EXAMPLE, setup=Setup().changed(fields_of(claims.Settings)["claim"], lambda _: "S0-14")
)

SEVERAL = replace(EXAMPLE, text="1 2 0\n3 4 9\n50 1 1", setup=Setup(mask=Mask(causal=True)))

SHOTS = {
    "attention": Shot(sizes=(WIDE, MEDIUM, SMALL), instrument="attention"),
    "attention_rows": Shot(SEVERAL, ("T",), (WIDE, MEDIUM), "attention"),
    "claims": Shot(CLAIM, (), (WIDE, MEDIUM, SMALL), "claims"),
    "claims_right": Shot(CLAIM, ("t",), (MEDIUM, SMALL), "claims"),
    "explore": Shot(sizes=(WIDE, MEDIUM, SMALL)),
    "explore_jacobian": Shot(keys=("t",), sizes=(WIDE,)),
    "explore_lab": Shot(keys=("t", "t"), sizes=(WIDE, MEDIUM)),
    "explore_vectors": Shot(VECTORS, ("t", "t", "t"), (WIDE, MEDIUM)),
    "explore_settings": Shot(keys=("g",), sizes=(WIDE, MEDIUM)),
    "explore_full": Shot(keys=("f",), sizes=(MEDIUM,)),
    "explore_drawn": Shot(EXAMPLE.with_text("n = 1000, seed = 7")),
    "explore_cap_sink_mask": Shot(CAPPED),
    "explore_overflow": Shot(NAIVE),
    "explore_error": Shot(keys=("e", "comma", "x")),
    "dots": Shot(instrument="dots", sizes=(WIDE, MEDIUM, SMALL)),
    "dots_dice_stretched": Shot(DICE, ("v",), instrument="dots"),
    "dots_why": Shot(keys=("t", "t"), sizes=(MEDIUM,), instrument="dots"),
    "dots_table": Shot(keys=("t", "t", "t"), sizes=(MEDIUM,), instrument="dots"),
    "heads": Shot(sizes=(WIDE, MEDIUM, SMALL), instrument="heads"),
    "sweep": Shot(SWEEP, sizes=(WIDE, MEDIUM, SMALL), instrument="sweep"),
    "sweep_over": Shot(SWEEP, ("t",), (MEDIUM,), "sweep"),
    "sweep_numbers": Shot(SWEEP, ("T",), (MEDIUM,), "sweep"),
}


FIRST = ("explore", "dots", "sweep", "attention", "heads", "claims", "explore_settings")
"""Pictures that are compared every day."""

COLOURED = ("explore", "dots", "sweep", "attention")
"""Pictures that are kept with their colours."""


def strips(app: App[None]) -> Iterator[list[Segment]]:
    """Yield the lines of what is shown."""
    for strip in app.screen._compositor.render_strips():
        yield list(strip)


async def taken(shot: Shot, size: tuple[int, int]) -> list[list[Segment]]:
    """Return what a screen shows once all is worked out."""
    async with AttnApp(shot.draft, shot.instrument).run_test(size=size) as pilot:
        screen = await shown(pilot)
        if shot.keys:
            screen = await press(pilot, *shot.keys)
        while isinstance(screen, DotsScreen) and not (screen.answer and screen.answer.complete):
            await pilot.pause()
        await shown(pilot)
        return list(strips(pilot.app))


@pytest.mark.parametrize(
    "name", everyday(len(FIRST), [*FIRST, *(name for name in SHOTS if name not in FIRST)])
)
async def test_a_screen_says_what_was_reviewed(name: str) -> None:
    blocks = []
    for size in SHOTS[name].sizes:
        lines = await taken(SHOTS[name], size)
        text = "\n".join("".join(part.text for part in line).rstrip() for line in lines)
        blocks.append(f"{size[0]}×{size[1]}\n{text}\n")
    golden.compare(FOLDER / f"{name}.txt", "\n".join(blocks))


@pytest.mark.parametrize("name", COLOURED)
async def test_a_screen_has_the_colours_that_were_reviewed(name: str) -> None:
    lines = await taken(SHOTS[name], WIDE)
    rows = []
    for line in lines:
        runs = [f"{part.text!r} {part.style}" for part in line if part.text.strip()]
        rows.append("\n".join(runs))
    golden.compare(FOLDER / f"{name}_colours.txt", "\n\n".join(rows) + "\n")


def test_no_snapshot_is_left_over() -> None:
    names = {f"{name}.txt" for name in SHOTS}
    golden.compare_names(FOLDER, names | {f"{name}_colours.txt" for name in COLOURED})
