"""Heads of a capture on a Dask cluster of two workers: the same bits, even if workers die."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

from attn_tui.captures.opening import open_capture
from attn_tui.commands.program import program
from attn_tui.compute.blas import one_thread
from attn_tui.engine.plan import Plan, Selection
from tests.engine.captured import heads, last, write

# Importing it takes every worker half a second; only what is started here needs it.
if find_spec("distributed") is None:
    pytest.skip("distributed is not installed", allow_module_level=True)

SCRIPT = """
import json, os, time
from distributed import LocalCluster
from attn_tui.captures.opening import open_capture
from attn_tui.engine import executors, plan as planning, survey as surveying
from attn_tui.engine.plan import Plan, Selection
from attn_tui.engine.work import work

def die():
    # What keeps workers alive starts none again that ended before it had heard from it.
    time.sleep(1.0)
    os._exit(1)

def deadly(task):
    '''Ends the worker: once, or whenever there is a block that kills.'''
    if any(block.index == {killer} for block in task.blocks):
        die()
    mark = {mark!r}
    if mark:
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            die()
    return work(task)

if __name__ == "__main__":
    planning.BLOCK_SECONDS = surveying.LONG = 0.0
    surveying.work = deadly
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers:
        plan = Plan.of(open_capture([{path!r}]), Selection(rows=None))
        with executors.cluster(workers.scheduler_address) as (executor, at_once, _):
            for found in surveying.survey(plan, executor, at_once=at_once):
                pass
    print(json.dumps({{
        "heads": {{str(head): repr(partial) for head, partial in found.heads.items()}},
        "failed": [[each.block.index, each.reason] for each in found.failed],
    }}))
"""


def on_cluster(folder: Path, path: Path, mark: str = "", killer: int = -1) -> Any:
    script = folder / "script.py"
    script.write_text(SCRIPT.format(path=str(path), mark=mark, killer=killer))
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "tiny.safetensors", heads(n=40, layers=2))


@pytest.fixture
def here(path: Path) -> dict[str, str]:
    """Return the partials of the heads as this process computes them."""
    with one_thread():
        survey = last(Plan.of(open_capture([str(path)]), Selection(rows=None)))
    return {str(head): repr(partial) for head, partial in survey.heads.items()}


@pytest.mark.slow
def test_two_workers_come_to_the_same_bits_and_one_may_die(
    path: Path, here: Any, tmp_path: Path
) -> None:
    mark = tmp_path / "died"
    result = on_cluster(tmp_path, path, str(mark))
    assert mark.exists()
    assert result == {"heads": here, "failed": []}


@pytest.mark.slow
def test_a_block_that_kills_its_workers_is_told_and_the_rest_goes_on(
    path: Path, here: Any, tmp_path: Path
) -> None:
    result = on_cluster(tmp_path, path, killer=3)
    # Tasks that shared a worker with it each time fail too: Dask cannot tell which one was guilty.
    assert [3, "it ended the workers that tried it"] in result["failed"]
    assert {reason for _, reason in result["failed"]} == {"it ended the workers that tried it"}
    assert len(result["heads"]) == len(here) - len(result["failed"]) > 0
    assert all(here[head] == partial for head, partial in result["heads"].items())


SCHEDULER = """
import asyncio
from distributed import Scheduler
async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()
asyncio.run(main())
"""

WORKER = """
import asyncio, sys
from distributed import Worker
async def main():
    async with Worker(sys.argv[1], nthreads=1) as worker:
        await worker.finished()
asyncio.run(main())
"""

KILLING = """
import os, signal, sys
from attn_tui.commands.program import program
from attn_tui.engine import executors, survey as surveying

def killing(*given):
    waiting = [int(sys.argv[1])]
    for found in survey(*given):
        if found.partials and waiting:
            os.kill(waiting.pop(), signal.SIGKILL)
            executors._PATIENCE = executors._PAUSE = 0.2
        yield found

survey, surveying.survey = surveying.survey, killing
surveying.LONG = 0.0
program.main(["heads", sys.argv[2], "--scheduler", sys.argv[3]])
"""


@contextmanager
def python(script: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Yield a process that runs a script, and end it afterwards."""
    command = [sys.executable, "-c", script, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("victim", "gone"),
    [("scheduler", "the scheduler at '{}' is gone"), ("worker", "the workers of '{}' are gone")],
)
def test_who_is_killed_during_the_work_is_named_and_what_is_known_is_printed(
    path: Path, victim: str, gone: str
) -> None:
    with python(SCHEDULER) as scheduler:
        assert scheduler.stdout
        address = scheduler.stdout.readline().strip()
        with python(WORKER, address) as worker:
            pid = {"scheduler": scheduler, "worker": worker}[victim].pid
            with python(KILLING, str(pid), str(path), address) as program:
                out, error = program.communicate(timeout=60)
    line = f"attn-tui: {gone.format(address)}; what was known before is printed\n"
    assert (program.returncode, error) == (3, line)
    assert "seen so far" in " ".join(out.split())
    assert "failed" not in out


@pytest.mark.slow
def test_a_scheduler_without_a_worker_is_one_line(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from attn_tui.engine import executors

    monkeypatch.setattr(executors, "_PATIENCE", 0.2)
    with python(SCHEDULER) as scheduler:
        assert scheduler.stdout
        address = scheduler.stdout.readline().strip()
        result = CliRunner().invoke(program, ["heads", str(path), "--scheduler", address])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"attn-tui: --scheduler: '{address}': the scheduler has no ")


@pytest.fixture
def silent() -> Iterator[str]:
    """Yield the address of a port that accepts connections and sends nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def banner() -> Iterator[str]:
    """Yield the address of a port that sends a banner, unlike a scheduler."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")

        thread = Thread(target=greet)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join()


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("", "missing port number"),
        ("tcp://\x1b[31m:9", "no scheduler answers"),
        ("tcp://{silent}", "no scheduler answers"),
        ("tcp://{banner}", "what answers is no scheduler"),
        ("carrier-pigeon://{silent}", "unknown address scheme"),
    ],
)
def test_a_wrong_address_is_one_line(
    path: Path,
    address: str,
    problem: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from attn_tui.engine import executors

    monkeypatch.setattr(executors, "_PATIENCE", 0.2)
    for name in re.findall(r"{(\w+)}", address):
        address = address.replace(f"{{{name}}}", request.getfixturevalue(name))
    result = CliRunner().invoke(program, ["heads", str(path), "--scheduler", address])
    assert (result.exit_code, result.stdout) == (2, "")
    quoted = address.replace("\x1b", r"\x1b")
    assert result.stderr.startswith(f"attn-tui: --scheduler: '{quoted}': {problem}")
    assert result.stderr.endswith("\n")
    assert result.stderr[:-1].isprintable()


def test_a_file_that_holds_no_address_is_one_line(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    for text in ("", "[1]", "{}", "[" * 100_000):
        file.write_text(text)
        result = CliRunner().invoke(program, ["heads", str(path), "--scheduler", str(file)])
        assert (result.exit_code, result.stdout) == (2, "")
        assert "holds no address; expected a scheduler's file" in result.stderr
