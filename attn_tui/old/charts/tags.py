"""Tags on lines, each where its line is farthest from the others: colour is not needed."""

from collections.abc import Sequence

import numpy as np

from attn_tui.old.charts.axis import Floats
from attn_tui.old.charts.grid import Grid
from attn_tui.old.charts.series import Placed

ENOUGH_ROWS = 2.0
"""Lines this far apart are told apart; more distance is no better."""


def place_tags(grid: Grid, lines: Sequence[Placed], kept_free: set[tuple[int, int]]) -> None:
    """Write the tags of lines.

    Args:
        grid: What the lines are drawn on.
        lines: The lines; only tagged ones get a tag, but all are kept apart from.
        kept_free: Columns and rows of cells a tag may not cover.
    """
    paths = [_path(grid, line) for line in lines]
    taken = set(kept_free)
    for index, line in enumerate(lines):
        tag = line.series.tag
        if not tag:
            continue
        others = np.array(paths[:index] + paths[index + 1 :]).reshape(-1, grid.width)
        distances = np.abs(np.nan_to_num(others, nan=np.inf) - paths[index])
        apart = np.minimum(np.min(distances, axis=0, initial=ENOUGH_ROWS), ENOUGH_ROWS)
        for middle in np.argsort(-np.nan_to_num(apart, nan=-1.0), kind="stable"):
            if np.isnan(paths[index][middle]):
                continue
            row = grid.height - 1 - int(paths[index][middle])
            start = int(middle) - len(tag) // 2
            cells = {(column, row) for column in range(start, start + len(tag))}
            around = {(column, row) for column in range(start - 1, start + len(tag) + 1)}
            if 0 <= start <= grid.width - len(tag) and not around & taken:
                grid.put(start, row, tag, line.series.role)
                taken |= cells
                break


def _path(grid: Grid, line: Placed) -> Floats:
    """Return the row, from the bottom, of a line in every column; NaN beside its ends."""
    columns, rows = line.dots(grid, 1, 1)
    known = np.isfinite(rows)
    if not known.any():
        return np.full(grid.width, np.nan)
    order = np.argsort(columns[known], kind="stable")
    return np.interp(
        np.arange(grid.width), columns[known][order], rows[known][order], left=np.nan, right=np.nan
    )
