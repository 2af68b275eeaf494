"""What Attention asks: where the rows of a head come from, and how many are drawn."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Literal

from attn_tui.compute.field import Checked, asked, one_of, switch, whole

Rows = Literal["auto", "asked", "drawn"]

MOST = 2000
"""Queries and keys that are drawn at most: four million scores."""

_STOPS: list[int] = sorted(
    {MOST} | {stop for power in range(10) for stop in (2 << power, 3 << power) if stop < MOST}
)


def _stop(n: int, steps: int) -> int:
    """Return the stop so many from a number of keys."""
    at = bisect_right(_STOPS, n) - 1 + steps if steps > 0 else bisect_left(_STOPS, n) + steps
    return _STOPS[min(max(at, 0), len(_STOPS) - 1)]


@dataclass(frozen=True)
class Settings(Checked):
    """Which head is looked at.

    Attributes:
        rows: Where its rows come from: the vectors that are asked, each the scores of a query; or
            drawn here, as many queries as keys.
        n: How many queries and keys are drawn, 2 to `MOST`.
        seed: What is drawn, a whole number from 0.
        causal: Whether a drawn query sees the keys up to its own only.
    """

    rows: Rows = asked(
        "auto", one_of({
            "auto": "the vectors that are asked where there are several, else drawn",
            "asked": "the vectors that are asked, each the scores of a query",
            "drawn": "drawn here, as many queries as keys",
        }), "rows", "where the rows of the head come from", option="--rows",
        synonyms=("head", "queries", "from"),
    )  # fmt: skip
    n: int = asked(
        12, whole(2, MOST, _stop, marked=True), "n", "how many queries and keys are drawn",
        option="--n", synonyms=("keys", "positions", "tokens", "length"),
    )  # fmt: skip
    seed: int = asked(
        9, whole(0, 2**63 - 1), "seed", "the seed of what is drawn", option="--seed", metavar="S",
        fed=True,
    )  # fmt: skip
    causal: bool = asked(
        True, switch("all keys", "keys up to its own"), "sees", "which keys a drawn query sees",
        option="--causal/--every-key", synonyms=("causal", "triangle", "mask"),
    )  # fmt: skip
