"""NumPy's .npy and .npz files, read without pickles and without trusting what they claim."""

import zipfile
from collections.abc import Iterator
from math import prod
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.npy import LONGEST_DIRECTORY, PACKINGS, read_npy_header
from attn_tui.compute.errors import InputError, Stopped, inert
from attn_tui.files.entries import check_scores, problem
from attn_tui.files.limits import LARGEST, check_most
from attn_tui.files.stream import PIECE, Metered

_KINDS = {
    "O": "pickled objects",
    "c": "complex numbers",
    "b": "true and false",
    "V": "records",
    "M": "dates",
    "m": "times",
}


def read_npy(file: Metered, size: int | None, before: int = 0) -> NDArray[np.float64]:
    """Read one array of real numbers of one or two dimensions, as float64.

    Args:
        file: At the start of the .npy data.
        size: How many bytes there are, if that is known: the header may claim no more.
        before: How many numbers other arrays hold that count towards the same limit.

    Raises:
        InputError: If it is broken, too large, or holds anything but real numbers.
    """
    shape, fortran, dtype, _ = read_npy_header(file.read)
    _check_type(dtype)
    claimed = prod(shape) * dtype.itemsize
    if size is not None and claimed > size:
        shown = "×".join(map(str, shape[:3])) + ("×…" if len(shape) > 3 else "")
        raise problem(
            f"it claims an array of {inert(shown)[1:-1]} numbers but holds {size:,} bytes",
            "a complete file",
        )
    if 0 in shape:
        raise problem("it holds an empty array", "at least one number")
    if not 1 <= len(shape) <= 2:
        raise problem(f"it holds an array of {len(shape)} dimensions", "one dimension or two")
    check_scores(before + prod(shape))
    numbers = np.empty(prod(shape), np.float64)
    most = PIECE // dtype.itemsize
    for start in range(0, numbers.size, most):
        piece = numbers[start : start + most]
        data = file.read(piece.size * dtype.itemsize)
        if len(data) < piece.size * dtype.itemsize:
            raise problem("it ends too early", "a complete file")
        piece[:] = np.frombuffer(data, dtype)
    return numbers.reshape(shape[::-1]).T if fortran else numbers.reshape(shape)


class _Archive:
    """A metered file as `zipfile` reads it: anywhere, but not too much of it at once."""

    def __init__(self, file: Metered) -> None:
        self.metered = file
        self.seek, self.tell, self.seekable = file.file.seek, file.file.tell, file.file.seekable

    def read(self, size: int = -1) -> bytes:
        size = LONGEST_DIRECTORY if size < 0 else size
        things = "bytes in its list of arrays"
        check_most(size, LONGEST_DIRECTORY, things, "what numpy.savez writes")
        return self.metered.read(size)


def read_npz(file: Metered) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield each array of an .npz file with its key, in the file's order.

    Raises:
        InputError: As `read_npy` does; also if the arrays are too large together.
    """
    try:
        archive = zipfile.ZipFile(cast(BinaryIO, _Archive(file)))
    except (InputError, Stopped):
        raise
    except Exception:  # zipfile trusts what it reads, and fails in many ways.
        raise problem("it is no zip archive, or is cut off", "a complete .npz file") from None
    total = n_scores = 0
    for member in archive.infolist():
        key = member.filename.removesuffix(".npy")
        total += member.file_size
        if total > LARGEST:
            raise problem(f"its arrays claim {total:,} bytes", f"at most {LARGEST:,}, uncompressed")
        if key == member.filename:
            raise problem(f"it holds {inert(key)}, which is no array", "NumPy arrays only")
        if member.compress_type not in PACKINGS:
            raise problem(f"array {inert(key)} is packed in another way", "what numpy.savez writes")
        try:
            with archive.open(member) as stream:
                unpacked = Metered(stream, watch=lambda share: file.tell())
                array = read_npy(unpacked, member.file_size, n_scores)
                while unpacked.read(PIECE):
                    pass  # At the end the checksum is compared.
        except InputError as error:
            raise problem(f"in array {inert(key)}: {error.problem}", error.expected) from None
        except Stopped:
            raise
        except Exception:
            raise problem(f"array {inert(key)} cannot be unpacked", "a complete file") from None
        n_scores += array.size
        yield key, array


def _check_type(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "fiu" or dtype.itemsize > 8:
        held = _KINDS.get(dtype.kind, "numbers wider than float64" if dtype.kind == "f" else "text")
        raise problem(f"it holds {held}", "real numbers of at most 64 bits")
