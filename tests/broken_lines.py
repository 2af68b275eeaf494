"""Breaks lines of the program one by one, and counts how many of them the tests catch.

    python -m tests.broken_lines TREE --lines 60 --seed 1
    python -m tests.broken_lines TREE --lines 60 --seed 1 --also OTHER   # lines that both have

TREE is a copy of the repository that is worked on: `git archive HEAD | tar -x -C TREE`. Of each
folder as many lines are broken as its share of the code. A line is broken in one place: a
comparison is turned around, a sum becomes a difference, a number grows by one, yes becomes no. Then
the tests of that folder run and, as long as none fails, those of commands, those of the contract,
and the slow ones of that folder. With `--also` only lines that both trees have are broken, and what
TREE misses is tried in the other as well: what that one catches is what the tests of TREE have
lost. A tree that needs other packages has them in a `.venv` of its own; its tests must pass as it
is.
"""

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
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


def is_caught(tree: Path, one: Break) -> bool:
    """Break a line, run the tests that are nearest, and mend it."""
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
        quick = any(fails(tree, each) for each in (tests, beside, ["tests/contract"]))
        return quick or fails(tree, ["-m", "slow", *tests])
    finally:
        path.write_text(source, encoding="utf-8")


def fails(tree: Path, tests: list[str]) -> bool:
    """Return whether any of some tests fails, or cannot even be collected."""
    own = tree / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    command = [python, "-m", "pytest", "-x", "-q", "-n", "2", "-p", "no:cacheprovider"]
    inside = {**os.environ, "PYTHONPATH": f"{tree}:{os.environ.get('PYTHONPATH', '')}"}
    try:
        done = subprocess.run(
            [*command, *tests], cwd=tree, env=inside, capture_output=True, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode not in (0, NO_TESTS)


@click.command()
@click.argument("tree", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--also", type=click.Path(exists=True, path_type=Path), help="Another copy.")
@click.option("--lines", default=60, show_default=True, help="How many lines to break.")
@click.option("--seed", default=1, show_default=True, help="Which lines.")
def main(tree: Path, also: Path | None, lines: int, seed: int) -> None:
    """Break lines of the program in TREE, and print which the tests catch."""
    tree = tree.resolve()
    results: Counter[str] = Counter()
    for one in chosen(tree, also, lines, seed):
        result = "caught"
        if not is_caught(tree, one):
            result = "MISSED"
            if also is not None and is_caught(also.resolve(), one):
                result = "LOST"
        results[result] += 1
        click.echo(f"{result}  {one.path}:{one.line}  {one.broken.strip()}")
    click.echo(", ".join(f"{count} {result}" for result, count in results.items()))


if __name__ == "__main__":
    main()
