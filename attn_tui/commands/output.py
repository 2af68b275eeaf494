"""Text to standard output, whatever becomes of its reader."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import TextIO

import click

from attn_tui.charts.look_alikes import in_words, write_look_alikes
from attn_tui.compute.visible import visible
from attn_tui.report.reflow import respelled

NAME = "attn-tui"
"""What lines on standard error begin with."""

BAD_INPUT, FAILED, INTERRUPTED = 2, 70, 130
"""The statuses that the program ends with, but for 0 and for what a command says by its own."""


def prepare_output() -> None:
    """Let standard output be readable in the locale, and check that it goes somewhere.

    To be called before anything is computed.

    Raises:
        click.ClickException: If there is none, or none that does.
    """
    if sys.stdout is None:
        raise _refused("it is closed")
    # Errors keep their escapes: they quote what was typed.
    write_look_alikes(sys.stdout, os.environ)
    try:
        os.write(1, b"")
    except OSError as error:
        raise _refused(str(error.strerror)) from None


def write(pieces: Iterable[str], form: str = "text") -> None:
    """Write a report piece by piece; a reader that has enough, as ``head`` does, is no error.

    Args:
        pieces: Its pieces.
        form: How it is written: only ``"text"`` is read by people, and may be spelled anew.

    Raises:
        click.ClickException: If the text cannot be written, as on a full disk.
    """
    out = sys.stdout
    spell = partial(in_words, encoding=out.encoding)
    try:
        for piece in pieces:
            out.write(respelled(piece, spell) if form == "text" else piece)
        out.flush()
    except OSError as error:
        drop_rest(out)
        if not isinstance(error, BrokenPipeError):
            raise _refused(str(error.strerror)) from None


def tell(message: str) -> None:
    """Print one line without control characters on standard error."""
    # Where there is nobody to be told, the status says it; click would write UTF-8 for ASCII.
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{NAME}: {visible(message)}\n")
            sys.stderr.flush()


def drop_rest(stream: TextIO) -> None:
    """Let what a stream's buffer holds go nowhere, or it fails again when Python closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _refused(problem: str) -> click.ClickException:
    return click.ClickException(f"standard output: {problem}; expected a place for the report")
