"""The command line that asks what is seen comes out of the program whole."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.visible import visible
from attn_tui.files.draft import EXAMPLE
from attn_tui.old.tui.copying import rows_of
from attn_tui.report.rows import cells
from attn_tui.ui.terminal.cells import Cells
from attn_tui.ui.terminal.clipboard import LONGEST, load_tmux, through
from tests.old.tui.person import MEDIUM, NARROW, at_screen

SHELL = shutil.which("sh") or ""


def test_what_is_too_long_for_terminals_is_not_sent() -> None:
    assert through("\x1b]52;c;" + "A" * LONGEST + "\x07", {}) == ""


@pytest.mark.parametrize("environ", [{}, {"TMUX": "1"}, {"STY": "1"}])
def test_what_is_for_the_clipboard_is_taken_for_no_text(environ: dict[str, str]) -> None:
    cells = Cells()
    cells.changes("\x1b[1;1Hab")
    sent = through(f"\x1b]52;c;{'QUJD' * 500}\x07", environ)
    assert cells.changes(sent) == sent
    assert "b" not in cells.changes("\x1b[1;1Hab")


def test_tmux_need_not_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    load_tmux("nobody")


def read_by_a_shell(text: str) -> list[str]:
    script = f"set -- {text}\n" + "for word; do printf '%s\\0' \"$word\"; done"
    done = subprocess.run([SHELL, "-c", script], capture_output=True, check=True, timeout=60)
    return done.stdout.decode().split("\0")[:-1]


WORDS = st.text(st.sampled_from("ab1,.:-' \"$\\[]é注"), min_size=1, max_size=90).map(visible)


@pytest.mark.skipif(not SHELL, reason="there is no shell")
@given(st.lists(WORDS, min_size=1, max_size=6), st.integers(12, 60))
@settings(deadline=None, max_examples=150)
def test_rows_that_are_pasted_together_are_the_line(words: list[str], width: int) -> None:
    from shlex import join

    rows = rows_of(join(words), width)
    assert read_by_a_shell("\n".join(rows)) == words
    assert max(map(cells, rows)) <= max(width, 12)
    assert all(row.endswith("\\") for row in rows[:-1])


def test_no_blank_stands_behind_a_backslash() -> None:
    numbers = ",".join(map(str, range(200)))
    rows = rows_of(f"attn-tui show {numbers} 'a: [[1, 2, 3], [4, 5, 6]]' --d-k 64", 40)
    assert {cells(row) for row in rows[:-1]} == {40}


@pytest.mark.parametrize("size", [MEDIUM, NARROW])
async def test_the_line_stands_alone_from_the_first_column_on(size: tuple[int, int]) -> None:
    async with at_screen(size) as person:
        await person.run("app.copy")
        person.sees("holding shift")
        lines = person.lines
        first = next(at for at, row in enumerate(lines) if row.startswith("attn-tui show"))
        shown = [lines[first]]
        while shown[-1].endswith("\\"):
            shown.append(lines[first + len(shown)])
        assert read_by_a_shell("\n".join(shown)) == [
            "attn-tui", "show", "100,120,150", "--d-k", "1024",
        ]  # fmt: skip
        await person.resize(*NARROW)
        assert max(map(cells, person.lines)) <= NARROW[0]
        person.sees("attn-tui show")


async def test_a_pin_is_left_out_and_that_is_said() -> None:
    async with at_screen(MEDIUM, EXAMPLE) as person:
        await person.run("app.copy")
        person.sees("nothing pastes")
        person.misses("pinned is left out")
        await person.press("escape", "p")
        await person.run("app.copy")
        person.sees("What is pinned is left out.")
        assert person.app.clipboard == "attn-tui show 100,120,150 --d-k 1024"


async def test_no_other_program_is_asked_by_a_screen_that_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TMUX", "/tmp/t,1,0")
    monkeypatch.setattr(subprocess, "run", lambda *given, **more: pytest.fail("asked"))
    async with at_screen(MEDIUM) as person:
        await person.run("app.copy")
        person.sees("nothing pastes")
        await person.app.workers.wait_for_complete()
