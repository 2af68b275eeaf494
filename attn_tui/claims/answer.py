"""The answer of Claims: the finding on a claim, and the instrument that shows it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from attn_tui.claims.claim import Claim, TriedClaim, try_claim
from attn_tui.claims.ledger import find, unchanged_finding
from attn_tui.claims.settings import Settings
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import Stop, Stopped, never
from attn_tui.compute.experiment import Experiment
from attn_tui.instruments import Instrument

MOST_ROWS = 10_000
"""The most rows with which Sweep is opened."""


@dataclass(frozen=True)
class Answer:
    """A claim that was tried.

    Attributes:
        experiment: The question.
        finding: The result of trying its claim.
    """

    experiment: Experiment
    finding: TriedClaim


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield the answer to a question about a claim; nothing if stopped before it is tried."""
    if stop():
        return
    settings = experiment.setup.get(Settings)
    claim, trial = find(settings.claim), settings.trial
    # Findings of own trials are cached for scrolling through the list.
    try:
        if trial == claim.trial:
            finding = unchanged_finding(claim.id, stop)
        else:
            finding = try_claim(claim, trial, stop)
    except Stopped:
        return
    yield Answer(experiment, finding)


def command_of(claim: Claim, trial: Trial) -> str:
    """Return the command line that shows a claim with a trial, or an empty text."""
    return claim.command.format(**asdict(trial), rows=min(trial.draws, MOST_ROWS))


def opened(claim: Claim, trial: Trial) -> tuple[Instrument, Experiment] | None:
    """Return the instrument that shows a claim, and its question there; None if there is none."""
    line = command_of(claim, trial)
    if not line:
        return None
    # Imported on demand, since it imports the options of all commands.
    from attn_tui.console.asking import asked_by

    return asked_by(line)
