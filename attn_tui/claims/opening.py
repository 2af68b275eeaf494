"""The instruments that show claims, by the command line that each names."""

from dataclasses import asdict

from attn_tui.claims.claim import Claim
from attn_tui.claims.trial import Trial
from attn_tui.compute.experiment import Experiment
from attn_tui.instruments import Instrument, load

MOST_ROWS = 10_000
"""Sweep is opened with so many rows at most."""


def command_of(claim: Claim, trial: Trial) -> str:
    """Return the command line that shows a claim at what it is tried with, or nothing."""
    return claim.command.format(**asdict(trial), rows=min(trial.draws, MOST_ROWS))


def opened(claim: Claim, trial: Trial) -> tuple[Instrument, Experiment] | None:
    """Return the instrument that shows a claim, and what is asked there; None where none does."""
    line = command_of(claim, trial)
    # Imported when it is wanted: it knows all options of all commands.
    return load("attn_tui.commands.asked:asked_by")(line) if line else None
