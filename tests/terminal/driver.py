"""Does anything at all to the program on a pseudo-terminal, and sees that it still tells the truth.

After every hundred events dialogues and fields are left, Explore is gone to, and what it shows is
compared with what ``attn-tui show`` prints of the question that ctrl+s saves there: the text of
``y``, line by line as far as it is visible; and the table of weights and gradients, key by key.
Scores that cannot be read must be said to be so, and are then replaced by an example.

    python -m tests.terminal.driver --events 1000000 --seed 1

prints each fault with the seed and the number of events that lead to it.
"""

import argparse
import json
import os
import re
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import count, groupby
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from attn_tui.commands.program import program
from tests.terminal.events import ESCAPE, LEAVE, Event, Size, bursts
from tests.terminal.terminal import DEADLINE, Terminal

EVENTS = 5000
"""Events of one seed, if there are no fewer."""

EVERY = 100
"""Events between two comparisons."""

WINDOW = Size(100, 32)
"""The size in which is compared."""

FORBIDDEN = re.compile(rb"\x1b\]2;|\x1bPq|\xc2[\x80-\x9f]|\x1b\[31;5m")
"""What is pasted, or the name of a file, and must not be written as it is."""

PAUSE = 0.02
"""Seconds without output in which a person looks; nothing that is found depends on it."""

KEPT = 20_000
"""Bytes of output that are kept to be told."""


class FaultError(Exception):
    """What the program must not do."""


class EndedError(Exception):
    """The program ended as it should when it is asked to."""


