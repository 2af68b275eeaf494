"""The numbers that every command prints, as recorded; RECORD=1 records them anew.

A line of a recording is a path and its values (`tests/contract/reduced.py`). Whoever records other
numbers writes the reason into `CHANGED.md`.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

from attn_tui.report.schema import schema
from tests.contract.reduced import (
    Paths,
    Value,
    differences,
    line_of,
    paths_of_csv,
    paths_of_json,
)
from tests.contract.shapes import KERNEL, faults

RECORDINGS = Path(__file__).parent / "numbers"
SAVED = Path(__file__).parent / "saved"
"""A question as `--json` printed it once, which `--experiment` asks for good; a tour."""

TOLD_AT_MOST = 10
"""How many differences a failure lists."""

IS_RECORDING = "RECORD" in os.environ
"""Whether to write recordings in place of comparing."""

FLOAT64, ROUNDED = 9, 5
"""Digits: of float64, and of captures, float32 and what is fitted."""

COARSE = {
    "*softcap.low": 2, "*sink.high": 2, "*residual": 3, "*multiplier_within": 3, "*.rounding.*": 3,
    "*differences*.low": 3, "*differences*.high": 3,
    "claims.L-15.*": 2, "claims.L-18.*": 5, "claims.L-24.*": 5, "histogram.curves.exact": 7,
    "csv.weight": 5, "*float32-*.weight": 5,
}  # fmt: skip
"""Digits where one more differs between processors: ends of intervals, bounds beyond which nothing
can be told, what rounding leaves, small numbers that come of large ones, and weights of the lab in
float32."""

VANISHING = "*ratio*"
"""Paths of numbers that may be 0 but for rounding: there what is below `NOTHING` is 0."""

NOTHING = 1e-15

QUESTION = ("experiment.*", "question.*")
"""What was asked is recorded where a command is about that."""

NOISE = (*QUESTION, "heads[[]].residual")
"""What float32 leaves of an output computed in float64 is another on each processor."""

LAST_BITS = ("n_differ", "worst", "worst_key", "differing*")
"""What of the lab is about the last bit; in float64 and float32, that of the processor's exp."""

OF_LAB = (*QUESTION, *(f"*float{bits}-*.{name}" for bits in (64, 32) for name in LAST_BITS))

UNSCALED = (*QUESTION, "*.unscaled.*")
"""The unscaled side is not recorded where others have it."""


@dataclass(frozen=True)
class Case:
    """A command line and what of it is recorded.

    Attributes:
        line: What stands behind `attn-tui`. Its files are those of `folder`.
        digits: How many digits of a float are recorded.
        leaves: Patterns of paths that are not recorded.
        stdin: Text for standard input.
    """

    line: str
    digits: int = FLOAT64
    leaves: Sequence[str] = QUESTION
    stdin: str = ""

    def digits_of(self, path: str) -> int:
        """Return how many digits of the floats at a path are recorded."""
        coarse = [digits for pattern, digits in COARSE.items() if fnmatch(path, pattern)]
        return min([*coarse, self.digits])


SCORES = "3,1,0.5,-2,2.75"
SCALE = "--softcap 30 --sink 1.5 --mask 2"
ROWS = '--query "[[1,0,2],[0,-1,1],[3,1,0.5]]" --keys "[[1,0,1],[0,1,-1],[2,0.5,1]]"'
VALUES = '--values "[[1,10],[2,-20],[-3,0.5]]"'

