"""``attn-tui claims`` and ``attn-tui claim``: claims, reproduced or refuted."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from attn_tui.claims.claim import Claim, TriedClaim, try_claim
from attn_tui.claims.ledger import asked, has_all, hits, ledger, nearest
from attn_tui.claims.settings import Settings
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError, Stop, inert
from attn_tui.compute.field import fields_of
from attn_tui.compute.setup import Setup
from attn_tui.console.options import (
    DRAWS,
    Command,
    changes_of,
    field_option,
    form_options,
    needed,
    of_names,
    settings,
)
from attn_tui.console.output import INTERRUPTED, tell, write
from attn_tui.console.progress import ProgressLine, until_interrupted
from attn_tui.report.rows import WIDTH

# Help is printed without NumPy, which a report and a question need.
if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment

_EXAMPLES = """\
  attn-tui claims
  attn-tui claims first token
  attn-tui claims --seed 7 --json
"""

_EXAMPLES_OF_ONE = """\
  attn-tui claim S2-19
  attn-tui claim cosine
  attn-tui claim S0-23 --d-k 1024 --draws 1000000 --seed 7 --json
"""


MOST_OTHERS = 8
"""How many other claims are named, of those that some words find."""


def _joined(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> str:
    return " ".join(value)


@click.command("claims", cls=Command, examples=_EXAMPLES)
@click.argument("words", nargs=-1, metavar="[WORDS]", callback=_joined)
@field_option(fields_of(Trial)["seed"], DRAWS)
@form_options("Print CSV, one line a number.")
def claims(words: str, form: str, **options: Any) -> int:
    """Try every claim of the ledger: a line each with its verdict, what decides it, and the time.

    WORDS, such as cosine or "first token", leave those that they find, the best first, each with
    what it says and what is right, and what people ask about them. Ctrl+C prints what there is.
    """
    from attn_tui.claims.report import asked_text, report, summary, summary_line, total_line
    from attn_tui.files.faq import asked_about
    from attn_tui.report.forms import WRITERS

    changes = changes_of(Trial, options)
    ranked = hits(words)
    asked_too = asked_about(words) if form == "text" else None
    if not ranked and asked_too:
        tell(f"no claim is about {inert(words)}, but people ask")
    elif not ranked:
        likely = ", ".join(claim.id for claim in nearest(words))
        tell(
            f"no claim is about {inert(words)}" + (f"; the nearest are {likely}" if likely else "")
        )
    elif not has_all(words):
        tell(f"no claim has all of {inert(words)}; these have most")
    trials = [
        (claim, replace(claim.trial, **changes if "seed" in claim.controls else {}))
        for claim in ranked
    ]
    findings: list[tuple[TriedClaim, float]] = []
    # Who reads a pipe or a file has room for long lines.
    width = WIDTH if sys.stdout.isatty() else None
    with until_interrupted() as stop:
        for entry in _findings(trials, stop):
            findings.append(entry)
            if form == "text":
                write([summary(entry[0]) if words else summary_line(*entry, width)])
        interrupted = stop()
    if form == "text":
        write([asked_text(asked_too)] if asked_too else [])
        tried = [finding for finding, _ in findings]
        seconds = sum(time_taken for _, time_taken in findings)
        if trials or not asked_too:
            write([total_line(tried, len(trials), seconds)])
    else:
        write(WRITERS[form](report(findings, replace(Trial(), **changes).seed)))
    return INTERRUPTED if interrupted else 0


def _needed(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> str:
    check = needed("claim", "one that attn-tui claims lists, such as S2-3")
    return check(context, parameter, " ".join(value) or None) or ""


@click.command("claim", cls=Command, examples=_EXAMPLES_OF_ONE)
@click.argument(
    "name", metavar="ID", nargs=-1,
    callback=_needed,
    shell_complete=of_names(lambda: {claim.id: claim.says for claim in ledger().values()}),
)  # fmt: skip
@settings(Trial, DRAWS)
@form_options("Print CSV, one line a number.")
def claim(name: str, form: str, **options: Any) -> int:
    """Try one claim, such as S2-19: what it says, what is right, and the numbers that decide it.

    Words in place of an ID, such as cosine, try the claim that fits them best, and name others.
    """
    from attn_tui.claims.report import report
    from attn_tui.report.forms import WRITERS

    tried, others = asked(name)
    trial = _trial(tried, options)
    names = ", ".join(claim.id for claim in others[:MOST_OTHERS])
    write(WRITERS[form](report([*_findings([(tried, trial)])], trial.seed, others=names)))
    return 0


def to_experiment(options: Mapping[str, Any]) -> "Experiment":
    """Return the question of the Claims screen for a claim of the ledger.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    from attn_tui.files.draft import EXAMPLE, parse

    tried, _ = asked(options["name"])
    settings = Settings(**asdict(_trial(tried, options)), claim=tried.id)
    return parse(replace(EXAMPLE, setup=Setup().put(settings)))


def _trial(tried: Claim, options: Mapping[str, Any]) -> Trial:
    """Return the trial of a claim with the options given."""
    changes = changes_of(Trial, options)
    for control in changes:
        if control not in tried.controls:
            controls = ", ".join(tried.controls) or "nothing: it is not tried with anything"
            raise InputError(control, f"it plays no part in {tried.id}", controls)
    return replace(tried.trial, **changes)


def _findings(
    trials: Sequence[tuple[Claim, Trial]], stop: Stop = lambda: False
) -> Iterator[tuple[TriedClaim, float]]:
    """Yield the finding on each claim and the seconds it took, until stopped."""
    with ProgressLine("claims") as progress:
        for index, (claim, trial) in enumerate(trials):
            if stop():
                return
            progress.show(index / len(trials))
            start = time.perf_counter()
            finding = try_claim(claim, trial)
            seconds = time.perf_counter() - start
            progress.clear()
            yield finding, seconds
