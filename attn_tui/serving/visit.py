"""A visitor's program on a pseudo-terminal, as in any terminal, with a browser as the screen."""

import asyncio
import os
import pty
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from fcntl import ioctl
from struct import pack
from termios import TIOCSWINSZ
from time import monotonic

MOST_COLUMNS, MOST_LINES = 500, 200
"""The largest screen that is drawn for a visitor."""

PIECE = 65_536
"""The most bytes sent at once."""

PATIENCE = 3.0
"""Seconds that a program has to end by itself."""

PAUSE = 0.01
"""Seconds between two attempts to send what a program does not read yet."""

KEPT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LC_CTYPE", "OPENBLAS_NUM_THREADS")
"""The variables that a visitor's program is given; without HOME it remembers nothing."""

ENVIRONMENT = {
    "TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": "", "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}  # fmt: skip


class Visit:
    """The program of one visitor.

    Args:
        send: Sends bytes to the browser; until it returns, no more is read from the program.
    """

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._terminal = -1
        self._process: Process | None = None
        self._showing: asyncio.Task[None] | None = None
        self._active = monotonic()

    @property
    def idle(self) -> float:
        """For how many seconds the visitor has done nothing."""
        return monotonic() - self._active

    async def start(
        self, lesson: Sequence[str], columns: int, lines: int, ended: Callable[[], Awaitable[bool]]
    ) -> None:
        """Start the program, and show what it writes.

        Args:
            lesson: The path of a lesson, if there is one.
            columns: The width of the browser's window.
            lines: Its height.
            ended: Called when the program has ended.
        """
        self._terminal, end = pty.openpty()
        self.resize(columns, lines)
        os.set_blocking(self._terminal, False)
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        try:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "attn_tui.serving.visitor", *lesson,
                stdin=end, stdout=end, stderr=end, start_new_session=True, env=kept | ENVIRONMENT,
            )  # fmt: skip
        finally:
            os.close(end)
        self._showing = asyncio.create_task(self._show(ended))

    async def _show(self, ended: Callable[[], Awaitable[bool]]) -> None:
        """Send what the program writes, until it ends."""
        reader = asyncio.StreamReader(PIECE)
        protocol = asyncio.StreamReaderProtocol(reader)
        # The transport closes it.
        output = os.fdopen(os.dup(self._terminal), "rb", 0)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: protocol, output)
        try:
            # A terminal tells of its end by an error.
            with suppress(OSError):
                while data := await reader.read(PIECE):
                    await self._send(data)
        finally:
            transport.close()
        await ended()

    async def press(self, text: str) -> None:
        """Send the program what the visitor types, pastes or does with the mouse."""
        self._active = monotonic()
        data = text.encode("utf-8", "replace")
        while data and self._terminal >= 0:
            try:
                data = data[os.write(self._terminal, data[:PIECE]) :]
            except BlockingIOError:
                # The program reads soon.
                await asyncio.sleep(PAUSE)
            except OSError:
                return

    def resize(self, columns: int, lines: int) -> None:
        """Tell the program how large the browser's window is."""
        width, height = min(max(columns, 1), MOST_COLUMNS), min(max(lines, 1), MOST_LINES)
        with suppress(OSError):
            ioctl(self._terminal, TIOCSWINSZ, pack("HHHH", height, width, 0, 0))

    def leave(self) -> None:
        """Ask the program to end, as closing a window does."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGHUP)

    async def end(self) -> None:
        """End the program."""
        self.leave()
        if self._process is not None:
            try:
                await asyncio.wait_for(self._process.wait(), PATIENCE)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        if self._showing is not None:
            await asyncio.wait([self._showing])
        if self._terminal >= 0:
            os.close(self._terminal)
            self._terminal = -1
