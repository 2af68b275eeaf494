"""Who works: threads of this process, or the workers of a Dask cluster."""

import logging
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from attn_tui.compute.errors import InputError, inert

_PATIENCE = 10
"""Seconds to wait for a scheduler, and for its first worker."""


def threads() -> tuple[Executor, int]:
    """Return threads, one a core, and how many tasks they are given at a time."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ThreadPoolExecutor(count or 1), 2 * (count or 1)


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Give the workers of a cluster that is there, and how many tasks they get at a time.

    A task whose worker ends is tried twice more.

    Args:
        address: Of its scheduler, such as ``tcp://host:8786`` or ``tls://host:8786``, or a file
            that the scheduler wrote.

    Raises:
        InputError: With field ``"scheduler"``, if Dask is not installed or nobody answers.
    """
    try:
        import distributed
    except ImportError:
        expected = "pip install 'attn-tui[cluster]'"
        raise InputError("scheduler", "Dask is not installed", expected) from None
    dask: Any = distributed
    given: dict[str, Any] = {"address": address}
    if address.endswith(".json"):
        given = {"scheduler_file": os.path.expanduser(address)}
        if not os.path.exists(given["scheduler_file"]):
            raise InputError("scheduler", f"{inert(address)} is not there", "a scheduler's file")
    with _quiet():
        yield from _connected(dask, given, address)


def _connected(dask: Any, given: dict[str, Any], address: str) -> Iterator[tuple[Executor, int]]:
    """Yield an executor of a cluster and how many tasks it gets at a time, once."""
    try:
        client = dask.Client(**given, timeout=_PATIENCE, set_as_default=False)
        client.wait_for_workers(1, timeout=_PATIENCE)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        problem = f"{inert(address)}: {(str(error).splitlines() or [type(error).__name__])[0]}"
        expected = "the address of a scheduler that has a worker, or its file"
        raise InputError("scheduler", problem, expected) from None
    try:
        count = sum(client.nthreads().values())
        yield client.get_executor(pure=False, retries=2), 2 * max(count, 1)
    finally:
        client.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own warnings, as of a worker that ended, out of ours: what fails is told."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [each.level for each in loggers]
    try:
        for each in loggers:
            each.setLevel(logging.ERROR)
        yield
    finally:
        for each, level in zip(loggers, levels, strict=True):
            each.setLevel(level)
