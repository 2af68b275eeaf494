"""The doctor on 1,024 heads of 2,048 positions, 32 rows of each: seconds, and memory at most.

    python benchmarks/many_heads.py FOLDER            # writes 1.3 GB there first, and removes them
    python benchmarks/many_heads.py FOLDER --mla      # 32 heads of 576 numbers, values of 512
    python benchmarks/many_heads.py FOLDER --large    # 2,000 heads of 8,192 positions, 10 GB
    python benchmarks/many_heads.py FOLDER --quick    # a few small heads, only to see that it runs

Heads are computed as flash kernels do, in float16, causal, with 1/√d_k; four share keys and values,
but for MLA. Of outputs only those rows are computed which the doctor compares; the others are 0.
One core is used.
Memory is the most that the process of ``attn-tui doctor`` ever held in RAM, beside that of
``attn-tui doctor --help``. The marks are 10 s and 100 MB; for MLA .15 s a head.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.fit.simulate import Arithmetic, computed
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.promised_heads import sampled
from attn_tui.doctor.report import Settings

ONE_CORE = {"OPENBLAS_NUM_THREADS": "1"}

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


@dataclass(frozen=True)
class Size:
    """How large a capture is.

    Attributes:
        layers: How many.
        heads: Of each layer.
        kv_heads: Of each layer, with keys and values.
        n: Positions.
        d_k: Of queries and keys.
        d_v: Of values.
        marks: Seconds and megabytes that it may take, or None.
    """

    layers: int
    heads: int
    kv_heads: int
    n: int
    d_k: int
    d_v: int
    marks: tuple[float, float] | None = None


SIZES = {
    "usual": Size(32, 32, 8, 2048, 128, 128, (10.0, 100.0)),
    "mla": Size(2, 16, 16, 2048, 576, 512, (0.15 * 32, 150.0)),
    "large": Size(50, 40, 10, 8192, 128, 128),
    "quick": Size(2, 4, 1, 256, 32, 32),
}


def layer(number: int, size: Size) -> dict[str, NDArray[Any]]:
    """Return the tensors of a layer."""
    rng = np.random.default_rng(number)
    n, d = size.n, size.d_k
    q, k, v = (
        rng.standard_normal((1, heads, n, length), np.float32).astype(np.float16)
        for heads, length in ((size.heads, d), (size.kv_heads, d), (size.kv_heads, size.d_v))
    )
    out = np.zeros((1, size.heads, n, size.d_v), np.float16)
    how = Arithmetic(d**-0.5, format="float16", path="flash")
    for head in range(size.heads):
        turn = (head + Settings().seed) / size.heads
        rows = np.array(sampled(n, n, None, turn))
        shared = head * size.kv_heads // size.heads
        queries, keys, values = (
            tensor.astype(np.float32) for tensor in (q[0, head, rows], k[0, shared], v[0, shared])
        )
        output = computed(HeadRows(rows, n, queries, keys, values), how).output
        assert output is not None
        out[0, head, rows] = output
    return {f"{number}.q": q, f"{number}.k": k, f"{number}.v": v, f"{number}.out": out}


def run(*arguments: str) -> tuple[float, float, float, str]:
    """Return seconds, those of a processor, megabytes, and the first line the program said."""
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, **ONE_CORE},
    )  # fmt: skip
    seconds = perf_counter() - start
    busy, kilobytes = map(float, done.stderr.split()[-2:])
    return seconds, busy, kilobytes / 1e3, done.stdout.partition("\n")[0]


def config(size: Size) -> dict[str, Any]:
    """Return a configuration whose scale is 1/√d_k."""
    return {
        "model_type": "llama", "num_hidden_layers": size.layers, "head_dim": size.d_k,
        "hidden_size": size.heads * size.d_k, "num_attention_heads": size.heads,
        "num_key_value_heads": size.kv_heads,
    }  # fmt: skip


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--mla", "which", flag_value="mla", help="Heads of absorbed MLA.")
@click.option("--large", "which", flag_value="large", help="2,000 heads of 8,192 positions.")
@click.option("--quick", "which", flag_value="quick", help="Only to see that it runs.")
def main(folder: Path, which: str | None) -> None:
    """Write a capture, examine it, and remove it."""
    size = SIZES[which or "usual"]
    folder.mkdir(parents=True)
    paths = [folder / f"layer_{number}.safetensors" for number in range(size.layers)]
    beside = folder / "config.json"
    try:
        for number, path in enumerate(paths):
            write_safetensors(path, layer(number, size))
        beside.write_text(json.dumps(config(size)))
        written = sum(path.stat().st_size for path in paths)
        *_, least, _ = run("doctor", "--help")
        seconds, busy, most, said = run("doctor", *map(str, paths), "--config", str(beside))
    finally:
        for path in (*paths, beside):
            path.unlink(missing_ok=True)
        folder.rmdir()
    heads = size.layers * size.heads
    click.echo(said)
    click.echo(f"{heads:,} heads, {size.n:,} positions, {written / 1e9:.1f} GB")
    click.echo(f"{seconds:.1f} s, {busy:.1f} of them of a processor, {busy / heads:.4f} a head")
    click.echo(f"{most:.0f} MB at most, {most - least:.0f} MB above --help")
    if size.marks:
        seconds, megabytes = size.marks
        met = busy <= seconds and most <= megabytes
        click.echo(f"marks of {seconds:g} s and {megabytes:g} MB {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
