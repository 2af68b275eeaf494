"""Read NumPy's .npy and .npz formats: headers, and where the numbers are stored."""

import hashlib
import io
import warnings
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import PurePath
from threading import Lock
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from attn_tui.captures.disk import Disk, opened, place_of, refuse
from attn_tui.captures.dtypes import readable
from attn_tui.captures.stored import Index, Listing, Plain, Raw, Stored, part_of
from attn_tui.compute.errors import InputError, inert

LONGEST_HEADER = 10_000
"""The most bytes of a header of .npy data that are read; NumPy has the same limit."""

LONGEST_DIRECTORY = 2 * 2**20
"""The most bytes of the list of arrays in an .npz file."""

PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""The ways in which NumPy packs; in others, a few bytes may unpack to any size at once."""

_HEADERS = {(1, 0): npy_format.read_array_header_1_0, (2, 0): npy_format.read_array_header_2_0}
"""The functions that read headers, by version."""


MOST_UNPACKED = 2**28
"""The most bytes of an unpacked array: it is unpacked whole, and the last few are kept."""

_lock = Lock()


class Header(NamedTuple):
    """The header of a .npy file.

    Attributes:
        shape: The shape of the array.
        is_fortran: Whether the first index runs fastest.
        dtype: The type of its numbers.
        size: The number of bytes before the first number.
    """

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]
    size: int

    def check(self, size: int) -> None:
        """Check that .npy data of `size` bytes holds what the header claims.

        Raises:
            InputError: With field ``"scores"``, if it does not.
        """
        available = max(size - self.size, 0)
        if prod(self.shape) * self.dtype.itemsize > available:
            lengths = "×".join(map(str, self.shape[:4])) + ("×…" if len(self.shape) > 4 else "")
            claimed = f"it claims an array of {inert(lengths)[1:-1]} numbers"
            raise InputError(
                "scores", f"{claimed} but holds {available:,} bytes", "a complete file"
            )


def read_header(data: bytes) -> Header:
    """Read the header of .npy data.

    Args:
        data: Its first `LONGEST_HEADER` bytes, or all if there are fewer.

    Raises:
        InputError: With field ``"scores"``, if this is no .npy data.
    """
    broken = InputError("scores", "it is no .npy file, or is cut off", "what numpy.save writes")
    file = io.BytesIO(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = _HEADERS[npy_format.read_magic(file)]
            shape, is_fortran, dtype = read(file)
    except Exception:  # NumPy parses the header as Python, which fails in many ways.
        raise broken from None
    if any(type(length) is not int or not 0 <= length < 2**63 for length in shape):
        raise broken
    return Header(shape, is_fortran, dtype, file.tell())


def read_array(file: IO[bytes]) -> Raw:
    """Read a file of .npy data, whose header has been read and checked, from its first byte on.

    Raises:
        ValueError: If the data end too early.
    """
    file.seek(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array: Raw = npy_format.read_array(file, allow_pickle=False)
    return array


class _Archived(io.FileIO):
    """An open file for `zipfile`, which by itself would read a list of arrays of any size."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes.

        Raises:
            InputError: With field ``"scores"``, if too many are read at once.
        """
        if size is not None and size > LONGEST_DIRECTORY:
            problem = f"there are more than {LONGEST_DIRECTORY:,} bytes in its list of arrays"
            raise InputError("scores", problem, "what numpy.savez writes")
        return super().read(size)


def open_archive(descriptor: int) -> zipfile.ZipFile:
    """Return an open file as a zip archive.

    Raises:
        InputError: With field ``"scores"``, if it is none.
    """
    try:
        return zipfile.ZipFile(_Archived(descriptor, closefd=False))
    except InputError:
        raise
    except Exception:  # zipfile trusts what it reads, and fails in many ways.
        problem = "it is no zip archive, or is cut off"
        raise InputError("scores", problem, "a complete .npz file") from None


@dataclass(frozen=True)
class Packed(Stored):
    """A tensor that is packed in an archive: it is unpacked whole when it is first read.

    Attributes:
        member: Its name in the archive.
        modified: When the archive was written, in nanoseconds.
    """

    member: str = ""
    modified: int = 0

    def take(self, index: tuple[Index, ...]) -> Raw:
        """Return part of the tensor, in its own format."""
        # Of several threads that want the same tensor, one unpacks it and the others wait.
        with _lock:
            numbers = _unpacked(self)
        return part_of(numbers, index)


@lru_cache(maxsize=8)
def _unpacked(packed: Packed) -> Raw:
    """Return the whole of a packed tensor."""
    assert packed.dtype
    try:
        with (
            opened(packed.path) as disk,
            open_archive(disk.descriptor) as archive,
            archive.open(packed.member) as stream,
        ):
            return read_array(stream).view(packed.dtype)
    except InputError:
        raise
    except Exception:  # zipfile trusts what it reads, and fails in many ways.
        where = f"{place_of(packed.path)}, {inert(packed.member)}"
        raise InputError("capture", "it cannot be unpacked", "a complete file", where) from None


def list_npy(disk: Disk) -> Listing:
    """Return the array of a .npy file, which takes the name of the file.

    Raises:
        InputError: If the header is broken, or claims more than the file holds.
    """
    try:
        header = read_header(disk.read(0, min(disk.size, LONGEST_HEADER)))
        header.check(disk.size)
    except InputError as error:
        refuse(disk.path, error.problem, error.expected)
    tensor = _plain(disk, PurePath(disk.path).stem, header, header.size)
    return Listing((tensor,), {}, hashlib.sha256(disk.read(0, header.size)).hexdigest())


def list_npz(disk: Disk) -> Listing:
    """Return the arrays of an .npz file.

    Raises:
        InputError: If it is broken, or an array claims more than the file holds.
    """
    tensors: list[Stored] = []
    digest = hashlib.sha256()
    try:
        archive = open_archive(disk.descriptor)
    except InputError as error:
        refuse(disk.path, error.problem, error.expected)
    names = set()
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        where = f"{place_of(disk.path)}, {inert(name)}"
        digest.update(
            f"{member.filename}{member.header_offset} {member.CRC} ".encode("utf-8", "replace")
        )
        if name == member.filename:
            continue
        if name in names:
            raise InputError("capture", "it stands there twice", "different names", where)
        names.add(name)
        try:
            tensors.append(_member(disk, archive, member, name))
        except InputError as error:
            raise InputError("capture", error.problem, error.expected, where) from None
        except Exception:
            raise InputError("capture", "it cannot be unpacked", "a complete file", where) from None
    return Listing(tuple(tensors), {}, digest.hexdigest())


def _member(disk: Disk, archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Stored:
    if member.compress_type not in PACKINGS:
        raise InputError("", "it is packed in another way", "what numpy.savez writes")
    with archive.open(member) as stream:
        header = read_header(stream.read(LONGEST_HEADER))
    header.check(member.file_size)
    if member.compress_type == zipfile.ZIP_STORED:
        # The local header repeats the name, and extra fields may follow it.
        local = disk.read(member.header_offset, 30)
        lengths = (int.from_bytes(local[offset : offset + 2], "little") for offset in (26, 28))
        begins = member.header_offset + 30 + sum(lengths) + header.size
        header.check(header.size + disk.size - begins)
        return _plain(disk, name, header, begins)
    if (size := prod(header.shape) * header.dtype.itemsize) > MOST_UNPACKED:
        expected = f"at most {MOST_UNPACKED:,}, or what numpy.savez writes"
        raise InputError("", f"{size:,} bytes are packed in it", expected)
    dtype, called = readable(header.dtype)
    return Packed(name, disk.path, header.shape, dtype, called, member.filename, disk.modified)


def _plain(disk: Disk, name: str, header: Header, begins: int) -> Plain:
    dtype, called = readable(header.dtype)
    return Plain(name, disk.path, header.shape, dtype, called, begins, header.is_fortran)
