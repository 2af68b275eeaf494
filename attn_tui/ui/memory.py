"""What is remembered from one start to the next: the colours, and how far tours were."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attn_tui.captures.disk import regular
from attn_tui.compute.errors import InputError
from attn_tui.report.export import write_whole

LONGEST = 100
"""Characters of a name, so that no file that is something else is read to its end."""


def folder() -> Path:
    """Return where the program keeps what it notes by itself."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join("~", ".local", "state")
    return Path(os.path.expanduser(state)) / "attn-tui"


def _read(name: str, most: int) -> bytes:
    """Return what a file of the folder begins with; nothing if it cannot be read."""
    with suppress(OSError), regular(str(folder() / name)) as file:
        return file.read(most)
    return b""


def _write(name: str, text: str) -> None:
    """Write a file of the folder, where that can be done: others see the old one or the new one."""
    with suppress(OSError, InputError):
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(str(folder() / name), [text])


def remembered_theme() -> str:
    """Return the theme chosen last, or nothing."""
    with suppress(UnicodeDecodeError):
        return _read("theme", LONGEST).decode().strip()
    return ""


def remember_theme(name: str) -> None:
    """Note a theme, where that can be done."""
    _write("theme", f"{name}\n")


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
    _write("tour", json.dumps(tours) + "\n")


def _tours() -> dict[str, Any]:
    """Return what the file says of tours; nothing where it is not as it was written."""
    with suppress(ValueError, RecursionError):
        tours = json.loads(_read("tour", LONGEST_TOURS))
        return tours if isinstance(tours, dict) else {}
    return {}
