import subprocess
import sys
from pathlib import Path

COMPUTE = Path(__file__).parents[1] / "benchmarks" / "compute.py"
HEADS = COMPUTE.with_name("heads.py")


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


def test_the_benchmark_of_the_doctor_runs_and_misses_no_plain_head() -> None:
    script = COMPUTE.with_name("doctor.py")
    command = [sys.executable, "-X", "utf8", str(script), "--quick", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stderr == ""
    assert done.stdout.count("float16") == 18
    for name in ("cap", "sink", "window", "scale", "law"):
        assert f"false {name}: 0 of 36 plain heads" in done.stdout


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


def test_the_benchmark_of_many_heads_runs_and_agrees(tmp_path: Path) -> None:
    command = [sys.executable, str(COMPUTE.with_name("many_heads.py")), str(tmp_path / "new")]
    done = subprocess.run(
        [*command, "--quick"], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout.startswith("agrees: ")
    assert "MB above --help" in done.stdout
    assert not (tmp_path / "new").exists()


def test_the_benchmark_of_growth_runs_and_names_what_grows() -> None:
    script = COMPUTE.with_name("growth.py")
    command = [sys.executable, str(script), "--only", "show --csv"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    first, *lines = done.stdout.splitlines()
    assert first.split() == ["seconds", "times", "expected"]
    said = [line.partition("show")[2] for line in lines]
    assert said == [" --csv {keys}", " --csv {rows}"]
