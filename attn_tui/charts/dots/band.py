"""The band over d_k: where q·k and m·q·k lie at each d_k, on the axis of the picture above it."""

from math import log2

import numpy as np

from attn_tui.charts.dots.bells import axis_rows
from attn_tui.charts.dots.values import BAND, GUTTER, ValueAxis, labelled, reach
from attn_tui.charts.grid import Grid
from attn_tui.charts.rows import Row, fitted
from attn_tui.compute.dots.answer import Answer, law_of
from attn_tui.compute.log_scale import D_K


def band(answer: Answer, width: int, height: int) -> tuple[Row, ...]:
    """Draw at each power of two two standard deviations to either side of the mean; exact.

    Args:
        answer: Its question; nothing that was drawn is shown.
        width: Cells of every row returned.
        height: Number of rows returned.
    """
    setup, here = answer.experiment.setup, answer.law.d_k
    axis = ValueAxis.of(answer.settings, answer.multiplier, here, False)
    n = max(answer.experiment.vectors[0].n_attended, 1)
    rows: list[Row] = []
    room = max(width - GUTTER, 1)
    for d_k in d_ks(here, max(height - 2, 1)):
        law = law_of(answer.settings, d_k)
        grid = Grid(room, 1)
        for role, m, block in (
            ("unscaled", 1.0, "░"), ("scaled", setup.scale.multiplier(d_k, n), "█"),
        ):  # fmt: skip
            ends = axis.fractions(np.array(reach(law, BAND)) * m)
            left, right = (int(np.clip(end * room, 0, room - 1)) for end in ends)
            grid.put(left, 0, block * (right - left + 1), role)
        text = f"{'▸' if d_k == here else ' '}{d_k:>7,}"
        rows.append(labelled(text, "cursor" if d_k == here else "axis", grid.rows()[0]))
    rows += axis_rows(axis, room) if height > 2 else ()
    rows += [()] * (height - len(rows))
    return tuple(fitted(row, width) for row in rows[:height])


def d_ks(here: int, most: int) -> list[int]:
    """Return the present d_k and as many powers of two as fit, evenly thinned, rising."""
    last = int(log2(D_K.maximum))
    for step in (1, 2, 4, 8, 16):
        found = sorted({here, *(2**power for power in range(0, last + 1, step))})
        if len(found) <= most:
            return found
    return [here]
