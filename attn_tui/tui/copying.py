"""The command line that asks what a screen shows, and how it gets into somebody's hands."""

from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.tui.state import Asked


def line_of(instrument: str, asked: Asked) -> str:
    """Return the command line that asks what an instrument shows.

    Raises:
        InputError: If a command line cannot ask it.
    """
    shown = next(each for each in INSTRUMENTS if each.name == instrument)
    line: str = load(shown.line)(asked)
    return line
