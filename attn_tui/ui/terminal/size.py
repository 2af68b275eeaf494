"""The size of the terminal, and the largest that is drawn for."""

import os
import shutil
from contextlib import suppress

from textual.events import Resize
from textual.geometry import Size

from attn_tui.compute.errors import InputError

MOST = Size(2_000, 1_000)
"""Columns and lines of a terminal that is taken; nobody has a larger one."""

DRAWN = Size(640, 240)
"""Columns and lines of the largest picture: one of `MOST` takes minutes, and keys wait for it."""

VARIABLES = ("COLUMNS", "LINES")


def measure() -> tuple[int, int]:
    """Return the columns and lines to draw for.

    The terminal's own size goes before the variables, which may be of another one.

    Raises:
        InputError: If the terminal, or what the variables say of one that has no size, is larger
            than `MOST`.
    """
    with suppress(OSError):
        # Rich, Textual and Python all look at the variables first.
        if all(os.get_terminal_size()):
            for name in VARIABLES:
                os.environ.pop(name, None)
    columns, lines = shutil.get_terminal_size()
    if columns > MOST.width or lines > MOST.height:
        raise InputError(
            "terminal",
            f"it has {columns:,} columns and {lines:,} lines",
            f"at most {MOST.width:,} and {MOST.height:,}",
        )
    return min(columns, DRAWN.width), min(lines, DRAWN.height)


def clamped(event: Resize) -> Resize:
    """Return an event of a size that is drawn for, at the top left of a larger terminal."""
    size = Size(min(event.size.width, DRAWN.width), min(event.size.height, DRAWN.height))
    return event if size == event.size else Resize(size, size)
