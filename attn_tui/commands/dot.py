"""``attn-tui dot``: the numbers of Dot products as a text report, CSV or JSON."""

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import click

from attn_tui.commands.asking import as_typed, setup_experiment_of
from attn_tui.commands.completion import of_names
from attn_tui.commands.options import (
    DRAWS,
    Command,
    GivenSetup,
    flag,
    forms,
    option,
    setup,
)
from attn_tui.commands.output import INTERRUPTED, write
from attn_tui.commands.progress import Progress, until_interrupted
from attn_tui.compute.errors import InputError
from attn_tui.compute.law.entries import LAWS

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.setup import Setup


class GivenDraws(GivenSetup):
    """Those of the draws too."""

    samples: str | None
    seed: str | None
    entries: str | None
    mean_q: str | None
    mean_k: str | None
    correlation: str | None
    table: str | None


_draws = partial(option, group=DRAWS)


_EXAMPLES = """\
\b
Examples:
  attn-tui dot --d-k 64 --samples 1e7 --seed 7
  attn-tui dot --entries die --correlation 0.5 --table 2,64,4096 --json
  attn-tui dot --tied --rule inverse
"""


@click.command("dot", cls=Command, epilog=_EXAMPLES)
@_draws("--samples", "N", "How many q·k are drawn, 1 to 10^8.  [default: 100,000]")
@_draws("--seed", "S", "What is drawn, a whole number.  [default: 1]")
@_draws(
    "--entries",
    "NAME",
    f"The law of the entries of q and k: {', '.join(LAWS)}.  [default: normal]",
    complete=of_names({name: law.title for name, law in LAWS.items()}),
)
@_draws("--mean-q", "X", "Added to every entry of q.  [default: 0]")
@_draws("--mean-k", "X", "Added to every entry of k.  [default: 0]")
@_draws("--correlation", "R", "ρ between q_i and k_i, -1 to 1.  [default: 0]")
@flag(
    "--tied/--free",
    "Whether all components of q are one number, and all of k.  [default: free]",
    DRAWS,
)
@_draws(
    "--table",
    "D,D,…",
    "The d_k of the rows of the table, without marks of thousands.  [default: 2,4,512,1024]",
)
@setup
@forms("Print CSV, one line a number.")
@click.pass_context
def dot(
    context: click.Context, /, form: str, tied: bool | None, **given: Unpack[GivenDraws]
) -> None:
    """Print what q·k is like at d_k: its mean, variance and more, before and after the scale.

    Every sampled number has its standard error and, where one is known, the exact value beside it.
    Ctrl+C prints what there is.
    """
    values: dict[str, Any] = {**given, "tied": None if tied is None else "yes" if tied else "no"}
    texts: dict[str, str | None] = {name: values[name] for name in _FIELDS}
    shared: Any = {name: values[name] for name in GivenSetup.__annotations__}
    experiment = setup_experiment_of(shared, partial(_draws_of, texts))
    context.exit(print_dots(experiment, form))


_FIELDS = {
    "samples": "samples",
    "seed": "seed",
    "entries": "entries",
    "mean_q": "mean_q",
    "mean_k": "mean_k",
    "correlation": "correlation",
    "tied": "tied",
    "table": "d_ks",
}
"""The field of the settings that each option gives."""


def _draws_of(texts: dict[str, str | None], setup: "Setup") -> "Setup":
    """Return a setup with the draws that the options say in place of what it said."""
    from attn_tui.compute.dots.answer import Settings
    from attn_tui.files.dots import changed

    settings = setup.get(Settings)
    for name, text in texts.items():
        if text is not None:
            try:
                settings = changed(settings, _FIELDS[name], text)
            except InputError as error:
                raise as_typed(error, name, text) from None
    return setup.put(settings)


def print_dots(experiment: "Experiment", form: str) -> int:
    """Print the answer to a question as ``"text"``, ``"csv"`` or ``"json"``; return the status.

    Ctrl+C ends the draw: what was drawn is printed, and the status says that it was interrupted.
    """
    from attn_tui.compute.dots.answer import Settings, answer
    from attn_tui.report.dots import csv, json, text

    samples = experiment.setup.get(Settings).samples
    found = None
    with until_interrupted() as stop, Progress("dot products") as progress:
        for found in answer(experiment, stop):
            progress.show(found.drawn / samples)
        interrupted = stop()
    if found is not None:
        renders = {"text": text.render, "csv": csv.render, "json": json.render}
        write(renders[form](found))
    return INTERRUPTED if interrupted else 0
