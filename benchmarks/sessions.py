"""How old what a killed program leaves is: the session is compared with what was asked, and when.

    python -m benchmarks.sessions                    # some minutes
    python -m benchmarks.sessions --kills 0          # ages alone
    python -m benchmarks.sessions --check            # ends with 1 where an aim is missed

An age is the time from a change to the file that holds it. Of single changes it is at most a
second; while a key is held, thirty times a second, at most five. Then programs are killed by
SIGKILL at random moments while they are edited: each file is valid, holds a state that was asked,
and none that is older than the last finished save. Beside an age stands for how much of it the
program waited for a processor, since a machine does other things, too.
"""

import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from time import time

import click

from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import D_K
from attn_tui.files.draft import Draft
from attn_tui.files.session import Session, read_session
from attn_tui.report.export import TEMPORARY
from attn_tui.ui.memory import STARTED
from attn_tui.ui.session_names import ENDING
from benchmarks.terminal import PER_SECOND, Program, on_terminal

State = tuple[str, int]
"""The scores that are asked, as text, and d_k."""

START: State = ("a: 5, 6, 7", 64)

LOOK = 0.005
"""Seconds between two looks at the file."""

MOST_SINGLE, MOST_HELD = 1.0, 5.0
"""The largest ages in seconds of single changes, and while a key is held."""

LONGEST = 30.0
"""Seconds after which a change counts as lost."""

LAST, EARLIER, NONE = "the last state", "an earlier state", "no file yet"
DAMAGED, NEVER, OLDER = "DAMAGED", "NEVER ASKED", "OLDER THAN THE LAST SAVE"
FAULTS = (DAMAGED, NEVER, OLDER)
"""What a killed program can leave, and what of it is a fault."""


@dataclass(frozen=True)
class Moment:
    """A time, and how long the program had waited for a processor by then.

    Attributes:
        time: In seconds.
        waited: In seconds.
    """

    time: float
    waited: float = 0.0

    def since(self, before: "Moment") -> "Age":
        """Return the seconds since another moment."""
        return Age(self.time - before.time, self.waited - before.waited)


@dataclass(frozen=True, order=True)
class Age:
    """How old something is.

    Attributes:
        seconds: In seconds.
        waited: For how many of them the program waited for a processor.
    """

    seconds: float = 0.0
    waited: float = 0.0

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.waited:.2f} waiting)"


NEW = Age()


@dataclass(frozen=True)
class Change:
    """Something that is asked.

    Attributes:
        moment: That of the key.
        state: What is asked from then on.
    """

    moment: Moment
    state: State


@dataclass(frozen=True)
class Save:
    """A session that was in the file.

    Attributes:
        moment: When it was there first.
        session: What the file says.
    """

    moment: Moment
    session: Session

    @property
    def state(self) -> State:
        """What was asked when it was saved."""
        return state_of(self.session.present)


def state_of(draft: Draft) -> State:
    """Return what a draft asks."""
    return draft.text, draft.setup.d_k


