"""Find what grows faster than its input: each command with some of it, and with ten times that.

    python benchmarks/growth.py                  # minutes
    python benchmarks/growth.py --only "show"    # cases with a word in their line

Shown are seconds of a processor with the larger input, and how many times those with the smaller
they are, both in one process that has imported all it needs. ``!`` marks what grows more than half
as fast again as its input; the cells of a head grow as the square of its keys.
"""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from click.testing import CliRunner
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program

TIMES = 10
"""How many times larger the larger input is."""

MOST = 1.5
"""How much faster than its input something may grow."""


@dataclass(frozen=True)
class Case:
    """A command line, in which {keys}, {rows}, {heads}, {head} or {count} stand for input.

    Attributes:
        line: It, as words.
        count: The smaller number of what is counted.
        grows: How many times the work is with ten times as many.
    """

    line: str
    count: int
    grows: int = TIMES


CASES = (
    *(Case(f"show {form}{{keys}}", 2000) for form in ("", "--csv ", "--json ")),
    Case("show {rows}", 100),
    Case("show --top 1 {rows}", 100),
    Case("show --csv {rows}", 100),
    Case("show --draw {count}", 2000),
    Case("dot --samples {count}", 100_000),
    Case("sweep --n 64 --draws {count}", 100),
    Case("sweep --map --draws {count}", 20),
    *(Case(f"attention {form}--n {{count}}", 60, TIMES**2) for form in ("", "--csv ", "--json ")),
    Case("attention --capture {head}", 200, TIMES**2),
    *(Case(f"heads {form}{{heads}}", 2) for form in ("", "--csv ", "--json ")),
    *(Case(f"doctor {form}{{heads}}", 2) for form in ("", "--json ")),
)


def words(case: Case, count: int, folder: Path) -> Iterator[str]:
    """Yield the words of a case's line with so much input."""
    for word in case.line.split():
        if word == "{keys}":
            (folder / "keys.csv").write_text(",".join(map(str, range(count))))
            yield f"@{folder / 'keys.csv'}"
        elif word == "{rows}":
            (folder / "rows.csv").write_text(f"{','.join(map(str, range(20)))}\n" * count)
            yield f"@{folder / 'rows.csv'}"
        elif word == "{heads}":
            yield capture(folder / f"{count}.safetensors", count)
        elif word == "{head}":
            yield capture(folder / f"long{count}.safetensors", 1, heads=1, n=count)
        else:
            yield word.format(count=count)


def capture(file: Path, layers: int, heads: int = 8, n: int = 64) -> str:
    """Write heads of n positions that divide by √d_k unless they are there; return where."""
    if not file.exists():
        rng = np.random.default_rng(layers)
        tensors: dict[str, NDArray[np.float32]] = {}
        for layer in range(layers):
            q, k, v = rng.standard_normal((3, 1, heads, n, 32))
            z = q @ k.swapaxes(-1, -2) / np.sqrt(32) + np.triu(np.full((n, n), -np.inf), 1)
            p = np.exp(z - z.max(axis=-1, keepdims=True))
            out = p / p.sum(axis=-1, keepdims=True) @ v
            parts = zip(("q", "k", "v", "out"), (q, k, v, out), strict=True)
            tensors |= {f"{layer}.{part}": each.astype(np.float32) for part, each in parts}
        write_safetensors(file, tensors)
    return str(file)


def seconds(case: Case, count: int, folder: Path) -> float:
    """Return how long a processor works on a case with so much input."""
    given = [*words(case, count, folder)]
    start = time.process_time()
    result = CliRunner().invoke(program, given, catch_exceptions=False)
    if result.exit_code:
        raise click.ClickException(f"{case.line}: ended with {result.exit_code}: {result.output}")
    return time.process_time() - start


@click.command(help=__doc__)
@click.option("--only", default="", help="Of cases with these words alone.")
def main(only: str) -> None:
    """Show all cases."""
    click.echo("seconds    times   expected")
    with tempfile.TemporaryDirectory() as name:
        for case in (each for each in CASES if only in each.line):
            seconds(case, case.count, Path(name))
            small, large = (seconds(case, case.count * by, Path(name)) for by in (1, TIMES))
            times = large / small
            mark = "!" if times > MOST * case.grows else " "
            click.echo(f"{large:7.2f}  {times:7.1f}{mark}  {case.grows:7}  {case.line}")


if __name__ == "__main__":
    main()
