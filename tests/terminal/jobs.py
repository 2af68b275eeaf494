"""Ways to start the program on a terminal, and what it leaves of the terminal."""

import os
import re
import shlex
import signal
import sys
import termios
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.contract.terminal import Terminal

AT_FIRST = {"7", "25"}
"""What a terminal has on by itself: lines wrap, and the cursor is shown."""

PROMPT = "ready$"

COMMAND = [sys.executable, "-m", "attn_tui"]

START = "Divided by 32"
"""What stands in the headline once the program is there."""

LINE = shlex.join([*COMMAND, "7,8,9"])

SHELL = ["bash", "--noprofile", "--norc", "-i", "-b"]
"""A shell that tells of a job as soon as it is stopped."""

_SUBPROCESS = f"import subprocess; subprocess.run({[*COMMAND, '7,8,9']!r})"

WAYS: dict[str, tuple[list[str], str]] = {
    "shell": (SHELL, LINE),
    "script": (SHELL, f"sh -c {shlex.quote(f'true; {LINE}; true')}"),
    "timeout": (SHELL, f"timeout --foreground 600 {LINE}"),
    "subprocess": (SHELL, shlex.join([sys.executable, "-c", _SUBPROCESS])),
    "nothing": ([*COMMAND, "7,8,9"], ""),
    "script alone": (["sh", "-c", f"true; {LINE}; true"], ""),
    "subprocess alone": ([sys.executable, "-c", _SUBPROCESS], ""),
    "process 1": (["unshare", "--fork", "--pid", "--kill-child", *COMMAND, "7,8,9"], ""),
}
"""What the terminal runs, and the line that is typed into it where it is a shell, by name."""

RESUMED = [way for way, (_, typed) in WAYS.items() if typed]
"""Ways in which a shell resumes the program."""

ALONE = [way for way in WAYS if way not in RESUMED]
"""Ways in which nothing would resume it."""

_MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])|\x1b\[([<>])\d*u")


def left_on(raw: bytes) -> set[str]:
    """Return the modes that differ from those of a terminal at first, after what it was sent.

    Raises:
        AssertionError: If more was popped from the keyboard's stack than was pushed.
    """
    on, pushed = set(AT_FIRST), 0
    for numbers, way, keyboard in _MODE.findall(raw):
        names = set(numbers.decode().split(";")) - {""}
        if way:
            on = on | names if way == b"h" else on - names
        else:
            pushed += 1 if keyboard == b">" else -1
            assert pushed >= 0, "popped what was not pushed"
    return on ^ AT_FIRST | ({"keyboard"} if pushed else set())


def descendants(pid: int) -> list[int]:
    """Return the processes below another one."""
    below: list[int] = []
    with suppress(OSError):
        for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            below += [int(text), *descendants(int(text))]
    return below


def is_program(pid: int) -> bool:
    """Return whether a process is the program."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return words[1:3] == [b"-m", b"attn_tui"]
    return False


class Job(Terminal):
    """The program on a terminal, started in some way.

    Attributes:
        settings_at_first: How the terminal is set before the program.
        modes_at_first: The modes that are on then, as a line editor of the shell needs them.

    Args:
        way: A name of `WAYS`.
    """

    def __init__(self, way: str) -> None:
        program, self.typed = WAYS[way]
        environment = {"PS1": PROMPT, "HISTFILE": "", "SHELL": "/bin/bash"}
        super().__init__(80, 24, program=program, environment=environment)
        if self.typed:
            self.until_prompt(1)
        # Stays open when the program has left.
        self._end = os.dup(self.child.child_fd)
        self.settings_at_first, self.modes_at_first = self.settings, left_on(self.raw)
        if self.typed:
            self.press(f"{self.typed}\r")
        self.until_shows(START)

    def __exit__(self, *raised: Any) -> None:
        super().__exit__(*raised)
        if self._end >= 0:
            os.close(self._end)

    def hang_up(self) -> None:
        """Go away, as a window that is closed."""
        os.close(self._end)
        self._end = -1
        self.child.ptyproc.fileobj.close()

    @property
    def settings(self) -> list[object]:
        """How the terminal is set: echo, control characters and the like."""
        return termios.tcgetattr(self._end)

    @property
    def prompts(self) -> int:
        """How many times the shell has asked for a command."""
        return self.raw.count(PROMPT.encode())

    @property
    def times_taken(self) -> int:
        """How many times the program has taken the terminal over."""
        return self.raw.count(b"\x1b[?1049h")

    def until_taken(self, times: int) -> None:
        """Read until the program has taken the terminal over so many times."""
        self.until(lambda: self.times_taken >= times, "screen")

    @property
    def pid(self) -> int:
        """The process that is the program."""
        first = int(self.child.pid)
        for pid in [first, *descendants(first)]:
            if is_program(pid):
                return pid
        raise AssertionError("the program does not run")

    @property
    def state(self) -> str:
        """The state of the program: ``S`` if it sleeps, ``T`` if it is stopped."""
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2][:1]

    def send(self, *numbers: signal.Signals) -> None:
        """Send the program signals."""
        for number in numbers:
            os.kill(self.pid, number)

    def until_state(self, state: str) -> None:
        """Read until the program is in a state."""
        self.until(lambda: self.state == state, f"state {state}")

    @property
    def stops(self) -> int:
        """How many times the shell has told that its job is stopped."""
        return self.raw.count(b"Stopped")

    def until_stopped(self, times: int) -> None:
        """Read until the shell knows that its job was stopped so many times.

        What a program is told while it stops in the background may reach it when it is in the
        foreground again: only the shell knows when a stop is over.
        """
        self.until(lambda: self.stops >= times, "stop")
        self.until_state("T")

    def until_prompt(self, times: int) -> None:
        """Read until the shell has asked so many times for a command."""
        self.until(lambda: self.prompts >= times, "prompt")
