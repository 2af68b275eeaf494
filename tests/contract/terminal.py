"""A terminal that a program runs on, for tests: what it shows and how much it was sent."""

import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

import pexpect

from attn_tui.ui.memory import STARTED
from tests.contract.shown import Shown

DEADLINE = 60.0
"""Seconds after which a wait fails, of those in which the program could run; nothing waits for a
time."""

MOST = 20.0
"""How many times as long it is waited at most."""

PLAIN = ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL", "COLUMNS", "LINES", "CI", "LC_ALL")


class Patience:
    """What is left of a deadline for a program, which others may keep from running.

    Args:
        pid: The program.
        seconds: In which it could run, or had nothing to do.
    """

    def __init__(self, pid: int, seconds: float = DEADLINE) -> None:
        self._tasks = Path(f"/proc/{pid}/task")
        self._seconds = seconds
        self._waits: dict[Path, int] = {}
        self._start, self._held = time.monotonic(), self.waited()

    def waited(self) -> float:
        """Return for how many seconds its threads have waited for a processor, where it is told.

        Those that have ended count as far as they were seen.
        """
        for each in self._tasks.glob("*/schedstat"):
            with suppress(OSError):
                self._waits[each] = int(each.read_text().split()[1])
        return sum(self._waits.values()) / 1e9

    @property
    def over(self) -> bool:
        """Whether it has had its time."""
        passed = time.monotonic() - self._start
        if passed <= self._seconds:
            return False
        held = self.waited() - self._held
        return passed - held > self._seconds or passed > MOST * self._seconds


def remember_start(folder: Path) -> None:
    """Leave what a first start leaves, since only that one offers the tour."""
    (folder / "attn-tui").mkdir(exist_ok=True)
    (folder / "attn-tui" / STARTED).write_text("yes", "utf-8")


def environment_of(others: Mapping[str, str]) -> dict[str, str]:
    """Return what a program finds on a terminal that shows everything, with some of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in PLAIN}
    if "XDG_STATE_HOME" in kept:
        # Each program has a state of its own, or it would offer the session of another test.
        kept["XDG_STATE_HOME"] = tempfile.mkdtemp(dir=kept["XDG_STATE_HOME"])
        remember_start(Path(kept["XDG_STATE_HOME"]))
    plain = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    return {**kept, **plain, **others}


_SEQUENCE = re.compile(r"\x1b\[[\d;?<>=]*[a-zA-Z]")
_ALTERNATE = b"\x1b[?1049l"


class Terminal(Shown):
    """A pseudo-terminal with a program on it."""

    def __init__(
        self,
        columns: int,
        lines: int,
        arguments: Sequence[str] = (),
        program: Sequence[str] = (sys.executable, "-m", "attn_tui"),
        environment: Mapping[str, str] = MappingProxyType({}),
        folder: Path = Path(),
    ) -> None:
        super().__init__(columns, lines)
        self.answers = True
        self.child = pexpect.spawn(
            program[0],
            [*program[1:], *arguments],
            cwd=os.fspath(folder),
            env=environment_of(environment),
            dimensions=(lines, columns),
            timeout=MOST * DEADLINE,
        )
        self.child.delaybeforesend = None
        self.child.ptyproc.delayafterclose = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.child.isalive():
            self.child.kill(signal.SIGKILL)
            self.child.wait()
        self.child.close()

    def take(self, data: bytes) -> None:
        """Show what the program writes, and answer where it asks whether that is done."""
        asked = (self.raw[-3:] + data).count(b"\x1b[5n")
        super().take(data)
        if self.answers:
            self.child.send("\x1b[0n" * asked)

    def press(self, keys: str) -> None:
        """Type keys."""
        self.child.send(keys)

    def resize(self, columns: int, lines: int) -> None:
        """Become another size."""
        self.screen.resize(lines, columns)
        self.child.setwinsize(lines, columns)

    def until(self, holds: Callable[[], bool], wanted: str) -> None:
        """Read until something holds; fail at the deadline, or when the program ends."""
        patience = Patience(self.child.pid)
        while not holds():
            if patience.over:
                raise AssertionError(f"no {wanted} on\n" + "\n".join(self.display))
            try:
                data = self.child.read_nonblocking(64, timeout=1)
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                raise AssertionError(
                    f"ended before {wanted}:\n" + "\n".join(self.display)
                ) from None
            self.take(data)

    def until_shows(self, text: str) -> None:
        """Read until a text stands on the screen."""
        self.until(lambda: any(text in line for line in self.display), repr(text))

    def until_like(self, display: Sequence[str], lines: slice = slice(None)) -> None:
        """Read until some lines of the screen are those of another screen."""
        wanted = tuple(display)[lines]
        self.until(lambda: self.display[lines] == wanted, "\n".join(wanted))

    @property
    def parting(self) -> str:
        """What stands behind the screen once the program has left it."""
        left = self.raw.rpartition(_ALTERNATE)[2].decode(errors="replace")
        return _SEQUENCE.sub("", left).strip()

    def leave(self) -> int:
        """Read to the end and return the exit status, or less than 0 for a signal."""
        with suppress(pexpect.EOF):
            while True:
                self.take(self.child.read_nonblocking(65536, timeout=-1))
        self.child.wait()
        self.child.close()
        status, signal = self.child.exitstatus, self.child.signalstatus
        return -int(signal) if status is None else int(status)


def held(terminal: Terminal) -> int:
    """Return the bytes of memory that the program holds now."""
    status = Path(f"/proc/{terminal.child.pid}/status").read_text("utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024
