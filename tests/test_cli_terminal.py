import os
import pty
import subprocess
import sys

import pexpect
import pytest

from tests.contract.terminal import Terminal


def test_scores_from_a_pipe_leave_the_keys_to_the_terminal() -> None:
    piped = f"echo 7 8 | {sys.executable} -m attn_tui -"
    with Terminal(80, 24, program=["/bin/sh", "-c", piped]) as terminal:
        terminal.until_shows("a: 7, 8")
        terminal.until_shows("2 keys")
        terminal.press("\x11")
        assert terminal.leave() == 0


def test_without_a_terminal_to_read_keys_from_the_report_is_printed() -> None:
    keeper, terminal = pty.openpty()
    command = [sys.executable, "-m", "attn_tui", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=terminal, stderr=terminal, start_new_session=True
    ) as process:
        assert process.stdin
        process.stdin.write(b"7 8\n")
        process.stdin.close()
        os.close(terminal)
        report = _all_of(keeper).decode()
        assert process.wait() == 0
    os.close(keeper)
    assert "a: 2 keys" in report
    assert "\x1b" not in report


def _all_of(descriptor: int) -> bytes:
    """Read until the other end is closed, which Linux says with an error."""
    data = b""
    try:
        while piece := os.read(descriptor, 4096):
            data += piece
    except OSError:
        pass
    return data


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_without_a_screen_is_told_of_the_report(kind: str) -> None:
    command = [sys.executable, "-m", "attn_tui"]
    environment = {**os.environ, "TERM": kind}
    child = pexpect.spawn(command[0], command[1:], env=environment, timeout=60)
    said = child.read()
    child.close()
    assert child.exitstatus == 2
    assert said.isascii()
    assert b"\x1b" not in said
    assert b"attn-tui show" in said
