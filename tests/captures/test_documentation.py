import doctest
import re
from pathlib import Path

import pytest

from attn_tui.captures.names import PARTS
from attn_tui.captures.opening import READERS

PAGE = Path(__file__).parents[2] / "docs" / "captures.md"


def test_every_example_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 15
    assert not results.failed


def test_parts_and_files_are_all_there() -> None:
    # The tables of statistics below begin with names as well.
    text = PAGE.read_text("utf-8").partition("## Rows that are sampled")[0]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == sorted(
        PARTS, key=lambda part: text.index(f"| `{part}` |")
    )
    assert all(f"`{suffix}`" in text for suffix in READERS)
