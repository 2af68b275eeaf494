"""Output for others: a script for a bug report, JUnit XML and the exit status."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from attn_tui.compute.fit.simulate import Arithmetic
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.reproduce import reproduce
from tests.doctor.captures import tensors, write
from tests.doctor.command import HEALTHY, LLAMA, run

TWICE = Arithmetic(0.5, path="flash")
LLAMA_1 = {**LLAMA, "num_hidden_layers": 1}


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "llama.json"
    path.write_text(json.dumps(LLAMA_1))
    return str(path)


def printed(lines: str) -> tuple[float, float]:
    """Return the expected and the captured number that a script prints."""
    completed = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, check=True
    )
    words = completed.stdout.split()
    assert (words[0], words[2]) == ("expected", "got")
    return float(words[1]), float(words[3])


@pytest.mark.parametrize(("how", "agrees"), [(HEALTHY, True), (TWICE, False)])
def test_a_script_of_five_lines_shows_what_was_expected_and_what_came(
    tmp_path: Path, config: str, how: Arithmetic, agrees: bool
) -> None:
    path = write(tmp_path / "a.safetensors", how)
    result = run(path, "--config", config, "--reproduce", "0.1")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 5
    assert "layer 0, head 1, row" in result.stdout
    expected, got = printed(result.stdout)
    assert (abs(expected - got) < 0.02) == agrees
    assert got in tensors(path)["out"][0, 1].astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "bias"),
    [
        (HeadModel(0.3, mask=HeadMask("none")), False),
        (HeadModel(0.3, sink=1.0), False),
        (HeadModel(0.3, softcap=2.0), True),
        (HeadModel(0.3, 0.5, mask=HeadMask("window", 0, 3)), True),
        (HeadModel(0.3, mask=HeadMask("local", 0, 4)), False),
    ],
)
def test_the_script_computes_every_part_of_the_model(model: HeadModel, bias: bool) -> None:
    draw = np.random.default_rng(1).standard_normal
    q, k, v = (draw((12, 8)).astype(np.float32) for _ in "qkv")
    added = draw((12, 12)).astype(np.float32) if bias else None
    seen = model.mask.seen(HeadRows(np.arange(12), 12, q, k))
    z = 0.3 * q.astype(float) @ k.T.astype(float)
    z = 2.0 * np.tanh(z / 2.0) if model.softcap else z
    z = np.where(seen, z if added is None else z + added, -np.inf)
    sums = np.exp(z).sum(1, keepdims=True) + (np.exp(1.0) if model.sink else 0.0)
    out = model.value_scale * (np.exp(z) / sums) @ v
    out[7] += 0.25
    rows = HeadRows(np.arange(12), 12, q, k, v, out, bias=added)
    script = "".join(reproduce("layer 3, head 5", rows, model))
    assert "layer 3, head 5, row 7" in script
    ours, got = printed(script)
    assert got - ours == pytest.approx(0.25, abs=1e-6)


@pytest.mark.parametrize("text", ["", "3", "x.1", "1.2.3", "-1.0", "7.0", "0.7"])
def test_what_names_no_head_is_refused(tmp_path: Path, text: str) -> None:
    result = run(write(tmp_path / "a.safetensors", HEALTHY), "--reproduce", text)
    assert (result.exit_code, "--reproduce: " in result.stderr) == (2, True)


def test_junit_has_a_test_for_each_head(tmp_path: Path, config: str) -> None:
    path, file = write(tmp_path / "a.safetensors", TWICE), tmp_path / "junit.xml"
    result = run(path, "--config", config, "--junit", str(file))
    suite = ElementTree.parse(file).getroot()
    assert result.exit_code == 1
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "2", "failures": "2", "errors": "0", "skipped": "0"}
    assert [case.get("name") for case in suite.iter("testcase")] == [
        *("sequence 0, head 0", "sequence 0, head 1")
    ]
    for failure in suite.iter("failure"):
        assert failure.get("message", "").startswith(
            "differs: m = 0.5 = 1/⁴√16 in both heads, promised 0.25 = 1/√16"
        )
    assert (suite.findtext("system-out") or "").startswith("differs: m = ")
    run(write(tmp_path / "b.safetensors", HEALTHY), "--config", config, "--junit", str(file))
    assert ElementTree.parse(file).getroot().get("failures") == "0"
    refused = run(path, "--junit", str(tmp_path / "no" / "junit.xml"))
    assert (refused.exit_code, "--junit, " in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("residual > 50 %", 0),
        ("residual > 0", 1),
        ("multiplier >= 0.2", 1),
        ("multiplier < 0.2", 0),
        ("softcap > 1", 3),
    ],
)
def test_a_condition_on_a_number_of_a_head_makes_the_status(
    tmp_path: Path, config: str, condition: str, code: int
) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    result = run(path, "--config", config, "--fail-if", condition)
    assert result.exit_code == code
    assert ("softcap of 2 heads is unknown" in result.stderr) == (code == 3)


def test_a_condition_on_what_is_no_number_of_a_head_is_refused(tmp_path: Path) -> None:
    result = run(write(tmp_path / "a.safetensors", HEALTHY), "--fail-if", "max_logit > 1")
    assert result.exit_code == 2
    assert "--fail-if: 'max_logit' is no statistic; expected residual, " in result.stderr


def test_without_an_output_there_is_nothing_to_reproduce(tmp_path: Path) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    rows = HeadRows(np.arange(4), 4, parts["q"][0, 0, :4], parts["k"][0, 0, :4])
    with pytest.raises(ValueError, match="has no v or no out"):
        [*reproduce("layer 0, head 0", rows, HeadModel(1.0))]
