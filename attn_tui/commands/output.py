"""Text to standard output, whatever becomes of its reader."""

import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper

import click

from attn_tui.charts.look_alikes import write_look_alikes

BAD_INPUT, INTERRUPTED = 2, 130
"""The statuses that the program ends with, but for 0."""


def check_output() -> None:
    """Check that there is a standard output that takes something, before anything is computed.

    Raises:
        click.ClickException: If there is none, or none that does.
    """
    if sys.stdout is None:
        raise _refused("it is closed")
    try:
        os.write(1, b"")
    except OSError as error:
        raise _refused(str(error.strerror)) from None


def write(pieces: Iterable[str]) -> None:
    """Write text piece by piece; a reader that has enough, as ``head`` does, is no error.

    Raises:
        click.ClickException: If the text cannot be written, as on a full disk.
    """
    out = sys.stdout
    if isinstance(out, TextIOWrapper):
        write_look_alikes(out, os.environ)
    try:
        for piece in pieces:
            out.write(piece)
        out.flush()
    except OSError as error:
        # What is left in the buffer would fail again when Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        if not isinstance(error, BrokenPipeError):
            raise _refused(str(error.strerror)) from None


def _refused(problem: str) -> click.ClickException:
    return click.ClickException(f"standard output: {problem}; expected a place for the report")
