"""Findings on claims, each tried once for all processes of a run."""

import fcntl
import os
import pickle
from pathlib import Path

from attn_tui.claims import ledger
from attn_tui.claims.claim import Claim, TriedClaim, try_claim
from attn_tui.compute.errors import Stop, never

FOLDER = "ATTN_TUI_TRIED"
"""The environment variable that names the folder of findings."""


def share() -> None:
    """Let the ledger reuse findings of other processes if the run names a folder for them."""
    if FOLDER not in os.environ:
        return
    vars(ledger)["try_claim"] = tried


def tried(claim: Claim, stop: Stop = never) -> TriedClaim:
    """Return the finding on a claim; wait if another process is trying it."""
    with open(Path(os.environ[FOLDER]) / claim.id, "ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if not (data := file.read()):
            data = pickle.dumps(try_claim(claim, stop=stop))
            file.write(data)
    finding: TriedClaim = pickle.loads(data)
    return finding
