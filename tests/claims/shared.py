"""What comes of each claim, tried once for all processes of a run."""

import fcntl
import os
import pickle
from pathlib import Path

from attn_tui.claims import ledger
from attn_tui.claims.claim import Claim, Finding, try_claim

FOLDER = "ATTN_TUI_TRIED"
"""The variable that names where findings are kept."""


def share() -> None:
    """Let the ledger take what another process has found, where a run names a folder for that."""
    if FOLDER not in os.environ:
        return
    vars(ledger)["try_claim"] = tried


def tried(claim: Claim) -> Finding:
    """Return what comes of a claim as it is; who asks while it is tried waits for that."""
    with open(Path(os.environ[FOLDER]) / claim.id, "ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if not (data := file.read()):
            data = pickle.dumps(try_claim(claim))
            file.write(data)
    found: Finding = pickle.loads(data)
    return found
