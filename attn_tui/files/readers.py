"""Files and standard input to vectors, by the file's suffix."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import groupby
from pathlib import PurePath
from stat import S_IFREG, S_ISDIR, S_ISREG
from typing import BinaryIO

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.source import Source
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain
from attn_tui.files.entries import Entry, expanded, named, problem
from attn_tui.files.grammar import read_entries
from attn_tui.files.limits import LARGEST
from attn_tui.files.npy import NPY_MAGIC, read_npy, read_npz
from attn_tui.files.plain import from_json
from attn_tui.files.tables import array_entry, csv_entries, json_entries

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
    try:
        return read_entries("\n".join(text for _, text in arguments))
    except InputError as error:
        lines = [number for number, text in arguments for _ in text.split("\n")]
        where = f"argument {lines[error.line - 1]}" if len(lines) > 1 else ""
        raise InputError(error.field, error.problem, error.expected, where, error.line) from None


def read_file(path: str) -> list[Entry]:
    """Read the vectors of a .npy, .npz, .csv, .json or .txt file.

    Raises:
        InputError: Naming the file and the place in it, with field ``"scores"``.
    """
    entries = read_whole(path)
    try:
        return _checked(expanded(entries))
    except InputError as error:
        raise error_at(error, place_of(path)) from None


def read_whole(path: str) -> list[Entry]:
    """Read what a file holds, as `read_file` does, but an array of two dimensions in one piece.

    Raises:
        InputError: Naming the file and the place in it, with field ``"scores"``.
    """
    data = read_bytes(path, "scores", SUFFIXES)
    try:
        return whole_entries(data, path)
    except InputError as error:
        raise error_at(error, place_of(path)) from None


def whole_entries(data: bytes, path: str) -> list[Entry]:
    """Return what the bytes of a file hold, by the suffix of its path.

    Raises:
        InputError: Naming the place in it, with field ``"scores"``.
    """
    return _READERS[PurePath(path).suffix.lower()](data, PurePath(path).stem)


def read_input() -> list[Entry]:
    """Read vectors from standard input: the bytes of a .npy file, or text in the grammar.

    Raises:
        InputError: Naming the line, with field ``"scores"``.
    """
    data = read_bytes("-", "scores")
    try:
        is_npy = data.startswith(NPY_MAGIC)
        return _checked(expanded(_npy(data, "")) if is_npy else read_entries(text_of(data)))
    except InputError as error:
        raise error_at(error, STANDARD_INPUT) from None


def read_experiment(path: str, default_source: Source | None = None) -> Experiment:
    """Read the question in what ``show --json`` printed; ``-`` is standard input.

    Args:
        path: Of the file.
        default_source: Where scores come from if the file does not say; without it it must.

    Raises:
        InputError: Naming the file and the place in it, with field ``"experiment"``.
    """
    where = place_of(path)
    data = read_bytes(path, "experiment")
    try:
        text = text_of(data)
    except InputError as error:
        raise InputError("experiment", error.problem, error.expected, where) from None
    return experiment_from_plain(from_json(text, "experiment", where), where, default_source)


def _checked(entries: list[Entry]) -> list[Entry]:
    """Return vectors if they could be named: an error then has the place of one source."""
    named(entries)
    return entries


def error_at(error: InputError, where: str) -> InputError:
    """Return an error with the place its input comes from in front of the place in it."""
    inside = f"{where}, {error.where}" if error.where else where
    return InputError(error.field, error.problem, error.expected, inside, error.line)


def read_bytes(path: str, field: str, suffixes: tuple[str, ...] = ()) -> bytes:
    """Return the bytes of a regular file, which has one of the suffixes if any are given.

    Raises:
        InputError: With the field given, naming the file.
    """
    where, path = place_of(path), os.path.expanduser(path)
    try:
        mode = S_IFREG if path == "-" else os.stat(path).st_mode
        if not (S_ISREG(mode) or S_ISDIR(mode)):
            # A pipe may never end, and opening one may never return.
            expected = "a file on a disk, or - for standard input"
            raise InputError(field, "it is no regular file", expected, where)
        if suffixes and S_ISREG(mode) and PurePath(path).suffix.lower() not in suffixes:
            raise InputError(field, "its suffix is none of ours", " or ".join(suffixes), where)
        if path == "-":
            data = _standard_input().read(LARGEST + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(LARGEST + 1)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = _REASONS.get(type(error)) or getattr(error, "strerror", None) or "cannot be read"
        raise InputError(field, reason, "a file that can be read", where) from None
    if len(data) > LARGEST:
        raise InputError(field, "it is too large", f"at most {LARGEST:,} bytes", where)
    return data


_REASONS: Mapping[type[Exception], str] = {
    FileNotFoundError: "there is no such file",
    IsADirectoryError: "it is a directory",
    PermissionError: "it may not be read",
}


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise ValueError("closed")
    return sys.stdin.buffer


def text_of(data: bytes) -> str:
    """Return UTF-8 text.

    Raises:
        InputError: If it is none, with field ``"scores"``.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"byte 0x{data[error.start]:02x} at position {error.start:,} is not UTF-8"
        raise problem(what, "UTF-8 text") from None


def _npy(data: bytes, stem: str) -> list[Entry]:
    return [array_entry(read_npy(BytesIO(data), len(data)), stem, shared=True)]


def _npz(data: bytes, stem: str) -> list[Entry]:
    entries = []
    for key, array in read_npz(BytesIO(data)):
        try:
            entries.append(array_entry(array, key))
        except InputError as error:
            raise problem(f"in array {inert(key)}: {error.problem}", error.expected) from None
    return entries


def _csv(data: bytes, stem: str) -> list[Entry]:
    return csv_entries(text_of(data), stem)


def _json(data: bytes, stem: str) -> list[Entry]:
    return json_entries(from_json(text_of(data), "scores", ""), stem)


def _txt(data: bytes, stem: str) -> list[Entry]:
    entries = read_entries(text_of(data))
    if len(entries) == 1 and not entries[0].name:
        return [replace(entries[0], name=stem, shared=True)]
    return entries


_READERS: Mapping[str, Callable[[bytes, str], list[Entry]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".json": _json,
    ".txt": _txt,
}
SUFFIXES = tuple(_READERS)
"""Suffixes of the files that can be read."""


def place_of(path: str) -> str:
    """Return a path as errors name it; of a long one its end, which says most."""
    if path == "-":
        return STANDARD_INPUT
    return inert(path if len(path) <= 80 else f"…{path[-79:]}", 80)
