"""Tasks of newcomers, by the keys they pressed: each once led somewhere else."""

from pathlib import Path

import pytest
from textual.command import CommandList, CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from attn_tui.compute.dots.settings import Settings as DotsSettings
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.d_k import why_idle
from attn_tui.ui.file_dialogs import FileScreen
from attn_tui.ui.instrument_screen import InstrumentScreen
from tests.contract.screens import KEYS, find
from tests.contract.session import Session
from tests.ui.person import notices, press, shown, shown_title


async def find_all(pilot: Pilot[None], words: str) -> list[str]:
    """Type words into the palette, and return its hits, best first."""
    await pilot.press("slash", *words)
    palette = pilot.app.screen
    assert isinstance(palette, CommandPalette)
    while not palette.query_one(CommandList).option_count:
        await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    offers = palette.query_one(CommandList)
    return [str(option.prompt) for option in offers.options]


async def take_first(pilot: Pilot[None], words: str) -> InstrumentScreen:
    """Choose the first hit of the palette."""
    await find_all(pilot, words)
    await pilot.press("enter")
    while isinstance(pilot.app.screen, CommandPalette):
        await pilot.pause()
    for _ in range(3):
        await pilot.pause()
    return await shown(pilot)


async def test_lines_of_q_and_k_are_queries_and_keys() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        typed = [*"q: 1 0 2", "enter", *"K: [[1, 0, 1], [0, 1, 0]]"]
        screen = await press(pilot, "e", "ctrl+u", *typed)
        assert screen.present.error is None
        assert screen.present.experiment.source.kind == "vectors"
        assert [*screen.present.experiment.vectors[0].scores] == [3.0, 0.0]
        # The slider cannot change the length of typed vectors.
        assert "it is the length of q" in shown_title(screen.pane("d_k-pane"))


@pytest.mark.slow
async def test_causal_offers_a_whole_head_where_one_vector_would_see_key_0_alone() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        first, second, *_ = await find_all(pilot, "causal")
        assert first.startswith("A causal head")
        assert second.startswith("mask: none → causal")
        await press(pilot, "escape", "escape")
        screen = await take_first(pilot, "mask causal")
        assert screen.NAME == "attention"
        assert "queries with a choice" in screen.headline
        assert not screen.present.draft.setup.mask
        # An existing head is masked in place.
        await press(pilot, "1", "e", "ctrl+u", *"1, 2", "enter", *"3, 4", "escape")
        screen = await take_first(pilot, "causal")
        assert screen.NAME == "explore"
        assert str(screen.present.draft.setup.mask) == "causal"


async def test_all_models_of_a_family_are_offered_with_their_cap_and_scale() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        models = [text for text in await find_all(pilot, "gemma") if text.startswith("Gemma")]
        names = ["Gemma-7B", "Gemma-2-9B", "Gemma-2-27B", "Gemma-3-27B", "Gemma-4 text"]
        assert [text.split("\n")[0] for text in models] == names
        assert all("m = " in text for text in models)
        assert ["50·tanh" in text for text in models] == [False, True, True, False, False]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_slider_that_changes_nothing_is_dim_and_says_why(size: tuple[int, int]) -> None:
    async with AttnApp(EXAMPLE).run_test(size=size) as pilot:
        screen = await shown(pilot)
        pane = screen.pane("d_k-pane")
        assert shown_title(pane) == "d_k"
        assert not pane.has_class("-idle")
        for words, why in (
            ("gemma-2-9b", "no part of m = 1/√256"),
            ("rule inverse-sqrt", ""),
            ("cap 0.01", "all scores are far beyond the cap of 0.01"),
        ):
            screen = await take_first(pilot, words)
            assert why_idle(screen.present.experiment) == why
            assert shown_title(pane) == (f"d_k: {why}" if why else "d_k")
            assert pane.has_class("-idle") == bool(why)
        before = screen.headline
        screen = await press(pilot, "minus")
        assert screen.headline.replace("36", "32").startswith(before[:40])
        # For drawn vectors, it changes their length.
        screen = await press(pilot, "2")
        assert not screen.pane("d_k-pane").has_class("-idle")


