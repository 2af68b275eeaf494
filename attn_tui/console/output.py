"""Writing to standard output and standard error."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from io import TextIOWrapper
from shutil import get_terminal_size
from typing import TextIO

import click

from attn_tui.compute.errors import InputError
from attn_tui.compute.text import BLANKS, visible

KEPT = "\n" + BLANKS
"""Invisible characters that a report may hold."""

NAME = "attn-tui"
"""The start of every line on standard error."""

BAD_INPUT, FAILED, INTERRUPTED = 2, 70, 130
"""Exit statuses of every command, besides 0 and its own."""


def prepare_output() -> None:
    """Write UTF-8, whatever the locale, and check that standard output can be written.

    Called before anything is computed or printed. Bytes of file names that are not UTF-8 are
    written as escapes.

    Raises:
        click.ClickException: If standard output is closed or cannot be written.
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
    """Write a report piece by piece; a reader that stops early, such as ``head``, is no error.

    Control characters are spelled out, since parts of a report come from files.

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


def terminal_columns() -> int | None:
    """Return the width of the terminal that the report is written to; None if it is not to one.

    A terminal would break a long line inside words; a pipe gets it whole.
    """
    return get_terminal_size().columns if sys.stdout.isatty() else None


def save(path: str, field: str, text: str) -> None:
    """Write a text to a file, replacing what is there.

    Raises:
        InputError: With that field, if the file cannot be written.
    """
    from attn_tui.captures.disk import place_of

    try:
        with open(os.path.expanduser(path), "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "it has no such name"
        raise InputError(field, problem, "a file that can be written", place_of(path)) from None


def tell(message: str) -> None:
    """Print one line on standard error, with control characters spelled out."""
    tell_lines(f"{NAME}: {visible(message)}\n")


def tell_lines(text: str) -> None:
    """Print lines on standard error, with control characters spelled out."""
    # If standard error is closed, the exit status has to do.
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(visible(text, KEPT))
            sys.stderr.flush()


def drop_rest(stream: TextIO) -> None:
    """Discard what is left in a stream's buffer, or closing it would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _refused(problem: str) -> click.ClickException:
    return click.ClickException(f"standard output: {problem}; expected a place for the report")
