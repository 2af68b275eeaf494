"""Questions and keys whose screens are kept, as text and as pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual.pilot import Pilot

from attn_tui.claims import settings as claims
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.field import fields_of
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.dots.screen import DotsScreen
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.ui.app import AttnApp
from tests.sweep.asked import DRAFT as SWEEP
from tests.ui.person import press, shown

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

    def app(self) -> AttnApp:
        """Return the program with the question."""
        return AttnApp(self.draft, self.instrument)

    async def show(self, pilot: Pilot[None]) -> None:
        """Press the keys, and wait until the answer is complete and shown."""
        screen = await shown(pilot)
        if self.keys:
            screen = await press(pilot, *self.keys)
        while isinstance(screen, DotsScreen) and not (screen.answer and screen.answer.complete):
            await pilot.pause()
        await shown(pilot)


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