SHOWN = {
    "show-worked": Case("show --json", leaves=()),
    "show-several": Case(
        "show a:100,120,150 b:-1,-inf,1 c:-inf,-inf 7 --d-k 64 --wrt logits --json"
    ),
    "show-asked": Case(
        f"show {SCORES} --d-k 48 --rule temperature:T=2.5 --softcap 20 --sink -1 --mask 1 --of 3"
        " --wrt logits --precision float32 --naive --round-scores bfloat16 --round-vectors float16"
        " --arithmetic stepwise --json",
        ROUNDED,
        leaves=(),
    ),
    "show-drawn": Case("show --draw 1000 --seed 7 --vectors 3 --d-k 64 --json"),
    "show-drawn-top": Case("show --draw 200000 --seed 5 --d-k 128 --top 6 --json"),
    "show-top-csv": Case("show --draw 50 --seed 2 --vectors 2 --d-k 16 --top 3 --csv"),
    "show-vectors": Case(f"show {ROWS} {VALUES} --mask causal --sink -0.5 --json", leaves=()),
    "show-vectors-csv": Case(f"show {ROWS} --qk-norm --softcap 2 --sink 0.5 --csv"),
    "show-files": Case(
        "show @scores.npy @scores.npz @scores.csv @scores.json @scores.txt --d-k 64 --json",
        leaves=UNSCALED,
    ),
    "show-files-of-vectors": Case(
        "show --query @q.npy --keys @k.npy --values @v.npy --round-vectors bfloat16"
        " --round-scores float16 --json",
        ROUNDED,
    ),
    "show-stdin": Case(
        "show - 4,5 --model gemma-2-27b --json",
        leaves=UNSCALED,
        stdin="q: 1, 2, 3.5\nr: -1, -inf, 0.25\n",
    ),
    "show-capture": Case(
        "show --capture demo/healthy/capture.safetensors --layer 1 --head 2 --json", ROUNDED
    ),
    "show-capture-row": Case(
        "show --capture demo/sink-dropped/capture.safetensors --head 1 --row 40 --top 5 --csv",
        ROUNDED,
    ),
    "show-example": Case("show --example thousand --seed 3 --json", leaves=UNSCALED),
    "show-bfloat16": Case(f"show {SCORES} {SCALE} --precision bfloat16 --d-k 4 --json", ROUNDED),
    "show-stepwise": Case(
        f"show {SCORES} --precision float16 --arithmetic stepwise --d-k 4 --json", ROUNDED
    ),
    "show-sdpa": Case(
        f"show {ROWS} {VALUES} --precision bfloat16 --arithmetic sdpa --round-vectors bfloat16"
        " --json",
        ROUNDED,
    ),
    "show-fused": Case(
        f"show {SCORES} --precision float16 --arithmetic fused --d-k 4 --json", ROUNDED, leaves=()
    ),
    "show-overflow": Case("show 100,20000,-5 --precision float16 --naive --d-k 1 --json", ROUNDED),
    "show-lab": Case(
        "show 5,1,4.5 1000,1000.25 --rule temperature:T=4 --lab --json", leaves=OF_LAB
    ),
    "show-lab-csv": Case(
        "show 5,1,4.5 --softcap 3 --sink 1 --d-k 4 --lab --csv",
        leaves=[f"csv.{name}" for name in LAST_BITS],
    ),
    "show-against": Case("show 5,1,3 2,7 --d-k 8 --against saved.json --json"),
    "show-experiment": Case("show --experiment saved.json --json", leaves=()),
    "dot-experiment": Case("dot --experiment saved.json --csv"),
    "show-refused": Case("show 1,x --json"),
}
RULES = {
    f"rule-{rule.partition(':')[0]}": Case(
        f"show {SCORES} {SCALE} --d-k 48 --rule {rule} --json", leaves=UNSCALED
    )
    for rule in (
        "none", "inverse-sqrt", "inverse", "mup:d0=128", "fixed:a=144", "per-layer:layer=3",
        "log-length", "ssmax:a=2", "yarn:factor=4", "temperature:T=4", "power:alpha=0.25",
        "longrope:factor=8", "llama4:length=2",
    )
}  # fmt: skip
DRAWN = {
    "dot": Case("dot --d-k 64 --samples 20000 --seed 7 --json"),
    "dot-table": Case(
        "dot --entries die --correlation 0.5 --mean-q 1 --mean-k -0.5 --rule inverse"
        " --table 2,64,4096 --samples 5000 --json"
    ),
    "dot-tied-csv": Case("dot --tied --entries coins --table 3,30 --samples 3000 --csv"),
    "dot-uniform-csv": Case("dot --entries uniform --d-k 5 --table 5 --samples 3000 --csv"),
    "sweep": Case(
        "sweep --n 32 --d-k 1:4096 --points 6 --draws 300 --seed 4"
        " --statistic gradient,query_gradient,logit_std --json",
        leaves=(),
    ),
    "sweep-over-n-csv": Case(
        "sweep --over n --n 2:512 --d-k 64 --rules none,inverse,ssmax:a=2 --points 5 --draws 200"
        " --qk-norm --csv"
    ),
    "sweep-map": Case(
        "sweep --map --ratio --n 2:64 --d-k 1:256 --points 4 --draws 200"
        " --statistic gradient,entropy_bits --json"
    ),
    "sweep-crossover": Case("sweep --crossover --n 2,32 --draws 300 --json"),
    "sweep-experiment": Case("sweep --experiment saved.json --csv"),
    "attention": Case("attention --d-k 64 --json"),
    "attention-every-key-csv": Case(
        "attention --n 40 --seed 7 --every-key --rule inverse --softcap 5 --sink 1 --csv"
    ),
    "attention-vectors": Case(f"attention {ROWS} {VALUES} --mask causal --qk-norm --json"),
    "attention-capture": Case(
        "attention --capture demo/window-missing/capture.safetensors --head 3 --json", ROUNDED
    ),
}
CAPTURED = {
    "heads": Case("heads demo/healthy/capture.safetensors --json", ROUNDED),
    "heads-all-rows": Case(
        "heads captured.npz --rows all --statistic max_weight,saturated_share,largest_score,"
        "float16_margin,max_logit,bfloat16_spacing,qk_clip,entropy,effective_keys,first_key_mass,"
        "sink_mass,gradient_norm,dead_gradient_share,query_norm,key_norm,cosine --json",
        ROUNDED,
        leaves=NOISE,
    ),
    "heads-sampled-csv": Case(
        "heads captured.npz --rows 20 --seed 7 --layer 1 --softcap 4 --sink 1"
        " --mask window:9 --csv",
        ROUNDED,
    ),
    "heads-fail-if": Case(
        "heads captured.npz --rule none --fail-if 'max_logit > 3' --fail-if 'entropy < 0' --json",
        ROUNDED,
        leaves=(),
    ),
    "heads-not-finite": Case(
        "heads odd.npz --fail-if 'max_logit > 1e9' --json", ROUNDED, leaves=NOISE
    ),
    "doctor-without-expectation": Case("doctor captured.npz --require --json", ROUNDED),
    "doctor-cap-and-sink": Case("doctor capped.npz --rows all --json", ROUNDED),
    "doctor-config": Case(
        "doctor captured.npz --config model.json --layer 1 --head 0 --rows 16 --seed 3 --json",
        ROUNDED,
    ),
}
DEMO = (
    "after-projection", "cap-dropped", "healthy", "kv-heads", "layer-scale", "mask-missing", "mla",
    "model-width", "multiplied", "no-scale", "sink-dropped", "softmaxed-twice", "temperature",
    "value-scale", "window-missing", "yarn-missing", "yarn-twice",
)  # fmt: skip
SLOW = ("after-projection", "mla", "softmaxed-twice")
"""Those whose heads take a second each, of which one is asked about."""

