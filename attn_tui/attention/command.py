"""``attn-tui attention``: every row of a head as a text report, CSV or JSON."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import fields_of
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.setup import Setup
from attn_tui.console.asking import (
    NONE,
    edited,
    experiment_of,
    idle_source,
    mention_unread_input,
)
from attn_tui.console.options import DRAWS, Command, Options, form_options, settings, shared

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment

_EXAMPLES = """\
  attn-tui attention --d-k 64
  attn-tui attention --n 64 --seed 7 --every-key --rule inverse --csv
  attn-tui attention --query @q.npy --keys @k.npy --mask causal --json
"""


_SCORES = ("scores", "capture", "draw", "query", "keys", "example", "experiment")
"""The options that rows may come from; without any of them the head is drawn."""


@click.command("attention", cls=Command, examples=_EXAMPLES)
@shared
@settings(Settings, DRAWS)
@form_options("Print CSV, one line a row of the head.")
def attention(form: str, **options: Any) -> int:
    """Print what each query of a head does: how many keys it shares its weight among.

    The rows are SCORES, as `attn-tui --help` says, where there are several; of q and K those of
    each query. Else a head is drawn, of --n queries and keys from --seed. Ctrl+C prints what there
    is.
    """
    from attn_tui.attention.report import report
    from attn_tui.compute.attention.answer import answer
    from attn_tui.console.answering import print_answer

    experiment = to_experiment(options)
    mention_unread_input(options)
    # Only JSON has the maps of the weights.
    answers = partial(answer, experiment, maps=form == "json")
    return print_answer("head", answers, report, form)


def to_experiment(options: dict[str, Any]) -> "Experiment":
    """Return the experiment that options describe; without ``--draw``, the seed is the head's.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    edits: list[Callable[[Setup], Setup]] = [partial(edited, Settings, options)]
    if options["seed"] is not None and options["draw"] is None:
        field = fields_of(Settings)["seed"]
        seed = field.kind.parse(field.parameter, options["seed"])
        edits.append(lambda setup: setup.put(replace(setup.get(Settings), seed=seed)))
        options = {**options, "seed": None}
    if options["mask"] is not None and not any(options[name] for name in _SCORES):
        causal = parse_mask("" if options["mask"].strip() == NONE else options["mask"])
        if causal.ranges:
            problem = f"{inert(options['mask'])} will not do for a head that is drawn"
            raise InputError("mask", problem, "causal or none")
        edits.append(lambda setup: setup.put(replace(setup.get(Settings), causal=causal.causal)))
        options = {**options, "mask": None}
    if options["capture"]:
        # For a captured head, --mask and --causal mean the same, so each sets the other.
        if options["mask"] is None and options["causal"] is not None:
            options = {**options, "mask": "causal" if options["causal"] else NONE}
        if options["mask"] is not None:
            is_causal = "causal" in options["mask"]
            edits.append(lambda setup: setup.put(replace(setup.get(Settings), causal=is_causal)))
    drawn = None if any(options[name] for name in _SCORES) else idle_source(options["rule"])
    experiment = experiment_of(Options(options), *edits, source=drawn)
    _check_used(options, experiment)
    return experiment


def _check_used(options: dict[str, Any], experiment: "Experiment") -> None:
    """Check that no option for rows, or for a drawn head, is ignored.

    Raises:
        InputError: Naming the option that has no effect.
    """
    from attn_tui.compute.attention.answer import is_drawn

    if is_drawn(experiment):
        for name in ("scores", "draw", "query"):
            if options[name]:
                problem = "the head is drawn, and these scores are left aside"
                expected = "several vectors, or --n and --seed in their place"
                raise InputError(name, problem, expected)
    elif options["n"] is not None and options["experiment"] is None:
        problem = "the rows are those that are given, and no head is drawn"
        raise InputError("n", problem, "no --n, or --rows drawn without scores")
    elif options["causal"] and not options["capture"] and options["experiment"] is None:
        raise InputError("causal", "the rows are those that are given", "--mask causal")
