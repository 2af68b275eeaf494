"""The adapter to plotext: lines and points onto a grid, and nothing global left behind."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attn_tui.old.charts.grid import Grid

_CODE_OR_TEXT = re.compile(r"\x1b\[(?:38;5;)?(\d+)m|( +)|([^\x1b ]+)")

KEPT = 64
"""So many pictures are kept: a step seldom changes all the curves of a chart."""


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


class _Run(NamedTuple):
    """A stretch of a curve between its breaks, in shares of the width and the height."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    glyph: str
    role: str
    joined: bool


_Piece = tuple[int, int, str, str]
"""The column and the row of a text, it and its role."""


def draw_curves(grid: Grid, curves: Sequence[Curve]) -> None:
    """Draw curves with plotext, one colour a role; equal ones are kept from the last times."""
    runs = tuple(run for curve in curves for run in _runs(grid, curve))
    for piece in drawn(grid.width, grid.height, runs) if runs else ():
        grid.put(*piece)


@lru_cache(maxsize=KEPT)
def drawn(width: int, height: int, runs: Sequence[_Run]) -> tuple[_Piece, ...]:
    """Return what plotext draws, with the roles read back from the colours.

    It is given nothing but dots that lie on the grid, so that it neither scales nor clips. It has
    one figure, global, which is reset before and after an error: call this from one thread.
    """
    # Imported here, for it takes long and charts of bars do without it.
    import plotext

    _reset(plotext)
    roles = list(dict.fromkeys(run.role for run in runs))
    try:
        plotext.plot_size(width, height)
        for run in runs:
            draw = plotext.plot if run.joined else plotext.scatter
            draw(run.x, run.y, marker=run.glyph, color=1 + roles.index(run.role))
        built = plotext.build()
    except Exception:
        _reset(plotext)
        raise
    return tuple(_pieces(built, roles))


def _reset(plotext: ModuleType) -> None:
    """Leave nothing of an earlier figure, nor the subplots that one may have been split into."""
    plotext.main()
    plotext.clear_figure()
    plotext.limit_size(False, False)
    plotext.theme("clear")
    plotext.frame(False)
    plotext.xfrequency(0)
    plotext.yfrequency(0)
    plotext.xlim(0, 1)
    plotext.ylim(0, 1)


def _pieces(built: str, roles: Sequence[str]) -> Iterator[_Piece]:
    """Yield the texts of what was built between blanks and changes of colour."""
    for row, line in enumerate(built.splitlines()):
        column, role = 0, "text"
        for code, blanks, text in _CODE_OR_TEXT.findall(line):
            if text:
                yield column, row, text, role
            elif code not in ("", "0"):
                role = roles[int(code) - 1]
            column += len(blanks) + len(text)


def _runs(grid: Grid, curve: Curve) -> Iterator[_Run]:
    """Yield the stretches of a curve between its breaks."""
    across, up = curve.dots
    x, y = curve.columns / (grid.width * across - 1), curve.rows / (grid.height * up - 1)
    known = np.concatenate([[False], np.isfinite(y), [False]])
    for start, stop in np.flatnonzero(known[1:] != known[:-1]).reshape(-1, 2).tolist():
        ends = (tuple(x[start:stop].tolist()), tuple(y[start:stop].tolist()))
        yield _Run(*ends, curve.glyph, curve.role, curve.joined)
