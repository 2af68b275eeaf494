"""Whatever comes from outside, by whichever way: the terminal gets it as text that can be seen."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

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

PROGRAM = (sys.executable, "-m", "attn_tui")

COMMANDS = """
import json, sys
from attn_tui.commands.program import program
for arguments in json.load(open(sys.argv[1])):
    try:
        program.main(arguments)
    except SystemExit:
        pass
print("all", "done")
"""
"""Runs command lines one after the other, in a child."""


def quoted(text: str) -> str:
    """Return a text as TOML holds it, every character as an escape."""
    return '"' + "".join(f"\\U{ord(each):08x}" for each in text) + '"'


def asked(**more: object) -> dict[str, object]:
    return {"schema": "attn-tui/1", "experiment": {"vectors": [], **more}}


def capture(folder: Path) -> None:
    """Write a capture whose tensors, metadata and configuration hold the worst."""
    values = np.arange(48, dtype=np.float32).tobytes()
    names = [f"{HOSTILE}.layers.0.{part}" for part in ("q", "k", "v", "out")]
    header: dict[str, object] = {"__metadata__": {HOSTILE: HOSTILE, "num_heads": HOSTILE}}
    for place, name in enumerate(names):
        ends = [place * len(values), (place + 1) * len(values)]
        header[name] = {"dtype": "F32", "shape": [1, 2, 6, 4], "data_offsets": ends}
    text = json.dumps(header, ensure_ascii=False).encode()
    whole = len(text).to_bytes(8, "little") + text + values * 4
    (folder / "capture.safetensors").write_bytes(whole)
    config = {"model_type": HOSTILE, "architectures": [HOSTILE], HOSTILE: HOSTILE}
    (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False), "utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder of files that hold the worst in every place that has a name."""
    monkeypatch.chdir(tmp_path)
    with ZipFile("arrays.npz", "w") as arrays:
        for name, array in ((HOSTILE, np.arange(3.0)), ("b", np.array([[["x"]]]))):
            with arrays.open(f"{name}.npy", "w") as file:
                np.save(file, array)
    bad = quoted(HOSTILE)
    texts = {
        "table.csv": f'"{HOSTILE}",b\n1,2\n{HOSTILE},4\n',
        "table.json": json.dumps({HOSTILE: [1, 2], "b": [HOSTILE]}, ensure_ascii=False),
        "rows.json": json.dumps({"vectors": [{"name": HOSTILE, "scores": [1]}]}),
        "asked.json": json.dumps(asked(rule=HOSTILE)),
        "field.json": json.dumps(asked(**{HOSTILE: 1})),
        "schema.json": json.dumps({**asked(), "schema": HOSTILE}),
        "text.txt": f"{HOSTILE}: 1, 2\n",
        "tour.toml": f'[[step]]\nask = "show 1,2"\nsay = {bad}\ndo = {bad}\nwhy = {bad}\n'
        'until = "d_k >= 2048"\n',
        "claims.toml": f'[[claim]]\nid = "X-1"\nsays = {bad}\nright = {bad}\nsource = {bad}\n'
        'ask = "show 1,1"\nquantity = "vectors[0].unscaled.max_weight"\nexpected = 0.5\n',
        f"name {HOSTILE}.txt": "1, 2, 4",
        f"surrogate {RAW}.txt": "1, 2, 5",
        f"{HOSTILE}.npy": HOSTILE,
        f"{RAW}.csv": HOSTILE,
    }
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    capture(tmp_path)
    return tmp_path


def check(written: bytes) -> None:
    """Check that nothing the terminal obeys came through, but what the program means."""
    text = written.decode("utf-8")
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
    held = "capture.safetensors"
    for form in ([], ["--json"], ["--csv"]):
        commands += [["heads", held, *form], ["compare", held, held, *form]]
        commands += [["show", "@rows.json", *form], ["claims", "--file", "claims.toml", *form]]
    commands += [["doctor", held, *form] for form in ([], ["--json"])]
    commands += [["doctor", held, "--config", "config.json"], ["heads", HOSTILE], ["doctor", RAW]]
    commands += [
        ["show", "--capture", held, "--layer", HOSTILE],
        ["heads", held, "--names", HOSTILE],
    ]
    commands += [["claim", "X-1", "--file", "claims.toml"], ["claim", HOSTILE], ["tour", RAW]]
    Path("commands").write_text(json.dumps(commands))
    with Terminal(80, 24, program=[sys.executable, "-c", COMMANDS, "commands"]) as terminal:
        terminal.until_shows("all done")
        assert terminal.leave() == 0
        assert terminal.raw.count(b"OWNED") > len(files)
        assert b"Traceback" not in terminal.raw
        check(terminal.raw)


@pytest.mark.parametrize("words", ["tour tour.toml", "claim X-1 --file claims.toml"])
def test_texts_of_others_are_text_in_a_pipe_too(words: str, folder: Path) -> None:
    done = subprocess.run([*PROGRAM, *words.split()], capture_output=True, check=False)
    assert b"OWNED" in done.stdout, done.stderr
    check(done.stdout)
    check(done.stderr)


def test_nothing_that_a_screen_is_given_reaches_the_terminal(folder: Path) -> None:
    environment = {"HOME": HOSTILE, "USER": HOSTILE, "TERM_PROGRAM": HOSTILE}
    with Terminal(100, 30, environment=environment) as terminal:
        terminal.until_shows("Divided by 32")
        for name in ("table.csv", "rows.json", "field.json", HOSTILE):
            ask(terminal, "Open a file", "\x0f")
            paste(terminal, name)
            terminal.press("\r")
            terminal.until(
                lambda: not has(terminal, "Open a file") or has(terminal, "expected"), name
            )
            leave(terminal, "Open a file")
        ask(terminal, "Open a file", "\x0f")
        paste(terminal, f"name {HOSTILE}.txt")
        terminal.press("\r")
        terminal.until_shows("OWNED")
        leave(terminal, "Open a file")
        paste(terminal, f"4 5 6\n{HOSTILE}q")
        terminal.until_shows("Nothing is changed")
        ask(terminal, "Save what is shown", "\x13")
        paste(terminal, HOSTILE)
        terminal.press("\x9b66;66H\u202e\r")
        terminal.until_shows("OWNED")
        leave(terminal, "Save what is shown")
        terminal.press("e")
        paste(terminal, f"{HOSTILE}\n{HOSTILE}: 1, 2")
        terminal.press("\x9b66;66H\u202e")
        terminal.until_shows("is not a number")
        terminal.press("\x11")
        assert terminal.leave() == 0
        check(terminal.raw)


def ask(terminal: Terminal, label: str, key: str) -> None:
    """Open a dialogue that asks for a file."""
    terminal.press(key)
    terminal.until(lambda: has(terminal, label), f"a dialogue: {label}")


def leave(terminal: Terminal, label: str) -> None:
    """Leave it, if it is still there."""
    terminal.press("\x1b[27u")
    terminal.until(lambda: not has(terminal, label), f"no dialogue: {label}")


def has(terminal: Terminal, text: str) -> bool:
    """Return whether a text stands on the screen."""
    return any(text in line for line in terminal.display)


def paste(terminal: Terminal, text: str) -> None:
    terminal.child.send(b"\x1b[200~" + os.fsencode(text) + b"\x1b[201~")
