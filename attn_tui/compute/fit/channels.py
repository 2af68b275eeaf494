"""Which numbers of every row are wrong, where a kernel computes only some of them rightly."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.model import Suspect
from attn_tui.compute.fit.noise import variance
from attn_tui.compute.text import first_few

LEAST_ROWS = 4
"""The fewest rows of a finding: a wrong number of one row is no wrong channel."""
LEAST_SHARE = 0.5
"""The least share of rows in which a channel has to be wrong."""
LEAST_RIGHT = 2
"""The fewest channels that have to be right."""
ROOM = 3.0
"""A right number is off by at most this many times the rounding noise, twice over."""
NAMED = 4
"""The most channels that are listed."""


def some_channels(case: HeadCase) -> Iterator[Suspect]:
    """Yield that some channels of the output are wrong, in at least half of the rows.

    Args:
        case: The head with all of its rows.
    """
    rounding = case.rounding(case.reference.model)
    rows, state = rounding.rows, rounding.state
    numbers = case.head.rows[case.seeing(case.reference.model)]
    if len(numbers) < LEAST_ROWS:
        return
    noise = variance(rows, state, case.format, case.paths[-1])
    sizes = np.square(rows.output).max(axis=1, keepdims=True)
    bound = ROOM**2 * 4 * (noise + 2.0 ** (-2 * case.format.bits) * sizes)
    is_off = np.square(rows.output - state.output) > bound
    wrong = is_off.any(axis=0)
    right = int((~wrong).sum())
    if not wrong.any() or right < max(LEAST_RIGHT, len(wrong) // 2):
        return
    if not (is_off[:, wrong].mean(axis=0) >= LEAST_SHARE).all():
        return
    places = np.flatnonzero(wrong)
    how = "are" if len(places) > 1 else "is"
    is_zero = not rows.output[:, wrong].any()
    shown = is_off.any(axis=1) | is_zero
    phrase = (
        f"{_listed(places)} of the output {how} {'0' if is_zero else 'wrong'} in {{rows}}, and the "
        f"other {right} are right"
    )
    wrong_rows = tuple(int(row) for row in numbers[shown])
    yield Suspect(phrase, "", part=None, rows=wrong_rows, compared=len(numbers))


def _listed(places: NDArray[np.intp]) -> str:
    """Return the channels in words."""
    if len(places) == 1:
        return f"channel {places[0]}"
    if places[-1] - places[0] == len(places) - 1:
        return f"channels {places[0]}–{places[-1]}"
    return f"channels {first_few([*places], NAMED)}"
