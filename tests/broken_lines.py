"""Breaks lines of the program one by one, and counts how many of them the tests catch.

    python -m tests.broken_lines TREE --lines 60 --seed 1
    python -m tests.broken_lines TREE --lines 60 --seed 1 --also OTHER   # lines that both have
    python -m tests.broken_lines TREE --traced TREE/.coverage            # the tests that ran a line

TREE is a copy of the repository that is worked on: `git archive HEAD | tar -x -C TREE`. Of each
folder as many lines are broken as its share of the code. A line is broken in one place: a
comparison is turned around, a sum becomes a difference, a number grows by one, yes becomes no. Then
the tests of that folder run and, as long as none fails, those of commands, those of the contract,
and the slow ones of that folder. The test that failed is printed. With `--also` only lines that
both trees have are broken, and what TREE misses is tried in the other as well: what that one
catches is what the tests of TREE have lost. A tree that needs other packages has them in a `.venv`
of its own; its tests must pass as it is.

`pytest --cov=attn_tui --cov-context=test --cov-report=` (of pytest-cov) in TREE records which tests
run which line. With `--traced` some of these take the place of the folder's and of the commands':
no other can notice the line, but for those that start the program anew, as the contract's do.
"""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import click

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip

NO_TESTS = 5
"""The exit status of pytest where it found no test."""

MOST_SECONDS = 240
"""How long the tests of a line may take: one that never ends is caught."""

MOST_TESTS = 150
"""The most tests of the folder, and of the others, that are run of those that ran a line, evenly
chosen."""

APART = ("recipes", "_pb2")
"""Parts of paths that other machines' tests cover."""


@dataclass(frozen=True)
class Break:
    """A line and what it becomes.

    Attributes:
        path: The module, below TREE.
        line: The number of the line, from 1.
        text: The line as it is.
        broken: The line as it becomes.
    """

    path: str
    line: int
    text: str
    broken: str


def mended(node: ast.expr) -> ast.expr | None:
    """Return an expression turned into its opposite; None if it has none."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        ops = [COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
        return ast.Compare(node.left, ops, node.comparators)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        return ast.Constant(not node.value)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return ast.Constant(node.value + 1)  # type: ignore[operator]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    return None


def breaks(tree: Path, path: Path) -> Iterator[Break]:
    """Yield how each line of a module can be broken, the first way of each."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    module = ast.parse(source)
    # Inside of a text the places of its expressions are not those of the line.
    texts = {part for node in ast.walk(module) if isinstance(node, ast.JoinedStr)
             for part in ast.walk(node)}  # fmt: skip
    inside = {
        line
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for line in range(function.body[0].lineno, (function.end_lineno or 0) + 1)
    }
    seen: set[int] = set()
    for node in ast.walk(module):
        if not isinstance(node, ast.expr) or node in texts or node.lineno != node.end_lineno:
            continue
        other = mended(node)
        if other is None or node.lineno in seen or node.lineno not in inside:
            continue
        raw = lines[node.lineno - 1].encode()
        begins, ends = raw[: node.col_offset], raw[node.end_col_offset :]
        broken = (begins + f"({ast.unparse(other)})".encode() + ends).decode()
        seen.add(node.lineno)
        text = lines[node.lineno - 1]
        yield Break(str(path.relative_to(tree)), node.lineno, text, broken)


