"""Questions for tests of Explore's pictures, and helpers that read a picture."""

from math import inf

import numpy as np

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import RAMP_START, Depth, Palette, mix, ramp
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector
from attn_tui.explore.answer import ShownVector, answer
from attn_tui.explore.bars import EIGHTHS
from tests.asking import answer_to, asking

COLOURS = Palette(
    {
        "unscaled": "#e29d04", "scaled": "#4795ed", "text": "#e6e8ee", "muted": "#7a7d86",
        "accent": "#b9a3ff", "background": "#0e1016",
    }
)  # fmt: skip


HEADS = ("unscaled", "divided by 32")


NAIVE = Precision("float16", naive=True, arithmetic="stepwise")


QUESTIONS = {
    "usual": (Vector("", np.array([100.0, 120.0, 150.0])), Setup()),
    "masked": (Vector("", np.array([3.14159265, -inf, 2.0, 1e-9, -inf])), Setup(64)),
    "all masked": (Vector("", np.array([-inf, -inf])), Setup(64)),
    "one key": (Vector("", np.array([-7.25])), Setup(64)),
    "far apart": (Vector("", np.array([0.0, 2e4, -1e300])), Setup(64)),
    "NaN": (Vector("", np.array([100.0, 120.0, 150.0])), Setup(1024, precision=NAIVE)),
    "a sink": (Vector("", np.array([1.0, 2.0])), Setup(64, Scale(sink=3.0))),
    "many": (Vector("", np.linspace(-9.0, 9.0, 2_000)), Setup(64)),
    "equal": (Vector("", np.zeros(40)), Setup(64)),
}


def vector_of(name: str) -> VectorAnswer:
    vector, setup = QUESTIONS[name]
    return answer_to(vector, setup)


def answer_of(name: str, d_k: int | None = None) -> ShownVector:
    vector, setup = QUESTIONS[name]
    if d_k is not None:
        setup = Setup(d_k, setup.scale, setup.precision)
    *_, last = answer(asking(vector, setup=setup), 0)
    return last


def words(cells: Cells) -> list[list[str]]:
    """Return the text in each line, without bars."""
    bars = str.maketrans(dict.fromkeys(EIGHTHS[1:], " "))
    text = cells.text().translate(bars)
    return [line.replace(" %", "%").split() for line in text.split("\n")]


def bar_lengths(cells: Cells, line: int, kind: str) -> int:
    """Return the number of eighths of cells filled in the colours of one side."""
    colours = set(ramp(kind, COLOURS["background"]))
    track = mix(COLOURS["background"], "#808080", RAMP_START)
    eighths = {mix(track, colour, part / 8): part for part in range(1, 8) for colour in colours}
    eighths |= dict.fromkeys(colours, 8)
    return sum(eighths.get(behind, 0) for behind in cells.backgrounds[line])


# Bars


PLAIN = Palette(COLOURS, Depth.TEXTURES)
