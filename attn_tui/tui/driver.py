"""Reading bytes that are not UTF-8 from a terminal, and writing emoji that it may not join."""

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable
from functools import partial

from textual.driver import Driver

from attn_tui.charts.rows import cells
from attn_tui.compute.visible import clusters, is_joined


def lenient(encoding: str) -> Callable[[], IncrementalDecoder]:
    """Return a decoder that reads a byte it does not understand as U+FFFD."""
    return partial(getincrementaldecoder(encoding), errors="replace")


def accept_any_bytes() -> None:
    """Make Textual read keys leniently; its own decoder ends the program on the first such byte."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows has a driver of its own, which reads characters.
        return
    vars(linux_driver)["getincrementaldecoder"] = lenient


def placing(driver: type[Driver]) -> type[Driver]:
    """Return a driver that writes what follows a joined emoji where it belongs."""

    class Placing(driver):  # type: ignore[misc, valid-type]
        """Writes to the terminal."""

        def write(self, data: str) -> None:
            """Write data."""
            super().write(placed(data))

    return Placing


def placed(data: str) -> str:
    """Return what is written with the cursor put behind each joined emoji.

    Terminals differ in how many cells one takes: those that do not join it draw its parts.
    """
    if not is_joined(data):
        return data
    return "".join(part if len(part) == 1 else _placed(part) for part in clusters(data))


def _placed(emoji: str) -> str:
    """Return an emoji on as many blanks as it is to take, where the line must not wrap."""
    width = cells(emoji)
    return f"\x1b[?7l\x1b7{' ' * width}\x1b8\x1b7{emoji}\x1b8\x1b[{width}C\x1b[?7h"
