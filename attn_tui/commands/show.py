"""``attn-tui show``: the numbers of Explore as a text report, CSV or JSON."""

from typing import TYPE_CHECKING, Unpack

import click

from attn_tui.commands.options import (
    GivenGradient,
    gradient,
    gradient_experiment_of,
    option,
    shared,
    whole_number,
)
from attn_tui.commands.output import write

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment


@click.command("show")
@shared
@gradient
@click.option("--csv", "form", flag_value="csv", multiple=True, help="Print CSV, one line a key.")
@click.option("--json", "form", flag_value="json", multiple=True, help="Print JSON.")
@option("--top", "K", "List only the K keys with the largest weights.")
def show(form: tuple[str, ...], top: str | None, **given: Unpack[GivenGradient]) -> None:
    """Print weights and their gradient, unscaled beside scaled.

    SCORES are what `attn-tui --help` says.
    """
    if len(set(form)) > 1:
        raise click.UsageError("--csv and --json exclude each other")
    most = None if top is None else whole_number("top", top, 1)
    print_report(gradient_experiment_of(given), next(iter(form), "text"), most)


def print_report(experiment: "Experiment", form: str = "text", top: int | None = None) -> None:
    """Print the answer to a question as ``"text"``, ``"csv"`` or ``"json"``."""
    from attn_tui.compute.explore import answer
    from attn_tui.report import csv, json, text

    renders = {"text": text.render, "csv": csv.render, "json": json.render}
    for each in answer(experiment):
        write(renders[form](each, top))
