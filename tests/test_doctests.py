"""Examples in the docstrings of the program."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import attn_tui

ROOT = Path(attn_tui.__file__).parent
EXAMPLES = [
    ".".join(file.relative_to(ROOT.parent).with_suffix("").parts)
    for file in sorted(ROOT.rglob("*.py"))
    if ">>> " in file.read_text("utf-8")
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_examples_print_is_what_they_say(name: str) -> None:
    done = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert done.attempted
    assert not done.failed
