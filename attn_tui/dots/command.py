"""``attn-tui dot``: the numbers of Dot products as a text report, CSV or JSON."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from attn_tui.compute.dots.settings import Settings
from attn_tui.console.asking import edited, setup_experiment_of
from attn_tui.console.options import DRAWS, PLOT, Command, form_options, settings, setup

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment


_EXAMPLES = """\
  attn-tui dot --d-k 64 --samples 1e7 --seed 7
  attn-tui dot --entries die --correlation 0.5 --table 2,64,4096 --json
  attn-tui dot --tied --rule inverse
"""


@click.command("dot", cls=Command, examples=_EXAMPLES)
@settings(Settings, DRAWS)
@setup
@PLOT
@form_options("Print CSV, one line a number.")
def dot(form: str, plot: bool, ascii: bool, **options: Any) -> int:
    """Print what q·k is like at d_k: its mean, variance and more, before and after the scale.

    Every sampled number has its standard error and, where one is known, the exact value beside it.
    Ctrl+C prints what there is.
    """
    from attn_tui.compute.dots.answer import answer
    from attn_tui.console.answering import print_answer
    from attn_tui.dots.plots import plots
    from attn_tui.dots.report import report

    experiment = to_experiment(options)
    samples = experiment.setup.get(Settings).samples
    return print_answer(
        "dot products", partial(answer, experiment), report, form,
        share=lambda so_far: so_far.drawn / samples, plots=plots if plot else None, ascii=ascii,
    )  # fmt: skip


def to_experiment(options: dict[str, Any]) -> "Experiment":
    """Return the experiment that options describe.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    return setup_experiment_of(options, partial(edited, Settings, options))
