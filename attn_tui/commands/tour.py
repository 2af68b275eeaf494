"""``attn-tui tour``: opens our tour or a teacher's; without a terminal, prints it."""

import gc
from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING

import click

from attn_tui.commands.screen import (
    check_terminal,
    has_terminal,
    mention_missing_terminal,
    take_keys,
)
from attn_tui.compute.errors import InputError
from attn_tui.console.options import SCREEN, Command, Option, switch, themed
from attn_tui.console.output import NAME, write

if TYPE_CHECKING:
    from attn_tui.tour.step import Step, Tour

WIDTH, INDENT = 80, "    "

_EXAMPLES = """\
  attn-tui tour
  attn-tui tour lesson.toml
  attn-tui tour lesson.toml > lesson.txt
"""

SAMPLE = """\
  [[step]]
  ask = "show 10,20,30 --d-k 1"
  say = "Three scores, and nothing is divided: key 2 takes practically all."
  do = "Hold + until d_k is 64."
  until = "d_k >= 64"
  why = "A gap of 10 becomes one of 1.25: key 1 has 21 % again."
"""
"""A lesson of one step."""

_SAMPLE = f"""

\b
A lesson.toml of one step; with guess, three answers and the right one it also
asks. docs/tour.md says what each may be.

\b
{SAMPLE}"""


@click.command("tour", cls=Command, examples=_EXAMPLES + _SAMPLE)
@click.argument("file", required=False, type=click.Path())
@switch("--continue", "Go on where you left FILE.", SCREEN)
@click.option(
    "--step",
    cls=Option,
    group=SCREEN,
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Begin at a step.",
)
@themed
@switch("--ascii", "Draw in ASCII, as under TERM=linux.", SCREEN)
def tour(
    file: str | None, step: int | None, theme: str | None, ascii: bool, **switches: bool
) -> None:
    """Open the tour, from q·k to where the usual story is wrong, or the tour in a TOML FILE.

    The tour of the program continues where you left it, a FILE with --continue. If standard output
    is not a terminal, the steps are printed, with the right answers marked.
    """  # fmt: skip
    from attn_tui.console.asking import asked_by
    from attn_tui.tour.reader import our_tour, read_tour

    try:
        steps = our_tour(asked_by) if file is None else read_tour(file, asked_by)
    except InputError as error:
        raise InputError("tour", error.problem, error.expected, error.where) from None
    if step is not None and step > len(steps.steps):
        count = len(steps.steps)
        raise InputError("step", f"there is no step {step}", f"a number from 1 to {count}")
    if not has_terminal():
        mention_missing_terminal(is_asked=False)
        write(outline(steps))
        return
    check_terminal("tour > FILE")
    gc.disable()
    from attn_tui.files.draft import EXAMPLE
    from attn_tui.ui.terminal.background import asked

    take_keys()
    goes_on = file is None or switches["continue"]
    place = None if goes_on else 0
    if step is not None:
        place = step - 1
    with asked(theme) as background:
        from attn_tui.ui.running import run

        run(EXAMPLE, theme=theme, tour=steps, place=place, ascii=ascii, background=background)


def outline(tour: "Tour") -> Iterator[str]:
    """Yield the steps of a tour as text, in lines of at most `WIDTH` columns."""
    for number, step in enumerate(tour.steps, 1):
        first, *rest = _lines(step)
        yield fill(first, WIDTH, initial_indent=f"{number}.".ljust(4), subsequent_indent=INDENT)
        # In one line, so that it can be copied.
        yield f"\n{INDENT}{NAME} {step.asks.removeprefix(f'{NAME} ')}"
        for line in rest:
            yield "\n" + fill(line, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
        yield "\n\n" if step is not tour.steps[-1] else "\n"


def _lines(step: "Step") -> Iterator[str]:
    yield step.says
    if guess := step.guess:
        yield guess.question
        for index, answer in enumerate(guess.answers):
            yield f"[{'x' if index == guess.right else ' '}] {answer}"
    yield step.task
    yield step.learnt
