"""Files and standard input to vectors, by the file's suffix."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from itertools import groupby
from pathlib import PurePath
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

from attn_tui.captures.disk import REASONS
from attn_tui.captures.disk import place_of as shown_place
from attn_tui.captures.npy import NPY_MAGIC
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.source import Source
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain
from attn_tui.files.entries import Entry, expanded, named, problem
from attn_tui.files.grammar import plain_lines, read_entries
from attn_tui.files.json import read_json
from attn_tui.files.npy import read_npy, read_npz
from attn_tui.files.paths import folder_of
from attn_tui.files.stream import Metered, text_pieces
from attn_tui.files.tables import array_entry, csv_entries, json_entries
from attn_tui.files.watch import Watch, unwatched

STANDARD_INPUT = "standard input"


def read_arguments(arguments: Sequence[str]) -> tuple[Vector, ...]:
    """Read the vectors of a command line.

    Each argument is a line of the grammar, so that single numbers side by side are one vector;
    but ``@FILE`` is a file, and ``-`` standard input.

    Raises:
        InputError: Naming the argument or the file, and the place in it.
    """
    entries: list[Entry] = []
    for source, group in groupby(enumerate(arguments, 1), lambda each: _source(each[1])):
        if source is None:
            entries += _typed(list(group))
            continue
        for _, argument in group:
            entries += read_file(argument[1:]) if source == "@" else read_input()
    try:
        return named(entries)
    except InputError as error:
        raise InputError(error.field, error.problem, error.expected) from None


def _source(argument: str) -> str | None:
    return "-" if argument == "-" else "@" if argument.startswith("@") else None


def _typed(arguments: Sequence[tuple[int, str]]) -> list[Entry]:
    """Read arguments that are lines of the grammar; an error names the argument by its number."""
    texts = [(place, plain_lines(text)) for place, text in arguments]
    try:
        return read_entries("\n".join(text for _, text in texts))
    except InputError as error:
        lines = [place for place, text in texts for _ in text.split("\n")]
        where = f"argument {lines[error.line - 1]}" if len(lines) > 1 else ""
        raise InputError(error.field, error.problem, error.expected, where, error.line) from None


def read_file(path: str) -> list[Entry]:
    """Read the vectors of a .npy, .npz, .csv, .json or .txt file.

    Raises:
        InputError: Naming the file and the place in it, with field ``"scores"``.
    """
    with opened(path, "scores", SUFFIXES) as file:
        return _checked(expanded(whole_entries(file, path)))


def read_whole(path: str) -> list[Entry]:
    """Read what a file holds, as `read_file` does, but an array of two dimensions in one piece.

    Raises:
        InputError: Naming the file and the place in it, with field ``"scores"``.
    """
    with opened(path, "scores", SUFFIXES) as file:
        return whole_entries(file, path)


def whole_entries(file: Metered, path: str) -> list[Entry]:
    """Return what a file holds, by the suffix of its path.

    Raises:
        InputError: Naming the place in it, with field ``"scores"``.
    """
    where = PurePath(os.path.expanduser(path))
    return _READERS[where.suffix.lower()](file, where)


def read_input() -> list[Entry]:
    """Read vectors from standard input: the bytes of a .npy file, or text in the grammar.

    Raises:
        InputError: Naming the line, with field ``"scores"``.
    """
    with opened("-", "scores") as file:
        entries = (
            expanded(_npy(file, PurePath()))
            if file.begins_with(NPY_MAGIC)
            else read_entries(text_pieces(file))
        )
        return _checked(entries)


def read_experiment(path: str, default_source: Source | None = None) -> Experiment:
    """Read the question in what ``show --json`` printed; ``-`` is standard input.

    Args:
        path: Of the file.
        default_source: Where scores come from if the file does not say; without it it must.

    Raises:
        InputError: Naming the file and the place in it, with field ``"experiment"``.
    """
    with opened(path, "experiment") as file:
        plain = read_json(text_pieces(file))
        return experiment_from_plain(plain, default_source, folder_of(path))


def _checked(entries: list[Entry]) -> list[Entry]:
    """Return vectors if they could be named: an error then has the place of one source."""
    named(entries)
    return entries


@contextmanager
def opened(
    path: str, field: str, suffixes: tuple[str, ...] = (), watch: Watch = unwatched
) -> Iterator[Metered]:
    """Open a regular file, or standard input, and name it in every error that is raised inside.

    Args:
        path: Of the file; ``-`` is standard input.
        field: Of the errors.
        suffixes: Of which the file has one, if any are given.
        watch: Told how much of the file has been read.
    """
    where, path = place_of(path), os.path.expanduser(path)
    try:
        with _binary(path, suffixes) as file:
            size = os.fstat(file.fileno()).st_size if path != "-" else None
            yield Metered(file, size, watch)
    except InputError as error:
        inside = f"{where}, {error.where}" if error.where else where
        raise InputError(field, error.problem, error.expected, inside, error.line) from None
    except OSError as error:
        reason = REASONS.get(type(error)) or error.strerror or "cannot be read"
        raise InputError(field, reason, "a file that can be read", where) from None


def _binary(path: str, suffixes: tuple[str, ...]) -> AbstractContextManager[BinaryIO]:
    if path == "-":
        if sys.stdin is None:
            raise OSError
        return nullcontext(sys.stdin.buffer)
    try:
        mode = os.stat(path).st_mode
    except ValueError:  # It holds what no path can.
        raise OSError from None
    if not (S_ISREG(mode) or S_ISDIR(mode)):
        # A pipe may never end, and opening one may never return.
        expected = "a file on a disk, or - for standard input"
        raise problem("it is no regular file", expected)
    if suffixes and S_ISREG(mode) and PurePath(path).suffix.lower() not in suffixes:
        raise problem("its suffix is none of ours", " or ".join(suffixes))
    return open(path, "rb")


def _npy(file: Metered, path: PurePath) -> list[Entry]:
    return [array_entry(read_npy(file, file.size), path.stem, shared=True)]


def _npz(file: Metered, path: PurePath) -> list[Entry]:
    entries = []
    for key, array in read_npz(file):
        try:
            entries.append(array_entry(array, key))
        except InputError as error:
            raise problem(f"in array {inert(key)}: {error.problem}", error.expected) from None
    return entries


def _csv(file: Metered, path: PurePath) -> list[Entry]:
    return csv_entries(text_pieces(file), path.stem)


def _json(file: Metered, path: PurePath) -> list[Entry]:
    return json_entries(read_json(text_pieces(file)), path.stem, str(path.parent))


def _txt(file: Metered, path: PurePath) -> list[Entry]:
    entries = read_entries(text_pieces(file))
    if len(entries) == 1 and not entries[0].name:
        return [replace(entries[0], name=path.stem, shared=True)]
    return entries


_READERS: Mapping[str, Callable[[Metered, PurePath], list[Entry]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".json": _json,
    ".txt": _txt,
}
SUFFIXES = tuple(_READERS)
"""Suffixes of the files that can be read."""


def place_of(path: str) -> str:
    """Return a path, or standard input, as errors name it."""
    return STANDARD_INPUT if path == "-" else shown_place(path)
