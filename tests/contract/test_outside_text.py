"""Whatever comes from outside, by whichever way: the terminal gets it as text that can be seen."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
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

LINES = "y\r\nFORGED\v\f\x85FORGED\u2028FORGED"
"""Would write lines of its own."""

WORST = HOSTILE + LINES

COMMANDED = re.compile(
    "\x1b(?:[PX^_]|](?!22;[a-z]+\x07|11;[?]\x1b)|.66;66)"
    "|[\x80-\x9f\u2028-\u202e\u2066-\u2069\u200b\ud800-\udfff]"
)
"""What no terminal is to be sent, but for the pointer's shape and the background's question."""

WRITTEN = re.compile(f"[\0-\t\v-\x1f\x7f]|{COMMANDED.pattern}|^FORGED", re.MULTILINE)
"""What no report is to hold."""

PROGRAM = (sys.executable, "-m", "attn_tui")

COMMANDS = """
import json, runpy, sys
for sys.argv in json.load(open("commands")):
    try:
        runpy.run_module("attn_tui", run_name="__main__")
    except SystemExit as end:
        for stream in sys.stdout, sys.stderr:
            stream.write(f"ended {end.code}\\n")
            stream.flush()
print("all", "done")
"""
"""Runs command lines one after the other, as if each were a program of its own."""

FAILING = """
import click, runpy, sys

def fails(*given):
    raise RuntimeError(sys.argv[1])

click.Command.invoke = fails
runpy.run_module("attn_tui", run_name="__main__")
"""
"""Runs the program, which fails with a text from outside."""

CRASHING = """
import runpy
from textual.app import App

def watch(self, has_focus):
    if not has_focus:
        raise RuntimeError("OWNED \\x1b]2;OWNED\\x07\\x9b66m\\u202e\\nFORGED")

App.watch_app_focus = watch
runpy.run_module("attn_tui", run_name="__main__")
"""
"""Runs the screen, which fails with a text from outside once its terminal has lost the focus."""

CRASHED = (sys.executable, "-c", CRASHING)


def quoted(text: str) -> str:
    """Return a text as TOML holds it, every character as an escape."""
    return '"' + "".join(f"\\U{ord(each):08x}" for each in text) + '"'


def asked(**more: object) -> dict[str, object]:
    experiment = {"vectors": [{"name": "a", "scores": [1, 2]}], **more}
    return {"schema": "attn-tui/1", "experiment": experiment}


def capture(*names: str) -> bytes:
    """Return a .safetensors file of tensors, whose metadata holds the worst."""
    values = np.random.default_rng(1).normal(size=48).astype("<f4").tobytes()
    held = {"model_type": WORST, "head_dim": 4, "num_attention_heads": 2, WORST: WORST}
    metadata = {WORST: WORST, "layout": WORST, "tool": WORST, "config": json.dumps(held)}
    header: dict[str, object] = {"__metadata__": metadata}
    for place, name in enumerate(names):
        ends = [place * len(values), (place + 1) * len(values)]
        header[name] = {"dtype": "F32", "shape": [1, 2, 6, 4], "data_offsets": ends}
    text = json.dumps(header, ensure_ascii=False).encode()
    return len(text).to_bytes(8, "little") + text + values * len(names)


CONFIG = {
    "num_attention_heads": 2, "hidden_size": 8, "head_dim": 4, "num_hidden_layers": 1,
    "model_type": WORST, "architectures": [WORST], "layer_types": [WORST],
    "rope_scaling": {"rope_type": WORST, WORST: WORST}, WORST: WORST,
}  # fmt: skip
"""A configuration that holds the worst where it may hold any text."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder of files that hold the worst in every place that has a name."""
    monkeypatch.chdir(tmp_path)
    with ZipFile("arrays.npz", "w") as arrays:
        for name, array in ((HOSTILE, np.arange(3.0)), ("b", np.array([[["x"]]]))):
            with arrays.open(f"{name}.npy", "w") as file:
                np.save(file, array)
    step = {key: quoted(f"{key} {WORST}") for key in ("say", "do", "why")}
    tour = {"ask": '"show 1,2"', "until": '"d_k >= 2048"', **step, "guess": quoted(HOSTILE),
            "answers": f'["b", {quoted("a" + WORST[-9:])}, {quoted("c" + HOSTILE[-9:])}]',
            "right": '"b"'}  # fmt: skip
    texts = {
        "table.csv": f'"{HOSTILE}",b\n1,2\n{HOSTILE},4\n',
        "table.json": json.dumps({HOSTILE: [1, 2], "b": [HOSTILE]}, ensure_ascii=False),
        "rows.json": json.dumps({"vectors": [{"name": HOSTILE, "scores": [1]}]}),
        "asked.json": json.dumps(asked(rule=HOSTILE)),
        "field.json": json.dumps(asked(**{HOSTILE: 1})),
        "schema.json": json.dumps({**asked(), "schema": HOSTILE}),
        "text.txt": f"{HOSTILE}: 1, 2\n",
        "tour.toml": toml("step", tour),
        "unknown.toml": toml("step", {**tour, quoted(WORST): "1"}),
        "config.json": json.dumps(CONFIG, ensure_ascii=False),
        "bad.json": json.dumps({**CONFIG, "attn_logit_softcapping": WORST, "head_dim": WORST}),
        f"name {WORST}.txt": "1, 2, 4",
        f"surrogate {RAW}.txt": "1, 2, 5",
        f"{HOSTILE}.npy": HOSTILE,
        f"{RAW}.csv": HOSTILE,
    }
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    Path(f"{WORST}.safetensors").write_bytes(capture("0.q", "0.k", "0.v", "0.out", WORST))
    Path("less.safetensors").write_bytes(capture("0.q", "0.k", "0.v"))
    Path("named.safetensors").write_bytes(capture(f"{WORST}q", f"{WORST}k"))
    return tmp_path


