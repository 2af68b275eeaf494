"""Files and standard input to vectors, by the file's suffix."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import groupby
from pathlib import PurePath
from typing import BinaryIO

from numpy.lib.format import MAGIC_PREFIX

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.source import Source
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain
from attn_tui.files.content import opened, read_bytes, read_text, size_of
from attn_tui.files.entries import Entry, expanded, named, problem
from attn_tui.files.grammar import plain_lines, read_entries
from attn_tui.files.json import read_json
from attn_tui.files.limits import LARGEST_ARRAYS
from attn_tui.files.npy import read_npy, read_npz
from attn_tui.files.paths import folder_of
from attn_tui.files.tables import array_entry, csv_entries, json_entries


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


def whole_entries(file: BinaryIO, path: str) -> list[Entry]:
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
        begun = file.read(len(MAGIC_PREFIX))
        if begun != MAGIC_PREFIX:
            return _checked(read_entries(read_text(file, begun=begun)))
        data = begun + read_bytes(file, LARGEST_ARRAYS)
        array = read_npy(BytesIO(data), len(data))
        return _checked(expanded([array_entry(array, "", shared=True)]))


def read_experiment(path: str, default_source: Source | None = None) -> Experiment:
    """Read the question in what ``show --json`` printed; ``-`` is standard input.

    Args:
        path: Of the file.
        default_source: Where scores come from if the file does not say; without it it must.

    Raises:
        InputError: Naming the file and the place in it, with field ``"experiment"``.
    """
    with opened(path, "experiment") as file:
        plain = read_json(read_text(file))
        return experiment_from_plain(plain, default_source, folder_of(path))


def _checked(entries: list[Entry]) -> list[Entry]:
    """Return vectors if they could be named: an error then has the place of one source."""
    named(entries)
    return entries


def _npy(file: BinaryIO, path: PurePath) -> list[Entry]:
    return [array_entry(read_npy(file, size_of(file)), path.stem, shared=True)]


def _npz(file: BinaryIO, path: PurePath) -> list[Entry]:
    entries = []
    for key, array in read_npz(file):
        try:
            entries.append(array_entry(array, key))
        except InputError as error:
            raise problem(f"in array {inert(key)}: {error.problem}", error.expected) from None
    return entries


def _csv(file: BinaryIO, path: PurePath) -> list[Entry]:
    return csv_entries(read_text(file), path.stem)


def _json(file: BinaryIO, path: PurePath) -> list[Entry]:
    return json_entries(read_json(read_text(file)), path.stem, str(path.parent))


def _txt(file: BinaryIO, path: PurePath) -> list[Entry]:
    entries = read_entries(read_text(file))
    if len(entries) == 1 and not entries[0].name:
        return [replace(entries[0], name=path.stem, shared=True)]
    return entries


_READERS: Mapping[str, Callable[[BinaryIO, PurePath], list[Entry]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".json": _json,
    ".txt": _txt,
}
SUFFIXES = tuple(_READERS)
"""Suffixes of the files that can be read."""
