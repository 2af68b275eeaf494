"""What Claims answers: what comes of the claim that is asked, and the instrument that shows it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from attn_tui.claims.claim import Claim, Finding, try_claim
from attn_tui.claims.ledger import find, own_finding
from attn_tui.claims.settings import Settings
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.instruments import Instrument, load

MOST_ROWS = 10_000
"""Sweep is opened with so many rows at most."""


@dataclass(frozen=True)
class Answer:
    """A claim that was tried.

    Attributes:
        experiment: The question.
        finding: What came of it.
    """

    experiment: Experiment
    finding: Finding


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield what comes of the claim that a question asks; nothing if it is stopped before."""
    if stop():
        return
    settings = experiment.setup.get(Settings)
    claim, trial = find(settings.claim), settings.trial
    # That of its own trial is kept: who runs through the list comes by it again.
    finding = own_finding(claim.id) if trial == claim.trial else try_claim(claim, trial)
    yield Answer(experiment, finding)


def command_of(claim: Claim, trial: Trial) -> str:
    """Return the command line that shows a claim at what it is tried with, or nothing."""
    return claim.command.format(**asdict(trial), rows=min(trial.draws, MOST_ROWS))


def opened(claim: Claim, trial: Trial) -> tuple[Instrument, Experiment] | None:
    """Return the instrument that shows a claim, and what is asked there; None where none does."""
    line = command_of(claim, trial)
    # Imported when it is wanted: it knows all options of all commands.
    return load("attn_tui.commands.asking:asked_by")(line) if line else None
