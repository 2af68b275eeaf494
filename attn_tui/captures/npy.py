"""NumPy's .npy and .npz formats: headers, and where the numbers stand."""

import hashlib
import io
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from attn_tui.captures.disk import Disk, opened, place_of, refuse
from attn_tui.captures.dtypes import dtype_named
from attn_tui.captures.listing import Listing
from attn_tui.captures.stored import Index, Plain, Raw, Stored
from attn_tui.compute.errors import InputError, inert

NPY_MAGIC = b"\x93NUMPY"
"""What a .npy file begins with."""

LONGEST_HEADER = 10_000
"""Bytes of the header of a .npy file, as for NumPy."""

LONGEST_DIRECTORY = 2 * 2**20
"""Bytes of the list of arrays in an .npz file."""

MOST_PACKED = 2**30
"""Bytes of one array that is packed, which is read whole."""

PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""How NumPy packs; of other ways a few bytes may unpack to any size at once."""

_HEADERS = {
    b"\x01\x00": (2, npy_format.read_array_header_1_0),
    b"\x02\x00": (4, npy_format.read_array_header_2_0),
}
"""By version: how many bytes say the length of the header, and what reads it."""


class Header(NamedTuple):
    """What the header of a .npy file says.

    Attributes:
        shape: Of the array.
        is_fortran: Whether the first index runs fastest.
        dtype: Of its numbers.
        size: Bytes up to the first number.
    """

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]
    size: int


def read_npy_header(read: Callable[[int], bytes]) -> Header:
    """Read the header of .npy data from its first byte on.

    Args:
        read: Returns the next bytes, up to so many.

    Raises:
        InputError: If it is none, with field ``"scores"``.
    """
    broken = InputError("scores", "it is no .npy file, or is cut off", "what numpy.save writes")
    magic = read(len(NPY_MAGIC) + 2)
    if magic[: len(NPY_MAGIC)] != NPY_MAGIC or magic[len(NPY_MAGIC) :] not in _HEADERS:
        raise broken
    width, read_header = _HEADERS[magic[len(NPY_MAGIC) :]]
    length = read(width)
    size = int.from_bytes(length, "little")
    if size > LONGEST_HEADER:
        problem = f"there are more than {LONGEST_HEADER:,} bytes in its header"
        raise InputError("scores", problem, "what numpy.save writes")
    text = length + read(size)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shape, is_fortran, dtype = read_header(io.BytesIO(text))
    except Exception:  # NumPy parses the header as Python, which fails in many ways.
        raise broken from None
    if any(type(length) is not int or not 0 <= length < 2**63 for length in shape):
        raise broken
    return Header(shape, is_fortran, dtype, len(magic) + len(text))


@dataclass(frozen=True)
class Packed(Stored):
    """A tensor that is packed in an archive: it is unpacked whole when it is first asked for.

    Attributes:
        member: What the archive calls it.
        modified: When the archive was written, in nanoseconds.
        is_fortran: Whether the first index runs fastest.
    """

    member: str = ""
    modified: int = 0
    is_fortran: bool = False

    def take(self, index: tuple[Index, ...]) -> Raw:
        """Return part of it, in its own format."""
        taken: Raw = self._whole()[index]
        return taken

    def blocks(self, most: int) -> Iterator[tuple[int, Raw]]:
        """Yield all numbers in order."""
        flat = self._whole().reshape(-1)
        for start in range(0, self.size, most):
            yield start, flat[start : start + most]

    def _whole(self) -> Raw:
        assert self.dtype
        data = _unpacked(self.path, self.modified, self.member, self.size * self.dtype.itemsize)
        return data.view(self.dtype).reshape(self.shape, order="F" if self.is_fortran else "C")


@lru_cache(maxsize=8)
def _unpacked(path: str, modified: int, member: str, size: int) -> Raw:
    where = f"{place_of(path)}, {inert(member)}"
    if size > MOST_PACKED:
        expected = f"at most {MOST_PACKED:,}, or numpy.savez, which does not pack"
        raise InputError("capture", f"it is packed and has {size:,} bytes", expected, where)
    data = np.empty(size, np.uint8)
    with opened(path) as disk:
        try:
            with zipfile.ZipFile(_Seekable(disk)) as archive, archive.open(member) as stream:
                read_npy_header(stream.read)
                at = 0
                while at < size and (piece := stream.read(min(2**20, size - at))):
                    data[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
                    at += len(piece)
                while stream.read(2**16):
                    pass  # At the end the checksum is compared.
        except InputError:
            raise
        except Exception:  # zipfile trusts what it reads, and fails in many ways.
            at = -1
    if at < size:
        raise InputError("capture", "it cannot be unpacked", "a complete file", where)
    data.flags.writeable = False
    return data


class _Seekable(io.RawIOBase):
    """A file on a disk as `zipfile` reads it: anywhere, but not too much of it at once."""

    def __init__(self, disk: Disk) -> None:
        self.disk, self.at = disk, 0

    def seekable(self) -> bool:
        """Return that it is."""
        return True

    def seek(self, to: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.disk.size}[whence]
        if base + to < 0:
            raise OSError
        self.at = base + to
        return self.at

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self.at

    def read(self, size: int = -1) -> bytes:
        size = min(LONGEST_DIRECTORY + 1 if size < 0 else size, max(self.disk.size - self.at, 0))
        if size > LONGEST_DIRECTORY:
            problem = f"there are more than {LONGEST_DIRECTORY:,} bytes in its list of arrays"
            raise InputError(
                "capture", problem, "what numpy.savez writes", place_of(self.disk.path)
            )
        data = self.disk.read(self.at, size)
        self.at += len(data)
        return data


def list_npy(disk: Disk) -> Listing:
    """Return the array of a .npy file, which is called what the file is.

    Raises:
        InputError: If it is broken, or claims what the file does not hold.
    """
    seekable = _Seekable(disk)
    try:
        header = read_npy_header(seekable.read)
        tensor = _plain(disk, PurePath(disk.path).stem, header, header.size, disk.size)
    except InputError as error:
        refuse(disk.path, error.problem, error.expected)
    return Listing((tensor,), {}, hashlib.sha256(disk.read(0, header.size)).hexdigest())


def list_npz(disk: Disk) -> Listing:
    """Return the arrays of an .npz file.

    Raises:
        InputError: If it is broken, or claims what the file does not hold.
    """
    tensors: list[Stored] = []
    digest = hashlib.sha256()
    seekable = _Seekable(disk)
    try:
        archive = zipfile.ZipFile(seekable)
    except InputError:
        raise
    except Exception:  # zipfile trusts what it reads, and fails in many ways.
        refuse(disk.path, "it is no zip archive, or is cut off", "a complete .npz file")
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
        header = read_npy_header(stream.read)
    if member.compress_type == zipfile.ZIP_STORED:
        # The local header repeats the name, and may have other notes behind it.
        local = disk.read(member.header_offset, 30)
        begins = (
            member.header_offset
            + 30
            + sum(int.from_bytes(local[at : at + 2], "little") for at in (26, 28))
        )
        return _plain(disk, name, header, begins + header.size, begins + member.file_size)
    plain = _plain(disk, name, header, header.size, member.file_size, is_packed=True)
    return Packed(
        name,
        disk.path,
        plain.shape,
        plain.dtype,
        plain.format,
        member.filename,
        disk.modified,
        header.is_fortran,
    )


def _plain(
    disk: Disk, name: str, header: Header, begins: int, ends: int, *, is_packed: bool = False
) -> Plain:
    dtype: np.dtype[Any] | None = header.dtype
    called = header.dtype.name
    if header.dtype.kind == "V" and header.dtype.itemsize == 2 and not header.dtype.names:
        # NumPy knows no bfloat16, and writes its bytes as records.
        called, dtype = "bfloat16", dtype_named("bfloat16")
    elif header.dtype.kind not in "fiub" or header.dtype.itemsize > 8:
        called, dtype = inert(header.dtype.str)[1:-1], None
    held = max((ends if is_packed else min(ends, disk.size)) - begins, 0)
    if prod(header.shape) * header.dtype.itemsize > held:
        shown = "×".join(map(str, header.shape[:4])) + ("×…" if len(header.shape) > 4 else "")
        claimed = f"it claims an array of {inert(shown)[1:-1]} numbers"
        raise InputError("", f"{claimed} but holds {held:,} bytes", "a complete file")
    return Plain(name, disk.path, header.shape, dtype, called, begins, header.is_fortran)
