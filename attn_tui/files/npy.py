"""Scores in NumPy's .npy and .npz files, read without pickles and only as large as they claim."""

from collections.abc import Iterator
from math import prod
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.npy import (
    LONGEST_HEADER,
    PACKINGS,
    open_archive,
    read_array,
    read_header,
)
from attn_tui.compute.errors import InputError, inert
from attn_tui.files.entries import check_scores, problem
from attn_tui.files.limits import LARGEST_ARRAYS

_KINDS = {
    "O": "pickled objects",
    "c": "complex numbers",
    "b": "true and false",
    "V": "records",
    "M": "dates",
    "m": "times",
    "f": "numbers wider than float64",
}


def read_npy(file: IO[bytes], size: int, before: int = 0) -> NDArray[np.float64]:
    """Read one array of real numbers of one or two dimensions, as float64.

    Args:
        file: .npy data, which can be read again from its first byte on.
        size: Its bytes: the header may claim no more.
        before: How many numbers other arrays hold that count towards the same limit.

    Raises:
        InputError: If it is broken, too large, or holds anything but real numbers.
    """
    header = read_header(file.read(LONGEST_HEADER))
    _check_type(header.dtype)
    header.check(size)
    if 0 in header.shape:
        raise problem("it holds an empty array", "at least one number")
    if not 1 <= len(header.shape) <= 2:
        held = f"it holds an array of {len(header.shape)} dimensions"
        raise problem(held, "one dimension or two")
    check_scores(before + prod(header.shape))
    try:
        return read_array(file).astype(np.float64, copy=False)
    except ValueError:
        raise problem("it ends too early", "a complete file") from None


def read_npz(file: BinaryIO) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield each array of an .npz file with its key, in the file's order.

    Raises:
        InputError: As `read_npy` does; also if the arrays are too large together.
    """
    archive = open_archive(file.fileno())
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    if total > LARGEST_ARRAYS:
        expected = f"at most {LARGEST_ARRAYS:,}, uncompressed"
        raise problem(f"its arrays claim {total:,} bytes", expected)
    n_scores = 0
    for member in members:
        key = member.filename.removesuffix(".npy")
        if key == member.filename:
            raise problem(f"it holds {inert(key)}, which is no array", "NumPy arrays only")
        if member.compress_type not in PACKINGS:
            raise problem(f"array {inert(key)} is packed in another way", "what numpy.savez writes")
        try:
            with archive.open(member) as stream:
                array = read_npy(stream, member.file_size, n_scores)
        except InputError as error:
            raise problem(f"in array {inert(key)}: {error.problem}", error.expected) from None
        except Exception:  # zipfile trusts what it reads, and fails in many ways.
            raise problem(f"array {inert(key)} cannot be unpacked", "a complete file") from None
        n_scores += array.size
        yield key, array


def _check_type(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "fiu" or dtype.itemsize > 8:
        held = _KINDS.get(dtype.kind, "text")
        raise problem(f"it holds {held}", "real numbers of at most 64 bits")
