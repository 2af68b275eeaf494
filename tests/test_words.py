"""docs/words.md: each noun of the house is one type, and no two classes have one name."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TYPES = re.findall(r"`([a-z_.]+):(\w+)`", (ROOT / "docs" / "words.md").read_text())
CONVENTIONS = {"Answer", "Settings"}
"""Each instrument has these."""


@pytest.mark.parametrize(("module", "name"), TYPES)
def test_a_word_is_a_type(module: str, name: str) -> None:
    assert getattr(import_module(f"attn_tui.{module}"), name)


def class_names() -> Iterator[tuple[str, Path]]:
    """Yield the classes that stand by themselves: messages stand in the widget that sends them."""
    for path in sorted((ROOT / "attn_tui").rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, path


def test_no_two_classes_have_one_name() -> None:
    homes: dict[str, Path] = {}
    for name, path in class_names():
        if name not in CONVENTIONS:
            assert homes.setdefault(name, path) == path, f"{name} in {homes[name]} and {path}"
