"""Does anything at all to the program on a pseudo-terminal, and sees that it still tells the truth.

After every hundred events dialogues and fields are left, Explore is gone to, and its table of
weights and gradients is compared, key by key, with what ``attn-tui show`` prints of the question
the program then has. Scores that cannot be read are replaced by an example. After every three
hundred it is one of these in turn besides: the text of ``i`` in Explore, line by line as far as it
is visible, with what ``show`` prints of what ctrl+s saves there; and the text of each other
instrument with what its command prints.

    python -m tests.terminal.driver --events 1000000 --seed 1 --jobs 2

prints each fault with the seed and the number of events that lead to it, the last screen, and where
the program stands: its threads, and what the tasks of its event loop wait for.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from pathlib import Path

import numpy as np

from tests.terminal import captured
from tests.terminal.compared import compare, compare_other, compare_saved
from tests.terminal.driven import Driven, EndedError, FaultError
from tests.terminal.events import Event, Size, bursts

EVENTS = 1000
"""Events of one seed, if there are no fewer."""

EVERY = 100
"""Events between two comparisons."""


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

    def compare(self, driven: Driven) -> None:
        """Compare the table of Explore, and now and then what else is said."""
        turn, is_more = divmod(self.compared, OFTEN)
        more = MORE[turn % len(MORE)] if not is_more else ""
        for _ in range(2):
            self.compared += 1
            if (
                compare_saved(driven, f"n{self.compared}.json")
                if more == "saved"
                else compare(driven)
            ):
                break
            self.unread += 1
        else:
            raise FaultError("an example cannot be read")
        if more == "heads":
            captured.compare_heads(driven, SEEDS + self.compared)
        elif more and more != "saved":
            compare_other(driven, more, SEEDS + self.compared)


OFTEN = 3
"""Of so many comparisons one is followed by another one, or is one of more."""

MORE = ("saved", "claim", "dot", "attention", "heads", "sweep")
"""Which, one after the other."""

SEEDS = 1_000_000
"""Beyond what is typed."""

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
    captured.fill(folder)
    (folder / "data\x1b]2;x.txt").write_text("1 2 3")


def drive(course: Course, events: int, folder: Path) -> None:
    """Do so many events of a seed.

    Raises:
        FaultError: At the first thing that must not be; its notes hold the last screen, and
            where the program stands.
    """
    size = Size(80, 24)
    doing = bursts(course.seed, size)
    while course.done < events:
        arguments = ARGUMENTS[course.starts % len(ARGUMENTS)]
        # Most of the time nobody waits until all claims are tried.
        fresh = course.starts % 4 == 1
        course.starts += 1
        with Driven(size, arguments, folder, fresh) as driven:
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
                        course.compare(driven)
                        driven.resize(size.columns, size.lines)
            except EndedError:
                pass
            except FaultError as fault:
                fault.add_note("\n".join([*(driven.last or driven.display), driven.stands()]))
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
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time, which share the rest")
    given = parser.parse_args()
    parts = [min(EVENTS, given.events - done) for done in range(0, given.events, EVENTS)]
    seeds = [*enumerate(parts, given.seed)]
    done = faults = 0
    # Those of a pool may have no children of their own.
    context = get_context("spawn")
    courses = context.SimpleQueue()
    for job in range(given.jobs):
        context.Process(target=_run_all, args=(seeds[job :: given.jobs], courses)).start()
    for _ in seeds:
        course, fault = courses.get()
        done, faults = done + course.done, faults + bool(fault)
        out = f"seed {course.seed}: {course.done} events"
        out += f", {course.compared - course.unread} compared"
        sys.stdout.write(f"{out}; {done} events, {faults} faults so far\n{fault}")
        sys.stdout.flush()
    return bool(faults)


def _run_all(parts: Sequence[tuple[int, int]], courses: SimpleQueue[tuple[Course, str]]) -> None:
    for seed, events in parts:
        courses.put(run(seed, events))


if __name__ == "__main__":
    sys.exit(main())