def toml(name: str, values: Mapping[str, str]) -> str:
    """Return a table of TOML."""
    return f"[[{name}]]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())


def reports() -> list[list[str]]:
    """Return command lines that print a report, most of them with some of the texts."""
    held = f"{WORST}.safetensors"
    found = [["show", f"@name {WORST}.txt"], ["show", f"@surrogate {RAW}.txt"]]
    for form in ([], ["--json"], ["--csv"]):
        found += [["heads", held, *form]]
        found += [["show", "--capture", held, *form], ["attention", "--capture", held, *form]]
    for form in ([], ["--json"]):
        found += [["doctor", held, *form], ["doctor", held, "--config", "config.json", *form]]
    return found


def mistakes(folder: Path) -> list[list[str]]:
    """Return command lines that are refused, most of them for one of the texts."""
    files = sorted(os.listdir(folder))
    held = f"{WORST}.safetensors"
    missing = [WORST, "~nosuch/x.npy", "x" * 300 + ".npy", "none/" + HOSTILE]
    values = [HOSTILE, RAW, *(f"@{name}" for name in missing)]
    options = ("--rule", "--model", "--d-k", "--example", "--precision", "--mask", "--query",
               "--experiment", "--against")  # fmt: skip
    found = [["show", value] for value in values]
    found += [["show", "1,2", option, WORST] for option in options]
    found += [["show", "1,2", "--experiment", name] for name in (*files, *missing)]
    found += [[WORST], [f"--{WORST}"], ["show", f"--{WORST}"], ["show", RAW, WORST, "1"]]
    found += [["doctor", held, "--config", "bad.json"], ["heads", WORST], ["doctor", RAW]]
    found += [[name, "named.safetensors"] for name in ("heads", "doctor")]
    for option in ("--names", "--layout", "--config", "--layer", "--rule", "--mask", "--sort",
                   "--statistic", "--fail-if", "--scheduler"):  # fmt: skip
        found += [["heads", held, option, WORST]]
    found += [["heads", held, "--scheduler", f"tcp://127.0.0.1:1{WORST}"], ["recipe", WORST]]
    # No claim is about it, while "forged" begins as "forgot" does, which a question has.
    found += [["claim", WORST.replace("FORGED", "OWNED")], ["demo", held]]
    return [*found, ["tour", RAW], ["tour", "unknown.toml"]]


