"""What the doctor says of healthy captures and of faulty ones, as a table.

    python -m benchmarks.verdicts                       # some minutes
    python -m benchmarks.verdicts --full                # every kind, format, path and fault
    python -m benchmarks.verdicts --only "attention sinks" --keep captures
    python -m benchmarks.verdicts --trained FOLDER --models FOLDER

``--trained`` is a folder that ``benchmarks.verdicts.trained`` wrote: q, k and v of MiniLM, ALBERT
and a recogniser of text. ``--models`` is one that ``benchmarks.verdicts.architectures`` wrote:
captures of transformers' models at random weights. ``--keep DIR`` leaves each capture in a folder
of DIR, with its config.json and ``right.txt``: the command, and what is right to say. The commands
of those that are wrong are to be run in DIR.

Healthy captures have to agree, and none may differ. Of faults the cause has to be named, or that no
model gives it; never that all agrees, never another cause. The status is 1 where a healthy capture
differs, or a faulty one agrees or has another cause.

    python -m benchmarks.verdicts --random 10000 --seed 1      # the proof, without causes
    python -m benchmarks.verdicts --random 500 --seed 1 --causes
    python -m benchmarks.verdicts --random 1 --seed 8 --keep captures
    python -m benchmarks.verdicts --random 1000 --only honest

``--random N`` draws N promises, faults and formats, and compares what the doctor says with an
oracle that computes outputs exactly, and by five honest arithmetics. Draw i has the seed S + i, by
which it can be drawn alone. A wrong output must never agree, an honest one must, and a wrong call
must differ. Of honest heads it says how many 95 % intervals of m hold the promised one. Violations
are listed with their seeds; ``--keep DIR`` leaves their captures in folders of DIR. The status is 1
if there are any, but for one honest output of 1,000.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path as Folder
from shlex import join
from tempfile import TemporaryDirectory
from time import perf_counter

import click

from benchmarks.verdicts import given, synthetic
from benchmarks.verdicts.arithmetic import DTYPES, PATHS, Path
from benchmarks.verdicts.case import Case
from benchmarks.verdicts.heads import Heads, cases
from benchmarks.verdicts.judge import examine
from benchmarks.verdicts.proof.run import Run
from benchmarks.verdicts.proof.table import is_proved, summary, table, violations
from benchmarks.verdicts.table import Line, markdown

QUICK_LAYERS = 2
"""Layers of a trained model in the quick mode."""
QUICK: dict[str, tuple[Path, ...]] = {"float32": ("sdpa",), "bfloat16": ("eager",),
                                      "float16": ("sdpa",)}  # fmt: skip
"""Where faults are rounded in the quick mode."""


def settings(full: bool, healthy: bool) -> Iterator[tuple[str, Path]]:
    """Yield formats, and where each is rounded."""
    for dtype in DTYPES:
        paths: tuple[Path, ...] = ("sdpa",) if dtype == "float32" else PATHS
        if not (full or healthy):
            paths = QUICK[dtype]
        for path in paths:
            yield dtype, path


def every(full: bool, folder: Folder | None, models: Folder | None) -> Iterator[Case]:
    """Yield all captures, healthy ones first."""

    def kinds() -> Iterator[Heads]:
        yield from synthetic.every()
        if folder is not None:
            yield from given.models(folder, None if full else QUICK_LAYERS)

    for heads in kinds():
        for dtype, path in settings(full, True):
            yield from cases(replace(heads, faults=()), dtype, path)
    if models is not None:
        yield from given.captures(models)
    for heads in kinds():
        for dtype, path in settings(full, False):
            yield from islice(cases(heads, dtype, path), 1, None)


def run(task: tuple[Case, Folder]) -> Line:
    """Write a capture, and judge what the doctor says of it."""
    case, folder = task
    command = case.write(folder)
    within = join([each.removeprefix(f"{folder}{os.sep}") for each in command])
    return Line(
        case.kind, case.fault, case.dtype, case.path, case.trained, case.name,
        f"attn-tui {within}", case.right.text, examine(command, case.right),
    )  # fmt: skip


@click.command(help=__doc__)
@click.option("--full", is_flag=True, help="Every format and path of each fault, all layers.")
@click.option("--trained", type=click.Path(path_type=Folder, exists=True), help="See above.")
@click.option("--models", type=click.Path(path_type=Folder, exists=True), help="See above.")
@click.option("--only", multiple=True, help="Kinds or faults with these words in their name.")
@click.option("--keep", type=click.Path(path_type=Folder), help="Leave the captures there.")
@click.option("--write", is_flag=True, help="Only write them.")
@click.option("--jobs", default=os.cpu_count() or 1, help="How many processes work.")
@click.option("--random", "count", default=0, help="Draw so many captures at random instead.")
@click.option("--seed", default=1, help="Of the first draw.")
@click.option("--causes", is_flag=True, help="Search for causes in draws, and print them.")
def main(
    full: bool, trained: Folder | None, models: Folder | None, only: tuple[str, ...],
    keep: Folder | None, write: bool, jobs: int, count: int, seed: int, causes: bool,
) -> None:  # fmt: skip
    """Examine every capture, and print what came of them."""
    if count:
        sys.exit(not prove(Run(count, seed, causes, keep, only), jobs))
    start = perf_counter()
    wanted = (case for case in every(full, trained, models) if _is_wanted(case, only))
    if write:
        assert keep is not None, "--write needs --keep"
        for case in wanted:
            case.write(keep)
        return
    with TemporaryDirectory() as temporary, ProcessPoolExecutor(jobs) as pool:
        folder = keep or Folder(temporary)
        lines = []
        for each in pool.map(run, ((case, folder) for case in wanted)):
            lines.append(each)
            took = f"{each.judged.seconds:6.1f} s"
            click.echo(f"{took} {each.judged.outcome:13} {each.name}", err=True)
    for text in markdown(lines):
        click.echo(text)
    click.echo(f"{len(lines)} captures, {perf_counter() - start:.0f} s")
    worst = {"wrong cause", "agrees"}
    sys.exit(any(each.judged.outcome in worst for each in lines))


def prove(run: Run, jobs: int) -> bool:
    """Try every draw, print what came of them, and return whether nothing is violated."""
    start, trials = perf_counter(), []
    for trial in run.trials(jobs):
        trials.append(trial)
        if trial.violation:
            click.echo(trial.line, err=True)
        elif run.causes and trial.is_judged:
            click.echo(trial.line)
    for text in (*table(trials), "", *summary(trials)):
        click.echo(text)
    for trial in violations(trials):
        click.echo(trial.line)
    doctor = sum(trial.seconds for trial in trials)
    click.echo(f"{len(trials)} draws, {perf_counter() - start:.0f} s; the doctor {doctor:.0f} s")
    return is_proved(trials)


def _is_wanted(case: Case, only: tuple[str, ...]) -> bool:
    return not only or any(word in f"{case.kind}, {case.fault}" for word in only)


if __name__ == "__main__":
    main()
