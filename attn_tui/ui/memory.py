"""What is remembered between runs: the first start, themes, and the progress of tours."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attn_tui.captures.disk import regular
from attn_tui.compute.errors import InputError
from attn_tui.report.export import write_whole

STARTED = "started"
"""The name of the file that is there from the first start on."""

LONGEST = 100
"""The most bytes read for a name, in case the file is something else and long."""


def folder() -> Path:
    """Return the folder in which the program keeps its own notes."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join("~", ".local", "state")
    return Path(os.path.expanduser(state)) / "attn-tui"


def _read(name: str, most: int) -> bytes:
    """Return the first bytes of a file of the folder; nothing if it cannot be read."""
    with suppress(OSError), regular(str(folder() / name)) as file:
        return file.read(most)
    return b""


def _write(name: str, text: str) -> bool:
    """Write a file of the folder, atomically, and return whether that was possible."""
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(str(folder() / name), [text])
    except (OSError, InputError):
        return False
    return True


def is_first_start() -> bool:
    """Return whether the program has never been started before, and remember that it has.

    Where nothing can be remembered, no start is the first.
    """
    return not _read(STARTED, LONGEST) and _write(STARTED, "yes\n")


def remembered_theme() -> str:
    """Return the name of the theme chosen last, or nothing."""
    with suppress(UnicodeDecodeError):
        return _read("theme", LONGEST).decode().strip()
    return ""


def remember_theme(name: str) -> None:
    """Save the name of a theme, if possible."""
    _write("theme", f"{name}\n")


def remembered_background() -> str:
    """Return ``"light"`` or ``"dark"``, as the terminal said last; nothing if it never did."""
    with suppress(UnicodeDecodeError):
        shade = _read("background", LONGEST).decode().strip()
        return shade if shade in ("light", "dark") else ""
    return ""


def remember_background(shade: str) -> None:
    """Save whether the terminal is light or dark, if that is known and new."""
    if shade and shade != remembered_background():
        _write("background", f"{shade}\n")


MOST_TOURS, LONGEST_TOURS = 20, 20_000
"""The most tours remembered, which are the latest, and the most bytes they take."""


def remembered_tour(name: str) -> tuple[int, tuple[Any, ...]]:
    """Return the step at which a tour was left and the picks so far, or its beginning."""
    match _tours().get(name):
        case {"step": int(step), "picks": [*picks]}:
            return step, tuple(picks)
    return 0, ()


def remember_tour(name: str, step: int, picks: Sequence[int | None]) -> None:
    """Save the step and the picks of a tour, if possible."""
    others = [(other, value) for other, value in _tours().items() if other != name]
    tours = dict([*others[1 - MOST_TOURS :], (name, {"step": step, "picks": [*picks]})])
    _write("tour", json.dumps(tours) + "\n")


def _tours() -> dict[str, Any]:
    """Return the tours in the file; none if the file is damaged."""
    with suppress(ValueError, RecursionError):
        tours = json.loads(_read("tour", LONGEST_TOURS))
        return tours if isinstance(tours, dict) else {}
    return {}
