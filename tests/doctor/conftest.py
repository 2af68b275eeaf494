"""Fixtures of the doctor's tests."""

import json
from pathlib import Path

import pytest

from tests.doctor.command import LLAMA


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA))
    return str(path)
