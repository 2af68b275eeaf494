"""Does anything at all to the program on a pseudo-terminal, and sees that it still tells the truth.

It must neither end unasked, nor stand still, nor write what was pasted as it is. After every
hundred events dialogues and fields are left, Explore is gone to, and what is saved there as JSON is
compared with what ``attn-tui show --json`` prints of the question in it.

    python -m tests.terminal.driver --events 1000000 --seed 1 --jobs 2

prints each fault with the seed and the number of events that lead to it, and the last screen; with
``--seconds`` it begins no further seed after so many seconds. ``--memory`` visits everything, does
things that people do until there are 5,000, and sees that memory does not grow after the 500th,
and that no more threads run, and no more files are open, than then.
"""

import argparse
import json
import os
import re
import select
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, suppress
from dataclasses import dataclass
from itertools import chain, count, groupby
from math import inf
from multiprocessing import Pool
from pathlib import Path
from random import Random
from time import monotonic

import numpy as np
from click.testing import CliRunner

from attn_tui.commands.program import program
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.draft import parse
from attn_tui.ui import heap
from tests.contract.terminal import Patience, Terminal, held
from tests.engine.captured import heads, write
from tests.sweep.asked import DRAFT as SWEEP
from tests.terminal.events import (
    ACTIONS,
    BACK,
    BROKEN,
    CAPTURE,
    LEAVE,
    OTHER,
    Burst,
    Size,
    bursts,
    everywhere,
    pasted,
)  # fmt: skip

EVENTS = 1000
"""Events of one seed, if there are no fewer."""

EVERY = 100
"""Events between two comparisons."""

FORBIDDEN = re.compile(rb"\x1b\]2;|\x1bPq|\xc2[\x80-\x9f]|\x1b\[31;5m")
"""What is pasted, or the name of a file, and must not be written as it is."""

ARGUMENTS: tuple[list[str], ...] = (
    [], ["--draw", "6", "--vectors", "2"], ["100,120,150", "q:3,4"], ["--d-k", "64", "-1,0,1"],
    ["--query", "1,0", "--keys", "[[1,0],[0,1]]", "--values", "[[1],[2]]"], ["--example", "tens"],
    ["1 2 3", "4", "5 6"], ["attention", "0 -inf 2", "1", "--screen"], ["capture.safetensors"],
    ["sweep", "--map", "--screen"],
)  # fmt: skip
"""What the program is started with, one after the other, from another one on for each seed."""

DONE, VISITED = 5_000, 500
"""Actions of ``--memory`` unless others are asked for, and those by which all has been visited."""

MOST = 20 * 2**20
"""Bytes that may be added from then on."""

POOL = min(32, (os.cpu_count() or 1) + 4)
"""Threads that asyncio keeps once it has needed them."""

FEW = "few.json"
"""A question of few draws, so that what is kept of a sweep takes little."""

SEEN, REDRAW = Size(120, 40), "\x0c"
"""A size at which everything stands on the screen, and the key that draws it anew."""

PAUSE = 0.02
"""Seconds without output in which a person looks; nothing that is found depends on it."""

CALM, REST = 2, 25
"""Pauses in a row in which a program that has done everything neither runs nor writes: its main
thread, and all of its threads."""

