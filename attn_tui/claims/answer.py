"""What Claims answers: what comes of the claim that is asked."""

from collections.abc import Iterator
from dataclasses import dataclass

from attn_tui.claims.claim import Finding, try_claim
from attn_tui.claims.ledger import find, own_finding
from attn_tui.claims.settings import Settings
from attn_tui.compute.experiment import Experiment, Stop, never


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
