"""What the screens show, as text at several sizes, and in colour where colour is the point."""

from dataclasses import replace
from pathlib import Path

import pytest

from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.picture import screen_picture
from attn_tui.old.tui.svg import svg
from tests import golden
from tests.old.tui.camera import (
    Shot,
    bars_of,
    baseline,
    colours_of,
    done,
    done_by,
    tab,
    text_of,
    typed,
)
from tests.old.tui.person import MEDIUM, WIDE

pytestmark = baseline


FOLDER = Path(__file__).parent / "golden"
DOCS = Path(__file__).parents[3] / "docs"

DRAWN = Draft("n = 1000, seed = 7, vectors = 2", Setup(d_k=64), "drawn")
MANY = Draft("n = 1000, seed = 7", Setup(d_k=64), "drawn")
VECTORS = Draft(
    "q: 1, 0, 2\nK: [[1, 0, 1], [0, 1, 0], [0.5, 0.5, -1]]\nV: [[10, 0], [0, 20], [3, 3]]",
    Setup(),
    "vectors",
)
CAPPED = Draft(
    "a: 100, 120, 150, 90",
    Setup(
        128,
        Scale("fixed", (("a", 144.0),), softcap=50.0, sink=0.0),
        Precision("bfloat16", scores="float16"),
        Mask(((1, 2),)),
    ),
)
NAIVE = Draft("100, 120, 150", Setup(precision=Precision("float32", stable=False)))
THOUSAND = Draft(", ".join(str((7 * key) % 1000 / 10) for key in range(1000)))

HEAD = Shot(instrument="attention")
SEVERAL = Shot(
    Draft(
        "q: [[1, 0, 2], [0, 1, 1], [3, 1, 0]]\nK: [[1, 0, 1], [0, 1, 0], [0.5, 0.5, -1]]\n"
        "V: [[10, 0], [0, 20], [3, 3]]",
        Setup(mask=Mask(causal=True)),
        "vectors",
    ),
    instrument="attention",
)


def head(*keys: str) -> Shot:
    return replace(HEAD, deed=typed(*keys))


SHOTS = {
    "attention": {
        "main": HEAD,
        "rows": head("t"),
        "settings": head("tab"),
        "pinned": head("p", "minus", "minus", "minus", "minus"),
        "sharpest": replace(HEAD, deed=done_by("fields.set('sort', 'entropy')")),
        "many": replace(HEAD, deed=done_by("fields.set('n', '300')")),
        "full": head("f"),
        "output": replace(SEVERAL, deed=tab("output")),
    },
}

TITLES = {
    "attention": HEAD,
}
KEYS = ("attention",)

COLOURS = {
    "attention": replace(HEAD, sizes=(MEDIUM,)),
}


@pytest.mark.parametrize(
    ("instrument", "name"),
    [(instrument, name) for instrument, shots in SHOTS.items() for name in shots],
)
async def test_a_screen_says_what_was_reviewed(instrument: str, name: str) -> None:
    text = await text_of(SHOTS[instrument][name])
    golden.compare(FOLDER / instrument / f"{name}.txt", text)


@pytest.mark.parametrize("name", TITLES)
async def test_title_and_key_bar_say_what_was_reviewed(name: str) -> None:
    titles, keys = await bars_of(TITLES[name])
    golden.compare(FOLDER / "titles" / f"{name}.txt", titles)
    if name in KEYS:
        golden.compare(FOLDER / "keys" / f"{name}.txt", keys)


@pytest.mark.parametrize("name", COLOURS)
async def test_colours_are_as_reviewed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shot = COLOURS[name]
    if shot.theme == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
        shot = replace(shot, theme="")
    golden.compare(FOLDER / "colours" / f"{name}.svg", await colours_of(shot))


@pytest.mark.parametrize(
    ("name", "shot"),
    [
        ("attention", Shot(EXAMPLE, sizes=(WIDE,), instrument="attention")),
    ],
)
async def test_the_pictures_in_the_readme_are_of_the_present_screens(name: str, shot: Shot) -> None:
    async with done(shot, bars=True) as person:
        screen = person.app.screen
        assert isinstance(screen, InstrumentScreen)
        golden.compare(DOCS / f"{name}.svg", "".join(svg(screen_picture(screen))))


def test_no_golden_is_left_of_what_is_not_shot_any_more() -> None:
    for instrument, shots in SHOTS.items():
        golden.compare_names(FOLDER / instrument, {f"{name}.txt" for name in shots})
    golden.compare_names(FOLDER / "titles", {f"{name}.txt" for name in TITLES})
    golden.compare_names(FOLDER / "keys", {f"{name}.txt" for name in KEYS})
    golden.compare_names(FOLDER / "colours", {f"{name}.svg" for name in COLOURS})
