"""What is remembered from one start to the next: the colours, and how far tours were."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

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


MOST_TOURS, LONGEST_TOURS = 20, 20_000
"""So many tours are remembered, the latest, in at most so many characters."""


def remembered_tour(name: str) -> tuple[int, tuple[Any, ...]]:
    """Return the step at which a tour was left, and what was picked before; else its beginning."""
    match _tours().get(name):
        case {"step": int(at), "picks": [*picks]}:
            return at, tuple(picks)
    return 0, ()


def remember_tour(name: str, at: int, picks: Sequence[int | None]) -> None:
    """Note how far somebody is in a tour, where that can be done."""
    others = [(other, value) for other, value in _tours().items() if other != name]
    tours = dict([*others[1 - MOST_TOURS :], (name, {"step": at, "picks": [*picks]})])
    with suppress(OSError):
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder() / "tour").write_text(json.dumps(tours) + "\n", encoding="utf-8")


def _tours() -> dict[str, Any]:
    """Return what the file says of tours; nothing where it is not as it was written."""
    with suppress(OSError, ValueError, RecursionError), open(folder() / "tour", "rb") as file:
        tours = json.loads(file.read(LONGEST_TOURS))
        return tours if isinstance(tours, dict) else {}
    return {}
