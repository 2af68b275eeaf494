"""No module of the program imports itself by way of others, not even when it is first used."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def imported(tree: ast.AST, modules: dict[str, Path]) -> Iterator[str]:
    """What is imported anywhere in a module, but for what only types need."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{each.name}" for each in node.names}
            yield from names & modules.keys() or {node.module} & modules.keys()
        yield from imported(node, modules)


def circle(modules: dict[str, Path]) -> list[str]:
    """Modules that import each other in a circle, or none."""
    graph = {
        name: {*imported(ast.parse(path.read_text("utf-8")), modules)}
        for name, path in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [*error.args[1]]
    return []


@pytest.mark.slow
def test_no_module_imports_itself_by_way_of_others() -> None:
    paths = [path for path in (ROOT / "attn_tui").rglob("*.py") if path.stem != "__init__"]
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in paths}
    assert not circle(modules)
