"""What is remembered between runs, with concurrent writers and damaged files."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from attn_tui.ui.memory import (
    folder,
    remember_theme,
    remember_tour,
    remembered_theme,
    remembered_tour,
)

_WRITES = """
import json, sys
from attn_tui.ui import memory

name = sys.argv[1]
for at in range(100):
    memory.remember_theme(f"theme-{name}-{at}" * 4)
    memory.remember_tour(f"tour {name}", at, [0] * 500)
    assert memory.remembered_theme().startswith("theme-"), "the theme is half written"
    json.loads((memory.folder() / "tour").read_text())
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    folder().mkdir()
    return folder()


@pytest.mark.slow
def test_programs_that_write_at_once_leave_what_one_of_them_wrote(state: Path) -> None:
    programs = [
        subprocess.Popen([sys.executable, "-c", _WRITES, str(name)], stderr=subprocess.PIPE)
        for name in range(6)
    ]
    errors = [program.communicate()[1].decode() for program in programs]
    assert errors == [""] * 6
    assert remembered_theme().endswith("-99")
    tours = json.loads((state / "tour").read_text())
    assert 99 in [tour["step"] for tour in tours.values()]
    assert sorted(path.name for path in state.iterdir()) == ["theme", "tour"]


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_what_may_never_end_is_not_read_and_not_written_to(
    make: Callable[[Path], None], state: Path
) -> None:
    for name in ("theme", "tour"):
        make(state / name)
    remember_theme("ansi-dark")
    remember_tour("a", 1, ())
    assert remembered_theme() == ""
    assert remembered_tour("a") == (0, ())


def test_what_is_no_text_or_no_json_is_nothing(state: Path) -> None:
    (state / "theme").write_bytes(b"\xff")
    (state / "tour").write_text("[" * 20_000)
    assert remembered_theme() == ""
    assert remembered_tour("a") == (0, ())
    remember_tour("a", 1, (2,))
    assert remembered_tour("a") == (1, (2,))
