"""Captures that the program is given, and Heads compared with what its commands print of them."""

import base64
import re
import tempfile
from collections.abc import Sequence
from contextlib import chdir
from functools import cache
from itertools import chain, count, takewhile
from pathlib import Path
from shlex import split

from click.testing import CliRunner

from attn_tui.captures.example import tensors
from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.heads.statistic import STATISTICS
from tests.terminal.compared import (
    TRIES,
    close_text,
    go_to,
    open_text,
    said,
    sees,
)  # fmt: skip
from tests.terminal.driven import Driven, FaultError
from tests.terminal.events import BROKEN, CAPTURE, ESCAPE, LEAVE, OTHER, found, opening

UNSAID = "nothing to say yet"

SAID = {"model_type": "llama", "head_dim": "32", "num_attention_heads": "3"}
"""What captures say of their model."""

BAD = 2
"""The exit status of a command that cannot be obeyed."""

_COPIED = re.compile(rb"\x1b\]52;c;([\w+/=]*)")
"""What asks a terminal to keep a text."""


@cache
def _files() -> dict[str, bytes]:
    """Return a small capture, another with longer queries, and half of one, by name."""
    few = {name: array[:, :3, :48] for name, array in tensors(2).items()}
    longer = {name: array * (1 + name.endswith("q")) for name, array in few.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / CAPTURE
        files = {}
        for name, arrays in ((CAPTURE, few), (OTHER, longer)):
            write_safetensors(path, arrays, SAID)
            files[name] = path.read_bytes()
    return {**files, BROKEN: files[CAPTURE][: len(files[CAPTURE]) // 2]}


def fill(folder: Path) -> None:
    """Write captures to open."""
    for name, data in _files().items():
        (folder / name).write_bytes(data)


def compare_heads(driven: Driven, seed: int) -> bool:
    """Compare what Heads says in each of its tabs; return whether there was a capture to read.

    What is copied as the command that asks this must be one: it fails where nothing is known, and
    prints what is shown where something is.
    """
    go_to(driven, "5")
    driven.send(f"{found('rows 16')}{found(f'seed {seed}')}")
    driven.ask()
    if sees(driven, "No capture is open."):
        driven.send(opening(CAPTURE))
        driven.ask()
        if not any(line.startswith(f" {CAPTURE} ") for line in driven.display):
            driven.send(f"{LEAVE}0")
            return False
    for tab in range(3):
        driven.send(f"{LEAVE}t" if tab else "")
        if not _compare_tab(driven):
            # Not all that can be asked of a capture has an answer: at the start there is none.
            driven.send(f"{LEAVE}0")
            return False
    return True


def _compare_tab(driven: Driven) -> bool:
    for tries in count():
        driven.ask()
        open_text(driven)
        driven.wait(lambda: said(driven.display) or sees(driven, UNSAID), "a text")
        lines = said(driven.display, 82)
        close_text(driven)
        words = split(copied(driven))[1:]
        status, report = printed(driven.folder, _asked(words) if lines else words)
        if status == BAD and (not lines or _refuses(driven, report)):
            return False
        if lines and status != BAD and is_beginning(lines, report):
            return True
        if tries == TRIES:
            seen = ["it says:", *lines, f"{words} prints, with status {status}:", *report]
            raise FaultError("\n".join(["no text that the command of Heads prints", *seen]))
        driven.rest(0.1 * 2**tries)
    raise AssertionError


def _refuses(driven: Driven, report: Sequence[str]) -> bool:
    """Return whether the screen says what the command does, over what was known before."""
    *_, problem = report[-1].split(": ", 2)
    return sees(driven, problem[:40])


def copied(driven: Driven) -> str:
    """Return the command line that is copied."""
    said = "The command that asks this"
    driven.raw = b""
    driven.send(f"{LEAVE}c")
    driven.ask()
    found = _COPIED.search(driven.raw)
    if not (found and sees(driven, said)):
        raise FaultError("\n".join(["no command to copy", *driven.display]))
    driven.send(ESCAPE)
    driven.wait(lambda: not sees(driven, said), "closed command")
    return base64.b64decode(found[1]).decode()


def _asked(words: Sequence[str]) -> list[str]:
    """Return the arguments that print a text, of those that ask what is shown."""
    command, *paths = takewhile(lambda word: not word.startswith("--"), words)
    if command != "heads":
        return [*words]
    rest = words[1 + len(paths) :]
    options = dict(zip(rest[::2], rest[1::2], strict=True))
    # A text says all there is, one statistic after the other.
    first = options.get("--statistic", next(iter(STATISTICS)))
    options["--statistic"] = ",".join((first, *STATISTICS))
    return [command, *paths, *chain.from_iterable(options.items())]


def printed(folder: Path, words: Sequence[str]) -> tuple[int, list[str]]:
    """Return the exit status of a command, and what it prints."""
    with chdir(folder):
        result = CliRunner().invoke(program, [*words])
    if result.exit_code not in (0, 1, BAD, 3):
        raise FaultError(f"{words} ends with {result.exit_code}: {result.exception!r}")
    return result.exit_code, result.output.splitlines()


def is_beginning(lines: Sequence[str], report: Sequence[str]) -> bool:
    """Return whether a text begins with lines, of which each may be cut, or they may be wrapped."""
    parts = zip(lines, report, strict=False)
    as_printed = len(lines) <= len(report) and all(
        flat([line]).startswith(flat([part])) for part, line in parts
    )
    return as_printed or flat(report).startswith(flat(lines))


def flat(lines: Sequence[str]) -> str:
    """Return words with single blanks between them, and no time that something took."""
    return re.sub(r"; [\d.,]+ s\b", ";", " ".join(" ".join(lines).split()))
