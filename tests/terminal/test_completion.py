"""Completion in real shells: a tab after the beginning of a word."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pexpect
import pytest

ROOT = str(Path(__file__).parents[2])

PROGRAM = """\
#!/bin/sh
test -n "$_ATTN_TUI_COMPLETE" && exec "{python}" -m attn_tui "$@"
printf '%s\\n' "$@" > "{told}"
"""
"""Completes as the program does, and else writes down its words."""

STARTS = {
    "bash": (["--norc", "--noprofile"], 'eval "$(_ATTN_TUI_COMPLETE=bash_source attn-tui)"'),
    "zsh": (
        ["-f"],
        'autoload -Uz compinit; compinit -u -D; eval "$(_ATTN_TUI_COMPLETE=zsh_source attn-tui)"',
    ),
    "fish": (["--no-config"], "_ATTN_TUI_COMPLETE=fish_source attn-tui | source"),
}
"""For each shell its options, and the line that docs/commands.md has for it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    for name in ("capture.npz", "my scores.npy", "lesson.toml", "config.json"):
        (work / name).touch()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "attn-tui"
    program.write_text(PROGRAM.format(python=sys.executable, told=tmp_path / "told"))
    program.chmod(0o755)
    return work


def words_of(shell: str, lines: Sequence[str], folder: Path) -> list[list[str]]:
    """Return the words of each line, whose last word a tab has completed."""
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    options, line = STARTS[shell]
    path = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": ROOT,
        "TERM": "xterm",
        "LANG": "C.UTF-8",
    }
    told, found = folder.parent / "told", []
    child = pexpect.spawn(shell, options, cwd=str(folder), env=environment, timeout=120)
    with child:
        child.send(f"{line}; echo rea''dy\r")
        child.expect("ready")
        for number, typed in enumerate(lines):
            child.send(f"{typed}\t\r")
            child.send(f"echo do''ne {number}\r")
            child.expect(f"done {number}")
            found.append(told.read_text().splitlines())
            told.unlink()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("shell", STARTS)
def test_a_shell_completes_commands_and_files(shell: str, folder: Path) -> None:
    assert words_of(
        shell,
        ["attn-tui ca", "attn-tui swe", "attn-tui show m", "attn-tui heads --config co"],
        folder,
    ) == [
        ["capture.npz"],
        ["sweep"],
        ["show", "my scores.npy"],
        ["heads", "--config", "config.json"],
    ]
