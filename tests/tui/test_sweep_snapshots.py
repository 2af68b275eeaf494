"""Pictures of the Sweep screen, each with its plain text beside it."""

import pytest

from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.draft import EXAMPLE, Draft
from tests.tui.person import MEDIUM, Person
from tests.tui.test_snapshots import ALL_SIZES, Camera, Deed, camera, pytestmark

__all__ = ["camera", "pytestmark"]

SMALL = Settings(n=64, n_range=(2, 512), points=14, map_points=8, draws=160)
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
@pytest.mark.parametrize("state", ["over_d_k", "map"])
def test_sweep(camera: Camera, size: tuple[int, int], state: str) -> None:
    draft = Draft(EXAMPLE.text, Setup(256).put(SMALL))
    camera.take(size, draft, deed=sweeping(*STATES[state]))


@pytest.mark.parametrize("state", ["ratio", "over_n", "numbers"])
def test_sweep_in_the_middle(camera: Camera, state: str) -> None:
    """The same panes as at the other sizes: one picture is enough."""
    draft = Draft(EXAMPLE.text, Setup(256).put(SMALL))
    camera.take(MEDIUM, draft, deed=sweeping(*STATES[state]))


def test_sweep_rules(camera: Camera) -> None:
    draft = Draft(EXAMPLE.text, Setup(256).put(SMALL))
    camera.take(draft=draft, deed=sweeping("r"))
