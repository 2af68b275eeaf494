"""``attn-tui tour``: opens our tour or a teacher's; without a terminal, prints it."""

import gc
from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING

import click

from attn_tui.commands.options import SCREEN, Command, switch
from attn_tui.commands.output import write
from attn_tui.commands.screen import check_terminal, has_terminal, take_keys
from attn_tui.compute.errors import InputError

if TYPE_CHECKING:
    from attn_tui.tour.step import Step, Tour

WIDTH, INDENT = 80, "    "

_EXAMPLES = """\
  attn-tui tour
  attn-tui tour lesson.toml
  attn-tui tour lesson.toml > lesson.txt
"""


@click.command("tour", cls=Command, examples=_EXAMPLES)
@click.argument("file", required=False, type=click.Path())
@switch("--ascii", "Draw in ASCII, as under TERM=linux.", SCREEN)
@click.pass_context
def tour(context: click.Context, /, file: str | None, ascii: bool) -> None:
    """Open the tour, from q·k to where the usual story is wrong, or the tour in a TOML FILE.

    It continues where you left it. If standard output is not a terminal, it prints the steps, with
    the right answers marked.
    """
    from attn_tui.commands.asking import asked_by
    from attn_tui.tour.reader import our_tour, read_tour

    try:
        steps = our_tour(asked_by) if file is None else read_tour(file, asked_by)
    except InputError as error:
        raise InputError("tour", error.problem, error.expected, error.where) from None
    if not has_terminal():
        write(outline(steps))
        return
    check_terminal("tour > FILE")
    gc.disable()
    from attn_tui.files.draft import EXAMPLE
    from attn_tui.ui.running import run

    take_keys()
    context.exit(run(EXAMPLE, tour=steps, ascii=ascii))


def outline(tour: "Tour") -> Iterator[str]:
    """Yield the steps of a tour as text, in lines of at most `WIDTH` columns."""
    for number, step in enumerate(tour.steps, 1):
        first, *rest = _lines(step)
        yield fill(first, WIDTH, initial_indent=f"{number}.".ljust(4), subsequent_indent=INDENT)
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
