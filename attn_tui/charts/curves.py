"""The adapter to plotext: lines and points onto a grid, and nothing global left behind."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.grid import Grid

_CODE_OR_CHARACTER = re.compile(r"\x1b\[(?:38;5;)?(\d+)m|(.)")


@dataclass(frozen=True, eq=False)
class Curve:
    """Dots to draw with one glyph in one role.

    Attributes:
        columns: Shape (n,), dots from the left; ``dots`` of them make a cell.
        rows: Shape (n,), dots from the bottom; NaN where a line breaks.
        dots: Dots of a cell across and up: (2, 4) in braille, otherwise (1, 1).
        glyph: A character, or ``"braille"``.
        role: Its role.
        joined: Whether a line joins the dots.
    """

    columns: NDArray[np.intp]
    rows: NDArray[np.float64]
    dots: tuple[int, int]
    glyph: str
    role: str
    joined: bool


def draw_curves(grid: Grid, curves: Sequence[Curve]) -> None:
    """Draw curves with plotext, one colour a role, and read the roles back from the colours.

    plotext is given nothing but dots that lie on the grid, so that it neither scales nor clips.
    It has one figure, global, which is cleared first: call this from one thread.
    """
    runs = [(curve, *run) for curve in curves for run in _runs(curve)]
    if not runs:
        return
    # Imported here, for it takes long and charts of bars do without it.
    import plotext

    roles = list(dict.fromkeys(curve.role for curve in curves))
    plotext.clear_figure()
    plotext.limit_size(False, False)
    plotext.plot_size(grid.width, grid.height)
    plotext.theme("clear")
    plotext.frame(False)
    plotext.xfrequency(0)
    plotext.yfrequency(0)
    plotext.xlim(0, 1)
    plotext.ylim(0, 1)
    for curve, columns, rows in runs:
        across, up = curve.dots
        draw = plotext.plot if curve.joined else plotext.scatter
        draw(
            (columns / (grid.width * across - 1)).tolist(),
            (rows / (grid.height * up - 1)).tolist(),
            marker=curve.glyph,
            color=1 + roles.index(curve.role),
        )
    for row, line in enumerate(plotext.build().splitlines()):
        column, role = 0, "text"
        for code, character in _CODE_OR_CHARACTER.findall(line):
            if character:
                if character != " ":
                    grid.put(column, row, character, role)
                column += 1
            elif code != "0":
                role = roles[int(code) - 1]


def _runs(curve: Curve) -> list[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Return the stretches of a curve between its breaks."""
    breaks = np.flatnonzero(np.isnan(curve.rows))
    pieces = [
        (columns[np.isfinite(rows)], rows[np.isfinite(rows)])
        for columns, rows in zip(
            np.split(curve.columns, breaks), np.split(curve.rows, breaks), strict=True
        )
    ]
    return [piece for piece in pieces if piece[0].size]
