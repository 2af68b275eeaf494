"""Whatever comes from outside, by whichever way: the terminal gets it as text that can be seen."""

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from attn_tui.files.codec import SCHEMA
from tests.contract.terminal import Terminal

HOSTILE = (
    "x\x1b]2;OWNED\x07\x1b]52;c;T1dO\x1b\\\x1bPOWNED\x1b\\\x1b[66;66H"
    "\x9d2;OWNED\x9c\x9b66m\u202e\u2066\u200b"
)
"""Would write the title and the clipboard, move the cursor, and turn the line around."""

RAW = os.fsdecode(b"\x9d2;OWNED\x9c")
"""The same in bytes that are no UTF-8, as a name may hold them."""

COMMANDED = re.compile(
    "\x1b(?:[PX^_]|](?!22;[a-z]+\x07)|.66;66)"
    "|[\x80-\x9f\u202a-\u202e\u2066-\u2069\u200b\ud800-\udfff]"
)
"""What no terminal is to be sent, but for the shape of the mouse pointer."""

FIELDS = {
    "\x13": "Save what is shown",
    "/mask\r": "mask",
    "/cap\r": "soft cap",
    "/sink\r": "sink",
    "\x10": "Find",
}
"""Keys that ask for a text, and the signs that it is asked for."""

COMMANDS = """
import json, sys
from attn_tui.commands.program import program
for arguments in json.loads(sys.argv[1]):
    try:
        program.main(arguments)
    except SystemExit:
        pass
print("all", "done")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder of files that hold the worst in every place that has a name."""
    monkeypatch.chdir(tmp_path)
    with ZipFile("arrays.npz", "w") as arrays:
        for name, array in ((HOSTILE, np.arange(3.0)), ("b", np.array([[["x"]]]))):
            with arrays.open(f"{name}.npy", "w") as file:
                np.save(file, array)
    table = {HOSTILE: [1, 2], "b": [HOSTILE]}
    texts = {
        "table.csv": f'"{HOSTILE}",b\n1,2\n{HOSTILE},4\n',
        "table.json": json.dumps(table, ensure_ascii=False),
        "rows.json": json.dumps({"vectors": [{"name": HOSTILE, "scores": [1]}]}),
        "asked.json": json.dumps(asked(rule=HOSTILE)),
        "field.json": json.dumps(asked(**{HOSTILE: 1})),
        "schema.json": json.dumps({**asked(), "schema": HOSTILE}),
        "text.txt": f"{HOSTILE}: 1, 2\n",
        f"name {HOSTILE}.txt": "1, 2, 4",
        f"surrogate {RAW}.txt": "1, 2, 5",
        f"{HOSTILE}.npy": HOSTILE,
        f"{RAW}.csv": HOSTILE,
    }
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    return tmp_path


def asked(**more: object) -> dict[str, object]:
    return {"schema": SCHEMA, "experiment": {"scores": [{"name": "a", "scores": [1, 2]}], **more}}


def check(terminal: Terminal) -> None:
    """Check that nothing the terminal obeys came through, but what the program means."""
    text = terminal.raw.decode("utf-8")
    assert not COMMANDED.search(text), COMMANDED.findall(text)


def test_nothing_that_a_command_is_given_reaches_the_terminal(folder: Path) -> None:
    files = [f"@{name}" for name in sorted(os.listdir(folder))]
    values = [HOSTILE, RAW, *files, "@~nosuch/x.npy", "@" + "x" * 300 + ".npy", "@none/" + HOSTILE]
    options = ("--rule", "--model", "--d-k", "--example", "--precision", "--mask", "--query")
    commands: list[Sequence[str]] = [["show", value] for value in values]
    commands += [["show", "1,2", option, HOSTILE] for option in options]
    commands += [["show", "1,2", option, name[1:]] for option in ("--experiment", "--against")
                 for name in (*files, f"@{HOSTILE}", "@~nosuch/x", "@" + "x" * 300)]  # fmt: skip
    commands += [[HOSTILE], [f"--{HOSTILE}"], ["show", f"--{HOSTILE}"], ["show", RAW, HOSTILE, "1"]]
    given = json.dumps(commands)
    with Terminal(80, 24, program=[sys.executable, "-c", COMMANDS, given]) as terminal:
        terminal.until_shows("all done")
        assert terminal.leave() == 0
        assert terminal.raw.count(b"OWNED") > len(files)
        assert b"Traceback" not in terminal.raw
        check(terminal)


def test_nothing_that_a_screen_is_given_reaches_the_terminal(folder: Path) -> None:
    environment = {"HOME": HOSTILE, "USER": HOSTILE, "TERM_PROGRAM": HOSTILE}
    with Terminal(80, 24, environment=environment) as terminal:
        terminal.until_shows("? Help")
        for name in ("arrays.npz", "table.csv", "rows.json", "field.json", HOSTILE):
            ask(terminal, "Open a file")
            paste(terminal, name)
            terminal.press("\r")
            terminal.until(
                lambda: not has(terminal, " open ") or "expected" in shown(terminal), name
            )
            leave(terminal, "Open a file")
        for begin, scores in (("name", "[1 2 4]"), ("surr", "[1 2 5]")):
            ask(terminal, "Open a file")
            terminal.press(f"{begin}\t")
            terminal.until(lambda: has(terminal, ".txt "), "the whole name")
            terminal.press("\r")
            terminal.until_shows(scores)
        paste(terminal, f"4 5 6\n{HOSTILE}q")
        terminal.until_shows("Nothing is changed")
        terminal.until_shows("[1 2 5]")
        for key, label in FIELDS.items():
            ask(terminal, label, key)
            paste(terminal, HOSTILE)
            terminal.press("\x9b66;66H\u202e\r")
            terminal.until_shows("OWNED")
            leave(terminal, label)
        terminal.press("e")
        paste(terminal, f"{HOSTILE}\n{HOSTILE}: 1, 2")
        terminal.press("\x9b66;66H\u202e")
        terminal.until_shows("is not a number")
        terminal.press("\x11")
        assert terminal.leave() == 0
        check(terminal)


def ask(terminal: Terminal, label: str, key: str = "\x0f") -> None:
    """Open the line that asks for something."""
    terminal.press(key)
    terminal.until(lambda: has(terminal, f" {label} "), f"a line that asks for {label}")


def leave(terminal: Terminal, label: str) -> None:
    """Leave it, if it is still there."""
    terminal.press("\x1b[27u")
    terminal.until(lambda: not has(terminal, f" {label} "), f"no line that asks for {label}")


def has(terminal: Terminal, text: str) -> bool:
    """Return whether a text stands in the upper part of the screen."""
    return any(text in f" {line} " for line in terminal.display)


def paste(terminal: Terminal, text: str) -> None:
    terminal.child.send(b"\x1b[200~" + os.fsencode(text) + b"\x1b[201~")


def shown(terminal: Terminal) -> str:
    return "\n".join(terminal.display)
