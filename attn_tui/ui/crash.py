"""What is left of a failure of the program: what was asked, what went wrong, and where."""

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shlex import quote
from time import strftime
from traceback import extract_tb, format_exception

from attn_tui import __version__
from attn_tui.compute.text import visible
from attn_tui.files.codec import SCHEMA, experiment_to_plain
from attn_tui.files.history import Asked
from attn_tui.files.plain import json_text
from attn_tui.ui import memory

_NUMBERS = count(1)

STATUS = 70
"""What the program ends with: EX_SOFTWARE of sysexits.h."""


@dataclass(frozen=True)
class Crash:
    """A failure of the program.

    Attributes:
        place: File and line, in a few words.
        error: What was raised.
        path: The report, or None where none could be written.
    """

    place: str
    error: str
    path: Path | None

    @property
    def message(self) -> str:
        """What a person is told."""
        told = f"attn-tui failed in {self.place}: {self.error}\n"
        if self.path is None:
            return told + "What was asked could not be saved."
        path = str(self.path)
        shown = visible(path)
        # A name that no terminal can show can hardly be typed.
        named = quote(path) if shown == path else "with that file"
        return (
            f"{told}What was asked, and a report, are in {shown}\n"
            f"attn-tui --experiment {named} asks it again."
        )


def crash(error: BaseException, asked: Asked) -> Crash:
    """Save what was asked and what went wrong, and return where."""
    return Crash(*_of(error), _saved(lambda: _report(error, asked)))


def _of(error: BaseException) -> tuple[str, str]:
    """Return in which line of ours it went wrong, and what."""
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if "attn_tui" in Path(frame.filename).parts] or frames
    place = f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else "an unknown place"
    words = f"{type(error).__name__}: {error}".partition("\n")[0]
    return place, "".join(c if c.isprintable() else repr(c)[1:-1] for c in words)


def _report(error: BaseException, asked: Asked) -> Iterator[str]:
    # It takes long to import, and is seldom needed.
    from importlib.metadata import version

    yield from json_text(
        {
            "schema": SCHEMA,
            "experiment": experiment_to_plain(asked.experiment),
            "draft": {"text": asked.draft.text},
            "crash": {
                "attn_tui": __version__,
                "textual": version("textual"),
                "python": sys.version.split()[0],
                "platform": platform.platform(),
                "terminal": os.environ.get("TERM", ""),
                "traceback": format_exception(error),
            },
        }
    )


def _saved(report: Callable[[], Iterator[str]]) -> Path | None:
    """Write a report where it can be, for its owner alone, and return where."""
    number = next(_NUMBERS)
    for folder in (memory.folder(), Path(tempfile.gettempdir())):
        path = folder / f"crash-{strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{number}.json"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                file.writelines(report())
        except Exception:
            continue
        return path
    return None
