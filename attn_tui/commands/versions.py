"""The versions of all that the program runs on, for reports of faults."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from attn_tui import __version__
from attn_tui.console.output import NAME

PARTS = ("click", "ml_dtypes", "numpy", "platformdirs", "plotext", "rich", "textual")
"""The packages that pyproject.toml asks for."""


def versions() -> dict[str, str | None]:
    """Return versions by name; None where a package is not installed, or a variable not set."""
    return {
        NAME: __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        **{part: _installed(part) for part in PARTS},
        "TERM": os.environ.get("TERM"),
        "COLORTERM": os.environ.get("COLORTERM"),
    }


def _installed(part: str) -> str | None:
    try:
        return version(part)
    except PackageNotFoundError:
        return None
