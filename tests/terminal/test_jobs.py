"""Signals and job control on a real pseudo-terminal change no number and leave no mode on."""

import os
import signal
import subprocess
from pathlib import Path
from select import select

import pytest

from tests.contract.terminal import Patience, Terminal
from tests.pairs import slow_after
from tests.terminal.driver import PAUSE
from tests.terminal.events import ESCAPE, pasted
from tests.terminal.jobs import ALONE, LINE, RESUMED, START, Job, left_on

NUMBERS = ",".join(map(str, range(1900)))


class Answering(Job):
    """A terminal that tells its size in the input, and the mouse in pixels."""

    def take(self, data: bytes) -> None:
        """Show what the program writes, and answer whether sizes can be told."""
        asked = (self.raw[-8:] + data).count(b"\x1b[?2048$p") - self.raw[-8:].count(b"\x1b[?2048$p")
        super().take(data)
        self.child.send("\x1b[?2048;2$y" * asked)


def with_ways(ways: list[str]) -> pytest.MarkDecorator:
    """Repeat a test for ways to start; the first alone is quick."""
    return pytest.mark.parametrize("way", slow_after(1, ways))


def start(way: str) -> Job:
    """Start the program in some way, if this machine allows it."""
    if way == "process 1":
        unshare = subprocess.run(["unshare", "--fork", "--pid", "true"], check=False)
        if unshare.returncode:
            pytest.skip("no right to be process 1")
    return Job(way)


def check_numbers(job: Job) -> None:
    """Check that what is pasted and typed is what is shown, and that a key does what it does."""
    job.press(f"e{pasted(NUMBERS)}")
    job.until_shows("1,900 keys")
    job.press(ESCAPE + "e" + pasted("7"))
    for key in ",8,23,84":
        job.press(key)
    job.until_shows("7,8,23,84")
    job.press(f"{ESCAPE}-")
    job.until_shows("29.9")


def check_quit(job: Job) -> None:
    """Check that it quits, and gives the terminal back."""
    prompts = job.prompts
    job.press("q")
    if job.typed:
        job.until_prompt(prompts + 1)
    else:
        assert job.leave() == 0
    assert b"attn-tui show 7,8,23,84 --d-k 896 --screen" in job.raw
    assert left_on(job.raw) == job.modes_at_first
    assert job.settings == job.settings_at_first


def check_given_back(job: Job, prompts: int) -> None:
    """Check that the shell has its terminal once the program is stopped."""
    job.until_prompt(prompts + 1)
    job.until_state("T")
    assert left_on(job.raw) == job.modes_at_first


@pytest.mark.slow
@pytest.mark.parametrize(
    "numbers",
    slow_after(1, [[signal.SIGCONT], [signal.SIGSTOP, signal.SIGCONT]], ids=["CONT", "STOP-CONT"]),
)
def test_a_stray_signal_changes_no_number(numbers: list[signal.Signals]) -> None:
    with Job("nothing") as job:
        for times in range(3):
            for number in numbers:
                job.send(number)
                if number == signal.SIGSTOP:
                    job.until_state("T")
            job.until_taken(times + 2)
        check_numbers(job)
        check_quit(job)


@with_ways(RESUMED)
def test_ctrl_z_gives_the_shell_its_terminal_until_the_program_is_resumed(way: str) -> None:
    with start(way) as job:
        job.press("\x1a")
        check_given_back(job, 1)
        if way != "timeout":
            # timeout is not stopped in the background, so that bash does not resume the program.
            stops = job.stops
            job.press("bg\r")
            job.until_prompt(3)
            job.until_stopped(stops + 1)
            assert left_on(job.raw) == job.modes_at_first
        times = job.times_taken
        job.press("fg\r")
        job.until_taken(times + 1)
        check_numbers(job)
        check_quit(job)


@pytest.mark.slow
@with_ways(ALONE)
def test_ctrl_z_goes_on_where_nothing_would_resume_it(way: str) -> None:
    with start(way) as job:
        job.press("\x1a")
        check_numbers(job)
        check_quit(job)


@pytest.mark.slow
@with_ways(RESUMED)
def test_a_stop_that_no_program_can_refuse_is_survived(way: str) -> None:
    with start(way) as job:
        for number in (signal.SIGTSTP, signal.SIGSTOP):
            times, prompts = job.times_taken, job.prompts
            job.send(number)
            job.until_state("T")
            # Who is stopped by force is stopped alone, and a script waits.
            if way == "shell" or number == signal.SIGTSTP:
                job.until_prompt(prompts + 1)
                # What the terminal answers late, the shell reads.
                job.press("\x15fg\r")
            else:
                job.send(signal.SIGCONT)
            job.until_taken(times + 1)
        check_numbers(job)
        check_quit(job)


@pytest.mark.parametrize("way", slow_after(1, ["q", "HUP", "TERM", "INT", "QUIT", "TSTP"]))
def test_every_mode_that_is_turned_on_goes_off_again(way: str) -> None:
    with Answering("shell") as job:
        job.until(lambda: b"\x1b[?1016h" in job.raw, "mouse in pixels")
        assert left_on(job.raw) > {
            "1049",
            "1000",
            "1003",
            "1006",
            "1016",
            "2048",
            "1004",
            "keyboard",
        }
        if way == "q":
            job.press("q")
        else:
            job.send(signal.Signals[f"SIG{way}"])
        job.until_prompt(2)
        assert left_on(job.raw) == job.modes_at_first


@pytest.mark.slow
@pytest.mark.parametrize("trap", ["", "trap '' HUP;"])
def test_the_end_of_input_ends_it(trap: str) -> None:
    program = ["sh", "-c", f"{trap} exec {LINE}"]
    with Terminal(80, 24, program=program) as terminal:
        terminal.until_shows(START)
        terminal.child.ptyproc.fileobj.close()
        _, status = os.waitpid(terminal.child.pid, 0)
        terminal.child.ptyproc.terminated = terminal.child.terminated = True
        assert os.waitstatus_to_exitcode(status) == -signal.SIGHUP


def until_idle(terminal: Terminal) -> None:
    """Wait, reading nothing, until no thread of the program runs."""
    tasks, patience = Path(f"/proc/{terminal.child.pid}/task"), Patience(terminal.child.pid)
    calm = 0
    while calm < 3 and not patience.over:
        select([], [], [], PAUSE)
        states = [path.read_text().rpartition(") ")[2][:1] for path in tasks.glob("*/stat")]
        calm = 0 if "R" in states else calm + 1


@pytest.mark.slow
def test_a_signal_ends_it_where_the_terminal_takes_nothing() -> None:
    with Terminal(120, 40) as terminal:
        terminal.answers = False
        terminal.until_shows(START)
        # Nothing is read any more, as after ctrl+s.
        for key in "-+" * 25:
            terminal.press(key)
            until_idle(terminal)
        os.kill(terminal.child.pid, signal.SIGTERM)
        _, status = os.waitpid(terminal.child.pid, 0)
        terminal.child.ptyproc.terminated = terminal.child.terminated = True
        assert os.waitstatus_to_exitcode(status) == -signal.SIGTERM
