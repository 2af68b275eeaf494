"""Somebody at the terminal, who looks, waits until nothing changes any more, and copies."""

import base64
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pexpect

from tests.contract.screens import COPY, ESCAPE, FIRST, LEAVE
from tests.contract.terminal import Patience, Terminal, remember_start

QUIET = 0.25
"""Seconds without output, and without a thread that runs, after which a program is at rest: longer
than what waits a moment before it is drawn."""

SOON = 0.05
"""Seconds of the same after which somebody who types slowly presses the next key."""

REPEAT = 1 / 30
"""Seconds between two keys of one that is held."""

_LOOK = 0.025

_CLIPBOARD = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)(?:\x07|\x1b\\)")


class Session(Terminal):
    """The program on a terminal, with nothing between both and with a state of its own.

    Somebody has started it before.

    Args:
        folder: The program works there, and keeps there what it keeps.
        arguments: Those of the command line.
        size: Columns and lines.
        environment: Variables besides those of a terminal that shows everything.
        first: What is waited for before anything is pressed, or nothing.
    """

    def __init__(
        self,
        folder: Path,
        arguments: Sequence[str] = (),
        size: tuple[int, int] = (120, 40),
        environment: Mapping[str, str] = MappingProxyType({}),
        first: str = FIRST,
    ) -> None:
        remember_start(folder)
        plain = {"TMUX": "", "STY": "", "COLORFGBG": "", "XDG_STATE_HOME": str(folder)}
        super().__init__(*size, arguments, environment={**plain, **environment}, folder=folder)
        if first:
            self.until_reads(first)

    @property
    def text(self) -> str:
        """What is on the screen, as one line, so that a sentence may be broken anywhere."""
        return " ".join(" ".join(self.display).split())

    def until_reads(self, words: str) -> None:
        """Read until words stand on the screen, on one line or on several."""
        self.until(lambda: words in self.text, repr(words))

    def rest(self, quiet: float = QUIET) -> None:
        """Read until the program sends nothing and does nothing for some seconds."""
        patience = Patience(self.child.pid)
        since = time.monotonic()
        while time.monotonic() - since < quiet:
            if patience.over:
                raise AssertionError("does not rest on\n" + "\n".join(self.display))
            with suppress(pexpect.TIMEOUT):
                self.take(self.child.read_nonblocking(65536, timeout=_LOOK))
                since = time.monotonic()
            if self._works:
                since = time.monotonic()

    @property
    def _works(self) -> bool:
        """Whether a thread of the program runs or waits for a processor, where that is told."""
        states = []
        with suppress(OSError):
            for each in Path(f"/proc/{self.child.pid}/task").glob("*/stat"):
                states.append(each.read_text().rpartition(") ")[2][:1])
        return "R" in states

    def do(self, *keys: str, quiet: float = QUIET) -> None:
        """Press keys, and rest after each."""
        for each in keys:
            self.press(each)
            self.rest(quiet)

    def hold(self, key: str, times: int) -> None:
        """Press a key as one that is held repeats it, reading meanwhile, and rest."""
        for _ in range(times):
            self.press(key)
            end = time.monotonic() + REPEAT
            while (left := end - time.monotonic()) > 0.0:
                with suppress(pexpect.TIMEOUT):
                    self.take(self.child.read_nonblocking(65536, timeout=left))
        self.rest()

    def clipboard(self, since: int) -> str:
        """Return the text that the clipboard gets behind so many bytes of what was sent."""
        self.until(lambda: _CLIPBOARD.search(self.raw, since) is not None, "text to copy")
        (text,) = set(_CLIPBOARD.findall(self.raw, since))
        return base64.b64decode(text, validate=True).decode()

    def copied(self) -> str:
        """Copy the command line that asks what is shown, and return what the clipboard gets."""
        since = len(self.raw)
        self.press(COPY)
        line = self.clipboard(since)
        self.rest(SOON)
        self.do(ESCAPE, quiet=SOON)
        return line

    def line(self, key: str = LEAVE) -> str:
        """Leave, and return the line that stands behind the screen."""
        self.press(key)
        status = self.leave()
        assert status == 0, self.parting
        return self.parting


def run(*words: str, folder: Path) -> str:
    """Return what a command prints, into a pipe."""
    command = [sys.executable, "-m", "attn_tui", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def answer_of(line: str, folder: Path) -> dict[str, Any]:
    """Return what a command line answers as JSON."""
    program, *words = shlex.split(line)
    assert program == "attn-tui"
    answer: dict[str, Any] = json.loads(run(*words, "--json", folder=folder))
    return answer
