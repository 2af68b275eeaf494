"""Text to standard output, whatever becomes of its reader."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

import click

from attn_tui.compute.visible import BLANKS, visible

KEPT = "\n" + BLANKS
"""What a report may hold besides what can be seen."""

NAME = "attn-tui"
"""What lines on standard error begin with."""

BAD_INPUT, FAILED, INTERRUPTED = 2, 70, 130
"""The statuses that the program ends with, but for 0 and for what a command says by its own."""


def prepare_output() -> None:
    """Write UTF-8, whatever the locale says, and check that standard output goes somewhere.

    To be called before anything is computed or said. File names that are not UTF-8 keep their
    bytes as escapes.

    Raises:
        click.ClickException: If there is none, or none that does.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if sys.stdout is None:
        raise _refused("it is closed")
    try:
        os.write(1, b"")
    except OSError as error:
        raise _refused(str(error.strerror)) from None


def write(pieces: Iterable[str]) -> None:
    """Write a report piece by piece; a reader that has enough, as ``head`` does, is no error.

    Whatever in it came from outside, a terminal gets it as text: what it would obey is spelled out.

    Args:
        pieces: Its pieces.

    Raises:
        click.ClickException: If the text cannot be written, as on a full disk.
    """
    out = sys.stdout
    try:
        for piece in pieces:
            out.write(visible(piece, KEPT))
        out.flush()
    except OSError as error:
        drop_rest(out)
        if not isinstance(error, BrokenPipeError):
            raise _refused(str(error.strerror)) from None


def tell(message: str) -> None:
    """Print one line without control characters on standard error."""
    report(f"{NAME}: {visible(message)}\n")


def report(text: str) -> None:
    """Print lines without control characters on standard error."""
    # Where there is nobody to be told, the status says it.
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(visible(text, KEPT))
            sys.stderr.flush()


def drop_rest(stream: TextIO) -> None:
    """Let what a stream's buffer holds go nowhere, or it fails again when Python closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _refused(problem: str) -> click.ClickException:
    return click.ClickException(f"standard output: {problem}; expected a place for the report")
