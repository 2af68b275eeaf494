"""Pictures of the Sweep screen, each with its plain text beside it."""

import pytest

from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import Settings
from attn_tui.files.draft import EXAMPLE, Draft
from tests.tui.person import Person
from tests.tui.test_snapshots import ALL_SIZES, Camera, Deed, camera, pytestmark

__all__ = ["camera", "pytestmark"]

SMALL = Settings(n=64, points=14, map_points=8, draws=320)
STATES = {
    "over_d_k": (),
    "ratio": ("slash",),
    "over_n": ("t",),
    "map": ("t", "t", "slash"),
    "numbers": ("i",),
}


def sweeping(*keys: str) -> Deed:
    async def deed(person: Person) -> None:
        await person.app.run_action("app.instrument('sweep')")
        await person.press("f5", *keys)

    return deed


@ALL_SIZES
@pytest.mark.parametrize("state", STATES)
def test_sweep(camera: Camera, size: tuple[int, int], state: str) -> None:
    draft = Draft(EXAMPLE.text, Setup(256).put(SMALL))
    camera.take(size, draft, deed=sweeping(*STATES[state]))


def test_sweep_rules(camera: Camera) -> None:
    draft = Draft(EXAMPLE.text, Setup(256).put(SMALL))
    camera.take(draft=draft, deed=sweeping("r"))
