"""Time the program on a pseudo-terminal beside the least a Textual program can do, as ratios.

    python benchmarks/terminal.py            # some minutes, on a quiet machine
    python benchmarks/terminal.py --turns 2  # only to see that it runs
    python benchmarks/terminal.py --check    # ends with 1 where an aim is missed
    python benchmarks/terminal.py --peer harlequin 'Query Results' harlequin

The aims are those of a person: a key takes four times what it takes in the least program, five in
Explore and Sweep; the right picture is complete 100 ms after a held key is released; the start
takes 1.5 times as long; and the prompt is there .8 s after ``q``.

Programs take turns: an application with one number, a header and a footer (the unit of every
ratio); the same with a canvas of thirty rows; the imports of NumPy and one answer, without a
screen; attn-tui; and others that are named, of
which the start is timed until a text of theirs is shown. Bytes are stamped as they arrive. A start
ends with the first screen that is of use; a key's first byte and last byte are those before a rest.
A held key is sent thirty times a second, and timed from its last press to the last byte; in Dot
products and Sweep, which go on drawing, until a text about the last question stands on the screen
(with pyte, of the extra ``test``). Processor time is that of all threads, of a key for one every
120 ms; on a machine that does other things, too, its ratios still hold.
Shown are medians, and the ratio of each to the unit's of the same turn, with the smallest and the
largest.
"""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fcntl import ioctl
from math import nan
from pathlib import Path
from statistics import median
from struct import pack
from termios import TIOCSWINSZ
from time import perf_counter

import click

COLUMNS, LINES = 120, 40
REST = 0.3
"""Seconds without a byte that end what a key has led to."""

LONGEST = 30.0

SHORTEST = 0.001
"""Seconds that are told of what was complete before it was over."""

ENVIRONMENT = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
# Installed programs come with their bytecode: no start but the first compiles anything.
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)

MINIMAL = """
from textual.app import App
from textual.widgets import Footer, Header, Static

class Minimal(App):
    BINDINGS = [("right_square_bracket", "add", "Add")]

    def compose(self):
        yield Header()
        yield Static("number 0", id="number")
        yield Footer()

    def action_add(self):
        self.count = getattr(self, "count", 0) + 1
        self.query_one("#number").update(f"number {self.count}")

Minimal().run()
"""
CANVAS = """
from rich.segment import Segment
from textual.app import App
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Footer, Header

class Rows(Widget):
    count = 0

    def render_line(self, y):
        return Strip([Segment(f"number {(self.count * (y + 1)) % 97}".ljust(self.size.width))])

class Minimal(App):
    BINDINGS = [("right_square_bracket", "add", "Add")]
    CSS = "Rows { height: 30; }"

    def compose(self):
        yield Header()
        yield Rows()
        yield Footer()

    def action_add(self):
        rows = self.query_one(Rows)
        rows.count += 1
        rows.refresh()

Minimal().run()
"""
ANSWER = """
from attn_tui.compute.explore.answer import answer
from attn_tui.files.draft import EXAMPLE, parse
next(answer(parse(EXAMPLE)))
"""


class Program:
    """A program on a pseudo-terminal.

    Args:
        command: What to run.
    """

    def __init__(self, command: list[str]) -> None:
        self.begun = perf_counter()
        self.has_ended = False
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, ENVIRONMENT)
        ioctl(self.terminal, TIOCSWINSZ, pack("HHHH", LINES, COLUMNS, 0, 0))

    def read(self, seconds: float) -> bytes:
        """Return what comes within some time, or nothing."""
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                return os.read(self.terminal, 65536)
            except OSError:
                return b""
        return b""

    def until(self, *marks: str) -> float:
        """Return the seconds from the start until all of some texts have come."""
        seen = b""
        while not all(mark.encode() in seen for mark in marks):
            data = self.read(LONGEST)
            if not data:
                raise click.ClickException(f"{marks} did not come")
            seen += data
        return perf_counter() - self.begun

    def rest(self, seconds: float = REST) -> None:
        """Wait until nothing comes any more."""
        while self.read(seconds):
            pass

    def press(self, key: str) -> tuple[float, float]:
        """Press a key; return the seconds to the first byte and to the last."""
        begun = perf_counter()
        os.write(self.terminal, key.encode())
        first = last = 0.0
        while self.read(REST if first else LONGEST):
            last = perf_counter() - begun
            first = first or last
        return first, last

    def paced(self, keys: Sequence[str], seconds: float) -> list[tuple[float, bytes]]:
        """Press keys at a pace; return what came, with the time after the last key."""
        begun = perf_counter()
        came = []
        for number, key in enumerate(keys, 1):
            os.write(self.terminal, key.encode())
            last = perf_counter()
            while (left := begun + number * seconds - perf_counter()) > 0.0:
                data = self.read(left)
                came.append((perf_counter(), data))
        while data := self.read(2 * REST):
            came.append((perf_counter(), data))
        return [(when - last, data) for when, data in came if data]

    @property
    def processor(self) -> float:
        """The seconds that all its threads have computed, in hundredths; NaN if nobody tells."""
        try:
            stat = Path(f"/proc/{self.process}/stat").read_text()
        except OSError:
            return nan
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def quit(self, keys: str) -> float:
        """Press keys of which the last one quits; return the seconds until the process is gone."""
        begun = perf_counter()
        os.write(self.terminal, keys.encode())
        while not os.waitpid(self.process, os.WNOHANG)[0]:
            if perf_counter() - begun > LONGEST:
                raise click.ClickException(f"{keys[-1]!r} did not quit")
            self.read(0.005)
        self.has_ended = True
        return perf_counter() - begun

    def end(self) -> None:
        """End it."""
        if not self.has_ended:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)


