"""How much of a processor the program takes on each instrument while nobody does anything.

    python -m tests.terminal.idle

prints it, of twenty seconds, for each instrument in percent; at most .1 is to be taken.
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

SECONDS = 20.0
"""Seconds that count, once what begins by itself has come to an end."""

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
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        programs: dict[str, Driven] = {}
        for instrument in INSTRUMENTS:
            driven = Driven(Size(120, 40), [], folder)
            stack.enter_context(driven.terminal)
            driven.send(str(instrument.number))
            programs[instrument.title] = driven
        while max(watch(programs).values()) > BUSY:
            pass
        shares = watch(programs)
    for title, share in shares.items():
        sys.stdout.write(f"{title}: {100 * share:.3f} %\n")
    return max(shares.values()) > MOST


if __name__ == "__main__":
    sys.exit(main())
