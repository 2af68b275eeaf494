"""Wide and combining letters in all that comes from outside: every border stays in its column."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from attn_tui.claims import panes, screen
from attn_tui.claims.ledger import find, ledger
from attn_tui.claims.settings import Settings as ClaimSettings
from attn_tui.compute.attention.settings import Settings as HeadSettings
from attn_tui.console.asking import asked_by
from attn_tui.engine.settings import Settings as CaptureSettings
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.report.rows import in_cells
from attn_tui.tour.reader import read_tour
from attn_tui.ui.app import AttnApp
from tests.engine.captured import heads, write
from tests.pairs import slow_after
from tests.sweep.asked import DRAFT as QUICK
from tests.ui.person import press, shown

WIDE = "猫坐在e\u0301क\u0940☰"
"""Three wide letters, two that a combining one belongs to, and one that was narrow once."""

SIZES = [(120, 40), (80, 24), (60, 20)]

LESSON = {"ask": f'"show {WIDE}:1,2"', "say": f'"{WIDE * 9}"', "guess": f'"{WIDE}?"',
          "answers": f'["{WIDE}", "b", "c"]', "right": '"b"', "do": f'"{WIDE}"', "why": f'"{WIDE}"',
          "until": '"d_k >= 2048"'}  # fmt: skip


def lines_of(pilot: Pilot[None]) -> list[list[str]]:
    """Return the cells of each line of the screen."""
    strips = pilot.app.screen._compositor.render_strips()
    return [in_cells(strip.text) for strip in strips]


def edges(lines: list[list[str]], widget: Widget) -> Iterator[str]:
    """Yield what stands in the left and the right border of a widget."""
    region = widget.region
    for y in range(region.y, region.bottom):
        yield lines[y][region.x]
        yield lines[y][region.right - 1]


def check(pilot: Pilot[None]) -> None:
    """Check that each line is as wide as the screen, and each border in one piece."""
    lines = lines_of(pilot)
    assert {len(line) for line in lines} == {pilot.app.size.width}
    screen = pilot.app.screen
    panes = [pane for pane in screen.query("Pane, .dialogue, #settings") if pane.region]
    for pane in panes:
        if pane.styles.border_left[0] == "round" and screen.region.contains_region(pane.region):
            assert {*edges(lines, pane)} <= {*"│╭╮╰╯▁█▇▆▅▄▃▂ "}, pane


def drafts(folder: Path) -> dict[str, tuple[str, Draft]]:
    """Return what is asked on each screen, with wide letters wherever a text may stand."""
    folder = folder / WIDE
    folder.mkdir()
    capture = folder / f"{WIDE}.safetensors"
    write(capture, heads())
    setup = EXAMPLE.setup
    tokens = tuple(WIDE[place:] for place in range(len(WIDE)))
    settings = CaptureSettings(capture=(str(capture),))
    return {
        "vectors": ("explore", EXAMPLE.with_text(f"{WIDE}: 100,120,150\nb: 1, 2")),
        "tokens of q": ("explore", EXAMPLE.with_text(f"q {WIDE}: 1, 0\nK: [[1, 0], [0, 1]]")),
        "dots": ("dots", EXAMPLE.with_text(f"{WIDE}: 1, 2")),
        "sweep": ("sweep", QUICK.with_text(f"{WIDE}: 1, 2")),
        "tokens": ("attention", replace(EXAMPLE, setup=setup.put(HeadSettings(tokens=tokens)))),
        "capture": ("heads", replace(EXAMPLE, setup=setup.put(settings))),
    }


async def look(pilot: Pilot[None], sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Look at a screen, all its views, its settings, its help and its report, at each size."""
    for size in sizes:
        await pilot.resize_terminal(*size)
        instrument = await shown(pilot)
        check(pilot)
        for _ in instrument.views:
            await press(pilot, "t")
            check(pilot)
        for key in ("g", "question_mark", "i"):
            await press(pilot, key)
            check(pilot)
            await press(pilot, "escape")
        for key in ("o", "s"):
            # A tree of files goes on for ever, so that nothing is waited for.
            await pilot.press(key)
            for _ in range(5):
                await pilot.pause()
            check(pilot)
            await pilot.press("escape")
        for key in ("p", "up", "left", "p"):
            await press(pilot, key)
            check(pilot)


NAMES = ("vectors", "tokens of q", "dots", "sweep", "tokens", "capture")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sizes"), slow_after(1, [("tokens", SIZES[1:2]), *((name, SIZES) for name in NAMES)])
)
async def test_every_screen_keeps_its_columns(
    name: str,
    sizes: Sequence[tuple[int, int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instrument, draft = drafts(tmp_path)[name]
    monkeypatch.chdir(tmp_path / WIDE)
    async with AttnApp(draft, instrument).run_test(size=SIZES[0]) as pilot:
        await shown(pilot)
        await look(pilot, sizes)


@pytest.mark.slow
async def test_claims_keep_their_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    says, right = f"{WIDE} says {WIDE}", WIDE * 30
    every = {
        name: replace(claim, says=says, right=right, source=WIDE, formula=WIDE * 4)
        for name, claim in ledger().items()
    }
    monkeypatch.setattr(screen, "find", every.__getitem__)
    monkeypatch.setattr(panes, "hits", lambda _: [*every.values()])
    monkeypatch.setattr(panes, "ledger", lambda: every)
    draft = replace(EXAMPLE, setup=EXAMPLE.setup.put(ClaimSettings(claim="S0-2")))
    async with AttnApp(draft, "claims").run_test(size=SIZES[0]) as pilot:
        await look(pilot)
    assert find("S0-2").says != says


@pytest.mark.slow
async def test_a_lesson_keeps_its_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = tmp_path / f"{WIDE}.toml"
    lines = "\n".join(f"{key} = {value}" for key, value in LESSON.items())
    path.write_text(f"[[step]]\n{lines}\n", "utf-8")
    app = AttnApp(EXAMPLE, tour=read_tour(str(path), asked_by))
    async with app.run_test(size=SIZES[0]) as pilot:
        await shown(pilot)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            check(pilot)
        await press(pilot, "down", "enter")
        check(pilot)


async def test_wide_tokens_label_the_margins(tmp_path: Path) -> None:
    tokens = ("猫", "坐在", "垫子", "上")
    draft = replace(EXAMPLE, setup=EXAMPLE.setup.put(HeadSettings(n=4, tokens=tokens)))
    async with AttnApp(draft, "attention").run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await press(pilot, "up")
        check(pilot)
        texts = ["".join(line) for line in lines_of(pilot)]
        assert sum("垫子 ▸" in text for text in texts) == 1
        assert any(text.count("坐在") == 2 and text.count("上") == 2 for text in texts)
        weights = [word for text in texts for word in text.split() if word.count(".") == 1]
        assert all("." in word for word in weights)
