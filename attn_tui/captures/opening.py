"""Open captures: one file, several, a folder, or a pattern of names."""

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from attn_tui.captures.arrays import IN_MEMORY, header_of, in_memory
from attn_tui.captures.assembly import assembled
from attn_tui.captures.capture import Capture, CaptureFiles
from attn_tui.captures.collecting import TensorFile
from attn_tui.captures.disk import Disk, opened, refuse
from attn_tui.captures.fingerprint import (
    FileMark,
    Fingerprint,
    MemoryMark,
    refuse_changed,
)
from attn_tui.captures.layouts import parse_layouts
from attn_tui.captures.npy import list_npy, list_npz
from attn_tui.captures.safetensors import list_safetensors
from attn_tui.captures.stored import Listing, Raw
from attn_tui.captures.suffixes import EXAMPLE_NAME, SUFFIXES, suffix_of
from attn_tui.compute.errors import InputError, inert

READERS: Mapping[str, Callable[[Disk], Listing]] = dict(
    zip(SUFFIXES, (list_safetensors, list_npz, list_npy), strict=True)
)
"""The functions that list the tensors of a file, by its suffix."""

_SUFFIXES = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"

MOST_FOLDERS, MOST_NAMED = 100, 3
"""Among so many folders those with tensors are looked for, and so many of them are named."""
MOST_FILES = 10_000
"""The most files of one capture."""

_PICKLED = {".pt", ".pth", ".bin", ".pkl", ".ckpt"}


def open_capture(paths: Sequence[str], layout: str = "", names: str = "") -> Capture:
    """Open a capture; only file headers are read.

    Args:
        paths: The paths of its files; each may be a pattern, such as ``rank*.safetensors``, or a
            folder of files of one format; ``example`` is the built-in example. Files that hold
            the same tensor are ranks, joined on heads.
        layout: The axes of tensors, ``out=bnhd,k=bhnd`` or ``bnhd``; empty to recognise them.
        names: What tensors are called, with ``{layer}`` and ``{part}``: ``h.{layer}.{part}``.

    Raises:
        InputError: With field ``"capture"``, ``"layout"`` or ``"names"``, naming the file or text
            that cannot be used.
    """
    files = _expanded(paths)
    layouts = parse_layouts([layout]) if layout else {}
    sources, marks = [], []
    for path in files:
        with opened(path) as disk:
            listing = _listed(disk)
            sources.append(TensorFile(path, listing.tensors, listing.metadata))
            marks.append(FileMark(path, disk.size, listing.header, disk.modified))
    layers, stated, config = assembled(sources, layouts, names)
    origin = CaptureFiles(tuple(files), layout, names, Fingerprint(tuple(marks)))
    return Capture(origin, stated, config, layers)


def open_arrays(arrays: Mapping[str, Raw], layout: str = "") -> Capture:
    """Open arrays in memory as a capture.

    Args:
        arrays: The arrays by name: ``q``, ``k``, ``v``, ``out``; of several layers ``3.q``.
        layout: The axes of tensors, as `open_capture` takes them.

    Raises:
        InputError: With field ``"capture"`` or ``"layout"``.
    """
    tensors = tuple(in_memory(name, numbers) for name, numbers in arrays.items())
    source = TensorFile(IN_MEMORY, tensors, {})
    layers, stated, config = assembled([source], parse_layouts([layout]) if layout else {}, "")
    size = sum(numbers.nbytes for numbers in arrays.values())
    mark = MemoryMark(IN_MEMORY, size, header_of(arrays), 0)
    return Capture(
        CaptureFiles((IN_MEMORY,), layout, "", Fingerprint((mark,))), stated, config, layers
    )


def reopened(origin: CaptureFiles) -> Capture:
    """Open a capture again, once in each process, and check that it is the same.

    Raises:
        InputError: As `open_capture` does, and if a file has changed.
    """
    capture = _again(origin)
    capture.fingerprint.verify()
    for current, mark in zip(capture.fingerprint.files, origin.fingerprint.files, strict=True):
        if current != mark:
            refuse_changed(mark.path)
    return capture


@lru_cache(maxsize=8)
def _again(origin: CaptureFiles) -> Capture:
    return open_capture(origin.paths, origin.layout, origin.names)


def _listed(disk: Disk) -> Listing:
    suffix = suffix_of(disk.path)
    if suffix in _PICKLED:
        refuse(disk.path, "it holds pickles, which may run anything", _SUFFIXES)
    if suffix not in READERS:
        refuse(disk.path, "its suffix is none of ours", _SUFFIXES)
    if not disk.size:
        refuse(disk.path, "it is empty", "a complete file")
    return READERS[suffix](disk)


def _expanded(paths: Sequence[str]) -> list[str]:
    """Return the files that paths, folders and patterns stand for, sorted by their numbers."""
    files: list[str] = []
    for path in map(os.path.expanduser, paths):
        is_pattern = glob.has_magic(path) and not os.path.lexists(path)
        matches = sorted(glob.glob(path), key=_by_number) if is_pattern else [path]
        if os.path.isdir(path) and path != EXAMPLE_NAME:
            matches = sorted(_tensors_in(path), key=_by_number)
            if not matches:
                refuse(path, "no file in this folder holds tensors", _expected_in(path))
        if not matches:
            refuse(path, "no file has such a name", "a pattern such as 'rank*.safetensors'")
        files += matches
    if not files:
        raise InputError("capture", "there is none", "a file, or a pattern of names")
    if len(files) > MOST_FILES:
        raise InputError("capture", f"these are {len(files):,} files", f"at most {MOST_FILES:,}")
    twice = next((path for index, path in enumerate(files) if path in files[:index]), None)
    if twice is not None:
        refuse(twice, "it is given twice", "different files")
    if len(files) > 1 and len({re.sub("[0-9]+", "0", path) for path in files}) == 1:
        files.sort(key=_by_number)
    return files


def _tensors_in(folder: str) -> Iterator[str]:
    """Yield the files of a folder in the first format of `SUFFIXES` that it has."""
    names = [entry.name for entry in os.scandir(folder) if entry.is_file()]
    for suffix in SUFFIXES:
        matches = [name for name in names if PurePath(name).suffix.lower() == suffix]
        if matches:
            yield from (os.path.join(folder, name) for name in matches)
            return


def _expected_in(folder: str) -> str:
    """Return what is expected of a folder without tensors: one of its folders, if these have any.

    A folder that cannot be listed has none to name.
    """
    inside = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    having: list[str] = []
    for name in inside[:MOST_FOLDERS]:
        with suppress(OSError):
            having += [name] if any(_tensors_in(os.path.join(folder, name))) else []
    if not having:
        return _SUFFIXES
    names = ", ".join(map(inert, having[:MOST_NAMED]))
    return f"one of the folders in it, such as {names}"


def _by_number(path: str) -> list[Any]:
    parts = re.split(r"([0-9]+)", path)
    return [int(part) if index % 2 else part for index, part in enumerate(parts)]
