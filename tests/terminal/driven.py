"""The program on a pseudo-terminal where anything is done to it, and how it must not behave."""

import json
import os
import pty
import re
import select
import signal
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from multiprocessing import Pipe, get_context
from pathlib import Path
from typing import Any

from tests.contract.shown import Shown
from tests.contract.terminal import Patience, environment_of
from tests.terminal.events import Event, Size
from tests.terminal.watched import ASKS, END, TASKS, THREADS, begin, mark

_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.terminal.prepared"])

FORBIDDEN = re.compile(rb"\x1b\]2;|\x1bPq|\xc2[\x80-\x9f]|\x1b\[31;5m")
"""What is pasted, or the name of a file, and must not be written as it is."""

_STYLE = re.compile(rb"\x1b\[[\d;]*m|\x1b\[\?2026[hl]")
"""What changes no text."""

_PART = re.compile(rb"(?:\x1b(?:\[[\d;?]*)?)?\Z")
"""What may be a part of a sequence at the end of what has come."""

PAUSE = 0.02
"""Seconds without output in which a person looks; nothing that is found depends on it."""

KEPT = 20_000
"""Bytes of output that are kept to be told."""


class FaultError(Exception):
    """What the program must not do."""


class EndedError(Exception):
    """The program ended as it should when it is asked to."""


class Driven(Shown):
    """The program, on a terminal where it must neither end nor write what was pasted.

    Attributes:
        folder: It works there, and keeps there what it keeps.
        last: The last screen before the shell's.
        question: What it told last: plain values, or None where scores cannot be read.
    """

    def __init__(
        self, size: Size, arguments: Sequence[str], folder: Path, fresh: bool = False
    ) -> None:
        super().__init__(size.columns, size.lines)
        self.folder = folder
        self.last: tuple[str, ...] = ()
        self.question: dict[str, Any] | None = None
        self._asked, self._told, self._part = 0, 0, b""
        homes = ("HOME", "TMPDIR", *(f"XDG_{kind}_HOME" for kind in ("CONFIG", "STATE", "CACHE")))
        environment = environment_of(dict.fromkeys(homes, os.fspath(folder)))
        with tempfile.NamedTemporaryFile(delete=False) as stacks:
            self._stacks = Path(stacks.name)
        self._terminal, self._end = pty.openpty()
        self._questions, tells = Pipe(duplex=False)
        given = tells, arguments, environment, os.fspath(folder), fresh
        of_program: Any = (os.ttyname(self._end), os.fspath(self._stacks), *given)
        self._process = _CONTEXT.Process(target=begin, args=of_program)
        termios.tcsetwinsize(self._end, (size.lines, size.columns))
        self._process.start()
        tells.close()
        os.set_blocking(self._terminal, False)
        # Before, the terminal itself would take ctrl+c for the signal.
        self.wait(lambda: b"\x1b[?2004h" in self.raw, "start")

    def __enter__(self) -> "Driven":
        return self

    def __exit__(self, *error: Any) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        for descriptor in (self._terminal, self._end):
            os.close(descriptor)
        self._questions.close()
        self._stacks.unlink()

    @property
    def pid(self) -> int:
        """The program."""
        assert self._process.pid
        return self._process.pid

    def resize(self, columns: int, lines: int) -> None:
        """Become another size."""
        self.screen.resize(lines, columns)
        termios.tcsetwinsize(self._terminal, (lines, columns))

    def stands(self) -> str:
        """Return where all threads and tasks of the program stand, if it still runs."""
        if not self._process.is_alive():
            return ""
        for number in (THREADS, TASKS):
            os.kill(self.pid, number)
        end = time.monotonic() + 30.0
        while not (told := self._stacks.read_text()).endswith(END) and time.monotonic() < end:
            time.sleep(0.01)
        return told

    def take(self, data: bytes) -> None:
        """Show what the program writes, unless it must not be written."""
        if found := FORBIDDEN.search(self.raw[-8:] + self._part + data):
            raise FaultError(f"wrote {found[0]!r}")
        # What is written behind the screen is no longer the screen.
        shown, end, told = data.partition(b"\x1b[?1049l")
        self._show(shown)
        self.last = self.display if end else ()
        self._show(end + told)
        self.raw = self.raw[-KEPT:]

    def _show(self, data: bytes) -> None:
        """Show text alone: reading styles takes longest."""
        data = self._part + data
        self._part = _PART.search(data)[0]  # type: ignore[index]
        super().take(_STYLE.sub(b"", data.removesuffix(self._part)))

    def _read(self, seconds: float) -> bool:
        """Read what there is, once there is something; return whether there was."""
        ends = (self._terminal, self._questions, self._process.sentinel)
        ready = select.select(ends, [], [], seconds)[0]
        if self._terminal in ready:
            self.take(os.read(self._terminal, 65536))
        elif self._process.sentinel in ready:
            self._ended()
        elif ready:
            try:
                self.question = self._questions.recv()
            except EOFError:
                # It ends, and this is seen before that.
                self._ended()
            self._told += 1
        return bool(ready)

    def _ended(self) -> None:
        self._process.join()
        status = self._process.exitcode
        if status == 0:
            raise EndedError
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
        patience = Patience(self.pid)
        while not holds():
            if patience.over:
                raise FaultError(f"no {wanted}")
            if not self._read(1.0):
                self._bring_back()

    def send(self, text: str) -> None:
        """Send keys, and read meanwhile, since the program may wait to be read."""
        rest, patience = text.encode(), Patience(self.pid)
        while rest:
            if patience.over:
                raise FaultError("no key is read")
            if select.select([], [self._terminal], [], 0.0)[1]:
                rest = rest[os.write(self._terminal, _whole(rest[:1024])) :]
            elif not self._read(1.0):
                self._bring_back()

    def _bring_back(self) -> None:
        """Do as ``fg`` does, if the program has gone back to the shell, and as Ctrl+Q does there.

        Ctrl+S behind a ``q`` is the terminal's own, which then shows nothing more.
        """
        with suppress(OSError):
            # What a key has stopped goes on only where a program has stopped it too.
            termios.tcflow(self._end, termios.TCOOFF)
            termios.tcflow(self._end, termios.TCOON)
            if Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].startswith("T"):
                os.kill(self.pid, signal.SIGCONT)

    def ask(self) -> dict[str, Any] | None:
        """Return what it is asked, once all that came before is done, computed and shown here."""
        self._asked += 1
        self.send(ASKS[1])
        end = mark(self._asked).encode()
        self.wait(lambda: end in self.raw, "end of what is computed")
        self.wait(lambda: self._told == self._asked, "question")
        return self.question

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


def _whole(data: bytes) -> bytes:
    """Return the beginning of what is sent, without a sequence that ends in what comes later."""
    end = data.rfind(b"\x1b")
    return data[:end] if end > 0 and len(data) == 1024 else data
