"""What a million keys need of memory, beyond the idle program."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.contract.terminal import Terminal

MOST = 150 * 2**20
"""Bytes; the program is to stay below 100 MB once it is at rest, and a peak is counted here."""


def peak(terminal: Terminal) -> int:
    """Return the most memory that the program has had so far, in bytes."""
    status = Path(f"/proc/{terminal.child.pid}/status").read_text("utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


@pytest.fixture
def idle() -> int:
    with Terminal(80, 24) as terminal:
        terminal.until_shows("q Quit")
        return peak(terminal)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_million_drawn_keys_need_little(idle: int) -> None:
    with Terminal(80, 24, ["--draw", "1000000", "--seed", "3"]) as terminal:
        terminal.until_shows("of 1,000,000")
        terminal.press("]")
        terminal.until_shows("1,280")
        assert peak(terminal) - idle < MOST


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_million_keys_from_a_file_need_little(idle: int, tmp_path: Path) -> None:
    file = tmp_path / "scores.npy"
    np.save(file, np.random.default_rng(1).standard_normal(10**6))
    with Terminal(80, 24, [f"@{os.fspath(file)}"]) as terminal:
        terminal.until_shows("of 1,000,000")
        assert peak(terminal) - idle < MOST
