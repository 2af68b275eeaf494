"""What the doctor's pane says of the head under the cursor."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from attn_tui.doctor.examine import examine
from attn_tui.doctor.report import Settings
from attn_tui.files.models.opening import open_configured
from attn_tui.heads.examination import words_of
from tests.doctor.captures import write
from tests.doctor.command import HEALTHY, LLAMA


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "agrees: m = 0.2"),
        ({"sink": 1.0}, "differs in its sink; m = 0.2"),
        ({"multiplier": 0.5}, "differs: m = 0."),
    ],
)
def test_the_words_on_a_head_name_the_part_in_which_it_differs(
    tmp_path: Path, changes: dict[str, float], says: str
) -> None:
    """A healthy m beside "differs" would read as what is wrong."""
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, **changes))  # type: ignore[arg-type]
    opened = open_configured([path], config=str(tmp_path))
    *_, report = examine(opened.capture, opened.expectation, Settings())
    words = words_of(report.findings[1])
    assert words.startswith(f"Layer 0 head 1 {says}")
    first, *evidence = words.splitlines()
    assert "(" not in first
    assert any(line.startswith("m ") and " to " in line for line in evidence)
    if "multiplier" in changes:
        assert first.endswith(", 2 times as large")