def chosen(tree: Path, other: Path | None, count: int, seed: int) -> list[Break]:
    """Return lines from all folders, as many of each as its share of all that can be broken."""
    modules = [
        path
        for path in sorted((tree / "attn_tui").rglob("*.py"))
        if not any(part in str(path.relative_to(tree)) for part in APART)
    ]
    every = [one for path in modules for one in breaks(tree, path)]
    for each in filter(None, (tree, other)):
        every = [one for one in every if is_there(each, one)]

    def order(one: Break) -> tuple[str, str]:
        # Sorted by folder, evenly spaced places fall on each folder as its size is.
        digest = sha256(f"{seed} {one.path} {one.text}".encode()).hexdigest()
        return Path(one.path).parts[1], digest

    every.sort(key=order)
    return [every[(2 * place + 1) * len(every) // (2 * count)] for place in range(count)]


def is_there(tree: Path, one: Break) -> bool:
    """Return whether another tree has a line once."""
    return _lines(tree / one.path)[one.text] == 1


@cache
def _lines(path: Path) -> Counter[str]:
    """Return the lines of a file, as it was."""
    return Counter(path.read_text(encoding="utf-8").split("\n") if path.exists() else ())


def caught(tree: Path, one: Break, nearest: Sequence[str] = (), is_slow: bool = True) -> str:
    """Break a line, run the tests that are nearest, mend it, and return the first that failed.

    Args:
        tree: The copy of the repository.
        one: The line.
        nearest: The tests that ran the line; without any, those of its folder and of commands.
        is_slow: Whether the slow tests of its folder run, too.
    """
    path = tree / one.path
    source = path.read_text(encoding="utf-8")
    lines = source.split("\n")
    lines[lines.index(one.text)] = one.broken
    folder = Path(one.path).parts[1]
    near = tree / "tests" / folder
    tests = [f"tests/{folder}"] if near.is_dir() else sorted(
        str(test.relative_to(tree)) for test in (tree / "tests").glob("test_*.py")
    )  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        beside = sorted(str(test.relative_to(tree)) for test in (tree / "tests").glob("test_*.py"))
        quick = [list(nearest)] if nearest else [tests, beside]
        slow = [["-m", "slow", *tests]] if is_slow else []
        runs = [*quick, ["tests/contract"], *slow]
        return next(filter(None, (failed(tree, each) for each in runs)), "")
    finally:
        path.write_text(source, encoding="utf-8")


def failed(tree: Path, tests: list[str]) -> str:
    """Return the first of some tests that fails or cannot even be collected; empty if none does."""
    own = tree / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    command = [python, "-m", "pytest", "-x", "-q", "-n", "2", "-p", "no:cacheprovider"]
    inside = {**os.environ, "PYTHONPATH": f"{tree}:{os.environ.get('PYTHONPATH', '')}"}
    try:
        done = subprocess.run(
            [*command, *tests], cwd=tree, env=inside, capture_output=True, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no end in {MOST_SECONDS} s"
    if done.returncode in (0, NO_TESTS):
        return ""
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout.decode(), re.MULTILINE)
    return found[1] if found else f"status {done.returncode}"


def traced(data: Path, tree: Path, one: Break) -> list[str]:
    """Return the tests that ran a line, those of its folder first."""
    from coverage import CoverageData  # type: ignore[import-not-found]

    record = CoverageData(str(data))
    record.read()
    contexts = record.contexts_by_lineno(str(tree / one.path))
    # A statement of several lines is recorded at its first.
    ran = max((line for line in contexts if line <= one.line), default=0)
    tests = sorted({context.partition("|")[0] for context in contexts.get(ran, ()) if context})
    folder = f"tests/{Path(one.path).parts[1]}/"
    near = [test for test in tests if test.startswith(folder)]
    others = [test for test in tests if not test.startswith(folder)]
    return [test for part in (near, others) for test in part[:: -(-len(part) // MOST_TESTS) or 1]]


@click.command()
@click.argument("tree", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--also", type=click.Path(exists=True, path_type=Path), help="Another copy.")
@click.option("--traced", "data", type=click.Path(exists=True, path_type=Path), help="Coverage.")
@click.option("--lines", default=60, show_default=True, help="How many lines to break.")
@click.option("--seed", default=1, show_default=True, help="Which lines.")
@click.option("--skip", default=0, help="How many of the lines to leave out at the beginning.")
@click.option("--slow/--no-slow", default=True, help="Whether slow tests run before one is missed.")
def main(
    tree: Path, also: Path | None, data: Path | None, lines: int, seed: int, skip: int, slow: bool
) -> None:
    """Break lines of the program in TREE, and print which the tests catch."""
    tree = tree.resolve()
    results: Counter[str] = Counter()
    for one in chosen(tree, also, lines, seed)[skip:]:
        nearest = traced(data, tree, one) if data is not None else []
        result, test = "caught", caught(tree, one, nearest, slow)
        if not test:
            result = "MISSED"
            test = caught(also.resolve(), one, (), slow) if also is not None else ""
        if result == "MISSED" and test:
            result = "LOST"
        results[result] += 1
        click.echo(f"{result}  {one.path}:{one.line}  {one.broken.strip()}  {test}")
    click.echo(", ".join(f"{count} {result}" for result, count in results.items()))


if __name__ == "__main__":
    main()
