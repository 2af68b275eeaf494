import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sessions import FAULTS
from benchmarks.verdicts.case import AGREES, NOTHING, differs
from benchmarks.verdicts.judge import NO_MODEL, outcome

COMPUTE = Path(__file__).parents[1] / "benchmarks" / "compute.py"
HEADS = COMPUTE.with_name("heads.py")


@pytest.mark.slow
def test_the_benchmark_of_compute_runs_and_names_what_it_compares() -> None:
    command = [sys.executable, "-X", "utf8", str(COMPUTE), "--quick", "--repeats", "2"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stderr == ""
    for name in (
        "softmax : SciPy's softmax",
        "Sweep's statistics : SciPy's softmax alone",
        "softmax + spread + all norms : SciPy's softmax alone",
        "Frobenius : dense",
        "trace : dense",
        "spectral : dense",
        "scores : q @ K.T",
        "sampling : direct",
        "moments, histogram, curves : direct sampling alone",
    ):
        assert f"{name}  " in done.stdout


@pytest.mark.slow
def test_the_benchmark_of_the_doctor_runs_and_misses_no_plain_head() -> None:
    script = COMPUTE.with_name("doctor.py")
    command = [sys.executable, "-X", "utf8", str(script), "--quick", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stderr == ""
    assert done.stdout.count("float16") == 24
    for name in ("cap", "sink", "window", "scale", "law"):
        assert f"false {name}: 0 of 24 plain heads" in done.stdout


def test_the_benchmark_of_heads_runs_and_names_what_it_compares() -> None:
    command = [sys.executable, "-X", "utf8", str(HEADS), "--quick", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stderr == ""
    for name in (
        "all statistics + output : SciPy's output",
        "all statistics, tallied, no output : SciPy's output",
        "all statistics + output, causal : SciPy's output, causal",
        "heads --rows all of 8 heads : SciPy's outputs",
    ):
        assert f"{name}  " in done.stdout


@pytest.mark.slow
def test_the_benchmark_of_many_heads_runs_and_agrees(tmp_path: Path) -> None:
    command = [sys.executable, str(COMPUTE.with_name("many_heads.py")), str(tmp_path / "new")]
    done = subprocess.run(
        [*command, "--quick"], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout.startswith("agrees: ")
    assert "MB above --help" in done.stdout
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_benchmark_of_sessions_says_how_old_they_are_and_what_kills_leave() -> None:
    command = [sys.executable, "-m", "benchmarks.sessions"]
    done = subprocess.run(
        [*command, "--changes", "1", "--seconds", "10", "--kills", "2"],
        capture_output=True, text=True, encoding="utf-8", check=True, cwd=COMPUTE.parents[1],
    )  # fmt: skip
    single, held, *kills = done.stdout.splitlines()
    assert single.startswith("single changes (aim 1 s): 1, median")
    assert held.startswith("a key held (aim 5 s): ")
    assert len([line for line in kills if line.startswith("seed ")]) == 2
    assert not [line for line in kills if any(word in line for word in FAULTS)]


@pytest.mark.slow
def test_the_benchmark_of_verdicts_names_what_is_wrong_and_how_to_see_it(tmp_path: Path) -> None:
    """A fault in a capture is named, and its folder says the command and what is right."""
    command = [sys.executable, "-m", "benchmarks.verdicts", "--only", "Mistral, scale ×2"]
    done = subprocess.run(
        [*command, "--keep", str(tmp_path), "--jobs", "1"],
        capture_output=True, text=True, encoding="utf-8", check=False, cwd=COMPUTE.parents[1],
    )  # fmt: skip
    assert "| scale ×2 | 1 ✓ | 1 ✓ | 1 ✓ |" in done.stdout
    assert done.returncode == 0
    about = (tmp_path / "mistral-scale-times-2-bfloat16-eager" / "right.txt").read_text("utf-8")
    assert about.startswith("attn-tui doctor ")
    assert "right: differs multiplier (m = 0.25)" in about


def test_a_fault_that_is_called_something_else_is_wrong() -> None:
    """What a report says is counted as right only where its parts and its m are."""
    right = differs("multiplier", multiplier=0.25)

    def report(verdict: str, line: str, *parts: str, m: float = 0.25) -> dict[str, Any]:
        head = {"verdict": verdict, "differs": list(parts), "multiplier": [m, m, m]}
        return {"verdict": verdict, "why": [line], "heads": [head]}

    assert outcome(report("differs", "", "multiplier"), right) == "right"
    assert outcome(report("differs", "", "multiplier", m=0.3), right) == "wrong cause"
    assert outcome(report("differs", "", "multiplier", "mask"), right) == "wrong cause"
    assert outcome(report("agrees", ""), right) == "agrees"
    assert outcome(report("cannot tell", f"cannot tell: {NO_MODEL}; …"), right) == "no model"
    assert outcome(report("cannot tell", f"cannot tell: {NO_MODEL}; …"), NOTHING) == "right"
    stored = "cannot tell: agrees if keys are stored as float8 (e4m3)"
    assert outcome(report("cannot tell", stored), NOTHING) == "wrong cause"
    assert outcome(report("cannot tell", stored), replace(NOTHING, suspect="fp8")) == "right"
    dropped = report("differs", "differs: dropout; 1 of 1 head", "output")
    assert outcome(dropped, replace(NOTHING, suspect="dropout")) == "right"
    assert outcome(dropped, NOTHING) == "wrong cause"
    assert outcome(report("differs", "", "mask"), AGREES) == "wrong cause"


@pytest.mark.slow
def test_the_benchmark_of_growth_runs_and_names_what_grows() -> None:
    script = COMPUTE.with_name("growth.py")
    command = [sys.executable, str(script), "--only", "show --csv"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    first, *lines = done.stdout.splitlines()
    assert first.split() == ["seconds", "times", "expected"]
    said = [line.partition("show")[2] for line in lines]
    assert said == [" --csv {keys}", " --csv {rows}"]
