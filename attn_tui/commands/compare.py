"""``attn-tui compare``: two captures side by side, and where they part."""

from typing import Any

import click

from attn_tui.commands.completion import experiment_files, of_names
from attn_tui.commands.heads import CAPTURED, DEFAULT, WEIGHTS, WORDS, opened, question
from attn_tui.commands.options import REPORT, Command, all_of, forms, option
from attn_tui.commands.output import INTERRUPTED, write
from attn_tui.commands.progress import Progress, until_interrupted
from attn_tui.compute.errors import InputError
from attn_tui.compute.field import number

_EXAMPLES = """\
  attn-tui compare step-1000.safetensors step-10000.safetensors
  attn-tui compare eager.safetensors flash.safetensors --rows all
  attn-tui compare a.npz b.npz --statistic entropy,max_logit --csv

\b
Exit status: 0 nothing differs by more than rounding; 1 something does; 2 bad
input; 3 nothing does of what both have, and heads are in one only, or of
another shape there; 130 Ctrl+C, after what there is.
"""

PART, PARTLY = 1, 3
"""The statuses that say that captures part, and that only some of their heads were compared."""


@click.command("compare", cls=Command, examples=_EXAMPLES)
@click.argument("captures", nargs=-1, metavar="A B", shell_complete=experiment_files)
@lambda command: all_of(
    (
        *CAPTURED,
        *WEIGHTS,
        option(
            "--tolerance",
            "R",
            "By how much tensors may differ, relative to their size, and entries, to the largest "
            "of their row.  [default: 8 times what rounding makes, or 0.0001]",
            REPORT,
        ),
        option(
            "--statistic",
            "NAME,…",
            f"Whose changes are shown.  [default: {', '.join(DEFAULT)}]",
            REPORT,
            of_names(WORDS, lists=True),
        ),
        forms("Print CSV: a line for each head and what is compared."),
    ),
    command,
)
def compare(captures: tuple[str, ...], form: str, **given: Any) -> int:
    """Say in which layer and head two captures first differ by more than rounding, and where most.

    q, k, v and outputs are compared entry by entry, in this order; then how statistics of sampled
    rows change. A and B are files, or patterns in quotation marks. Ctrl+C prints what there is.
    """
    from attn_tui.commands.heads import read_statistics
    from attn_tui.engine.comparison import compared
    from attn_tui.engine.survey import Survey, survey
    from attn_tui.report.heads import compare as report
    from attn_tui.report.heads.shown import Shown

    if len(captures) != 2:
        problem = f"{len(captures)} are given"
        raise InputError("capture", problem, "two, such as a.safetensors b.safetensors")
    statistics = read_statistics(given["statistic"])
    asked, tolerance = question(given), given["tolerance"]
    if tolerance is not None:
        tolerance = number(0.0, called="a number from 0, such as 0.01").parse(
            "tolerance", tolerance
        )
    one, other = (opened([path], given) for path in captures)
    with until_interrupted() as stop, Progress("heads") as progress:
        for found in compared(one, other, asked, tolerance, stop):
            progress.show(0.5 * found.progress)
        surveys = [Survey(plan) for plan in found.plans]
        for at, plan in enumerate(() if stop() else found.plans):
            for surveys[at] in survey(plan, stop=stop):
                progress.show(0.5 + 0.25 * (at + surveys[at].progress))
        interrupted = stop()
    renders = {
        "text": report.render_text, "csv": report.render_csv, "json": report.render_json,
    }  # fmt: skip
    write(renders[form](found, (surveys[0].heads, surveys[1].heads), Shown(statistics)))
    if interrupted:
        return INTERRUPTED
    return PART if found.parting else PARTLY if found.alone else 0