LONG_REST = round((heap.PAUSE + 0.5) / PAUSE)
"""Pauses in which a program gives memory back."""


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
        told = self.terminal.parting
        if status != 0:
            raise FaultError(f"ended with {status}\n{told}")
        if told and not told.startswith("attn-tui"):
            raise FaultError(f"left in the shell\n{told}")
        raise EndedError

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

    def settle(self) -> None:
        """Read until the program has done what it was sent, as far as its main thread tells."""
        state = Path(f"/proc/{self.terminal.child.pid}/stat")
        calm, patience = 0, Patience(self.terminal.child.pid)
        while calm < CALM:
            if patience.over:
                raise FaultError("it never rests")
            is_quiet = not self._read(PAUSE)
            is_asleep = state.read_text().rpartition(") ")[2].startswith("S")
            calm = calm + 1 if is_quiet and is_asleep else 0

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

    def finish(self) -> None:
        """Read until nothing is computed any more: a sweep under way takes up to 58 MB."""
        terminal = self.terminal
        size = Size(terminal.screen.columns, terminal.screen.lines)
        terminal.is_watched = True
        terminal.screen.reset()
        terminal.resize(SEEN.columns, SEEN.lines)
        self.send(f"{LEAVE}3{LEAVE}{REDRAW}")
        self.wait(lambda: self.shows("draws"), "Sweep")
        self.rest()
        if self.shows("space goes on"):
            self.send(" ")
        self.rest(LONG_REST)
        terminal.is_watched = False
        terminal.resize(size.columns, size.lines)

    def rest(self, pauses: int = REST) -> None:
        """Read until no thread of the program has run for so many pauses."""
        tasks = Path(f"/proc/{self.terminal.child.pid}/task")
        calm, patience = 0, Patience(self.terminal.child.pid)
        while calm < pauses and not patience.over:
            is_quiet = not self._read(PAUSE)
            states = [file.read_text().rpartition(") ")[2][0] for file in tasks.glob("*/stat")]
            calm = calm + 1 if is_quiet and set(states) == {"S"} else 0

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
        # What is pinned is compared with on the screen alone.
        saved.pop("pinned", None)
        if "vectors" not in saved:
            raise FaultError(f"no vectors in {name}: {saved}")
        for vector in saved["vectors"]:
            vector.pop("comparison", None)
        if saved != printed:
            raise FaultError(f"another answer in {name}: {saved} and {printed}")


def fill(folder: Path) -> None:
    """Write the files that are opened."""
    (folder / "scores.csv").write_text("1,2,3\n4,5,6\n")
    np.save(folder / "rows.npy", np.arange(12.0).reshape(3, 4))
    (folder / "broken.json").write_text('{"schema": "attn-tui/1", "experiment": [}')
    (folder / "data\x1b]2;x.txt").write_text("1 2 3")
    experiment = experiment_to_plain(parse(SWEEP))
    (folder / FEW).write_text(json.dumps({"schema": "attn-tui/1", "experiment": experiment}))
    whole = write(folder / CAPTURE, heads())
    write(folder / OTHER, heads(seed=2))
    (folder / BROKEN).write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])


@dataclass(frozen=True)
class Part:
    """What one process does.

    Attributes:
        seed: The seed.
        events: How many events it does at most.
        end: When it begins no more of them, by the clock that only goes forward.
    """

    seed: int
    events: int
    end: float = inf


def drive(part: Part, folder: Path) -> int:
    """Do the events of a seed; return how often what it says was compared.

    Raises:
        FaultError: At the first thing that must not be; its notes hold how to do it again, and
            the last screen.
    """
    size = Size(80, 24)
    doing = bursts(part.seed, size)
    done = starts = compared = 0
    while done < part.events and monotonic() < part.end:
        driven = Driven(size, ARGUMENTS[(part.seed + starts) % len(ARGUMENTS)], folder)
        starts += 1
        with driven.terminal:
            try:
                while done < part.events and monotonic() < part.end:
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
                fault.add_note(f"--seed {part.seed} --events {done}: {burst.events}")
                fault.add_note("\n".join(driven.terminal.display))
                raise
    return compared


def run(part: Part) -> tuple[int, int, str]:
    """Drive a seed in a folder of its own; return it, how often it compared, and what it found."""
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name))
        try:
            return part.seed, drive(part, Path(name)), ""
        except FaultError as fault:
            return part.seed, 0, "\n".join([str(fault), *fault.__notes__, ""])


