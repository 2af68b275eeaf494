"""Tasks of newcomers, by the keys they pressed: each once led somewhere else."""

from pathlib import Path

import numpy as np
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from attn_tui.charts.figure import Figure
from attn_tui.explore.screen import ExploreScreen
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.ui.app import AttnApp
from attn_tui.ui.d_k import why_idle
from attn_tui.ui.file_dialogs import FileScreen
from attn_tui.ui.keys import KeysFooter
from attn_tui.ui.picture import Picture
from tests.contract.screens import KEYS, find
from tests.contract.session import Session
from tests.ui.person import (
    burst,
    find_all,
    notices,
    press,
    read,
    shown,
    shown_title,
    take_first,
    until,
)


@pytest.mark.slow
async def test_lines_of_q_and_k_are_queries_and_keys() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        typed = [*"q: 1 0 2", "enter", *"K: [[1, 0, 1], [0, 1, 0]]"]
        screen = await burst(pilot, "e", "ctrl+u", *typed)
        assert screen.present.error is None
        assert screen.present.experiment.source.kind == "vectors"
        assert [*screen.present.experiment.vectors[0].scores] == [3.0, 0.0]
        # The slider cannot change the length of typed vectors.
        assert "it is the length of q" in shown_title(screen.pane("d_k-pane"))


@pytest.mark.slow
async def test_all_models_of_a_family_are_offered_with_their_cap_and_scale() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        models = [text for text in await find_all(pilot, "gemma") if text.startswith("model: ")]
        names = ["Gemma-7B", "Gemma-2-9B", "Gemma-2-27B", "Gemma-3-27B", "Gemma-4 text"]
        assert [text.split("\n")[0] for text in models] == [f"model: {name}" for name in names]
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
async def test_scores_of_more_lines_than_are_seen_say_how_many_there_are() -> None:
    for text, subtitle in (("1\n2\n3\n4", "4 lines · 4 keys"), ("1\n2", "2 keys")):
        async with AttnApp(EXAMPLE.with_text(text)).run_test(size=(80, 24)) as pilot:
            screen = await shown(pilot)
            assert str(screen.pane("scores-pane").border_subtitle).strip() == subtitle


@pytest.mark.slow
async def test_a_file_of_two_vectors_says_so_and_its_path_is_typed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("1,2,3\n4,5,9\n")
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(pilot.app.screen, FileScreen))
        assert isinstance(pilot.app.screen.focused, Input)
        await pilot.press(*str(path), "enter")
        await until(pilot, lambda: not isinstance(pilot.app.screen, FileScreen))
        screen = await shown(pilot)
        assert "vector 1 of 2, 3 keys" in str(screen.pane("scores-pane").border_subtitle)
        assert "2 vectors" in notices(pilot)
        first = screen.headline
        screen = await press(pilot, "greater_than_sign")
        assert "vector 2 of 2, 3 keys" in str(screen.pane("scores-pane").border_subtitle)
        assert screen.headline != first


@pytest.mark.slow
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


@pytest.mark.slow
async def test_h_j_k_l_go_where_arrows_go() -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        places = []
        for keys in (
            ("k", "k", "h", "j", "l", "l"),
            ("up", "up", "left", "down", "right", "right"),
        ):
            await pilot.click("#unscaled-pane", offset=(22, 11))
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
    "claims": (KEYS["claims"] + "j", "117 claims"),
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


@pytest.mark.parametrize("size", [(120, 40), pytest.param((60, 20), marks=pytest.mark.slow)])
async def test_del_twice_hides_a_key_and_shows_it_again(size: tuple[int, int]) -> None:
    async with AttnApp(EXAMPLE).run_test(size=size) as pilot:
        screen = await press(pilot, "delete")
        assert str(screen.present.draft.setup.mask) == "2"
        assert "key 2 is masked: del shows it" in read(pilot)
        screen = await press(pilot, "delete")
        assert str(screen.present.draft.setup.mask) == ""
        assert "is masked" not in read(pilot)


@pytest.mark.slow
async def test_amber_is_what_is_pinned_in_every_pane_and_its_scores_are_named() -> None:
    async with AttnApp(Draft("1 2 3 10")).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "p", "e", *"2 4 6 20", "escape", "right_curly_bracket")
        assert isinstance(screen, ExploreScreen)
        assert screen.pinned
        before = screen.pinned.vector
        words = read(pilot)
        assert "pinned: 1, 2, 3, 10" in words
        assert "pinned: divided by 32 · 1/√d_k: divided by 45.3" in words
        assert "now, unscaled" not in words
        for name, sizes in (
            ("weights-over", before.scaled.weights()[[3, 2, 1]]),
            ("gradient-over", [before.gradients[1][0]]),
            ("keys-over", [before.scaled.effective_keys]),
        ):
            figure = screen.query_one(f"#{name}", Picture).drawing
            assert isinstance(figure, Figure)
            amber = [curve.y for curve in figure.curves if curve.kind == "unscaled"]
            np.testing.assert_allclose([line[0] for line in amber], sizes)
            assert all((line == line[0]).all() for line in amber)
        screen = await press(pilot, "p")
        assert "pinned" not in read(pilot)


@pytest.mark.parametrize("size", [(120, 40), pytest.param((60, 20), marks=pytest.mark.slow)])
async def test_attention_offers_to_pin_and_to_let_go_where_there_is_room(
    size: tuple[int, int],
) -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=size) as pilot:
        await shown(pilot)
        last = footer(pilot)
        assert ("p Pin" in last) == (size[0] == 120)
        await press(pilot, "p")
        assert "p Unpin" in footer(pilot)
        await press(pilot, "p")
        assert footer(pilot) == last


def footer(pilot: Pilot[None]) -> list[str]:
    """Return the keys of the footer for which there is room."""
    keys = pilot.app.screen.query_one(KeysFooter).children
    return [str(key.render()) for key in keys if key.display]
