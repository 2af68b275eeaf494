import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from tests.contract.terminal import Terminal

ROOT = str(Path(__file__).parents[1])


@pytest.mark.slow
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


def shown(command: str, **environment: str) -> list[str]:
    """Return the lines that a shell's command leaves on a terminal."""
    program = f"{sys.executable} -m attn_tui"
    variables = {**os.environ, "TERM": "xterm-256color", **environment}
    words = ["-c", command.replace("attn-tui", program)]
    child = pexpect.spawn("/bin/sh", words, env=variables, timeout=60, encoding="utf-8")
    said: str = child.read()
    child.close()
    assert "\x1b" not in said
    return said.split("\r\n")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("attn-tui show 7,8 --screen 2>log", "standard error is no terminal"),
        ("attn-tui 7,8 2>log", "standard error is no terminal"),
        pytest.param(
            "attn-tui show 7,8 --screen | cat",
            "standard output is no terminal",
            marks=pytest.mark.slow,
        ),
        ("attn-tui show 7,8 --screen 2>&1 | cat", "standard output and standard error are no term"),
        pytest.param(
            "attn-tui tour 2>log", "standard error is no terminal", marks=pytest.mark.slow
        ),
        ("attn-tui dot --screen --samples 100 2>&-", "standard error is no terminal"),
        pytest.param(
            "setsid -w sh -c 'attn-tui show 7,8 --screen <folder'",
            "standard input is no terminal, and no other one sends keys",
            marks=pytest.mark.skipif(shutil.which("setsid") is None, reason="needs setsid"),
        ),
        ("attn-tui show 7,8 --screen <&-", "standard input is closed"),
    ],
)
def test_a_report_in_place_of_the_screen_says_why_where_a_person_sees_it(
    command: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").write_text("")
    first, second, *_ = shown(command, PYTHONPATH=ROOT)
    assert first.startswith(f"attn-tui: there is no screen: {reason}")
    assert not second.startswith("attn-tui")
    assert not (tmp_path / "log").exists() or (tmp_path / "log").read_text() == ""


@pytest.mark.parametrize("command", ["attn-tui 7,8 | cat", "attn-tui tour | cat"])
def test_who_sends_the_report_elsewhere_is_told_nothing(command: str) -> None:
    assert not any("no screen" in line for line in shown(command, PYTHONPATH=ROOT))


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
