"""NumPy's .npy and .npz files, read without pickles and without trusting what they claim."""

import warnings
import zipfile
import zlib
from collections.abc import Iterator
from math import prod
from typing import IO, Any, NoReturn

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.entries import check_scores, problem
from attn_tui.files.limits import LARGEST

NPY_MAGIC = b"\x93NUMPY"
"""What a .npy file begins with."""

_HEADERS = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
}
_KINDS = {
    "O": "pickled objects",
    "c": "complex numbers",
    "b": "true and false",
    "V": "records",
    "M": "dates",
    "m": "times",
}
_BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


def read_npy(file: IO[bytes], size: int, before: int = 0) -> NDArray[np.float64]:
    """Read one array of real numbers of one or two dimensions, as float64.

    Args:
        file: At the start of the .npy data.
        size: How many bytes there are: the header may claim no more.
        before: How many numbers other arrays hold that count towards the same limit.

    Raises:
        InputError: If it is broken, too large, or holds anything but real numbers.
    """
    shape, fortran, dtype = _header(file)
    _check_type(dtype)
    claimed = prod(shape) * dtype.itemsize
    if claimed > size:
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
    data = file.read(claimed)
    if len(data) < claimed:
        raise problem("it ends too early", "a complete file")
    numbers = np.frombuffer(data, dtype).astype(np.float64, copy=False)
    return numbers.reshape(shape[::-1]).T if fortran else numbers.reshape(shape)


def read_npz(file: IO[bytes]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield each array of an .npz file with its key, in the file's order.

    Raises:
        InputError: As `read_npy` does; also if the arrays are too large together.
    """
    try:
        archive = zipfile.ZipFile(file)
    except _BROKEN_ZIP:
        raise problem("it is no zip archive, or is cut off", "a complete .npz file") from None
    total = n_scores = 0
    for member in archive.infolist():
        key = member.filename.removesuffix(".npy")
        total += member.file_size
        if total > LARGEST:
            raise problem(f"its arrays claim {total:,} bytes", f"at most {LARGEST:,}, uncompressed")
        if key == member.filename:
            raise problem(f"it holds {inert(key)}, which is no array", "NumPy arrays only")
        try:
            with archive.open(member) as stream:
                array = read_npy(stream, member.file_size, n_scores)
                stream.read()  # to the end, where the checksum is compared
        except InputError as error:
            raise problem(f"in array {inert(key)}: {error.problem}", error.expected) from None
        except _BROKEN_ZIP:
            raise problem(f"array {inert(key)} cannot be unpacked", "a complete file") from None
        n_scores += array.size
        yield key, array


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shape, fortran, dtype = _HEADERS[npy_format.read_magic(file)](file)
    except Exception:  # NumPy parses the header as Python, which fails in many ways.
        _refuse_file()
    if any(length < 0 for length in shape):
        _refuse_file()
    return shape, fortran, dtype


def _refuse_file() -> NoReturn:
    raise problem("it is no .npy file, or is cut off", "what numpy.save writes") from None


def _check_type(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "fiu" or dtype.itemsize > 8:
        held = _KINDS.get(dtype.kind, "numbers wider than float64" if dtype.kind == "f" else "text")
        raise problem(f"it holds {held}", "real numbers of at most 64 bits")
