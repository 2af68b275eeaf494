"""What makes a terminal take a text to its clipboard, through tmux and GNU screen too.

A terminal is asked by OSC 52. tmux hears that where ``set-clipboard`` is ``on``, and hands on what
is wrapped for it where ``allow-passthrough`` is, or before 3.3. By default neither is so, but from
3.2 on ``load-buffer -w`` does it. GNU screen hands on what is wrapped, in pieces, of which old ones
held 256 bytes.
"""

import subprocess
from collections.abc import Mapping
from contextlib import suppress

LONGEST = 100_000
"""Bytes of a sequence; some terminals ignore longer ones."""

_PIECE = 240
_ESC, _ST = "\x1b", "\x1b\\"


def is_for_clipboard(data: str) -> bool:
    """Return whether something that is written to the terminal is a text for its clipboard."""
    return data.startswith(f"{_ESC}]52;")


def through(data: str, environ: Mapping[str, str]) -> str:
    """Return what to write so that the terminal hears a sequence, whatever stands between.

    Args:
        data: The sequence; what it would be too long for is asked nothing.
        environ: Says what stands between.
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
    """Have tmux take a text as its newest buffer, and hand it on; older ones do not know how."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            ["tmux", "load-buffer", "-w", "-"], input=text.encode(errors="replace"),
            capture_output=True, timeout=2, check=False,
        )  # fmt: skip
