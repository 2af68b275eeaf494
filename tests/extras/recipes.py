"""Recipes as a user has them: the printed text, run as a script; and what they wrote, read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from attn_tui.captures.capture import Capture
from attn_tui.captures.opening import open_capture
from attn_tui.captures.recipes import recipe_text
from attn_tui.commands.program import program
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.row_statistics import row_statistics
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.scale import LogitMap

REASON = "models are tried where the extra 'models' is installed"


def needed(name: str) -> Any:
    """Import a library of the extra, or skip the module."""
    return pytest.importorskip(name, reason=REASON, exc_type=ImportError)


def capturing(name: str) -> Any:
    """Return what a recipe defines as ``capture``."""
    space: dict[str, Any] = {"__name__": "capturing"}
    exec(compile(recipe_text(name), f"{name}.py", "exec"), space)
    return space["capture"]


def opened(path: Path, **given: Any) -> Capture:
    """Open what was captured; nothing of it may be in doubt."""
    capture = open_capture([str(path)], **given)
    assert not [each for each in capture.stated if "leave open" in each or "deny" in each]
    return capture


def agrees(path: Path, *options: str) -> None:
    """Have the doctor look at a capture: every head has to be as expected."""
    result = CliRunner().invoke(program, ["doctor", str(path), "--json", *options])
    report = json.loads(result.stdout)
    assert (report["verdict"], result.exit_code) == ("agrees", 0), report["why"]


def far(rows: HeadRows, weighing: LogitMap, mask: HeadMask | None = None) -> float:
    """Return ‖out − P·V‖/‖out‖: what was captured, and what our statistics of heads make of it.

    Args:
        rows: Of a head.
        weighing: From scores to logits.
        mask: What is seen; None is what a captured mask says, if there is one.
    """
    mask = mask or HeadMask("none" if rows.seen is None else "given")
    model = HeadModel(weighing.multiplier, softcap=weighing.softcap, sink=weighing.sink, mask=mask)
    computed = row_statistics(rows, model, output=True).output
    assert computed is not None
    assert rows.output is not None
    return float(np.linalg.norm(rows.output - computed) / np.linalg.norm(rows.output))
