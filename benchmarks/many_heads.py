"""The doctor on 2,000 heads of 8,192 positions, 32 rows of each: minutes, and memory at most.

    python benchmarks/many_heads.py FOLDER            # writes 17 GB there first, and removes them
    python benchmarks/many_heads.py FOLDER --quick    # a few small heads, only to see that it runs

Heads are computed as flash kernels do, in float16, causal, with 1/√d_k. Of outputs only those rows
are computed which the doctor looks at, the others are 0: it reads none of them. Memory is the most
that the process of ``attn-tui doctor`` ever held in RAM, beside that of ``attn-tui doctor --help``.
"""

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.fit.simulate import Arithmetic, computed
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.examine import sampled
from attn_tui.doctor.report import Settings

_RUN = """
import resource, sys
from attn_tui.cli import main
try:
    main()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    # ru_maxrss is also what the process held that this one was forked from.
    held = open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]
    print(used.ru_utime + used.ru_stime, held, file=sys.stderr)
"""


def layer(number: int, heads: int, n: int, d: int) -> dict[str, NDArray[Any]]:
    """Return the tensors of a layer."""
    rng = np.random.default_rng(number)
    found = {f"{number}.{part}": np.zeros((1, heads, n, d), np.float16) for part in "qkv"}
    out = np.zeros((1, heads, n, d), np.float16)
    rows = np.array(sampled(n, Settings()))
    how = Arithmetic(d**-0.5, format="float16", path="flash")
    for head in range(heads):
        for tensor in found.values():
            tensor[0, head] = rng.standard_normal((n, d), np.float32)
        q, k, v = (tensor[0, head].astype(np.float32) for tensor in found.values())
        output = computed(HeadRows(rows, n, q[rows], k, v), how).output
        assert output is not None
        out[0, head, rows] = output
    return {**found, f"{number}.out": out}


def run(*arguments: str) -> tuple[float, float, float, str]:
    """Return minutes, those of a processor, megabytes, and the first line the program said."""
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *arguments], capture_output=True, text=True, check=False
    )
    minutes = (perf_counter() - start) / 60
    seconds, kilobytes = map(float, done.stderr.split()[-2:])
    return minutes, seconds / 60, kilobytes / 1e3, done.stdout.partition("\n")[0]


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--quick", is_flag=True)
def main(folder: Path, quick: bool) -> None:
    """Write a capture, examine it, and remove it."""
    layers, heads, n, d = (2, 4, 256, 32) if quick else (50, 40, 8192, 128)
    folder.mkdir(parents=True)
    paths = [folder / f"layer_{number}.safetensors" for number in range(layers)]
    config = folder / "config.json"
    try:
        for number, path in enumerate(paths):
            write_safetensors(path, layer(number, heads, n, d))
        model = {"model_type": "llama", "num_hidden_layers": layers, "hidden_size": heads * d}
        config.write_text(json.dumps({**model, "num_attention_heads": heads, "head_dim": d}))
        size = sum(path.stat().st_size for path in paths)
        *_, least, _ = run("doctor", "--help")
        minutes, busy, most, said = run("doctor", *map(str, paths), "--config", str(config))
    finally:
        for path in (*paths, config):
            path.unlink(missing_ok=True)
        folder.rmdir()
    click.echo(said)
    click.echo(f"{layers * heads:,} heads, {n:,} positions, {size / 1e9:.1f} GB")
    click.echo(f"{minutes:.1f} min, {busy:.1f} of them of a processor")
    click.echo(f"{most:.0f} MB at most, {most - least:.0f} MB above --help")


if __name__ == "__main__":
    main()
