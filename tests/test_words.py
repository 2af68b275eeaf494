"""docs/words.md: each noun of the house is one type, and no two types have one name."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TYPES = re.findall(r"`([a-z_.]+):(\w+)`", (ROOT / "docs" / "words.md").read_text())
CONVENTIONS = {"Answer", "Settings", "Floats"}
"""Each instrument has the first two; in a fit, floats have the format of the head."""
ALIAS = re.compile("[A-Z]+[a-z]+[A-Za-z]*")
"""How the name of a type is written, and that of a constant is not."""


@pytest.mark.parametrize(("module", "name"), TYPES)
def test_a_word_is_a_type(module: str, name: str) -> None:
    assert getattr(import_module(f"attn_tui.{module}"), name)


def type_names(package: Path) -> Iterator[tuple[str, Path]]:
    """Yield classes that stand by themselves, not in the widget that sends them, and aliases."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, path
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Name) and ALIAS.fullmatch(target.id):
                    yield target.id, path


def test_no_two_types_have_one_name() -> None:
    homes: dict[str, Path] = {}
    for name, path in type_names(ROOT / "attn_tui"):
        if name not in CONVENTIONS:
            assert homes.setdefault(name, path) == path, f"{name} in {homes[name]} and {path}"
