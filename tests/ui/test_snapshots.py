"""Screens as text, to be read in review; `test_pictures` compares their colours.

With GOLDEN=1 set, the files are written again.
"""

import sys
from pathlib import Path

import pytest

from tests import golden
from tests.pairs import slow_after
from tests.ui.shots import FIRST, SHOTS, Shot

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="pictures are drawn on the baseline, Python 3.11"
)

FOLDER = Path(__file__).parent / "snapshots"


async def taken(shot: Shot) -> str:
    """Return what a screen shows once its answer is complete."""
    async with shot.app().run_test(size=shot.size) as pilot:
        await shot.show(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        return "".join(f"{strip.text.rstrip()}\n" for strip in strips)


@pytest.mark.parametrize("name", slow_after(len(FIRST) - 1, [*SHOTS]))
async def test_a_screen_says_what_was_reviewed(name: str) -> None:
    golden.compare(FOLDER / f"{name}.txt", await taken(SHOTS[name]))


def test_no_snapshot_is_left_over() -> None:
    golden.compare_names(FOLDER, {f"{name}.txt" for name in SHOTS})
