"""Screens as pictures, with every colour; a report shows what differs, beside what was reviewed.

With ``--snapshot-update`` the pictures are taken anew.
"""

import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests import golden
from tests.ui.shots import FIRST, SHOTS, Shot

FOLDER = Path(__file__).parent / "__snapshots__" / "test_pictures"
PINNED = (Path(__file__).parents[1] / "constraints.txt").read_text().split()
DRAWN_BY = ("textual", "rich", "Pygments")

pytest.importorskip("pytest_textual_snapshot")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.version_info[:2] != (3, 11)
        or any(f"{name}=={version(name)}" not in PINNED for name in DRAWN_BY),
        reason="pictures are drawn by Python 3.11 and the versions of tests/constraints.txt",
    ),
]

PICTURES = {
    **FIRST,
    **{name: SHOTS[name] for name in ("explore_80", "explore_40", "explore_settings")},
    "explore_error": SHOTS["explore_error"],
    "help": Shot(keys=("question_mark",)),
    "palette": Shot(keys=("slash", *"theme")),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_screen_looks_as_it_was_reviewed(name: str, snap_compare: Callable[..., bool]) -> None:
    shot = PICTURES[name]

    async def show(pilot: Pilot[None]) -> None:
        await shot.show(pilot)

    assert snap_compare(shot.app(), terminal_size=shot.size, run_before=show)


def test_no_picture_is_left_over() -> None:
    test = test_a_screen_looks_as_it_was_reviewed.__name__
    golden.compare_names(FOLDER, {f"{test}[{name}].svg" for name in PICTURES})
