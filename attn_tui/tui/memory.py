"""What is remembered from one start to the next: the colours."""

import os
from contextlib import suppress
from pathlib import Path

LONGEST = 100
"""Characters of a name, so that no file that is something else is read to its end."""


def folder() -> Path:
    """Return where the program keeps what it notes by itself."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join("~", ".local", "state")
    return Path(os.path.expanduser(state)) / "attn-tui"


def remembered_theme() -> str:
    """Return the theme chosen last, or nothing."""
    with suppress(OSError, ValueError), open(folder() / "theme", encoding="utf-8") as file:
        return file.read(LONGEST).strip()
    return ""


def remember_theme(name: str) -> None:
    """Note a theme, where that can be done."""
    with suppress(OSError):
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder() / "theme").write_text(f"{name}\n", encoding="utf-8")
