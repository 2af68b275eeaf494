"""The first pictures of a screen below its report, for pipes, logs and mail."""

import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from attn_tui.charts.colour import MONOCHROME
from attn_tui.charts.drawing import Drawing
from attn_tui.charts.glyphs import in_ascii
from attn_tui.compute.errors import InputError

COLUMNS, LINES = 80, 15
"""The size of a picture where no terminal says another width."""

WIDEST = 120
"""The most columns: a wider picture says no more."""


@dataclass(frozen=True)
class Plot:
    """A picture with its title.

    Attributes:
        title: What it shows.
        drawing: The picture.
    """

    title: str
    drawing: Drawing


def check_plot(form: str) -> None:
    """Check that pictures can stand below a report in this form.

    Raises:
        InputError: With field ``"plot"``, if it is read by programs.
    """
    if form != "text":
        raise InputError("plot", f"--{form} prints no pictures", "one of the two")


def plotted(plots: Iterable[Plot], ascii: bool) -> Iterator[str]:
    """Yield pictures as text, each below its title; glyphs tell apart what colours would."""
    width = shutil.get_terminal_size((COLUMNS, LINES)).columns if sys.stdout.isatty() else COLUMNS
    for plot in plots:
        text = plot.drawing.draw(min(width, WIDEST), LINES, MONOCHROME).text()
        yield f"\n{plot.title}\n\n"
        yield f"{in_ascii(text) if ascii else text}\n"