@contextmanager
def running(*command: str) -> Iterator[Program]:
    """Run Python with some arguments on a terminal."""
    with on_terminal([sys.executable, *command]) as program:
        yield program


@contextmanager
def on_terminal(command: list[str]) -> Iterator[Program]:
    """Run a command on a terminal."""
    program = Program(command)
    try:
        yield program
    finally:
        program.end()


ATTN = ("-m", "attn_tui")
PROGRAMS = {"attn-tui": ATTN}
PLACES = {
    "Explore": ("", "[]"),
    "Dot products": ("2", "[]"),
    "Dot products anew": ("2", "]]"),
    "Sweep's map": ("3", ("\x1b[D", "\x1b[C")),
    "Attention": ("4", ("\x1b[A", "\x1b[B")),
    "Heads": ("5", ("\x1b[D", "\x1b[C")),
}
"""Views: the keys that lead there, and those that are timed in turn, so that no end is reached."""

HELD = {
    "Explore": (("d", "1\r"), "+", ""),
    "Dot products": (("2", "d", "1\r"), "+", r"typically ±[\d.,]+"),
    "Sweep's map": (("3", "d", "1\r"), "+", r"Median at [\d,]+ keys, d_k [\d,]+"),
    "Attention": (("4", "d", "1\r"), "+", ""),
    "Heads": (("5",), "\x1b[C", r"[Ll]ayer \d+,? head \d+"),
}
"""Views: the keys that lead to a beginning, the key that is held, and the text that has to be right
if draws still follow."""

MOUSE = "".join(f"\x1b[<35;{10 + move % 100};{5 + move % 30}M" for move in range(1000))

ENDS = {"Explore": ("", ""), "Sweep at once": ("3", ""), "Claims at once": ("6", ""),
        "1,000 moves of the mouse": ("2", MOUSE)}  # fmt: skip
"""What is done before `q`: the keys that lead there, and what comes right before it."""

PACE, PER_SECOND, PRESSES = 0.12, 30, 45
"""Seconds between keys whose processor time is taken; presses of a held key a second, and in all:
d_k has some fifty stops."""

KEY, FAST, STARTED = "key to last byte", "held key", "processor time of the start"
AIMS = {"Explore": 5.0, "Sweep's map": 5.0}
"""The largest ratios of a key in a view; others have `MOST`."""

MOST, MOST_START = 4.0, 1.5
MOST_HELD, MOST_END = 100.0, 800.0
"""The largest ratios of a key and of a start, and the milliseconds after a held key and for q."""


def turn(keys: int, peers: Sequence[tuple[str, str, str]]) -> dict[str, float]:
    """Return one turn of every figure, in milliseconds."""
    found: dict[str, float] = {}
    for name, source in (("minimal", MINIMAL), ("canvas", CANVAS)):
        with running("-c", source) as program:
            found[f"{name}: start"] = program.until("number 0", "palette")
            found[f"{name}: {STARTED}"] = program.processor
            program.rest()
            pressed = [program.press("]") for _ in range(keys)]
            found[f"{name}: key to first byte"] = median(first for first, _ in pressed)
            found[f"{name}: key to last byte"] = median(last for _, last in pressed)
            found |= felt(name, program, "]]")
            found[f"{name}: q to the prompt"] = program.quit("\x11")
    begun = perf_counter()
    subprocess.run([sys.executable, "-c", ANSWER], check=True, env=ENVIRONMENT)
    found["imports of NumPy and one answer"] = perf_counter() - begun
    for title, command in PROGRAMS.items():
        for name, (way, moves) in PLACES.items():
            found |= keys_of(title, command, name, way, moves, keys)
        for name, (way, before) in ENDS.items():
            found[f"{title}: {name}, q to the prompt"] = end_of(command, way, before)
    for name, mark, line in peers:
        with on_terminal(line.split()) as program:
            found[f"{name}: start"] = program.until(mark)
    return {figure: 1000.0 * seconds for figure, seconds in found.items()}