DOCTOR = {
    f"doctor-{name}": Case(f"doctor demo/{name}/capture.safetensors --json", ROUNDED)
    for name in DEMO
} | {
    f"doctor-{name}": Case(f"doctor demo/{name}/capture.safetensors --head 1 --json", ROUNDED)
    for name in SLOW
}
OF_CLAIMS = ("*experiment*", "*.case", "*evidence[[]].name")
SAID = {
    "claims": Case("claims --json", leaves=OF_CLAIMS),
    "claim": Case("claim S2-2 --d-k 256 --draws 20000 --seed 7 --json", leaves=OF_CLAIMS),
    "claim-n": Case("claim S1-11 --n 16 --draws 300 --seed 2 --json", leaves=OF_CLAIMS),
    "tour": Case("tour"),
    "tour-file": Case("tour lesson.toml"),
}
CASES = SHOWN | RULES | DRAWN | CAPTURED | DOCTOR | SAID


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the command lines name."""
    folder = tmp_path_factory.mktemp("numbers")
    fill(folder)
    return folder


def fill(folder: Path) -> None:
    """Write the files that the command lines name, but for those of the demo."""
    for path in SAVED.iterdir():
        shutil.copy(path, folder)
    np.save(folder / "scores.npy", np.array([100, 120, 150.5], np.float32))
    np.savez(folder / "scores.npz", b=np.array([5, 7]), c=np.array([[1.5, 2], [3, 1]]))
    (folder / "scores.csv").write_text("d,e\n10,-1\n12,0.5\n15,2\n")
    (folder / "scores.json").write_text('{"f": [9, 2, 5], "g": [-1, "-Infinity", 2]}')
    (folder / "scores.txt").write_text("h: 4, 2.5, 1\ni: -1 0.5 2 3\n")
    np.save(folder / "q.npy", np.array([[1.0, 0.0], [0.5, -2.0]], np.float32))
    np.save(folder / "k.npy", np.array([[1.0, 1.0], [0.0, 3.0], [-1.0, 0.25]]))
    np.save(folder / "v.npy", np.array([[1, 2], [3, 4], [5, 6]], np.float16))
    (folder / "words.json").write_text('["the", "cat"]')
    (folder / "kernel.py").write_text(KERNEL)
    write_captures(folder)


def with_demo(folder: Path) -> Path:
    """Return the folder with the captures of the demo, which take their time, written once."""
    if not (folder / "demo").exists():
        assert attn_tui("demo demo", folder).returncode == 0
    return folder


def write_captures(folder: Path) -> None:
    """Write a capture of causal heads, which share keys in pairs, and others beside it."""
    # The stream of RandomState is the same in every version of NumPy.
    normal = np.random.RandomState(1).standard_normal
    tensors = {}
    for layer in range(2):
        q, k, v = (normal((1, heads, 48, 16)) for heads in (4, 2, 2))
        logits = (layer + 1) * q @ np.repeat(k, 2, axis=1).swapaxes(2, 3) / 4
        weights = np.exp(np.where(np.tri(48, dtype=bool), logits, -np.inf))
        weights /= weights.sum(axis=3, keepdims=True)
        out = weights @ np.repeat(v, 2, axis=1)
        for part, tensor in {"q": (layer + 1) * q, "k": k, "v": v, "out": out}.items():
            tensors[f"{layer}.{part}"] = tensor.astype(np.float32)
    z = 4.0 * np.tanh(tensors["1.q"].astype(float) @ np.repeat(k, 2, axis=1).swapaxes(2, 3) / 16)
    powers = np.exp(np.where(np.tri(48, dtype=bool), z, -np.inf))
    capped = (powers / (powers.sum(axis=3, keepdims=True) + np.exp(0.5))) @ np.repeat(v, 2, axis=1)
    odd = {name: tensor.copy() for name, tensor in tensors.items()}
    odd["0.q"][0, 2, 7, 3] = np.nan
    odd["1.v"][0, 1, 30:, 5] = np.inf
    np.savez(folder / "captured.npz", allow_pickle=False, **tensors)
    np.savez(folder / "odd.npz", allow_pickle=False, **odd)
    of_layer = {part: tensors[f"1.{part}"] for part in "qkv"}
    of_layer["out"] = capped.astype(np.float32)
    np.savez(folder / "capped.npz", allow_pickle=False, **of_layer)


def attn_tui(line: str, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Return what the program says to a command line, asked in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "attn_tui", *shlex.split(line)],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def paths_of_tour(text: str) -> Paths:
    """Return how many steps a printed tour has, and which answer of each is right."""
    steps = re.split(r"^ *[0-9]+\. ", text, flags=re.M)[1:]
    answers = (re.findall(r"\[([x ])\]", step) for step in steps)
    right: list[Value] = [marks.index("x") if "x" in marks else "-" for marks in answers]
    return {"steps": [len(steps)], "right": right}


def reduced(case: Case, done: subprocess.CompletedProcess[str]) -> Paths:
    """Return what is recorded of what a command printed, with its exit status."""
    paths: Paths = {}
    if case.line.startswith("tour"):
        paths = paths_of_tour(done.stdout)
    elif done.stdout:
        paths = (paths_of_csv if "--csv" in case.line else paths_of_json)(done.stdout)
    kept: Paths = {"status": [done.returncode]}
    for path, values in paths.items():
        if not any(fnmatch(path, pattern) for pattern in case.leaves):
            vanishing = fnmatch(path, VANISHING)
            kept[path] = [without_noise(value) for value in values] if vanishing else values
    return kept


def without_noise(value: Value) -> Value:
    """Return 0 for a number that is nothing but rounding, and any other value as it is."""
    return 0.0 if isinstance(value, float) and abs(value) < NOTHING else value


def read(file: Path) -> dict[str, str]:
    """Return the lines of a recording by their paths, after its command line."""
    lines = file.read_text("utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines)


def write(file: Path, case: Case, actual: Paths) -> None:
    """Write a recording, in which what still agrees stays as it is."""
    before = read(file) if file.exists() else {}
    lines = {"$": f"attn-tui {case.line}"}
    for path, values in actual.items():
        lines[path] = line_of(values, case.digits_of(path))
        if path in before and not differences({path: before[path]}, {path: values}, case.digits_of):
            lines[path] = before[path]
    text = "".join(f"{path} {values}\n" for path, values in lines.items())
    file.write_text(text, "utf-8")


DEFAULT = {
    "show-worked", "show-vectors", "show-lab",
    "show-refused", "dot", "attention", "heads",
    "doctor-config", "claim", "tour",
}  # fmt: skip
"""One or two of most commands; the others are as sure to be run by .ci/run."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in DEFAULT or IS_RECORDING else pytest.mark.slow)
        for name in CASES
    ],
)
def test_a_command_prints_the_recorded_numbers(name: str, folder: Path) -> None:
    case = CASES[name]
    if "demo/" in case.line:
        with_demo(folder)
    done = attn_tui(case.line, folder, case.stdin)
    if "--json" in case.line and done.stdout:
        defs = schema()["$defs"]
        assert [*faults(json.loads(done.stdout), defs[case.line.split()[0]], defs)] == []
    actual = reduced(case, done)
    file = RECORDINGS / f"{name}.txt"
    if IS_RECORDING:
        write(file, case, actual)
        return
    recorded = read(file)
    assert recorded.pop("$") == f"attn-tui {case.line}", "it is recorded of another command line"
    unlike = differences(recorded, actual, case.digits_of)
    if unlike:
        told = "\n".join(f"  {text}" for text in unlike[:TOLD_AT_MOST])
        pytest.fail(
            f"$ attn-tui {case.line}\n{told}\n{len(unlike)} values are not as in {file.name}. Where"
            f" that is meant: RECORD=1, and a line in CHANGED.md.\n{done.stderr}",
            pytrace=False,
        )


def test_every_recording_is_of_a_command() -> None:
    files = {file.stem: file for file in RECORDINGS.iterdir()}
    for name in files.keys() - CASES.keys():
        if IS_RECORDING:
            files[name].unlink()
    assert IS_RECORDING or files.keys() == CASES.keys()


@pytest.mark.slow
def test_the_doctor_is_asked_about_every_capture_of_the_demo(folder: Path) -> None:
    assert sorted(
        path.name for path in (with_demo(folder) / "demo").iterdir() if path.is_dir()
    ) == [*DEMO]
