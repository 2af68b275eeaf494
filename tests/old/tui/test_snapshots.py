"""What the screens show, as text at several sizes, and in colour where colour is the point."""

import atexit
import json
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import pytest

from attn_tui.captures.demo import demos, tensors_of
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft
from tests import golden
from tests.old.tui.at_heads import captured
from tests.old.tui.camera import (
    Shot,
    bars_of,
    baseline,
    text_of,
    typed,
)

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

HEADS = Shot(instrument="heads")


def heads(*keys: str, **asked: Any) -> Shot:
    """Look at the example capture."""
    return replace(HEADS, draft=captured(**asked), deed=typed(*keys))


def faulty(name: str) -> Shot:
    """Have the doctor look at the capture of a demonstration, with what its model expects."""
    folder = Path(mkdtemp(prefix="attn-tui-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    demo = next(each for each in demos() if each.name == name)
    write_safetensors(folder / "capture.safetensors", tensors_of(demo))
    (folder / "config.json").write_text(json.dumps(demo.config))
    path = str(folder / "capture.safetensors")
    return heads("t", "t", capture=(path,), config=str(folder))


SHOTS = {
    "heads": {
        "empty": HEADS,
        "map": heads(),
        "sampled": heads(rows=16, statistic="max_logit", layer=3, head=2),
        "list": heads("t"),
        "differs": faulty("mla"),
    },
}

TITLES = {
    "heads": heads(),
}
KEYS = ("heads",)


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


def test_no_golden_is_left_of_what_is_not_shot_any_more() -> None:
    for instrument, shots in SHOTS.items():
        golden.compare_names(FOLDER / instrument, {f"{name}.txt" for name in shots})
    golden.compare_names(FOLDER / "titles", {f"{name}.txt" for name in TITLES})
    golden.compare_names(FOLDER / "keys", {f"{name}.txt" for name in KEYS})
