"""What the terminal can show, as far as its name and the locale tell, and leaving it as it was."""

import re
import signal
from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from contextlib import suppress

from attn_tui.charts.grid import BLOCKS

_WITHOUT_BLOCKS = re.compile(r"(linux|dumb|ansi|cons25|vt[0-9]+)([-+.].*)?")
"""Names of terminals whose fonts lack parts of blocks, or braille."""


def lacks_blocks(encoding: str, environment: Mapping[str, str]) -> bool:
    """Return whether what is drawn on a terminal that is written to so should keep to ASCII."""
    try:
        (BLOCKS.scaled + BLOCKS.unscaled + BLOCKS.shades).encode(encoding)
    except UnicodeEncodeError:
        return True
    return bool(_WITHOUT_BLOCKS.fullmatch(environment.get("TERM", "")))


ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that ask a program to end."""


def leave_on_signals(loop: AbstractEventLoop, leave: Callable[[int], object]) -> None:
    """Let signals that would end the program end it in order; one that is ignored stays so.

    Args:
        loop: Runs the program.
        leave: Ends it with a status: 128 and the signal's number, as shells have it.
    """
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            # Windows cannot.
            with suppress(NotImplementedError):
                loop.add_signal_handler(number, leave, 128 + number)
