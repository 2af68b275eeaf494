"""A held key: every press changes the question, and what is shown is that of the last one."""

import pytest

from attn_tui.explore.answer import ShownVector
from attn_tui.explore.screen import ExploreScreen
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.pairs import slow_after
from tests.sweep.asked import DRAFT as FEW
from tests.ui.person import app_of, burst, press, read, shown

KEYS = {
    "explore": "plus", "dots": "plus", "sweep": "right", "attention": "full_stop",
    "claims": "full_stop",
}  # fmt: skip
"""The key that is held, by instrument."""

TIMES = 12

DRAFTS = {"sweep": FEW}


def opened(name: str) -> AttnApp:
    """Return the program with an instrument, for which all keys come at one time."""
    return AttnApp(DRAFTS.get(name, EXAMPLE), name, clock=lambda: 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(1, list(KEYS)))
async def test_what_is_shown_is_what_single_presses_show(name: str) -> None:
    key = KEYS[name]
    async with opened(name).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for _ in range(TIMES):
            await press(pilot, key)
        wanted, steps = read(pilot), len(app_of(pilot).history.past)
    async with opened(name).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await burst(pilot, *[key] * TIMES)
        assert read(pilot) == wanted
        assert len(app_of(pilot).history.past) == steps


async def test_what_is_outdated_before_it_is_shown_is_not_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        assert isinstance(screen, ExploreScreen)
        answered: list[ShownVector] = []
        monkeypatch.setattr(
            ExploreScreen, "watch_answer", lambda _, answer: answered.append(answer)
        )
        await burst(pilot, *["plus"] * 30)
        assert len(answered) < 4
        assert answered[-1].experiment.setup.d_k == app_of(pilot).history.present.draft.setup.d_k


async def test_a_key_held_beyond_the_end_shows_the_end() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await burst(pilot, *["plus"] * 60)
        assert "Divided by 256" in read(pilot)


@pytest.mark.slow
async def test_the_next_key_acts_on_what_the_held_one_led_to() -> None:
    # However slow the machine, both holds are one gesture.
    async with AttnApp(EXAMPLE, clock=lambda: 0.0).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        screen = await burst(pilot, *["minus"] * 10, "p")
        assert isinstance(screen, ExploreScreen)
        pinned = screen.pinned
        assert pinned is not None
        assert screen.answer is not None
        assert pinned.vector.scaled.map.multiplier == screen.answer.vector.scaled.map.multiplier
        await burst(pilot, *["minus"] * 5, "u")
        assert "Now it takes 62 %" in read(pilot)
