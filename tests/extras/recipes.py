"""Recipes as a user has them: the printed text, run as a script; and what they wrote, read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture
from attn_tui.captures.opening import open_capture
from attn_tui.captures.recipes import recipe_text

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


def attention(
    capture: Capture, layer: int, m: float, batch: int = 0, head: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what one line of NumPy makes of a head under a multiplier, and what was captured."""
    from attn_tui.captures.capture import HeadId

    rows = capture.read(HeadId(batch, layer, head))
    assert rows.values is not None
    assert rows.output is not None
    z = m * (rows.queries.astype(float) @ rows.keys.astype(float).T)
    z = z if rows.seen is None else np.where(rows.seen, z, -np.inf)
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    return p @ rows.values, rows.output.astype(float)
