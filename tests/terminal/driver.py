"""Does anything at all to the program on a pseudo-terminal, and sees that it still tells the truth.

It must neither end unasked, nor stand still, nor write what was pasted as it is. After every
hundred events dialogues and fields are left, Explore is gone to, and what is saved there as JSON is
compared with what ``attn-tui show --json`` prints of the question in it.

    python -m tests.terminal.driver --events 1000000 --seed 1 --jobs 2

prints each fault with the seed and the number of events that lead to it, and the last screen.
"""

import argparse
import json
import os
import re
import select
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import chdir
from itertools import groupby
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from attn_tui.commands.program import program
from tests.contract.terminal import Patience, Terminal
from tests.engine.captured import heads, write
from tests.terminal.events import BROKEN, CAPTURE, LEAVE, OTHER, Burst, Size, bursts, pasted

EVENTS = 1000
"""Events of one seed, if there are no fewer."""

EVERY = 100
"""Events between two comparisons."""

FORBIDDEN = re.compile(rb"\x1b\]2;|\x1bPq|\xc2[\x80-\x9f]|\x1b\[31;5m")
"""What is pasted, or the name of a file, and must not be written as it is."""

ARGUMENTS: tuple[list[str], ...] = (
    [], ["--draw", "6", "--vectors", "2"], ["100,120,150", "q:3,4"], ["--d-k", "64", "-1,0,1"],
    ["--query", "1,0", "--keys", "[[1,0],[0,1]]", "--values", "[[1],[2]]"], ["--example", "tens"],
)  # fmt: skip
"""What the program is started with, one after the other."""

PAUSE = 0.02
"""Seconds without output in which a person looks; nothing that is found depends on it."""


class FaultError(Exception):
    """What the program must not do."""


class EndedError(Exception):
    """The program ended as it should when it is asked to."""


class Driven:
    """The program, on a terminal where it must neither end nor write what was pasted.

    Args:
        size: Of the terminal.
        arguments: Of the program.
        folder: It works there, and keeps there what it keeps.
    """

    def __init__(self, size: Size, arguments: Sequence[str], folder: Path) -> None:
        homes = ("HOME", "TMPDIR", *(f"XDG_{kind}_HOME" for kind in ("CONFIG", "STATE", "CACHE")))
        environment = dict.fromkeys(homes, os.fspath(folder))
        self.terminal = Terminal(
            size.columns, size.lines, arguments, environment=environment, folder=folder
        )
        self._end = self.terminal.child.child_fd
        os.set_blocking(self._end, False)
        # Before, the terminal itself would take ctrl+c for the signal.
        self.wait(lambda: b"\x1b[?2004h" in self.terminal.raw, "start")

    def _read(self, seconds: float) -> bool:
        """Read what there is, once there is something; return whether there was."""
        if not select.select([self._end], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._end, 65536)
        except OSError:
            data = b""
        if not data:
            self._ended()
        if match := FORBIDDEN.search(self.terminal.raw[-8:] + data.partition(b"\x1b[?1049l")[0]):
            raise FaultError(f"wrote {match[0]!r}")
        self.terminal.take(data)
        return True

    def _ended(self) -> None:
        status = self.terminal.leave()
        if status == 0:
            raise EndedError
        told = self.terminal.raw.rpartition(b"\x1b[?1049l")[2].decode(errors="replace")
        raise FaultError(f"ended with {status}\n{told}")

    def wait(self, holds: Callable[[], object], wanted: str) -> None:
        """Read until something holds."""
        patience = Patience(self.terminal.child.pid)
        while not holds():
            if patience.over:
                raise FaultError(f"no {wanted}")
            self._read(1.0)

    def send(self, text: str) -> None:
        """Send keys, and read meanwhile, since the program may wait to be read."""
        rest, patience = text.encode(), Patience(self.terminal.child.pid)
        while rest:
            if patience.over:
                raise FaultError("no key is read")
            if not self._read(0.0) and select.select([], [self._end], [], 1.0)[1]:
                rest = rest[os.write(self._end, rest[:1024]) :]

    def look(self) -> None:
        """Read until nothing comes for a moment."""
        for _ in range(20):
            if not self._read(PAUSE):
                break

    def do(self, burst: Burst) -> None:
        """Do what comes together: as many keys as can be in one write."""
        for kind, some in groupby(burst.events, type):
            if kind is str:
                self.send("".join(map(str, some)))
                continue
            for size in some:
                assert isinstance(size, Size)
                self.terminal.resize(size.columns, size.lines)
        if burst.rest:
            self.look()

    def shows(self, text: str) -> bool:
        """Return whether a text stands on the screen."""
        return any(text in line for line in self.terminal.display)

    def compare(self, name: str, folder: Path) -> None:
        """Compare what is saved in Explore with what the command prints of the same question."""
        self.terminal.resize(100, 32)
        self.send(f"{LEAVE}1{LEAVE}")
        self.wait(lambda: self.shows("Weights p"), "Explore")
        self.send("s\x15")
        self.wait(lambda: self.shows("Save what is shown"), "dialogue")
        self.send(f"{pasted(name)}\r")
        self.wait(lambda: self.shows(f"Saved {name}"), "file")
        with chdir(folder):
            result = CliRunner().invoke(program, ["show", "--json", "--experiment", name])
        if result.exit_code:
            raise FaultError(f"show: {result.output}")
        saved, printed = json.loads((folder / name).read_text()), json.loads(result.stdout)
        if saved.pop("pinned", None) is None and saved != printed:
            raise FaultError(f"another answer in {name}: {saved} and {printed}")


