"""``attn-tui demo``: the doctor says of each capture what README.txt announces."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from attn_tui.captures.demo import Demo, demos, tensors_of
from attn_tui.commands.program import program
from tests.pairs import slow_after

DEMOS = {demo.name: demo for demo in demos()}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "faults"
    result = run("demo", str(folder))
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{len(DEMOS)} captures are in ")
    return folder


@pytest.mark.parametrize("demo", slow_after(0, DEMOS.values(), ids=DEMOS))
def test_the_doctor_finds_the_fault(
    demo: Demo, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    command = f"attn-tui doctor {demo.name}/capture.safetensors --config {demo.name}"
    lines = Path("README.txt").read_text("utf-8").splitlines()
    index = lines.index(f"    {command}")
    result = run(*command.split()[1:])
    assert result.stdout.startswith(lines[index + 1].strip().removesuffix(" …"))
    assert result.exit_code == demo.status


def test_captures_are_small_and_the_same_every_time(folder: Path) -> None:
    for name, demo in DEMOS.items():
        assert (folder / name / "capture.safetensors").stat().st_size < 1_000_000
        assert json.loads((folder / name / "config.json").read_text()) == demo.config
    again = tensors_of(DEMOS["mla"])
    for name, values in tensors_of(DEMOS["mla"]).items():
        assert np.array_equal(values, again[name])


def test_a_folder_that_is_not_empty_is_left_alone_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    refused = run("demo", str(tmp_path))
    assert refused.exit_code == 2
    assert "it is not empty; expected a new folder, or --force" in refused.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.txt"]
    assert run("demo", str(tmp_path), "--force").exit_code == 0
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "healthy" / "capture.safetensors").exists()
    assert "expected a folder to write to" in run("demo", str(tmp_path / "mine.txt")).stderr