class Edited:
    """A program that is edited while its session file is watched.

    Attributes:
        changes: What was asked so far.
        saves: What was in the file so far.
    """

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self._folder = folder
        self._file = (0, 0)
        self.changes = [Change(self.now, START)]
        self.saves: list[Save] = []

    @property
    def state(self) -> State:
        """What is asked."""
        return self.changes[-1].state

    @property
    def now(self) -> Moment:
        """The present moment."""
        waited = 0.0
        # Not every system tells.
        with suppress(OSError):
            waited = (
                int(Path(f"/proc/{self.program.process}/schedstat").read_text().split()[1]) / 1e9
            )
        return Moment(time(), waited)

    def press(self, keys: str, state: State | None = None) -> None:
        """Press keys, which ask something or only show something else."""
        if state is not None:
            self.changes.append(Change(self.now, state))
        os.write(self.program.terminal, keys.encode())

    def step(self, steps: int) -> None:
        """Raise or lower d_k by one step."""
        text, d_k = self.state
        self.press("+" if steps > 0 else "-", (text, D_K.step(d_k, steps)))

    def look(self) -> None:
        """Keep what is in the file, if that is new."""
        for path in sessions_in(self._folder):
            now = path.stat()
            if (now.st_ino, now.st_mtime_ns) != self._file:
                self._file = now.st_ino, now.st_mtime_ns
                moment = self.now
                self.saves.append(Save(moment, read_session(str(path)).session))

    @property
    def halves(self) -> int:
        """How many files lie in the folder that are not whole."""
        return len([*(self._folder / "attn-tui" / "sessions").glob(f"{TEMPORARY}*")])

    def attend(self, seconds: float) -> None:
        """Read what the program writes, and watch its file."""
        end = time() + seconds
        while (left := end - time()) > 0.0:
            self.program.read(min(left, LOOK))
            self.look()

    def superseded(self, save: Save) -> Moment | None:
        """Return when something else was asked than what a save holds; None if nothing was.

        Raises:
            StopIteration: If it was never asked.
        """
        places = range(len(self.changes) - 1, -1, -1)
        before = (place for place in places if self.changes[place].moment.time <= save.moment.time)
        place = next(place for place in before if self.changes[place].state == save.state)
        return self.changes[place + 1].moment if place + 1 < len(self.changes) else None


def sessions_in(folder: Path) -> list[Path]:
    """Return the session files of programs that keep their state in a folder."""
    return [*(folder / "attn-tui" / "sessions").glob(f"*{ENDING}")]


