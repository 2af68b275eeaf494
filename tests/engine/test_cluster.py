"""Heads of a capture on a Dask cluster of two workers: the same bits, and workers may die."""

import json
import logging
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from click.testing import CliRunner

from attn_tui.commands.program import program
from tests.engine.captured import heads, write

pytest.importorskip("distributed")

SCRIPT = """
import json, os, time
from distributed import LocalCluster
from attn_tui.captures.opening import open_capture
from attn_tui.engine import executors, plan as planning, running, survey as surveying
from attn_tui.engine.plan import Plan, Question
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
    running.work = deadly
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers:
        plan = Plan.of(open_capture([{path!r}]), Question(rows=None))
        with executors.cluster(workers.scheduler_address) as (executor, at_once):
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
def here(path: Path, tmp_path: Path) -> Any:
    script = textwrap.dedent(
        f"""
        import json
        from attn_tui.captures.opening import open_capture
        from attn_tui.engine.plan import Plan, Question
        from attn_tui.engine.survey import survey
        for found in survey(Plan.of(open_capture([{str(path)!r}]), Question(rows=None))):
            pass
        print(json.dumps({{str(h): repr(p) for h, p in found.heads.items()}}))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_two_workers_come_to_the_same_bits_and_one_may_die(
    path: Path, here: Any, tmp_path: Path
) -> None:
    mark = tmp_path / "died"
    found = on_cluster(tmp_path, path, str(mark))
    assert mark.exists()
    assert found == {"heads": here, "failed": []}


def test_a_block_that_kills_its_workers_is_told_and_the_rest_goes_on(
    path: Path, here: Any, tmp_path: Path
) -> None:
    found = on_cluster(tmp_path, path, killer=3)
    # What stood beside it on a worker each time is told too: Dask cannot tell which one it was.
    assert [3, "it ended the workers that tried it"] in found["failed"]
    assert {reason for _, reason in found["failed"]} == {"it ended the workers that tried it"}
    assert len(found["heads"]) == len(here) - len(found["failed"]) > 0
    assert all(here[head] == partial for head, partial in found["heads"].items())


def test_warnings_of_dask_are_not_among_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    from attn_tui.engine import executors

    monkeypatch.setattr(distributed, "Client", MagicMock())
    of_client = logging.getLogger("distributed.client")
    assert of_client.isEnabledFor(logging.WARNING)
    with executors.cluster("tcp://127.0.0.1:9"):
        assert not of_client.isEnabledFor(logging.WARNING)
    assert of_client.isEnabledFor(logging.WARNING)


def test_no_scheduler_is_one_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from attn_tui.engine import executors

    monkeypatch.setattr(executors, "_PATIENCE", 0.2)
    given = ["heads", str(path), "--scheduler", "tcp://127.0.0.1:9"]
    result = CliRunner().invoke(program, given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("attn-tui: --scheduler: 'tcp://127.0.0.1:9'")
    assert result.stderr.count("\n") == 1
