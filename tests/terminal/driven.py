"""The program on a pseudo-terminal where anything is done to it, and how it must not behave."""

import json
import os
import re
import select
import signal
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.terminal.events import Event, Size
from tests.terminal.terminal import Patience, Terminal
from tests.terminal.watched import END, TASKS, THREADS

WATCHED = Path(__file__).with_name("watched.py")

FORBIDDEN = re.compile(rb"\x1b\]2;|\x1bPq|\xc2[\x80-\x9f]|\x1b\[31;5m")
"""What is pasted, or the name of a file, and must not be written as it is."""

PAUSE = 0.02
"""Seconds without output in which a person looks; nothing that is found depends on it."""

KEPT = 20_000
"""Bytes of output that are kept to be told."""


class FaultError(Exception):
    """What the program must not do."""


class EndedError(Exception):
    """The program ended as it should when it is asked to."""


class Driven(Terminal):
    """The program, on a terminal where it must neither end nor write what was pasted."""

    def __init__(self, size: Size, arguments: Sequence[str], folder: Path) -> None:
        with tempfile.NamedTemporaryFile(delete=False) as stacks:
            self._stacks = Path(stacks.name)
        homes = ("HOME", "TMPDIR", *(f"XDG_{kind}_HOME" for kind in ("CONFIG", "STATE", "CACHE")))
        environment = dict.fromkeys(homes, os.fspath(folder))
        super().__init__(
            size.columns,
            size.lines,
            arguments,
            (sys.executable, os.fspath(WATCHED), os.fspath(self._stacks)),
            environment,
            folder,
        )
        os.set_blocking(self.child.child_fd, False)
        self.last: tuple[str, ...] = ()
        # Before, the terminal itself would take ctrl+c for the signal.
        self.wait(lambda: b"\x1b[?2004h" in self.raw, "start")

    def __enter__(self) -> "Driven":
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._stacks.unlink()

    def stands(self) -> str:
        """Return where all threads and tasks of the program stand, if it still runs."""
        if not self.child.isalive():
            return ""
        for number in (THREADS, TASKS):
            self.child.kill(number)
        end = time.monotonic() + 5.0
        while not (told := self._stacks.read_text()).endswith(END) and time.monotonic() < end:
            time.sleep(0.01)
        return told

    def _take(self, data: bytes) -> None:
        if found := FORBIDDEN.search(self.raw[-8:] + data):
            raise FaultError(f"wrote {found[0]!r}")
        # What is written behind the screen is no longer the screen.
        shown, end, told = data.partition(b"\x1b[?1049l")
        super()._take(shown)
        self.last = self.display if end else ()
        super()._take(end + told)
        self.raw = self.raw[-KEPT:]

    def _read(self, seconds: float) -> bool:
        """Read what there is, once there is something; return whether there was."""
        if not select.select([self.child.child_fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.child.child_fd, 65536)
        except OSError:
            data = b""
        if not data:
            self._ended()
        self._take(data)
        return True

    def _ended(self) -> None:
        self.child.wait()
        if self.child.exitstatus == 0:
            raise EndedError
        status = self.child.exitstatus or f"signal {self.child.signalstatus}"
        reports = map(json.loads, map(Path.read_text, self.folder.glob("attn-tui/crash-*.json")))
        traces = ("".join(report["crash"]["traceback"]) for report in reports)
        raise FaultError("\n".join([f"ended with {status}", self.told, *traces]))

    @property
    def told(self) -> str:
        """What was written behind the screen."""
        text = self.raw.rpartition(b"\x1b[?1049l")[2].decode(errors="replace")
        return re.sub(r"\x1b\[[\d;?<>=]*[a-zA-Z]", "", text)

    def wait(self, holds: Callable[[], object], wanted: str) -> None:
        """Read until something holds."""
        patience = Patience(self.child.pid)
        while not holds():
            if patience.over:
                raise FaultError(f"no {wanted}")
            if not self._read(1.0):
                self._bring_back()

    def send(self, text: str) -> None:
        """Send keys, and read meanwhile, since the program may wait to be read."""
        rest, patience = text.encode(), Patience(self.child.pid)
        while rest:
            if patience.over:
                raise FaultError("no key is read")
            if select.select([], [self.child.child_fd], [], 0.0)[1]:
                rest = rest[os.write(self.child.child_fd, rest[:1024]) :]
            elif not self._read(1.0):
                self._bring_back()

    def _bring_back(self) -> None:
        """Do as ``fg`` does, if the program has gone back to the shell, and as Ctrl+Q does there.

        Ctrl+S behind a ``q`` is the terminal's own, which then shows nothing more.
        """
        with suppress(OSError):
            terminal = os.open(f"/proc/{self.child.pid}/fd/2", os.O_RDWR | os.O_NOCTTY)
            # What a key has stopped goes on only where a program has stopped it too.
            termios.tcflow(terminal, termios.TCOOFF)
            termios.tcflow(terminal, termios.TCOON)
            os.close(terminal)
        if os.waitid(os.P_PID, self.child.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT):
            self.child.kill(signal.SIGCONT)

    def look(self) -> None:
        """Read until nothing comes for a moment."""
        for _ in range(20):
            if not self._read(PAUSE):
                break

    def rest(self, seconds: float) -> None:
        """Read for some time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._read(left)

    def do(self, events: Sequence[Event]) -> None:
        """Do what comes together: as many keys as can be in one write."""
        for kind, some in groupby(events, type):
            if kind is str:
                self.send("".join(map(str, some)))
            else:
                for size in some:
                    assert isinstance(size, Size)
                    self.resize(size.columns, size.lines)