@pytest.mark.slow
async def test_a_file_of_two_vectors_says_so_and_its_path_is_typed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("1,2,3\n4,5,9\n")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        await pilot.press("o")
        while not isinstance(pilot.app.screen, FileScreen):
            await pilot.pause()
        assert isinstance(pilot.app.screen.focused, Input)
        await pilot.press(*str(path), "enter")
        while isinstance(pilot.app.screen, FileScreen):
            await pilot.pause()
        screen = await shown(pilot)
        assert "vector 1 of 2, 3 keys" in str(screen.pane("scores-pane").border_subtitle)
        assert "2 vectors" in notices(pilot)
        first = screen.headline
        screen = await press(pilot, "greater_than_sign")
        assert "vector 2 of 2, 3 keys" in str(screen.pane("scores-pane").border_subtitle)
        assert screen.headline != first


FOUND = {
    "bins": "Dot products: ", "histogram": "Dot products: ",
    "theme": "Theme", "screenshot": "Screenshot", "reset": "Back to the start",
    "d_k 64": "d_k: 1,024 → 64", "cap 50": "soft cap: none → 50", "samples 1000": "samples 1000",
}  # fmt: skip
"""Typed words, and the first hit."""


@pytest.mark.slow
async def test_the_palette_finds_what_one_calls_it_from_wherever_one_is() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for words, first in FOUND.items():
            offers = await find_all(pilot, words)
            assert offers[0].casefold().startswith(first.casefold()), words
            await press(pilot, "escape", "escape")
        screen = await take_first(pilot, "samples 1000")
        assert screen.NAME == "dots"
        assert screen.present.experiment.setup.get(DotsSettings).samples == 1000
        await press(pilot, "t")
        screen = await take_first(pilot, "histogram")
        assert (screen.NAME, screen.view) == ("dots", "bells-pane")
        await press(pilot, "1")
        assert (await take_first(pilot, "bins")).NAME == "dots"


async def test_u_takes_back_and_ctrl_z_only_what_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    suspended: list[bool] = []
    monkeypatch.setattr(AttnApp, "action_suspend_process", lambda app: suspended.append(True))
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        screen = await press(pilot, "plus", "u")
        assert screen.present.experiment.setup.d_k == 1024
        screen = await press(pilot, "e", "9", "ctrl+z")
        assert screen.query_one(TextArea).text == EXAMPLE.text
        assert not suspended
        await press(pilot, "escape", "ctrl+z")
        assert suspended == [True]


async def test_h_j_k_l_go_where_arrows_go() -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        places = []
        for keys in (
            ("k", "k", "h", "j", "l", "l"),
            ("up", "up", "left", "down", "right", "right"),
        ):
            await pilot.click("#unscaled", offset=(20, 10))
            await shown(pilot)
            for key in keys:
                screen = await press(pilot, key)
                places.append(screen.cursor)  # type: ignore[attr-defined]
        assert places[:6] == places[6:]
        assert len({*places}) > 3
        screen = await press(pilot, "1", "l")
        assert screen.present.experiment.setup.d_k > 1024


SCREENS = {
    "explore": (find("rule inverse"), "Divided by 1,024"),
    "dots": (KEYS["dots"] + find("samples 1000"), "typically ±32"),
    "sweep": (KEYS["sweep"] + find("draws 64") + find("n 8"), "With 8 keys"),
    "attention": (KEYS["attention"] + find("n 9"), "of 8 queries with a choice"),
    "heads": (KEYS["heads"], "heads"),
    "claims": (KEYS["claims"] + "j", "100 claims"),
}
"""Keys that lead to a screen, and a text on it."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SCREENS)
def test_the_line_that_q_prints_brings_the_screen_back(name: str, tmp_path: Path) -> None:
    keys, words = SCREENS[name]
    with Session(tmp_path) as session:
        session.press(keys)
        session.until_reads(words)
        session.rest(1.0)
        before = session.display
        line = session.line()
    program, *arguments = line.split()
    assert program == "attn-tui"
    with Session(tmp_path, arguments, first=words) as session:
        session.until(lambda: session.display == before, "\n".join(before))
