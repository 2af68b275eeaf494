"""Where keys are shown: on the pane they act on, or else in the footer, and never cut."""

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.keys import KeysFooter
from tests.pairs import slow_after
from tests.sweep.asked import DRAFT as SWEEP
from tests.ui.person import press, shown, shown_title

NAMES = ("explore", "claims", "heads", "dots", "attention", "sweep")

ON_PANES = {
    "explore": {"scores-pane": "e Scores s", "d_k-pane": "d_k"},
    "heads": {"map-pane": "e Saturation: mean largest weight"},
    "claims": {"list-pane": "e 117 claims"},
    "dots": {"bells-pane": "e Bars drawn, lines exact"},
    "sweep": {"map-pane": "e What dividing by √d_k does to the gradient"},
    "attention": {"unscaled-pane": "e Unscaled"},
}
"""The titles of panes that a key acts on; the first letter is the key."""


def footer(screen: InstrumentScreen) -> dict[str, str]:
    """Return the words of the keys that the footer shows, by their key."""
    return dict(str(key.render()).split(" ", 1) for key in shown_keys(screen))


def shown_keys(screen: InstrumentScreen) -> list[Widget]:
    return [key for key in screen.query_one(KeysFooter).children if key.display]


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(2, NAMES))
async def test_a_key_stands_on_its_pane_or_in_the_footer(name: str) -> None:
    async with AttnApp(SWEEP, name).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        below = footer(screen)
        assert {"x": "Tour", "o": "Open", "s": "Save", "c": "Copy", "g": "Settings"}.items() <= (
            below.items()
        )
        for pane, title in ON_PANES.get(name, {}).items():
            assert shown_title(screen.pane(pane)).startswith(title[:6])
            assert title[0] not in below
            assert f"[b $mark]{title[0]}[" in str(screen.pane(pane).border_title)
        assert not {"d", "n", "-+", "-", "+"} & below.keys()


LED_TO = {
    "explore": "scores", "dots": "set-entries", "sweep": "set-statistic",
    "attention": "set-rows", "heads": "set-statistic", "claims": "filter",
}  # fmt: skip
"""The widget that e leads to on each instrument."""


@pytest.mark.slow
@pytest.mark.parametrize("name", LED_TO)
async def test_e_leads_to_what_is_looked_at_on_every_screen(name: str) -> None:
    async with AttnApp(SWEEP, name).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "e")
        assert screen.focused is not None
        assert screen.focused.id == LED_TO[name]


@pytest.mark.parametrize("size", [(40, 15), pytest.param((80, 24), marks=pytest.mark.slow)])
async def test_no_key_is_cut_and_help_and_the_way_out_are_always_there(
    size: tuple[int, int],
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=size) as pilot:
        screen = await shown(pilot)
        check(screen)
        assert footer(screen)["q"] == "Quit"
        await resized(pilot, 50, 20)
        check(screen)
        before = footer(screen)
        await resized(pilot, 120, 40)
        check(screen)
        assert before.items() < footer(screen).items()


async def resized(pilot: Pilot[None], columns: int, lines: int) -> None:
    await pilot.resize_terminal(columns, lines)
    await shown(pilot)


def check(screen: InstrumentScreen) -> None:
    keys = shown_keys(screen)
    assert str(keys[0].render()) == "? Help"
    for key in keys:
        assert key.region.right <= screen.size.width
        assert key.region.width >= len(str(key.render()))


async def test_the_keys_of_a_number_stand_at_the_ends_of_its_slider() -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        for name, keys in (("d_k", ["-", "+"]), ("n", [",", "."])):
            pane = screen.pane(f"{name}-pane")
            assert [str(label.render()) for label in pane.query(".key")] == keys
        before = screen.present.experiment.setup.d_k
        screen = await press(pilot, "minus")
        assert screen.present.experiment.setup.d_k < before