def fill(folder: Path) -> None:
    """Write the files that are opened."""
    (folder / "scores.csv").write_text("1,2,3\n4,5,6\n")
    np.save(folder / "rows.npy", np.arange(12.0).reshape(3, 4))
    (folder / "broken.json").write_text('{"schema": "attn-tui/1", "experiment": [}')
    (folder / "data\x1b]2;x.txt").write_text("1 2 3")
    whole = write(folder / CAPTURE, heads())
    write(folder / OTHER, heads(seed=2))
    (folder / BROKEN).write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])


def drive(seed: int, events: int, folder: Path) -> int:
    """Do so many events of a seed; return how often what it says was compared.

    Raises:
        FaultError: At the first thing that must not be; its notes hold how to do it again, and
            the last screen.
    """
    size = Size(80, 24)
    doing = bursts(seed, size)
    done = starts = compared = 0
    while done < events:
        driven = Driven(size, ARGUMENTS[starts % len(ARGUMENTS)], folder)
        starts += 1
        with driven.terminal:
            try:
                while done < events:
                    burst = next(doing)
                    before, done = done, done + len(burst.events)
                    size = next((e for e in burst.events[::-1] if isinstance(e, Size)), size)
                    driven.do(burst)
                    if done // EVERY > before // EVERY:
                        compared += 1
                        driven.compare(f"n{compared}.json", folder)
                        driven.terminal.resize(size.columns, size.lines)
            except EndedError:
                pass
            except FaultError as fault:
                fault.add_note(f"--seed {seed} --events {done}: {burst.events}")
                fault.add_note("\n".join(driven.terminal.display))
                raise
    return compared


def run(part: tuple[int, int]) -> tuple[int, int, str]:
    """Drive a seed in a folder of its own; return it, how often it compared, and what it found."""
    seed, events = part
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name))
        try:
            return seed, drive(seed, events, Path(name)), ""
        except FaultError as fault:
            return seed, 0, "\n".join([str(fault), *fault.__notes__, ""])


def main() -> int:
    """Go from seed to seed until so many events are done; return 1 if there was any fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time, which share the rest")
    given = parser.parse_args()
    parts = [min(EVENTS, given.events - done) for done in range(0, given.events, EVENTS)]
    faults = 0
    with Pool(given.jobs) as pool:
        for seed, compared, fault in pool.imap_unordered(run, enumerate(parts, given.seed)):
            faults += bool(fault)
            sys.stdout.write(f"seed {seed}: {compared} compared, {faults} faults so far\n{fault}")
            sys.stdout.flush()
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
