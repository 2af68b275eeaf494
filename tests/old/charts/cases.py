"""Vectors, sizes and checks shared by the tests of charts."""

from collections.abc import Iterable

import numpy as np

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.precision import Precision
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.report.rows import Row, length
from tests.asking import answer_to

ROLES = frozenset(
    ["text", "muted", "label", "axis", "cursor", "error", "strong", "zero"]
    + ["unscaled", "scaled", "pinned", "unscaled_band", "scaled_band"]
    + [f"{sign}{shade}" for sign in ("positive", "negative") for shade in (1, 2, 3, 4)]
    + [f"rule{number}{band}" for number in (1, 2, 3, 4) for band in ("", "_band")]
)

NAIVE = Setup(precision=Precision("float32", stable=False))
INF = float("inf")

SCORES: dict[str, tuple[list[float], Setup]] = {
    "worked": ([100, 120, 150], Setup()),
    "one key": ([5], Setup()),
    "all masked": ([-INF, -INF], Setup()),
    "some masked": ([0, -INF, 1, 2, -INF, 4], Setup()),
    "ties": ([1, 1, 1, 1], Setup()),
    "huge": ([1e308, -1e308, 0], Setup()),
    "far apart": ([0, -1000, -10000], Setup()),
    "naive": ([100, 120, 150], NAIVE),
    "many": ([(index * 37 % 101) / 5 for index in range(300)], Setup()),
}


def ask(scores: Iterable[float], setup: Setup = Setup(), name: str = "a") -> VectorAnswer:
    """Return the answer for one vector."""
    return answer_to(Vector(name, np.array(list(scores), dtype=np.float64)), setup)


def case(name: str) -> VectorAnswer:
    """Return the answer for one of `SCORES`."""
    scores, setup = SCORES[name]
    return ask(scores, setup)


def check_block(rows: tuple[Row, ...], width: int, height: int) -> None:
    """Assert that a block has its size to the cell and nothing but known roles and clean text."""
    assert len(rows) == height
    for row in rows:
        assert length(row) == width
        assert {role for _, role in row} <= ROLES
        assert "".join(text for text, _ in row).isprintable()


def text_of(rows: tuple[Row, ...], role: str) -> str:
    """Return all text that has a role."""
    return "".join(text for row in rows for text, its in row if its == role)


def lines(rows: tuple[Row, ...]) -> list[str]:
    """Return rows as strings, blanks at their ends kept."""
    return ["".join(text for text, _ in row) for row in rows]