def keys_of(
    title: str, command: tuple[str, ...], name: str, way: str, moves: Sequence[str], keys: int
) -> dict[str, float]:
    """Return the seconds of a start, and of keys in a place of a program."""
    found: dict[str, float] = {}
    with running(*command) as program:
        start, computed = program.until("13.1 %", "Quit"), program.processor
        if not way:
            found[f"{title}: start"] = start
            found[f"{title}: {STARTED}"] = computed
        program.rest()
        for step in way:
            program.press(step)
        # What is drawn or computed in the background takes its time.
        program.rest(8 * REST)
        pressed = [program.press(moves[turn % 2]) for turn in range(keys)]
        if not way:
            found[f"{title}: key to first byte"] = median(first for first, _ in pressed)
        found[f"{title}: {name}, key to last byte"] = median(last for _, last in pressed)
        found |= felt(f"{title}: {name}", program, moves)
    if name in HELD:
        steps, key, mark = HELD[name]
        with running(*command) as program:
            program.until("13.1 %", "Quit")
            for step in steps:
                program.press(step)
            program.rest(8 * REST)
            came = program.paced([key] * PRESSES, 1 / PER_SECOND)
            found[f"{title}: {name}, held key"] = right_after(came, mark)
    return found


def felt(name: str, program: Program, moves: Sequence[str]) -> dict[str, float]:
    """Return the processor time of a key, and how late the last of a held one is shown."""
    divide = ", " if ":" in name else ": "
    many = [moves[turn % 2] for turn in range(24)]
    before = program.processor
    program.paced(many, PACE)
    found = {f"{name}{divide}processor time a key": (program.processor - before) / len(many)}
    if divide == ": ":
        came = program.paced(moves[0] * PRESSES, 1 / PER_SECOND)
        found[f"{name}: held key"] = right_after(came, "")
    return found


def right_after(came: Sequence[tuple[float, bytes]], mark: str) -> float:
    """Return when the right picture was complete, in seconds after the last key.

    Args:
        came: What came, and when.
        mark: A pattern: complete is when what it finds is what it finds at the end. Without one,
            nothing may follow.
    """
    if not mark:
        return max(SHORTEST, *(when for when, _ in came))
    import pyte

    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    seen = []
    for when, data in came:
        stream.feed(data)
        found = re.search(mark, " ".join(" ".join(screen.display).split()))
        seen.append((when, found and found[0]))
    others = [when for when, text in seen if text != seen[-1][1]]
    right = next((when for when, _ in seen if not others or when > others[-1]), 0.0)
    return max(SHORTEST, right)


def end_of(command: tuple[str, ...], way: str, before: str) -> float:
    """Return the seconds from q to the prompt, right after something else."""
    with running(*command) as program:
        program.until("13.1 %", "Quit")
        program.rest()
        os.write(program.terminal, way.encode())
        program.read(REST)
        return program.quit(f"{before}q")


def unit_of(figure: str) -> str:
    """Return the figure of the minimal program that another is compared with."""
    kinds = ("key to first byte", KEY, FAST, STARTED, "processor time a key", "q to the prompt")
    kind = next((kind for kind in kinds if figure.endswith(kind)), "start")
    return f"minimal: {kind}"


def aim_of(figure: str) -> tuple[float, bool] | None:
    """Return the most that a figure of attn-tui may be, and whether that is a ratio; or None."""
    title, _, what = figure.partition(": ")
    if title not in PROGRAMS:
        return None
    if what == "start":
        return MOST_START, True
    view, _, kind = what.rpartition(", ")
    aims = {KEY: (AIMS.get(view, MOST), True), FAST: (MOST_HELD, False),
            "q to the prompt": (MOST_END, False)}  # fmt: skip
    return aims.get(kind)


@click.command()
@click.option("--turns", default=7, show_default=True, help="How often each program runs.")
@click.option("--keys", default=9, show_default=True, help="How often each key is pressed.")
@click.option("--check", is_flag=True, help="End with 1 if an aim is missed.")
@click.option("--peer", "peers", nargs=3, multiple=True, help="NAME TEXT COMMAND of another one.")
def main(turns: int, keys: int, check: bool, peers: Sequence[tuple[str, str, str]]) -> None:
    """Print milliseconds and ratios."""
    with running(*ATTN) as program:
        program.until("Quit")
    table = [turn(keys, peers) for _ in range(turns)]
    echo: Callable[[str], None] = click.echo
    n_missed = 0
    echo(f"{'':56}{'ms':>8}{'ratio':>8}   (least to most)")
    for figure in table[0]:
        ratios = sorted(row[figure] / row[unit_of(figure)] for row in table)
        spread = f"({ratios[0]:.2f} to {ratios[-1]:.2f})"
        middle = median(row[figure] for row in table)
        aim = aim_of(figure)
        missed = ""
        if aim is not None:
            most, is_ratio = aim
            if (median(ratios) if is_ratio else middle) > most:
                missed = f"   aim: {'×' if is_ratio else ''}{most:g}"
                n_missed += 1
        echo(f"{figure:56}{middle:8.1f}{median(ratios):8.2f}   {spread}{missed}")
    if check and n_missed:
        raise SystemExit(f"{n_missed} aims are missed")


if __name__ == "__main__":
    main()
