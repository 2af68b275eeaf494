"""The band over d_k: where q·k and m·q·k lie at each d_k, on the axis of the picture beside it."""

from math import log2

import numpy as np

from attn_tui.charts.glyphs import SCALED, UNSCALED
from attn_tui.compute.dots.answer import Answer, law_of
from attn_tui.compute.log_scale import D_K
from attn_tui.old.charts.dots.bells import axis_rows, named
from attn_tui.old.charts.dots.values import BAND, GUTTER, ValueAxis, labelled, reach
from attn_tui.old.charts.grid import Grid
from attn_tui.report.rows import Row, filled

TWOS = [2**power for power in range(round(log2(D_K.maximum)) + 1)]
"""All powers of two that d_k can be."""

FOURS = TWOS[::2]
"""Those that are told where other d_k have rows too."""


def band(answer: Answer, width: int, height: int, below: bool = False) -> tuple[Row, ...]:
    """Draw two standard deviations to either side of the mean, exactly, at d_k from 1 to 65,536.

    Args:
        answer: Its question; nothing that was drawn is shown.
        width: Cells of every row returned.
        height: Number of rows returned.
        below: Whether it stands below the bells, whose names and axis are those of the band too.
    """
    setup, here = answer.experiment.setup, answer.law.d_k
    axis = ValueAxis.of(answer.settings, answer.multiplier, here, False)
    n = max(answer.experiment.vectors[0].n_attended, 1)
    room = max(width - GUTTER, 1)
    names = [(named(answer, role), role) for role in ("unscaled", "scaled")]
    head = labelled("    d_k", "axis", (names[0], ("   ", "text"), names[1]))
    rows: list[Row] = [] if below else [head]
    shown = d_ks(here, height if below else max(height - 3, 1))
    told = {here, *(FOURS if len(shown) > len(TWOS) else shown)}
    for d_k in shown:
        law = law_of(answer.settings, d_k)
        grid = Grid(room, 1)
        for (_, role), m, block in zip(
            names, (1.0, setup.scale.multiplier(d_k, n)), (UNSCALED[-1], SCALED[-1]), strict=True
        ):
            ends = axis.fractions(np.array(reach(law, BAND)) * m)
            left, right = (int(np.clip(end * room, 0, room - 1)) for end in ends)
            grid.put(left, 0, block * (right - left + 1), role)
        text = f"{'▸' if d_k == here else ' '}{d_k:>7,}" if d_k in told else ""
        # Neighbours may be rounded to one d_k.
        told.discard(d_k)
        rows.append(labelled(text, "cursor" if d_k == here else "axis", grid.rows()[0]))
    rows += axis_rows(axis, room) if height > 3 and not below else ()
    return filled(rows, width, height)


def d_k_at(answer: Answer, y: int, height: int, below: bool = False) -> int | None:
    """Return the d_k of a row of the band, or None where it has none; see there."""
    shown = d_ks(answer.law.d_k, height if below else max(height - 3, 1))
    row = y - (not below)
    return shown[row] if 0 <= row < len(shown) else None


def d_ks(here: int, most: int) -> list[int]:
    """Return the present d_k among as many as fit, evenly spaced by their logarithms, rising.

    They are powers of two; where there is room for more than all of them, what lies between too.
    """
    for step in (1, 2, 4, 8, 16):
        found = sorted({here, *TWOS[::step]})
        if len(found) <= most:
            break
    else:
        return [here]
    if most <= len(TWOS) + 1:
        return found
    filled = np.rint(np.geomspace(D_K.minimum, D_K.maximum, most)).astype(int)
    for d_k in (*FOURS, here):
        filled[np.abs(np.log(filled / d_k)).argmin()] = d_k
    return [int(d_k) for d_k in filled]
