"""Copies text to the clipboard of a terminal, also through tmux and GNU screen.

The terminal is asked by OSC 52. tmux accepts that if ``set-clipboard`` is ``on``, and passes on
wrapped sequences if ``allow-passthrough`` is, or before version 3.3. Both are off by default, but
from 3.2 on ``load-buffer -w`` works. GNU screen passes on wrapped sequences in pieces, which in old
versions hold 256 bytes.
"""

import subprocess
from collections.abc import Mapping
from contextlib import suppress

from attn_tui.ui.leaving import WRITERS

LONGEST = 100_000
"""The longest sequence, in bytes; some terminals ignore longer ones."""

_PIECE = 240
_ESC, _ST = "\x1b", "\x1b\\"


def is_for_clipboard(data: str) -> bool:
    """Return whether data for the terminal sets its clipboard."""
    return data.startswith(f"{_ESC}]52;")


def through(data: str, environ: Mapping[str, str]) -> str:
    """Return data that gets a sequence to the terminal through tmux or GNU screen.

    Args:
        data: The sequence; if it is too long, the result is empty.
        environ: The environment, which tells whether tmux or GNU screen is in use.
    """
    if len(data) > LONGEST:
        return ""
    if environ.get("TMUX"):
        return f"{data}{_ESC}Ptmux;{data.replace(_ESC, _ESC + _ESC)}{_ST}"
    if environ.get("STY") or environ.get("TERM", "").startswith("screen"):
        pieces = (data[start : start + _PIECE] for start in range(0, len(data), _PIECE))
        return data + "".join(f"{_ESC}P{piece}{_ST}" for piece in pieces)
    return data


def load_tmux(text: str) -> None:
    """Make tmux store a text in a buffer and pass it on to the terminal, from 3.2 on."""
    with WRITERS.other(), suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            ["tmux", "load-buffer", "-w", "-"], input=text.encode(errors="replace"),
            capture_output=True, timeout=2, check=False,
        )  # fmt: skip
