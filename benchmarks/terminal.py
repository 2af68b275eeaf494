"""Time the program on a pseudo-terminal beside the least a Textual program can do, as ratios.

    python benchmarks/terminal.py            # some minutes, on a quiet machine
    python benchmarks/terminal.py --turns 2  # only to see that it runs
    python benchmarks/terminal.py --peer harlequin 'Query Results' harlequin

Programs take turns: an application with one number, a header and a footer (the unit of every
ratio); the same with a canvas of thirty rows; the imports of NumPy and one answer, without a
screen; attn-tui; and others that are named, of
which the start is timed until a text of theirs is shown. Bytes are stamped as they arrive. A start
ends with the first screen that is of use; a key's first byte and last byte are those before a rest.
Shown are medians, and the ratio of each to the unit's of the same turn, with the smallest and the
largest.
"""

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fcntl import ioctl
from statistics import median
from struct import pack
from termios import TIOCSWINSZ
from time import perf_counter

import click

COLUMNS, LINES = 120, 40
REST = 0.3
"""Seconds without a byte that end what a key has led to."""

LONGEST = 30.0

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

    def end(self) -> None:
        """End it."""
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


def turn(keys: int, peers: Sequence[tuple[str, str, str]]) -> dict[str, float]:
    """Return one turn of every figure, in milliseconds."""
    found: dict[str, float] = {}
    for name, source in (("minimal", MINIMAL), ("canvas", CANVAS)):
        with running("-c", source) as program:
            found[f"{name}: start"] = program.until("number 0", "palette")
            program.rest()
            pressed = [program.press("]") for _ in range(keys)]
            found[f"{name}: key to first byte"] = median(first for first, _ in pressed)
            found[f"{name}: key to last byte"] = median(last for _, last in pressed)
    begun = perf_counter()
    subprocess.run([sys.executable, "-c", ANSWER], check=True, env=ENVIRONMENT)
    found["imports of NumPy and one answer"] = perf_counter() - begun
    for title, command in PROGRAMS.items():
        for name, (way, moves) in PLACES.items():
            found |= keys_of(title, command, name, way, moves, keys)
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
        start = program.until("13.1 %", "Quit")
        if not way:
            found[f"{title}: start"] = start
        program.rest()
        for step in way:
            program.press(step)
        # What is drawn or computed in the background takes its time.
        program.rest(8 * REST)
        pressed = [program.press(moves[turn % 2]) for turn in range(keys)]
        if not way:
            found[f"{title}: key to first byte"] = median(first for first, _ in pressed)
        found[f"{title}: {name}, key to last byte"] = median(last for _, last in pressed)
    return found


def unit_of(figure: str) -> str:
    """Return the figure of the minimal program that another is compared with."""
    what = figure.partition(": ")[2]
    return "minimal: start" if "key" not in what else f"minimal: {what[what.index('key') :]}"


@click.command()
@click.option("--turns", default=7, show_default=True, help="How often each program runs.")
@click.option("--keys", default=9, show_default=True, help="How often each key is pressed.")
@click.option("--peer", "peers", nargs=3, multiple=True, help="NAME TEXT COMMAND of another one.")
def main(turns: int, keys: int, peers: Sequence[tuple[str, str, str]]) -> None:
    """Print milliseconds and ratios."""
    with running(*ATTN) as program:
        program.until("Quit")
    table = [turn(keys, peers) for _ in range(turns)]
    echo: Callable[[str], None] = click.echo
    echo(f"{'':44}{'ms':>8}{'ratio':>8}   (least to most)")
    for figure in table[0]:
        ratios = sorted(row[figure] / row[unit_of(figure)] for row in table)
        spread = f"({ratios[0]:.2f} to {ratios[-1]:.2f})"
        middle = median(row[figure] for row in table)
        echo(f"{figure:44}{middle:8.1f}{median(ratios):8.2f}   {spread}")


if __name__ == "__main__":
    main()
