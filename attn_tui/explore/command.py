"""``attn-tui show``: the numbers of Explore as a text report, CSV or JSON."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.field import whole
from attn_tui.compute.rules import RULES
from attn_tui.console.asking import (
    edited,
    experiment_of,
    mention_unread_input,
)
from attn_tui.console.options import (
    GRADIENT,
    PLOT,
    REPORT,
    Command,
    Option,
    any_file,
    form_options,
    option,
    settings,
    shared,
)

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.explore.answer import VectorAnswer
    from attn_tui.report.head import Labelled


_EXAMPLES = """\
  attn-tui show 100,120,150
  attn-tui show -1,0,1 q:3,4 --d-k 64 --csv
  attn-tui show --draw 1000 --seed 7 --vectors 2 --json --top 10
  attn-tui show --query 1,0 --keys "[[1,0],[0,1]]" --values "[[1],[2]]"
  attn-tui show 5,1 --rule temperature:T=4 --precision float16 --lab
"""


@click.command("show", cls=Command, examples=_EXAMPLES, lists={"Rules": RULES})
@shared
@settings(Settings, GRADIENT)
@form_options("Print CSV, one line a key.")
@option(
    "--top",
    "K",
    "List only the K keys with the largest scores.",
    REPORT,
)
@click.option(
    "--lab", cls=Option, group=REPORT, is_flag=True, help="Try every number format on each vector."
)
@option(
    "--against",
    "FILE",
    "Compare with what a file asks that --json printed.",
    REPORT,
    any_file,
)
@PLOT
def show(
    form: str, top: str | None, lab: bool, against: str | None, plot: bool, ascii: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Print weights and their gradient, unscaled beside scaled.

    SCORES are what `attn-tui --help` says.
    """
    from attn_tui.compute.explore.answer import answer
    from attn_tui.console.answering import print_answer
    from attn_tui.explore.plots import plots
    from attn_tui.explore.report import Contents, report

    most = None if top is None else whole(1).parse("top", top)
    if against == "-" and "-" in (*options["scores"], options["experiment"]):
        raise InputError("against", "standard input is asked for twice", "- once")
    experiment = to_experiment(options)
    pinned = () if against is None else _pinned(against)
    mention_unread_input(options)
    contents, about = Contents(most, lab, pinned), _about(options, experiment)
    if form == "csv":
        contents.check_one_table()
    return print_answer(
        "vectors", partial(answer, experiment),
        partial(report, contents=contents, about=about), form, share=lambda _: 1.0,
        plots=plots if plot else None, ascii=ascii,
    )  # fmt: skip


def to_experiment(options: Mapping[str, Any]) -> "Experiment":
    """Return the experiment that options describe, with the gradient of a key that exists.

    A saved experiment may name a key that its scores do not have: the last key then stands for
    it, as on the screen that saved it.

    Raises:
        InputError: Naming the input that cannot be used.
    """
    from attn_tui.compute.explore.answer import check_keys

    experiment = experiment_of(options, partial(edited, Settings, options))
    ways = ("of", "answer", "scores", "draw", "seed", "query", "keys")
    if all(not options[name] for name in ways):
        return experiment
    try:
        check_keys(experiment)
    except InputError as error:
        if options[error.field] is None:
            raise InputError("experiment", error.problem, error.expected, error.field) from None
        raise
    return experiment


def _pinned(path: str) -> "tuple[VectorAnswer, ...]":
    """Return the answers to the experiment in the file of ``--against``."""
    from attn_tui.compute.explore.answer import answer
    from attn_tui.files.codec import read_experiment

    try:
        return next(answer(read_experiment(path))).vectors
    except InputError as error:
        raise InputError("against", error.problem, error.expected, error.where) from None


def _about(options: Mapping[str, Any], experiment: "Experiment") -> "list[Labelled]":
    """Return the facts about the example given, if one is."""
    from attn_tui.files.examples import EXAMPLES
    from attn_tui.report.head import about_example

    if options.get("example") is None:
        return []
    return [*about_example(EXAMPLES[options["example"]], experiment)]
