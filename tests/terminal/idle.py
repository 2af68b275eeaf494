"""How much of a processor the program takes while nobody does anything.

    python -m tests.terminal.idle

prints it, of a minute, in percent for each instrument and for what is opened over one; at most .1
is to be taken.
"""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

from attn_tui.instruments import INSTRUMENTS
from tests.terminal.driver import Driven
from tests.terminal.events import Size

MOST = 0.001
"""The share of a processor."""

SECONDS = 60.0
"""Seconds that count, once what begins by itself has come to an end."""

OPENED = {
    "Settings": "1g", "Open": "1o", "Save": "1s", "Palette": "1/", "Help": "1?", "Scores": "1e",
    "Tour": "1T", "Steps": "1d",
}  # fmt: skip
"""The keys that lead to panels, dialogues and fields, some of which have a cursor."""

BUSY = 0.01
"""The share that a program takes which has not yet come to an end."""


def taken(driven: Driven) -> float:
    """Return for how many seconds the threads of a program have been on a processor."""
    tasks = Path(f"/proc/{driven.terminal.child.pid}/task")
    return sum(int(task.read_text().split()[0]) for task in tasks.glob("*/schedstat")) / 1e9


def watch(programs: dict[str, Driven]) -> dict[str, float]:
    """Return the shares of a processor that programs take while they are watched."""
    before = {name: taken(driven) for name, driven in programs.items()}
    end = monotonic() + SECONDS
    while monotonic() < end:
        for driven in programs.values():
            driven.look()
    return {name: (taken(driven) - before[name]) / SECONDS for name, driven in programs.items()}


def main() -> int:
    """Print the shares; return 1 if one is too large."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    places = {each.title: str(each.number) for each in INSTRUMENTS} | OPENED
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        programs: dict[str, Driven] = {}
        for title, keys in places.items():
            driven = Driven(Size(120, 40), [], folder)
            stack.enter_context(driven.terminal)
            driven.send(keys)
            programs[title] = driven
        while max(watch(programs).values()) > BUSY:
            pass
        shares = watch(programs)
    for title, share in shares.items():
        sys.stdout.write(f"{title}: {100 * share:.3f} %\n")
    return max(shares.values()) > MOST


if __name__ == "__main__":
    sys.exit(main())
