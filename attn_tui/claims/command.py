"""``attn-tui claims`` and ``attn-tui claim``: claims, reproduced or refuted."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from attn_tui.claims.claim import Claim, TriedClaim, try_claim
from attn_tui.claims.ledger import ledger
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

# Help is printed without NumPy, which a report, a search and a question need.
if TYPE_CHECKING:
    from attn_tui.claims.matches import Matches
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

MOST_NEAREST = 5
"""How many claims are named below what people ask, if that fits better than all claims."""


def _joined(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> str:
    return " ".join(value)


@click.command("claims", cls=Command, examples=_EXAMPLES)
@click.argument("words", nargs=-1, metavar="[WORDS]", callback=_joined)
@field_option(fields_of(Trial)["seed"], DRAWS)
@form_options("Print CSV, one line a number.")
def claims(words: str, form: str, **options: Any) -> int:
    """Try every claim of the ledger: a line each with its verdict, what decides it, and the time.

    WORDS, such as cosine or "first token", leave those that they find, the best first, each with
    what it says and what is right, and what people ask about them. A number, such as 0.0884, is
    named as the scale of a d_k. Ctrl+C prints what there is.
    """
    from attn_tui.claims.matches import nearest
    from attn_tui.claims.report import asked_text, report, summary, summary_line, total_line
    from attn_tui.report.forms import WRITERS

    changes = changes_of(Trial, options)
    scale, matched = _matched(words, form)
    _tell_missing(matched, words, scale)
    if form == "text" and matched.replies:
        write(filter(None, [scale, _reply_text(matched)]))
        return 0
    if not matched.claims and not scale:
        likely = ", ".join(claim.id for claim in nearest(words))
        tell(
            f"no claim is about {inert(words)}" + (f"; the nearest are {likely}" if likely else "")
        )
    trials = [
        (claim, replace(claim.trial, **changes if "seed" in claim.controls else {}))
        for claim in matched.claims
    ]
    findings: list[tuple[TriedClaim, float]] = []
    # Who reads a pipe or a file has room for long lines.
    width = WIDTH if sys.stdout.isatty() else None
    reply = asked_text(matched.entry) if matched.entry and form == "text" else ""
    write(filter(None, [scale, reply if matched.is_asked else ""]))
    with until_interrupted() as stop:
        for timed in _findings(trials, stop):
            findings.append(timed)
            if form == "text":
                write([summary(timed[0]) if words else summary_line(*timed, width)])
        interrupted = stop()
    if form == "text":
        write([reply] if reply and not matched.is_asked else [])
        tried = [finding for finding, _ in findings]
        seconds = sum(time_taken for _, time_taken in findings)
        if trials or not scale:
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

    Words in place of an ID, such as cosine or the title of a question, try the claim that fits
    them best, and name others; what people ask comes first where it fits better.
    """
    from attn_tui.claims.matches import asked
    from attn_tui.claims.report import asked_text, report
    from attn_tui.report.forms import WRITERS

    scale, matched = _matched(name, form)
    if form == "text" and matched.replies:
        _tell_missing(matched, name, scale)
        write(filter(None, [scale, _reply_text(matched)]))
        return 0
    if scale and not matched.claims:
        write([scale])
        return 0
    matched = asked(name)
    tried, *others = matched.claims
    trial = _trial(tried, options)
    _tell_missing(matched, name, scale)
    if form == "text":
        reply = asked_text(matched.entry) if matched.entry and matched.is_asked else ""
        write(filter(None, [scale, reply]))
    names = ", ".join(claim.id for claim in others[:MOST_OTHERS])
    write(WRITERS[form](report([*_findings([(tried, trial)])], trial.seed, others=names)))
    return 0


def _tell_missing(matched: "Matches", words: str, scale: str) -> None:
    """Say on standard error that what is found lacks some of the words."""
    if matched.is_asked and not matched.asks_all:
        if len(words.split()) == 1:
            tell(f"nothing has {inert(words)}; this is nearest")
        else:
            tell(f"nothing has all of {inert(words)}; this has most")
    elif not matched.is_asked and not matched.has_all and matched.claims and not scale:
        tell(f"no claim has all of {inert(words)}; these have most")


def _reply_text(matched: "Matches") -> str:
    """Return what people ask that stands for all claims, and the claims that are nearest."""
    from attn_tui.claims.report import asked_text

    assert matched.entry is not None
    names = ", ".join(claim.id for claim in matched.claims[:MOST_NEAREST])
    return asked_text(matched.entry) + (
        f"No claim has all of it; nearest: {names}\n" if names else ""
    )


def _matched(words: str, form: str) -> tuple[str, "Matches"]:
    """Return what a number among some words is, if it is the scale of a d_k, and what they find.

    Beside a number that stands alone only a question that has it is shown.
    """
    from attn_tui.claims.matches import Matches, matches
    from attn_tui.claims.report import scale_text
    from attn_tui.compute.typed_scale import typed_scale

    scale = typed_scale(words) if form == "text" else None
    matched = matches(words)
    if scale is None:
        return "", matched
    if scale.is_alone and not matched.asks_all:
        matched = Matches([])
    return scale_text(scale), matched


def to_experiment(options: Mapping[str, Any]) -> "Experiment":
    """Return the question of the Claims screen for a claim of the ledger.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    from attn_tui.claims.matches import asked
    from attn_tui.files.draft import EXAMPLE, parse

    tried = asked(options["name"]).claims[0]
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
