"""Text to standard output, whatever becomes of its reader."""

import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper

import click


def write(pieces: Iterable[str]) -> None:
    """Write text piece by piece; a reader that has enough, as ``head`` does, is no error.

    Raises:
        click.ClickException: If the text cannot be written, as on a full disk, or to nowhere.
    """
    out = sys.stdout
    if out is None:
        raise click.ClickException("standard output: it is closed; expected a place for the report")
    if isinstance(out, TextIOWrapper):
        out.reconfigure(errors="replace")
    try:
        for piece in pieces:
            out.write(piece)
        out.flush()
    except OSError as error:
        # What is left in the buffer would fail again when Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        if not isinstance(error, BrokenPipeError):
            problem = f"standard output: {error.strerror}; expected room for the report"
            raise click.ClickException(problem) from None