class Driven(Terminal):
    """The program, on a terminal where it must neither end nor write what was pasted."""

    def __init__(self, size: Size, arguments: Sequence[str], folder: Path) -> None:
        homes = ("HOME", "TMPDIR", *(f"XDG_{kind}_HOME" for kind in ("CONFIG", "STATE", "CACHE")))
        environment = dict.fromkeys(homes, os.fspath(folder))
        super().__init__(
            size.columns, size.lines, arguments, environment=environment, folder=folder
        )
        os.set_blocking(self.child.child_fd, False)
        self.last: tuple[str, ...] = ()
        # Before, the terminal itself would take ctrl+c for the signal.
        self.wait(lambda: b"\x1b[?2004h" in self.raw, "start")

    def __enter__(self) -> "Driven":
        return self

    def _take(self, data: bytes) -> None:
        if found := FORBIDDEN.search(self.raw[-8:] + data):
            raise FaultError(f"wrote {found[0]!r}")
        # What is written behind the screen is no longer the screen.
        shown, end, told = data.partition(b"\x1b[?1049l")
        super()._take(shown)
        self.last = self.display if end else ()
        super()._take(end + told)
        self.raw = self.raw[-KEPT:]

    def _read(self, seconds: float) -> bool:
        """Read what there is, once there is something; return whether there was."""
        if not select.select([self.child.child_fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.child.child_fd, 65536)
        except OSError:
            data = b""
        if not data:
            self._ended()
        self._take(data)
        return True

    def _ended(self) -> None:
        self.child.wait()
        if self.child.exitstatus == 0:
            raise EndedError
        status = self.child.exitstatus or f"signal {self.child.signalstatus}"
        reports = map(json.loads, map(Path.read_text, self.folder.glob("attn-tui/crash-*.json")))
        traces = ("".join(report["crash"]["traceback"]) for report in reports)
        raise FaultError("\n".join([f"ended with {status}", self.told, *traces]))

    @property
    def told(self) -> str:
        """What was written behind the screen."""
        text = self.raw.rpartition(b"\x1b[?1049l")[2].decode(errors="replace")
        return re.sub(r"\x1b\[[\d;?<>=]*[a-zA-Z]", "", text)

    def wait(self, holds: Callable[[], object], wanted: str) -> None:
        """Read until something holds."""
        end = time.monotonic() + DEADLINE
        while not holds():
            if time.monotonic() > end:
                raise FaultError(f"no {wanted}")
            if not self._read(1.0):
                self._bring_back()

    def send(self, text: str) -> None:
        """Send keys, and read meanwhile, since the program may wait to be read."""
        rest, end = text.encode(), time.monotonic() + DEADLINE
        while rest:
            if time.monotonic() > end:
                raise FaultError("no key is read")
            if select.select([], [self.child.child_fd], [], 0.0)[1]:
                rest = rest[os.write(self.child.child_fd, rest[:1024]) :]
            elif not self._read(1.0):
                self._bring_back()

    def _bring_back(self) -> None:
        """Do as ``fg`` does, if the program has gone back to the shell."""
        if os.waitid(os.P_PID, self.child.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT):
            self.child.kill(signal.SIGCONT)

    def look(self) -> None:
        """Read until nothing comes for a moment."""
        for _ in range(20):
            if not self._read(PAUSE):
                break

    def do(self, events: Sequence[Event]) -> None:
        """Do what comes together: as many keys as can be in one write."""
        for kind, some in groupby(events, type):
            if kind is str:
                self.send("".join(map(str, some)))
            else:
                for size in some:
                    assert isinstance(size, Size)
                    self.resize(size.columns, size.lines)


# What is compared


def compare(driven: Driven, name: str) -> bool:
    """Compare Explore with ``show``; return whether it could be, the scores being readable."""
    driven.resize(WINDOW.columns, WINDOW.lines)
    # Explore may have kept the focus in its editor.
    driven.send(f"{LEAVE}1{ESCAPE}\x13\x01\x0b{name}")
    # What came before has been read and drawn once this is.
    driven.wait(lambda: sees(driven, f"save {name}"), "line that asks for a name")
    file = driven.folder / name
    driven.send("\r")
    unread, saved = "the scores are not understood", f"Saved {name}"
    # Once it is there a dialogue may still say how far it is.
    driven.wait(lambda: sees(driven, saved) or sees(driven, unread), f"{saved}, or why not")
    if not file.exists():
        driven.send(f"{ESCAPE}x\r")
        return False
    report = shown(file)
    driven.send("y")
    try:
        driven.wait(lambda: place_of(said(driven.display), report), "text that show prints")
        place = place_of(said(driven.display), report)
        driven.send(ESCAPE)
        table = reported(report[place:])
        driven.wait(lambda: heads(driven.display), "table")
        if heads(driven.display)["side"] == "now":
            # It is compared with a pinned answer, which is let go.
            driven.send("=")
        driven.wait(lambda: agree(driven.display, table), "table that show prints")
    except FaultError as fault:
        raise FaultError(f"{fault}:\n" + "\n".join(report)) from None
    file.unlink()
    return True


def sees(driven: Driven, text: str) -> bool:
    """Return whether a text is on the screen."""
    return any(text in line for line in driven.display)


def shown(file: Path) -> list[str]:
    """Return what the command prints of the question of a file."""
    result = CliRunner().invoke(program, ["show", "--experiment", os.fspath(file), "--top", "100"])
    if result.exit_code:
        raise FaultError(f"show ends with {result.exit_code}: {result.output} {result.exception!r}")
    return [line.rstrip() for line in result.stdout.splitlines()]


def said(display: Sequence[str]) -> list[str]:
    """Return what is visible of the text in its box, down to what pops up over it."""
    found = (re.search(r"╭─ In words and numbers ─+╮", line) for line in display)
    box = next(((n, *match.span()) for n, match in enumerate(found) if match), None)
    lines: list[str] = []
    if box:
        number, left, right = box
        for line in display[number + 1 :]:
            if not (line[left:right].startswith("│ ") and line[left:right].endswith("│")):
                break
            lines.append(line[left + 2 : left + 82].rstrip())
    return lines


def place_of(lines: Sequence[str], report: Sequence[str]) -> int:
    """Return where in a report the vector's part of a text begins; 0 if the text is not from it."""
    if "" not in lines:
        return 0
    head = lines.index("")
    rest = [*lines[head:]]
    if len(rest) < 5 or [*lines[:head]] != report[:head]:
        return 0
    places = range(head, len(report) - len(rest) + 1)
    return next((n for n in places if report[n : n + len(rest)] == rest), 0)


def reported(report: Sequence[str]) -> dict[str, list[str]]:
    """Return of each key that is listed the weights, the gradients and the change, as printed."""
    start = next(n for n, line in enumerate(report) if line.lstrip().startswith("key "))
    table = {}
    for line in report[start + 1 :]:
        if not line.strip()[:1].isdigit():
            break
        key, _, *numbers = line.split()
        first, of_first, second, of_second, change = numbers
        table[key] = [first, second, of_first, of_second, change]
    return table


def heads(display: Sequence[str]) -> dict[str, Any]:
    """Return the row of the names of the table's columns, and the second side's; or nothing."""
    found = (re.match(r"  +key [^│]* (\w+) +change$", line) for line in display)
    return next(({"row": n, "side": match[1]} for n, match in enumerate(found) if match), {})


def agree(display: Sequence[str], table: dict[str, list[str]]) -> bool:
    """Return whether the table on the screen has, key by key, the numbers of another."""
    head = heads(display)
    if not head or head["side"] == "now":
        return False
    rows = []
    for line in display[head["row"] + 1 :]:
        if not re.match(r"[▸> ][▪* ] *\d", line):
            break
        rows.append(re.sub(r"[▏▎▍▌▋▊▉█#▸>▪*]", " ", line).split())
    return bool(rows) and all(
        len(row) == 7 and all(map(same, row[2:], table[row[0]])) for row in rows if row[0] in table
    )


def same(number: str, other: str) -> bool:
    """Return whether two numbers are one as far as the shorter is written; … is any."""
    if number == other or "…" in (number, other):
        return True
    try:
        first, second = (Decimal(text.lstrip("×").replace("−", "-")) for text in (number, other))
        ends = [int(each.as_tuple().exponent) for each in (first, second)]
    except (InvalidOperation, ValueError):
        return False
    return abs(first - second) <= Decimal("0.6").scaleb(max(ends))


# Seeds


@dataclass
class Course:
    """How far a seed has gone.

    Attributes:
        seed: The seed.
        done: Events so far.
        last: The last of them.
        compared: Comparisons so far.
        unread: How many times there was nothing to compare.
        starts: How many times the program was started.
    """

    seed: int
    done: int = 0
    last: list[Event] = field(default_factory=list)
    compared: int = 0
    unread: int = 0
    starts: int = 0


ARGUMENTS: tuple[list[str], ...] = (
    [], ["--draw", "6", "--vectors", "2"], ["100,120,150", "q:3,4"], ["--d-k", "64", "-1,0,1"],
    ["--query", "1,0", "--keys", "[[1,0],[0,1]]", "--values", "[[1],[2]]"], ["--example", "tens"],
)  # fmt: skip
"""What the program is started with, one after the other."""


def fill(folder: Path) -> None:
    """Write the files that are opened."""
    (folder / "scores.csv").write_text("1,2,3\n4,5,6\n")
    np.save(folder / "rows.npy", np.arange(12.0).reshape(3, 4))
    (folder / "broken.json").write_text('{"schema": "attn-tui/1", "experiment": [}')
    (folder / "data\x1b]2;x.txt").write_text("1 2 3")


def drive(course: Course, events: int, folder: Path) -> None:
    """Do so many events of a seed.

    Raises:
        FaultError: At the first thing that must not be; its notes hold the last screen.
    """
    size = Size(80, 24)
    doing = bursts(course.seed, size)
    while course.done < events:
        arguments = ARGUMENTS[course.starts % len(ARGUMENTS)]
        course.starts += 1
        with Driven(size, arguments, folder) as driven:
            try:
                while course.done < events:
                    burst = next(doing)
                    before, course.done = course.done, course.done + len(burst.events)
                    course.last = [*course.last[-60:], *burst.events]
                    size = next((e for e in burst.events[::-1] if isinstance(e, Size)), size)
                    driven.do(burst.events)
                    if burst.rest:
                        driven.look()
                    if course.done // EVERY > before // EVERY:
                        for _ in range(2):
                            course.compared += 1
                            if compare(driven, f"n{course.compared}.json"):
                                break
                            course.unread += 1
                        else:
                            raise FaultError("an example cannot be read")
                        driven.resize(size.columns, size.lines)
            except EndedError:
                pass
            except FaultError as fault:
                fault.add_note("\n".join(driven.last or driven.display))
                raise


def told(fault: FaultError, course: Course) -> str:
    """Return all there is to say of a fault."""
    replay = f"--seed {course.seed} --events {course.done}"
    screen = "\n".join(fault.__notes__)
    return f"{replay}\n{course.last}\n{fault}\nthe screen:\n{screen}\n"


def run(seed: int, events: int) -> tuple[Course, str]:
    """Drive a seed in a folder of its own; return how far it went, and what it found."""
    course = Course(seed)
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name))
        try:
            drive(course, events, Path(name))
        except FaultError as fault:
            return course, told(fault, course)
    return course, ""


def main() -> int:
    """Go from seed to seed until so many events are done; return 1 if there was any fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    left, faults = given.events, 0
    for seed in count(given.seed):
        course, fault = run(seed, min(left, EVENTS))
        left -= course.done
        faults += bool(fault)
        out = f"seed {seed}: {course.done} events, {course.compared - course.unread} compared"
        sys.stdout.write(f"{out}, {faults} faults so far\n{fault}")
        sys.stdout.flush()
        if left <= 0:
            break
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
