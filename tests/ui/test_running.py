"""Running the program on the terminal: what it does before the first screen."""

import subprocess
import sys

import pytest

START = """
import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from resource import getpagesize
from threading import Barrier

import numpy as np

from attn_tui.doctor.examine import KEPT
from attn_tui.ui.heap import Heap

barrier = Barrier(4)


def work(_):
    arrays = [np.ones(2**17) for _ in range(24)]
    barrier.wait()


def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])


Heap(lambda: False)
np.empty(KEPT, np.uint8)
before = pages()
"""

THREADS = """
with ThreadPoolExecutor(4) as threads:
    list(threads.map(work, range(4)))
    print(getpagesize() * (pages() - before) / 2**20)
"""
"""Four threads that take 24 MB each and free them, after what the doctor does first."""

PIECES = """
arrays = [np.ones(2**13) for _ in range(1536)]
del arrays[::4], arrays[::3], arrays[::2]
gc.collect()
print(getpagesize() * (pages() - before) / 2**20)
"""
"""Pieces of 64 kB, 96 MB in all, of which a quarter stays in use."""

MOST = 48.0
"""Megabytes that may be left of 96; glibc left to itself keeps all."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("work", [THREADS, PIECES], ids=["threads", "pieces"])
def test_what_is_freed_goes_back_to_the_system(work: str) -> None:
    line = [sys.executable, "-c", START + work]
    done = subprocess.run(line, capture_output=True, check=True, text=True)
    assert float(done.stdout) < MOST
