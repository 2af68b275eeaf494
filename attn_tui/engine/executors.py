"""Executors of tasks: threads of this process, or the workers of a Dask cluster."""

import asyncio
import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.text import visible

_PATIENCE = 7.0
"""Seconds to wait for a scheduler or a worker, before and during the work."""

_PAUSE = 1.0
"""Seconds between two checks of whether the workers are still there."""

Gone = Callable[[], str]
"""Returns a phrase that says what is gone; empty while nothing is."""


def threads() -> tuple[Executor, int]:
    """Return a pool with one thread per core, and how many tasks to give it at a time."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ThreadPoolExecutor(count or 1), 2 * (count or 1)


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int, Gone]]:
    """Yield a running cluster's executor, how many tasks to give it at a time, and a `Gone`.

    A task whose worker ends is tried twice more.

    Args:
        address: The address of its scheduler, such as ``tcp://host:8786`` or
            ``tls://host:8786``, or a file that the scheduler wrote.

    Raises:
        InputError: With field ``"scheduler"``, if Dask is not installed, or no scheduler that has
            a worker answers.
    """
    try:
        import distributed
    except ImportError:
        expected = "pip install 'attn-tui[cluster]'"
        raise InputError("scheduler", "Dask is not installed", expected) from None
    dask: Any = distributed
    if address.endswith(".json"):
        address = _written(address)
    for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
        # We report failures ourselves. The loggers stay silent afterwards, since tasks that we do
        # not wait for may fail later.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    count = _threads_at(dask, address)
    try:
        client = dask.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ImportError) as error:
        raise _refused(address, visible(str(error))) from None
    connection, loop = client.scheduler_comm, client.loop.asyncio_loop
    watch = asyncio.run_coroutine_threadsafe(_missing(dask, address), loop)

    def gone() -> str:
        # A new connection brings back no result of tasks submitted over the old one.
        if client.scheduler_comm is not connection:
            return f"the scheduler at {inert(address)} is gone"
        return watch.result() if watch.done() else ""

    try:
        yield client.get_executor(pure=False, retries=2), 2 * count, gone
    finally:
        watch.cancel()
        try:
            client.close(timeout=_PAUSE)
        except TimeoutError:
            # Otherwise it waits again for a lost scheduler when it is garbage-collected.
            client.status = "closed"


def _written(path: str) -> str:
    """Return the address in a file that a scheduler wrote."""
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            return str(json.load(file)["address"])
    except FileNotFoundError:
        problem = f"{inert(path)} is not there"
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        problem = f"{inert(path)} holds no address"
    raise InputError("scheduler", problem, "a scheduler's file")


def _threads_at(dask: Any, address: str) -> int:
    """Return how many threads the workers of a cluster have, as soon as it has a worker."""
    end = time.monotonic() + _PATIENCE
    try:
        while not (count := asyncio.run(_threads(dask, address))) and time.monotonic() < end:
            time.sleep(_PAUSE)
    except OSError:
        raise _refused(address, "no scheduler answers") from None
    except (TypeError, ValueError) as error:
        raise _refused(address, visible(str(error))) from None
    except Exception:
        # Dask takes foreign bytes for the size of a message, and may run out of memory.
        raise _refused(address, "what answers is no scheduler") from None
    if not count:
        raise _refused(address, "the scheduler has no worker")
    return count


def _refused(address: str, problem: str) -> InputError:
    expected = "the address of a scheduler that has a worker, or its file"
    return InputError("scheduler", f"{inert(address)}: {problem}", expected)


async def _threads(dask: Any, address: str) -> int:
    """Return how many threads the workers of a scheduler have at present."""
    secrets = dask.Security().get_connection_args("client")
    async with (
        asyncio.timeout(_PATIENCE),
        dask.rpc(address, timeout=_PATIENCE, connection_args=secrets) as scheduler,
    ):
        identity = await scheduler.identity()
    return sum(worker["nthreads"] for worker in identity["workers"].values())


async def _missing(dask: Any, address: str) -> str:
    """Return what is gone, in a phrase, once no worker was there for `_PATIENCE` seconds."""
    seen = time.monotonic()
    while time.monotonic() - seen < _PATIENCE:
        await asyncio.sleep(_PAUSE)
        try:
            count = await _threads(dask, address)
        except Exception:
            return f"the scheduler at {inert(address)} is gone"
        if count:
            seen = time.monotonic()
    return f"the workers of {inert(address)} are gone"
