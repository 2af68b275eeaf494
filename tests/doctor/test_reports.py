"""Captures after public reports: the doctor is right about each, and names what it is.

They are random small models, written after threads that reports.toml names. A source distribution
has none of them.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.command import printed, run
from tests.pairs import slow_after

FOLDER = Path(__file__).with_name("reports")
REPORTS: dict[str, dict[str, Any]] = tomllib.loads(
    FOLDER.with_suffix(".toml").read_text("utf-8")
)  # fmt: skip
STATUSES = {"agrees": {0}, "no expectation": {0}, "differs": {1}, "cannot tell": {3}}


@pytest.mark.skipif(not FOLDER.exists(), reason="a source distribution has no captures")
@pytest.mark.parametrize("name", slow_after(2, REPORTS))
def test_a_capture_after_a_report_is_judged_as_it_should_be(name: str) -> None:
    report, folder = REPORTS[name], FOLDER / name
    command = [str(folder / "capture.safetensors"), "--json"]
    if (folder / "config.json").exists():
        command += ["--config", str(folder)]
    result = run(*command)
    plain = printed(result)
    sentences = "\n".join(plain["why"])
    assert plain["verdict"] in report["verdicts"], sentences
    assert result.exit_code in STATUSES[plain["verdict"]]
    assert re.search(report.get("names", ""), sentences)
    first, _, _ = sentences.partition("; ")
    assert len(first) <= 120


@pytest.mark.skipif(not FOLDER.exists(), reason="a source distribution has no captures")
def test_each_capture_has_its_report() -> None:
    assert {path.name for path in FOLDER.iterdir()} == REPORTS.keys()
