"""Check on simulated captures that the doctor's intervals hold and that it finds what is there.

    python benchmarks/doctor.py                  # 200 seeds a cell, half an hour on one core
    python benchmarks/doctor.py --seeds 60 --path eager
    python benchmarks/doctor.py --quick          # one, only to see that it runs
    python benchmarks/doctor.py --speed          # time and memory of one large head

A cell is a number format, a path of rounding that it has, a standard deviation of the logits and a
number of rows. In each, heads are drawn that are plain, capped or have a sink, all causal, and
compared with nothing promised. Shown are, in per cent,

* how many 95 % intervals of m cover it, in plain heads, capped ones and ones with a sink;
* how many caps and sinks are found, and how many of their 95 % intervals cover them, over all
  seeds, whether found or not;
* false alarms: plain heads with a cap, a sink, a window, padding, packed texts, a value scale or
  a law of m by position that is not there.

``!`` marks what misses its mark: 90 % for each m, and for caps and sinks where 90 % are found;
1 % for false alarms, over all plain heads. A cell of S seeds has a standard error of
√(.95·.05/S), 1.5 % for 200. Its last column counts heads that no model explains, and plain ones
whose path is named wrongly.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import resource
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from math import inf
from time import process_time

import click

from attn_tui.compute.fit.estimates import Estimate
from attn_tui.compute.fit.explain import Explanation, Reference, explain
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.noise import format_of, paths_of
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.compute.heads.head_model import HeadModel, Part

FORMATS = ("float32", "bfloat16", "float16")
STDS = (0.1, 1.0, 8.0)
ROWS = (8, 32)
KEYS, DIM, MULTIPLIER = 128, 32, 0.11
CAP, SINK = 50.0, 2.0
VERDICT = 1 - 1e-5
"""A verdict's confidence: a value scale is another only if this interval says so."""


@dataclass(frozen=True)
class Cell:
    """A setting in which heads are drawn."""

    format: str
    path: Path
    std: float
    rows: int


def covers(estimate: Estimate | None, truth: float | None, confidence: float = 0.95) -> bool:
    """Whether an interval holds the truth, none (None) being an end of it."""
    if estimate is None:
        return True
    interval = estimate.at(confidence)
    if truth is None:
        return True
    low = -inf if interval.low is None else interval.low
    high = inf if interval.high is None else interval.high
    return low <= truth <= high


def knows(found: Explanation) -> bool:
    """Whether m is known, and its interval covers it."""
    m = found.candidate.estimates.get("multiplier")
    return found.explains and m is not None and covers(m, MULTIPLIER)


def run(task: tuple[Cell, int]) -> Counter[str]:
    """Ask one seed's heads in a cell, and count."""
    cell, seed = task
    count: Counter[str] = Counter()

    def found(softcap: float | None = None, sink: float | None = None) -> Explanation:
        how = Arithmetic(MULTIPLIER, softcap=softcap, sink=sink, format=cell.format, path=cell.path)
        head = simulate(seed, how, n_keys=KEYS, d_k=DIM, logit_std=cell.std, rows=cell.rows)
        tf32 = cell.path == "tf32"
        return explain(head, Reference(HeadModel(DIM**-0.5), tf32=tf32, format=cell.format))

    def estimate(known: Explanation, part: Part) -> Estimate | None:
        return known.candidate.estimates.get(part)

    plain = found()
    mask = plain.candidate.model.mask
    count["unknown m"] += estimate(plain, "multiplier") is None
    count["m"] += knows(plain)
    count["c"] += covers(estimate(plain, "value_scale"), 1.0)
    count["fails"] += not plain.explains
    count["path"] += plain.candidate.path not in (None, cell.path)
    count["false cap"] += has(estimate(plain, "softcap"))
    count["false sink"] += has(estimate(plain, "sink"))
    count["false window"] += mask.window is not None
    count["false padding"] += mask.hidden is not None
    count["false packed"] += bool(mask.packed)
    count["false scale"] += not covers(estimate(plain, "value_scale"), 1.0, VERDICT)
    count["false law"] += plain.candidate.model.law is not None
    capped = found(softcap=CAP)
    count["cap found"] += has(estimate(capped, "softcap"))
    count["cap"] += capped.explains and covers(estimate(capped, "softcap"), CAP)
    count["m of capped"] += knows(capped)
    sunk = found(sink=SINK)
    count["sink found"] += has(estimate(sunk, "sink"))
    count["sink"] += sunk.explains and covers(estimate(sunk, "sink"), SINK)
    count["m of sunk"] += knows(sunk)
    count["fails"] += (not capped.explains) + (not sunk.explains)
    return count