def runs(given: argparse.Namespace) -> Iterator[tuple[int, int, str]]:
    """Yield what each seed found, until so many events are done or the time is over."""
    with Pool(given.jobs) as pool:
        if given.seconds is None:
            whole, rest = divmod(given.events, EVENTS)
            parts = [Part(given.seed + place, EVENTS) for place in range(whole)]
            parts += [Part(given.seed + whole, rest)] if rest else []
            yield from pool.imap_unordered(run, parts)
            return
        end = monotonic() + given.seconds
        seeds = count(given.seed)
        while monotonic() < end:
            parts = [Part(next(seeds), EVENTS, end) for _ in range(given.jobs)]
            yield from pool.map(run, parts)


@dataclass(frozen=True)
class Kept:
    """What a program at rest keeps.

    Attributes:
        memory: The bytes of memory.
        threads: How many threads it has.
        files: What its open descriptors lead to.
    """

    memory: int
    threads: int
    files: tuple[str, ...]

    @classmethod
    def of(cls, terminal: Terminal) -> "Kept":
        """Return what the program on a terminal keeps now."""
        process = Path(f"/proc/{terminal.child.pid}")
        files = []
        for link in (process / "fd").iterdir():
            # The number of a pipe or a socket says nothing.
            with suppress(OSError):
                files.append(os.readlink(link).partition(":[")[0])
        return cls(held(terminal), len([*(process / "task").iterdir()]), tuple(sorted(files)))

    def __str__(self) -> str:
        memory = f"{self.memory / 2**20:.1f} MB"
        return f"{memory}, {self.threads} threads, {len(self.files)} files"

    def left(self, before: "Kept") -> list[str]:
        """Return what is kept that was not kept before, a sentence each."""
        new = [*(Counter(self.files) - Counter(before.files)).elements()]
        found = [f"{file} is still open" for file in new]
        if self.threads > before.threads + POOL:
            found.append(f"{self.threads} threads run, and {before.threads} did before")
        return found


def keeps(seed: int, number: int, folder: Path) -> Iterator[Kept]:
    """Do so many actions; yield what is kept after every `VISITED` of them."""
    arguments = ["show", "--screen", "--experiment", FEW]
    random, driven = Random(seed), Driven(Size(120, 40), arguments, folder)
    visits = everywhere()
    assert len(visits) <= VISITED
    actions = chain(visits, (random.choice(ACTIONS) for _ in range(number - len(visits))))
    with driven.terminal as terminal:
        terminal.is_watched = False
        for done, action in enumerate(actions, 1):
            if isinstance(action, Size):
                terminal.resize(action.columns, action.lines)
            else:
                driven.send(action)
                driven.settle()
                driven.send(BACK)
            driven.settle()
            if done % VISITED == 0:
                driven.finish()
                yield Kept.of(terminal)


def say(text: str) -> None:
    """Write a text at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def remember(seed: int, number: int) -> int:
    """See that nothing more is kept in so many actions; return 1 if anything is."""
    first: Kept | None = None
    more, left = 0, list[str]()
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name))
        for count, now in enumerate(keeps(seed, number, Path(name)), 1):
            say(f"{count * VISITED:,} actions: {now}\n")
            first = first or now
            more, left = max(more, now.memory - first.memory), now.left(first)
    say(f"{more / 2**20:.1f} MB more at most than after {VISITED:,} of {number:,} actions\n")
    say("".join(f"{sentence}\n" for sentence in left))
    return more > MOST or bool(left)


def main() -> int:
    """Go from seed to seed until so many events are done; return 1 if there was any fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, help="instead of a number of events")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time, which share the rest")
    parser.add_argument("--memory", action="store_true", help="watch memory instead")
    parser.add_argument("--actions", type=int, default=DONE, help="of --memory")
    given = parser.parse_args()
    if given.memory:
        return remember(given.seed, given.actions)
    faults = 0
    for seed, compared, fault in runs(given):
        faults += bool(fault)
        say(f"seed {seed}: {compared} compared, {faults} faults so far\n{fault}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
