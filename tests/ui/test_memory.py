"""What is remembered between runs, with concurrent writers, damaged files, links and no home."""

import errno
import fcntl
import json
import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from attn_tui.ui import memory
from attn_tui.ui.memory import (
    LOCK,
    LONGEST_TOURS,
    NoFolderError,
    folder,
    is_first_start,
    remember_background,
    remember_theme,
    remember_tour,
    remembered_background,
    remembered_theme,
    remembered_tour,
)

_WRITES = """
import json, sys
from attn_tui.ui import memory

name = sys.argv[1]
print(flush=True)
sys.stdin.readline()
for at in range(30):
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


def test_six_programs_that_write_at_once_keep_the_tour_of_each(state: Path) -> None:
    command = [sys.executable, "-c", _WRITES]
    programs = [
        subprocess.Popen(
            [*command, str(name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in range(6)
    ]
    # All are ready before any begins.
    for program in programs:
        assert program.stdout
        program.stdout.readline()
    for program in programs:
        assert program.stdin
        program.stdin.write(b"\n")
        program.stdin.flush()
    errors = [program.communicate()[1].decode() for program in programs]
    assert errors == [""] * 6
    assert remembered_theme().endswith("-29")
    assert [remembered_tour(f"tour {name}")[0] for name in range(6)] == [29] * 6
    assert sorted(path.name for path in state.iterdir()) == [LOCK, "theme", "tour"]


def test_a_lock_that_is_never_given_back_is_not_waited_for_for_ever(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "LONGEST_WAIT", 0.05)
    with open(state / LOCK, "w") as stopped:
        fcntl.flock(stopped, fcntl.LOCK_EX)
        remember_tour("a", 1, ())
        assert is_first_start()
    assert remembered_tour("a") == (1, ())


def test_a_file_system_without_locks_keeps_what_one_program_writes(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    remember_tour("a", 1, ())
    assert remembered_tour("a") == (1, ())


def test_a_link_is_replaced_and_what_it_leads_to_stays(state: Path, tmp_path: Path) -> None:
    for name in ("theme", "tour", "background"):
        target = tmp_path / f"my {name}"
        target.write_text("mine")
        (state / name).symlink_to(target)
    lost = tmp_path / "not there"
    for name in (memory.STARTED, LOCK):
        (state / name).symlink_to(lost)
    assert remember_theme("ansi-dark") == ""
    remember_tour("a", 1, ())
    remember_background("light")
    assert is_first_start()
    assert (remembered_theme(), remembered_background()) == ("ansi-dark", "light")
    assert remembered_tour("a") == (1, ())
    assert not any((state / name).is_symlink() for name in ("theme", "tour", "background"))
    assert {path.read_text() for path in tmp_path.glob("my *")} == {"mine"}
    assert not lost.exists()


def test_the_folder_itself_may_be_a_link(state: Path, tmp_path: Path) -> None:
    state.rmdir()
    (tmp_path / "elsewhere").mkdir()
    state.symlink_to(tmp_path / "elsewhere")
    assert remember_theme("ansi-dark") == ""
    assert (tmp_path / "elsewhere" / "theme").read_text() == "ansi-dark\n"


def test_notes_lie_where_the_system_keeps_such_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """~/Library/Application Support is no folder that anybody looks for by XDG_STATE_HOME."""
    place = tmp_path / "Application Support" / "attn-tui"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr("platformdirs.user_state_path", lambda *_, **__: place)
    assert folder() == place


def without_variable(patch: pytest.MonkeyPatch) -> None:
    def no_entry(user: int) -> None:
        raise KeyError(user)

    patch.delenv("XDG_STATE_HOME")
    patch.delenv("HOME", raising=False)
    patch.setattr(pwd, "getpwuid", no_entry)


def with_variable(name: str, value: str) -> Callable[[pytest.MonkeyPatch], None]:
    def change(patch: pytest.MonkeyPatch) -> None:
        patch.delenv("XDG_STATE_HOME")
        patch.setenv(name, value)

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (without_variable, "there is no home directory"),
        (with_variable("HOME", ""), "there is no home directory"),
        (with_variable("HOME", "home"), "there is no home directory"),
        (with_variable("XDG_STATE_HOME", "state"), "XDG_STATE_HOME is no absolute path"),
        (with_variable("XDG_STATE_HOME", "~/state"), "XDG_STATE_HOME is no absolute path"),
    ],
)
def test_without_a_place_for_it_nothing_is_remembered_and_nothing_is_written(
    change: Callable[[pytest.MonkeyPatch], None],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    change(monkeypatch)
    with pytest.raises(NoFolderError, match=reason):
        folder()
    assert remember_theme("ansi-dark") == reason
    remember_tour("a", 1, ())
    remember_background("light")
    assert not is_first_start()
    assert (remembered_theme(), remembered_background()) == ("", "")
    assert remembered_tour("a") == (0, ())
    assert [*(tmp_path / "work").iterdir()] == []


def test_what_cannot_be_written_is_said(state: Path) -> None:
    (state / "theme").mkdir()
    assert remember_theme("ansi-dark").endswith("attn-tui/theme': it is a directory")
    (state / "theme").rmdir()
    state.rmdir()
    state.write_text("a file in place of the folder")
    assert remember_theme("ansi-dark").endswith("attn-tui': File exists")


def test_a_pipe_is_neither_read_nor_replaced(state: Path) -> None:
    for name in ("theme", "tour", LOCK):
        os.mkfifo(state / name)
    assert "it is no regular file" in remember_theme("ansi-dark")
    remember_tour("a", 1, ())
    assert remembered_theme() == ""
    assert remembered_tour("a") == (0, ())
    assert all((state / name).is_fifo() for name in ("theme", "tour"))


def test_a_device_that_never_ends_is_not_read(state: Path) -> None:
    for name in ("theme", "tour"):
        (state / name).symlink_to("/dev/zero")
    assert remembered_theme() == ""
    assert remembered_tour("a") == (0, ())


def test_what_is_no_text_or_no_json_is_nothing(state: Path) -> None:
    (state / "theme").write_bytes(b"\xff")
    (state / "tour").write_text("[" * 20_000)
    assert remembered_theme() == ""
    assert remembered_tour("a") == (0, ())
    remember_tour("a", 1, (2,))
    assert remembered_tour("a") == (1, (2,))


def test_tours_that_are_too_much_to_read_give_way_to_the_latest(state: Path) -> None:
    for number in range(20):
        remember_tour(f"tour {number}", number, [0] * 500)
    assert (state / "tour").stat().st_size <= LONGEST_TOURS
    assert [remembered_tour(f"tour {number}")[0] for number in (18, 19)] == [18, 19]
    assert len(json.loads((state / "tour").read_text())) > 10