def has(estimate: Estimate | None) -> bool:
    """Whether something was found."""
    return estimate is not None and estimate.at().value is not None


def cells() -> Iterator[Cell]:
    """Return all cells."""
    for name in FORMATS:
        for values in product(paths_of(format_of(name)), STDS, ROWS):
            yield Cell(name, *values)


FALSE = tuple(
    f"false {name}" for name in ("cap", "sink", "window", "padding", "packed", "scale", "law")
)


def row(cell: Cell, count: Counter[str], seeds: int) -> tuple[str, bool]:
    """Return a line of the table, and whether its marks are met."""
    least = 0.9 * seeds
    missed = {
        **{name: count[name] < least for name in ("m", "m of capped", "m of sunk")},
        "cap": count["cap found"] >= least > count["cap"],
        "sink": count["sink found"] >= least > count["sink"],
    }

    def shown(name: str) -> str:
        return f"{100 * count[name] / seeds:4.0f}{'!' if missed.get(name) else ' '}"

    false = ", ".join(f"{name[6:]} {count[name]}" for name in FALSE if count[name]) or "–"
    line = (
        f"{cell.format:9}{cell.path:8}{cell.std:4g}{cell.rows:5}  {shown('m')} {shown('c')} "
        f"{shown('m of capped')} {shown('m of sunk')} "
        f"{shown('cap')} {shown('cap found')} {shown('sink')} {shown('sink found')}  "
        f"{false:18}{count['fails'] or '–'}, {count['path'] or '–'}"
    )
    return line, not any(missed.values())


def table(seeds: int, jobs: int, formats: tuple[str, ...], paths: tuple[str, ...]) -> bool:
    """Print the table; return whether every mark is met."""
    click.echo(f"{seeds} seeds a cell, n = {KEYS}, d = {DIM}; cap {CAP:g}, sink {SINK:g}; in %")
    shares = ("m", "c", "m cap", "m snk", "cap", "found", "sink", "found")
    click.echo(
        f"{'format':9}{'path':8}{'std':>4}{'rows':>5} " + "".join(f" {one:>5}" for one in shares)
        + "  false alarms      no model, other path"
    )  # fmt: skip
    good, alarms, heads = True, Counter[str](), 0
    with ProcessPoolExecutor(jobs) as pool:
        for cell in cells():
            if (formats and cell.format not in formats) or (paths and cell.path not in paths):
                continue
            tasks = [(cell, seed) for seed in range(seeds)]
            count = sum(pool.map(run, tasks, chunksize=4), Counter[str]())
            heads += seeds
            alarms.update({name: count[name] for name in FALSE})
            line, met = row(cell, count, seeds)
            good &= met
            click.echo(line)
            sys.stdout.flush()
    for name in FALSE:
        share_of = 100 * alarms[name] / max(heads, 1)
        good &= share_of <= 1
        click.echo(f"{name}: {alarms[name]} of {heads} plain heads, {share_of:.2f} %")
    return good


def speed() -> None:
    """Print how long one large head takes, and what memory more than the head."""
    click.echo("n = 8192, 32 rows, d = 128, bfloat16, one thread; seconds of the processor")
    for name, how in (
        ("plain, float32 path", Arithmetic(128**-0.5)),
        ("plain, eager", Arithmetic(128**-0.5, path="eager")),
        ("four times the multiplier", Arithmetic(4 * 128**-0.5)),
    ):
        head = simulate(1, how, n_keys=8192, d_k=128)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = process_time()
        reference = Reference(
            HeadModel(128**-0.5), frozenset({"multiplier", "mask"}), format="bfloat16"
        )
        explain(head, reference)
        end = process_time()
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        times = f"asked {end - start:5.2f} s"
        click.echo(f"{name:28} {times}  +{grown:.0f} MB")


@click.command(help=__doc__)
@click.option("--seeds", default=200, help="How many seeds a cell has.")
@click.option("--jobs", default=os.cpu_count() or 1, help="How many processes work.")
@click.option("--format", "formats", multiple=True, help="Only this format.")
@click.option("--path", "paths", multiple=True, help="Only this path of rounding.")
@click.option("--quick", is_flag=True, help="One seed, only to see that it runs.")
@click.option("--speed", "only_speed", is_flag=True, help="Time and memory of one large head.")
def main(
    seeds: int,
    jobs: int,
    formats: tuple[str, ...],
    paths: tuple[str, ...],
    quick: bool,
    only_speed: bool,
) -> None:
    """Run what the options say."""
    if only_speed:
        speed()
        return
    good = table(1 if quick else seeds, jobs, ("float16",) if quick else formats, paths)
    sys.exit(0 if good or quick else 1)


if __name__ == "__main__":
    main()