def asked_for(*commands: Sequence[str]) -> list[str]:
    """Return the program that runs command lines."""
    Path("commands").write_text(json.dumps([["attn-tui", *each] for each in commands]))
    return [sys.executable, "-c", COMMANDS]


def check(written: bytes, banned: re.Pattern[str] = COMMANDED) -> None:
    """Check that nothing the terminal obeys came through, but what the program means."""
    text = written.decode("utf-8")
    assert not banned.search(text), banned.findall(text)


@pytest.mark.slow
def test_nothing_that_a_command_is_given_reaches_the_terminal(folder: Path) -> None:
    given = [*reports(), *mistakes(folder)]
    with Terminal(80, 24, program=asked_for(*given)) as terminal:
        terminal.until_shows("all done")
        assert terminal.leave() == 0
    assert terminal.raw.count(b"OWNED") > len(given)
    check(terminal.raw)


@pytest.mark.slow
def test_nothing_that_a_command_is_given_stands_in_its_reports(folder: Path) -> None:
    for given, statuses in (([*reports(), ["tour", "tour.toml"]], "013"), (mistakes(folder), "2")):
        done = subprocess.run(
            asked_for(*given), capture_output=True, check=True, stdin=subprocess.DEVNULL
        )
        ends = re.findall(r"^ended (\d+)$", done.stdout.decode(), re.MULTILINE)
        odd = [each for each, end in zip(given, ends, strict=True) if end not in statuses]
        assert not odd, done.stderr
        assert (done.stdout + done.stderr).count(b"OWNED") > len(given) / 2
        check(done.stdout, WRITTEN)
        check(done.stderr, WRITTEN)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["heads", "doctor", "show --capture"])
def test_a_line_break_in_the_name_of_a_file_is_told(command: str, folder: Path) -> None:
    name = "a\nb.safetensors"
    Path(f"{WORST}.safetensors").rename(name)
    done = subprocess.run(
        [*PROGRAM, *command.split(), name], capture_output=True, check=False, text=True
    )
    assert "a\\x0ab.safetensors" in done.stdout, done.stderr


def test_nothing_that_the_program_fails_with_reaches_the_terminal() -> None:
    words = [sys.executable, "-c", FAILING, f"OWNED {HOSTILE}"]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (70, b"")
    assert b"RuntimeError: OWNED x\\x1b]2;" in done.stderr
    check(done.stderr, WRITTEN)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sign"),
    [
        (["tour", "tour.toml"], "OWNED"),
        ([f"{WORST}.safetensors"], "OWNED"),
        ([f"@name {WORST}.txt"], "Divided by 32"),
    ],
    ids=["tour", "capture", "scores"],
)
def test_nothing_in_what_a_screen_opens_with_reaches_the_terminal(
    words: list[str], sign: str, folder: Path
) -> None:
    with Terminal(120, 40, words, environment={"XDG_STATE_HOME": str(folder)}) as terminal:
        terminal.until_shows(sign)
        terminal.press("\x11")
        assert terminal.leave() == 0
    check(terminal.raw)


@pytest.mark.slow
def test_nothing_that_the_screen_fails_with_reaches_the_terminal() -> None:
    with Terminal(120, 40, program=CRASHED) as terminal:
        terminal.until_shows("Divided by 32")
        terminal.press("\x1b[O")
        assert terminal.leave() == 70
    check(terminal.raw)
    assert b"RuntimeError: OWNED" in terminal.raw


@pytest.mark.slow
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
        paste(terminal, f"surrogate {RAW}.txt")
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
