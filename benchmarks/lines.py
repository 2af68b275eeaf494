"""Count lines of code: in each package, in all, and in the largest classes; and what else there is.

    python benchmarks/lines.py                  # the program, ten classes
    python benchmarks/lines.py FOLDER --top 20  # another checkout's attn_tui

A line of code has something on it that is no comment, no part of an import and no part of a text
that stands by itself, as docstrings do. A class has its own lines and those of every class here
that it inherits from, directly or not, each once; beside them stand all its lines, docstrings,
comments and blank ones among them. Functions are those with a name, methods among them; caches are
`lru_cache`, `cache`, `cached_property` and `LRUCache`. Tests are the functions of TREE/tests that
pytest runs, before they are multiplied by parameters.
"""

import ast
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from statistics import median

import click

NOTHING = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
"""Kinds of tokens that make no line one of code."""

PROGRAM = Path(__file__).parents[1] / "attn_tui"


def code_lines(source: str) -> set[int]:
    """Return the numbers of a module's lines of code, counted from 1."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type not in NOTHING:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom) or is_text(node):
            lines.difference_update(span(node))
    return lines


def is_text(node: ast.AST) -> bool:
    """Return whether a node is a text that stands by itself: a docstring, or one of a value."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def span(node: ast.AST) -> range:
    """Return the lines of a statement."""
    assert isinstance(node, ast.stmt)
    assert node.end_lineno is not None
    return range(node.lineno, node.end_lineno + 1)


@dataclass(frozen=True)
class Class:
    """A class: the lines in its body and its head, and the full names of what it inherits from."""

    code: int
    all: int
    bases: tuple[str, ...]


def classes(module: str, source: str) -> Iterator[tuple[str, Class]]:
    """Yield the classes of a module by full name; bases are resolved by the module's imports."""
    tree, lines = ast.parse(source), code_lines(source)
    known = {
        node.name: f"{module}.{node.name}" for node in tree.body if isinstance(node, ast.ClassDef)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            known |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            heads = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
            bases = tuple(known.get(ast.unparse(head), "") for head in heads)
            code = len(lines.intersection(span(node)))
            yield f"{module}.{node.name}", Class(code, len(span(node)), bases)


def lineage(name: str, known: Mapping[str, Class]) -> set[str]:
    """Return a class and all it inherits from, of those that are known."""
    if name not in known:
        return set()
    return {name}.union(*(lineage(base, known) for base in known[name].bases))


@dataclass
class Things:
    """What there is in a package, besides lines.

    Attributes:
        modules: Its modules, empty ones left out.
        classes: Its classes.
        functions: The lines of code of each function.
        caches: Its caches.
        doubles: Names of classes that stand in several modules.
    """

    modules: int = 0
    classes: int = 0
    functions: tuple[int, ...] = ()
    caches: int = 0
    doubles: int = 0

    def __str__(self) -> str:
        middle = median(self.functions) if self.functions else 0
        return (
            f"{self.modules:,} modules, {self.classes:,} classes ({self.doubles:,} names twice or "
            f"more), {len(self.functions):,} functions (median {middle:g} lines), "
            f"{self.caches:,} caches"
        )


CACHES = {"lru_cache", "cache", "cached_property", "LRUCache"}


def things(folder: Path) -> Things:
    """Count what there is in a package."""
    found, names = Things(), Counter[str]()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree, lines = ast.parse(source), code_lines(source)
        found.modules += bool(lines)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.classes += 1
                names[node.name] += 1
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.functions += (len(lines.intersection(span(node))),)
            decorators = getattr(node, "decorator_list", [])
            calls = [node] if isinstance(node, ast.Call) else []
            found.caches += sum(called(each) in CACHES for each in decorators)
            found.caches += sum(called(each) == "LRUCache" for each in calls)
    found.doubles = sum(count > 1 for count in names.values())
    return found


def called(node: ast.expr) -> str:
    """Return the name of what is called, or of what decorates."""
    head = node.func if isinstance(node, ast.Call) else node
    head = head.value if isinstance(head, ast.Subscript) else head
    return head.attr if isinstance(head, ast.Attribute) else getattr(head, "id", "")


def tests_in(folder: Path) -> tuple[int, int]:
    """Return how many functions are tests, and the lines of code around and in them."""
    tests, lines = 0, 0
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        lines += len(code_lines(source))
        tests += sum(
            node.name.startswith("test_")
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )
    return tests, lines


@click.command()
@click.argument("folder", default=PROGRAM, type=click.Path(exists=True, path_type=Path))
@click.option("--top", default=10, show_default=True, help="How many classes.")
def main(folder: Path, top: int) -> None:
    """Print lines of code of the package in FOLDER."""
    packages: Counter[str] = Counter()
    known: dict[str, Class] = {}
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        place = path.relative_to(folder.parent)
        packages[".".join(place.parts[:2]) if len(place.parts) > 2 else place.parts[0]] += len(
            code_lines(source)
        )
        known |= classes(".".join(place.with_suffix("").parts), source)
    for package, count in sorted(packages.items()):
        click.echo(f"{count:7,}  {package}")
    click.echo(f"{packages.total():7,}  in all")
    click.echo(f"\n{things(folder)}")
    tests = folder.parent / "tests"
    if tests.is_dir():
        count, test_lines = tests_in(tests)
        click.echo(f"{count:,} tests in {test_lines:,} lines")
    click.echo("\n   code     all  class, with what it inherits")
    lines = {
        name: (sum(known[each].code for each in each_of), sum(known[each].all for each in each_of))
        for name in known
        for each_of in [lineage(name, known)]
    }
    for name in sorted(lines, key=lambda name: lines[name], reverse=True)[:top]:
        click.echo(f"{lines[name][0]:7,} {lines[name][1]:7,}  {name}")


if __name__ == "__main__":
    main()
