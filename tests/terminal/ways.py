"""What is left of numbers and the terminal, by how the program is started and what happens to it.

    python -m tests.terminal.ways

prints a table; ``--ways`` names some rows alone, and ``--ssh HOST`` adds one of a host that lets us
in and has the same folders. tmux has a row where it is installed.
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pexpect

from tests.contract.terminal import Patience
from tests.terminal.jobs import LINE, WAYS, Job, is_program, left_on
from tests.terminal.test_jobs import check_numbers


class Watched(Job):
    """The program in a row of the table; it may run below a server that we did not start."""

    @property
    def pid(self) -> int:
        """The process that is the program: ours, or else the last one in this folder."""
        with suppress(AssertionError):
            return super().pid
        pids = sorted(int(path.name) for path in Path("/proc").glob("[0-9]*"))
        for pid in reversed(pids):
            with suppress(OSError):
                if is_program(pid) and Path(f"/proc/{pid}/cwd").resolve() == Path.cwd():
                    return pid
        raise AssertionError("the program does not run")


def is_tmux(job: Watched) -> bool:
    """Return whether tmux stands between the program and the terminal."""
    return bool(os.path.basename(job.child.args[0]) == "tmux")


def _resumed(job: Watched, prompts: int) -> str:
    """Have a shell resume what it has got back, if it has."""
    if not job.typed:
        return "goes on"
    job.until_prompt(prompts + 1)
    job.until_state("T")
    is_clean = left_on(job.raw) == job.modes_at_first
    job.press("\x15fg\r")
    job.until_taken(job.times_taken + 1)
    return "stops, terminal given back, fg resumes" if is_clean else "stops, modes left on"


def ctrl_z(job: Watched) -> str:
    """Press the key that stops a program."""
    job.press("\x1a")
    return _resumed(job, 1)


def tstp(job: Watched) -> str:
    """Ask the program to stop."""
    job.send(signal.SIGTSTP)
    return _resumed(job, 1)


def bg(job: Watched) -> str:
    """Stop it, and have it go on in the background."""
    job.press("\x1a")
    if job.typed:
        job.until_prompt(2)
        job.until_state("T")
        prompts = job.prompts
        job.press("bg\r")
        return f"in the background stays stopped; {_resumed(job, prompts)}"
    return "goes on"


def cont(job: Watched) -> str:
    """Tell a program that runs to go on, three times."""
    for _ in range(3):
        times = job.times_taken
        job.send(signal.SIGCONT)
        if not is_tmux(job):
            job.until_taken(times + 1)
    return "draws anew"


def stop(job: Watched) -> str:
    """Stop it by force, and have it go on."""
    times = job.times_taken
    job.send(signal.SIGSTOP)
    if is_tmux(job):
        return "tmux resumes it"
    job.until_state("T")
    job.send(signal.SIGCONT)
    # Below a shell that has taken the terminal, the kernel stops it until fg.
    if job.typed == LINE:
        job.until_prompt(2)
        job.press("\x15fg\r")
    job.until_taken(times + 1)
    return "stops, goes on"


def _ended(job: Watched, pid: int) -> str:
    patience = Patience(pid)
    while is_program(pid):
        if patience.over:
            return "GOES ON"
        with suppress(OSError, ValueError, pexpect.ExceptionPexpect):
            job.take(job.child.read_nonblocking(4096, timeout=0.1))
    return "ends"


def hup(job: Watched) -> str:
    """Tell it that its terminal is gone."""
    pid = job.pid
    job.send(signal.SIGHUP)
    ended = _ended(job, pid)
    if job.typed:
        job.until_prompt(2)
    else:
        job.leave()
    return f"{ended}, {_kept(job)}"


def gone(job: Watched) -> str:
    """Take its terminal away."""
    pid = job.pid
    job.hang_up()
    return "goes on in tmux" if is_tmux(job) else _ended(job, pid)


def _kept(job: Watched) -> str:
    """Return what is left of the terminal."""
    modes = left_on(job.raw) ^ job.modes_at_first
    kept = "modes as before" if not modes else f"MODES {sorted(modes)}"
    return f"{kept}, stty {'as before' if job.settings == job.settings_at_first else 'CHANGED'}"


RUNNING: dict[str, Callable[[Watched], str]] = {
    "ctrl+z, fg": ctrl_z, "TSTP, fg": tstp, "ctrl+z, bg, fg": bg, "3 × CONT": cont,
    "STOP, CONT": stop,
}  # fmt: skip
ENDED: dict[str, Callable[[Watched], str]] = {"HUP": hup, "end of input": gone}


def cell(way: str, name: str) -> str:
    """Return what happens, and what is left, in one place of the table."""
    try:
        with Watched(way) as job:
            if name in ENDED:
                return ENDED[name](job)
            does = RUNNING[name](job)
            check_numbers(job)
            prompts = job.prompts
            job.press("q")
            if job.typed:
                job.until_prompt(prompts + 1)
            else:
                job.leave()
            return f"{does}; numbers right; {_kept(job)}"
    except AssertionError as error:
        return f"FAILS: {str(error).splitlines()[0]}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ways", nargs="*")
    parser.add_argument("--ssh")
    given = parser.parse_args()
    if given.ssh:
        remote = f"cd {shlex.quote(str(Path.cwd()))} && COLORTERM=truecolor exec {LINE}"
        WAYS["ssh -t"] = ["ssh", "-t", *shlex.split(given.ssh), remote], ""
    server = f"ways{os.getpid()}"
    if shutil.which("tmux"):
        WAYS["tmux"] = (
            ["tmux", "-L", server, "-f", "/dev/null", "new-session", LINE],
            "",
        )
    ways = given.ways or list(WAYS)
    for way in ways:
        for name in [*RUNNING, *ENDED]:
            sys.stdout.write(f"| {way} | {name} | {cell(way, name)} |\n")
            sys.stdout.flush()
        if way == "tmux":
            # There a program goes on when the terminal goes away.
            subprocess.run(["tmux", "-L", server, "kill-server"], check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
