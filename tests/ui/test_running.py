"""Running the program on the terminal: what it does before the first screen."""

import subprocess
import sys

import pytest

WORK = """
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from resource import getpagesize
from threading import Barrier

import numpy as np

from attn_tui.doctor.examine import KEPT
from attn_tui.ui.running import return_memory


def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])


def work(_):
    arrays = [np.ones(2**17) for _ in range(24)]
    barrier.wait()


barrier = Barrier(4)
return_memory()
np.empty(KEPT, np.uint8)
before = pages()
with ThreadPoolExecutor(4) as threads:
    list(threads.map(work, range(4)))
    print(getpagesize() * (pages() - before) / 2**20)
"""
"""Four threads that take 24 MB each and free them, after what the doctor does first."""

MOST = 48.0
"""Megabytes that may be left of 96; glibc left to itself keeps all."""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_threads_free_goes_back_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, check=True, text=True)
    assert float(done.stdout) < MOST