@contextmanager
def edited() -> Iterator[Edited]:
    """Run the program with a state of its own, until it waits for keys."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "attn-tui").mkdir()
        (folder / "attn-tui" / STARTED).write_text("yes")
        places = [f"XDG_STATE_HOME={name}", f"XDG_CONFIG_HOME={name}"]
        scores = START[0].removeprefix("a: ")
        line = [
            sys.executable,
            "-m",
            "attn_tui",
            "show",
            "--screen",
            "--d-k",
            str(START[1]),
            scores,
        ]
        with on_terminal(["env", *places, *line]) as program:
            program.until("Quit")
            program.rest()
            yield Edited(program, folder)


def single(count: int, chance: Random) -> list[Age]:
    """Return the ages of single changes, between which somebody thinks."""
    ages = []
    with edited() as one:
        for turn in range(count):
            one.attend(chance.uniform(0.5, 3.0))
            one.step(-1 if turn % 2 else 1)
            change = one.changes[-1]
            while not (one.saves and one.saves[-1].state == change.state):
                one.attend(LOOK)
                if time() - change.moment.time > LONGEST:
                    raise click.ClickException(f"{change.state} was not saved")
            ages.append(one.saves[-1].moment.since(change.moment))
    return ages


def held(seconds: float) -> list[Age]:
    """Return the greatest age of what each save holds until the next, while a key is held."""
    with edited() as one:
        steps = 1
        end = time() + seconds
        while time() < end:
            # At an end of the slider the other key is held.
            if D_K.step(one.state[1], steps) == one.state[1]:
                steps = -steps
            one.step(steps)
            one.attend(1 / PER_SECOND)
        ages = []
        for save, following in pairwise(one.saves):
            superseded = one.superseded(save)
            if superseded is not None:
                ages.append(following.moment.since(superseded))
        return ages


# Kills


@dataclass(frozen=True)
class Kill:
    """What a killed program has left.

    Attributes:
        seed: The seed of the keys and of the moment.
        after: Seconds from the first key to the end.
        changes: How often something was asked.
        saves: How many files were seen before.
        outcome: What the file holds.
        missing: How many changes it does not hold.
        age: How old the first of them was.
        halves: Files that are not whole and lie beside it.
    """

    seed: int
    after: float
    changes: int
    saves: int
    outcome: str
    missing: int
    age: Age
    halves: int


def edits(one: Edited, chance: Random, end: float) -> None:
    """Ask one thing after the other until a time; each is asked once only."""
    number = 0
    while time() < end:
        number += 1
        kind = chance.choice(("type", "scores", "step", "hold", "show"))
        text, d_k = one.state
        if kind == "type":
            one.press(f"d{100 + number}\r", (text, 100 + number))
        elif kind == "scores":
            scores = f"5,{100 + number}"
            one.press(f"1e\x1b[200~{scores}\x1b[201~\x1b[27u", (scores, d_k))
        elif kind == "step":
            one.step(1)
        elif kind == "show":
            one.press(chance.choice("123tt"))
        for _ in range(chance.randrange(90) if kind == "hold" else 0):
            one.step(chance.choice((-1, 1)) if d_k > 10_000 else 1)
            one.attend(min(1 / PER_SECOND, max(end - time(), 0.0)))
            if time() >= end:
                break
        one.attend(min(chance.choice((0.03, 0.2, 0.5, 1.0)), max(end - time(), 0.0)))


def killed(seed: int) -> Kill:
    """Edit a program, kill it at a random moment, and return what it has left."""
    chance = Random(seed)
    with edited() as one:
        begun = time()
        edits(one, chance, begun + chance.uniform(0.2, 9.0))
        ended = one.now
        os.kill(one.program.process, signal.SIGKILL)
        os.waitpid(one.program.process, 0)
        one.program.has_ended = True
        return left_by(one, seed, ended.time - begun, ended)


def left_by(one: Edited, seed: int, after: float, ended: Moment) -> Kill:
    """Return what a program that was killed has left."""
    changes, seen = len(one.changes) - 1, len(one.saves)
    others = one.halves

    def kill(outcome: str, missing: int = 0, age: Age = NEW) -> Kill:
        return Kill(seed, after, changes, seen, outcome, missing, age, others)

    try:
        one.look()
    except InputError:
        return kill(DAMAGED)
    if not one.saves:
        first = one.changes[1].moment if changes else ended
        return kill(NONE, changes, ended.since(first))
    save = one.saves[-1]
    asked = {change.state for change in one.changes}
    if not {state_of(step) for step in save.session.steps} <= asked:
        return kill(NEVER)
    since = one.superseded(save)
    if seen and latest(one, save) < latest(one, one.saves[seen - 1]):
        return kill(OLDER)
    if since is None:
        return kill(LAST)
    missing = sum(change.moment.time >= since.time for change in one.changes)
    return kill(EARLIER, missing, ended.since(since))


def latest(one: Edited, save: Save) -> int:
    """Return the last place at which the state of a save was asked."""
    return max(place for place, change in enumerate(one.changes) if change.state == save.state)


# What is printed


def row(ages: Sequence[Age]) -> str:
    """Return what is said of ages."""
    if not ages:
        return "none"
    return f"{len(ages)}, median {median(age.seconds for age in ages):.2f} s, at most {max(ages)}"


@click.command(help=__doc__.replace("\n\n", "\n\n\b\n"))
@click.option("--changes", default=20, help="Single changes.")
@click.option("--seconds", default=30.0, help="For which a key is held.")
@click.option("--kills", default=100, help="Programs that are killed.")
@click.option("--seed", default=1, help="Of the first of them.")
@click.option("--check", is_flag=True, help="End with 1 where an aim is missed.")
def main(changes: int, seconds: float, kills: int, seed: int, check: bool) -> None:
    """Print ages and kills."""
    ages = single(changes, Random(seed))
    click.echo(f"single changes (aim {MOST_SINGLE:g} s): {row(ages)}")
    steady = held(seconds)
    click.echo(f"a key held (aim {MOST_HELD:g} s): {row(steady)}")
    found = []
    for number in range(seed, seed + kills):
        one = killed(number)
        found.append(one)
        click.echo(
            f"seed {one.seed}: killed after {one.after:.1f} s, {one.changes} changes, "
            f"{one.saves} saves: {one.outcome}, {one.missing} changes missing, "
            f"{one.age} old, {one.halves} halves"
        )
    for outcome in dict.fromkeys(one.outcome for one in found):
        click.echo(f"{outcome}: {row([one.age for one in found if one.outcome == outcome])}")
    is_missed = max(ages).seconds > MOST_SINGLE or max(steady, default=NEW).seconds > MOST_HELD
    is_missed |= any(one.outcome in FAULTS for one in found)
    sys.exit(check and is_missed)


if __name__ == "__main__":
    main()
