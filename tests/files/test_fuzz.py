"""A short part of what `python -m tests.fuzz_readers` tries for as long as one likes."""

import sys
from pathlib import Path

import pytest

if sys.platform != "win32":
    from tests.fuzz_readers import one, seeds


@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
def test_what_is_almost_right_is_read_or_refused_in_one_printable_line(tmp_path: Path) -> None:
    corpus = seeds()
    for number in range(600):
        one(number, 9, corpus, tmp_path)
