"""A visitor reads and writes nothing of the machine on which the program runs."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.contract.terminal import Terminal
from tests.terminal.events import ESCAPE, pasted

VISITOR = [sys.executable, "-m", "attn_tui.serving.visitor"]

WAYS = {
    "open": "open({path!r})",
    "low level": "os.open({path!r}, os.O_RDONLY)",
    "a link to it": "os.symlink({path!r}, 'link')",
    "dots": "open(os.path.join(attn_tui.__path__[0], '..', os.path.relpath({path!r}, '..')))",
    "NumPy": "np.load({path!r})",
    "mapped": "np.load({path!r}, mmap_mode='r')",
    "a new file": "open('new', 'w')",
    "a new folder": "os.mkdir('new')",
    "gone": "os.remove({path!r})",
    "renamed": "os.rename({path!r}, 'new')",
    "its folder": "os.listdir(os.path.dirname({path!r}))",
    "files like it": "os.scandir(os.path.dirname({path!r}))",
    "a process": "subprocess.run(['cat', {path!r}])",
    "a shell": "os.system('cat ' + {path!r})",
    "a connection": "socket.create_connection(('127.0.0.1', 9), 1)",
    "a name": "socket.getaddrinfo('localhost', 9)",
}
"""Ways to reach a file, a process or another machine, in Python."""

CODE = """
import os, socket, subprocess
import numpy as np
import attn_tui
from attn_tui.serving.guard import shut
shut([])
try:
    {way}
except PermissionError:
    pass
else:
    raise SystemExit(1)
"""


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.npy"
    np.save(path, np.array([1.0, 2.0, 77712345.25]))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_way_out_of_the_process_is_shut(way: str, scores: Path) -> None:
    code = CODE.format(way=WAYS[way].format(path=str(scores)))
    folder = scores.parent / "work"
    folder.mkdir()
    path = os.pathsep.join([str(Path.cwd()), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert [*folder.iterdir()] == []
    assert scores.exists()


@pytest.mark.slow
def test_no_key_of_the_program_reads_or_writes_a_file(scores: Path) -> None:
    home = scores.parent
    before = sorted(home.rglob("*"))
    state = {"XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home), "HOME": str(home)}
    with Terminal(120, 40, program=VISITOR, environment=state, folder=Path.cwd()) as terminal:
        terminal.until_shows("Divided by 32")
        # Open and Save are not offered, and their keys do nothing.
        assert "Open" not in terminal.display[-1]
        terminal.press("os")
        # A path is typed, pasted as a question, and set.
        terminal.press(f"e{ESCAPE}")
        terminal.press(f"e{pasted(f'@{scores}')}")
        terminal.until_shows("may not be read")
        terminal.press(f"{ESCAPE}{pasted(f'@{scores}')}")
        terminal.until_shows("Nothing is changed by the paste")
        terminal.press(f"5/capture {scores}\r")
        terminal.until_shows("may not be read")
        # Whether a file is there is not told either.
        terminal.press(f"{ESCAPE}1e{pasted('@no-such-file.npy')}")
        terminal.until_shows("may not be read")
        terminal.press(f"{ESCAPE}/light\r")
        terminal.until_shows("not remembered")
        terminal.press(f"{ESCAPE}q")
        assert terminal.leave() == 0
    assert b"77712345" not in terminal.raw
    assert sorted(home.rglob("*")) == before


@pytest.mark.slow
def test_the_captures_of_a_lesson_can_be_read_and_no_others(tmp_path: Path) -> None:
    lesson = tmp_path / "lesson.toml"
    for name in ("told", "other"):
        np.save(tmp_path / f"{name}.npy", np.array([1.0, 2.0, 8.0]))
    lesson.write_text(
        '[[step]]\nask = "show @told.npy"\nsay = "One of three."\ndo = "Type + once."\n'
        'until = "d_k >= 1025"\nwhy = "Less."\n'
    )
    with Terminal(120, 40, program=[*VISITOR, str(lesson)], folder=tmp_path) as terminal:
        terminal.until_shows("One of three.")
        terminal.until_shows("key 2 takes")
        terminal.press(f"e{pasted(f'@{tmp_path}/other.npy')}")
        terminal.until_shows("may not be read")
