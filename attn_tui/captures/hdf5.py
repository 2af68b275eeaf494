"""HDF5 files, by h5py, which is an extra."""

import hashlib
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.disk import Disk, place_of, reason_of, refuse, regular
from attn_tui.captures.dtypes import readable
from attn_tui.captures.stored import Index, Listing, Plain, Raw, Stored
from attn_tui.compute.errors import InputError, inert

MOST_TENSORS = 1_000_000
"""Groups and tensors of one file."""

_MOST_VALUES = 10_000
_MOST_UNPACKED = 1_100

EXTRA = "pip install 'attn-tui[hdf5]'"
"""What makes such files readable."""


@dataclass(frozen=True)
class Chunked(Stored):
    """A tensor that HDF5 keeps in chunks, perhaps packed."""

    def take(self, index: tuple[Index, ...]) -> Raw:
        """Return part of it, in its own format."""
        assert self.dtype
        h5py = _h5py(self.path)
        # Of places that are listed all between are read: h5py is slow with lists.
        around = tuple(_around(at) if isinstance(at, np.ndarray) else at for at in index)
        try:
            # By its name h5py would wait without end for a pipe that took the file's place.
            data = regular(self.path)
        except OSError as error:
            refuse(self.path, *reason_of(error))
        try:
            with data, h5py.File(data, "r") as file:
                taken: Raw = np.asarray(file[self.name][around])
        except Exception:  # HDF5 has many ways to fail, and names none that tells more.
            where = f"{place_of(self.path)}, {inert(self.name)}"
            raise InputError("capture", "it cannot be read", "a complete file", where) from None
        axes = [at for at in index if not isinstance(at, int)]
        for axis, at in enumerate(axes):
            if isinstance(at, np.ndarray) and len(at):
                taken = taken.take(at - at[0], axis)
        return taken if taken.dtype == self.dtype else np.ascontiguousarray(taken).view(self.dtype)


def list_hdf5(disk: Disk) -> Listing:
    """Return the datasets of an HDF5 file, called by their paths.

    Raises:
        InputError: If h5py is not installed, or it cannot read the file.
    """
    h5py = _h5py(disk.path)
    tensors: list[Stored] = []
    metadata: dict[str, object] = {}

    def visit(name: str | bytes, item: Any) -> None:
        # A name that is no text comes as bytes, and means nothing.
        if isinstance(item, h5py.Dataset) and isinstance(name, str):
            if len(tensors) >= MOST_TENSORS:
                refuse(disk.path, f"it holds more than {MOST_TENSORS:,} tensors", "fewer")
            tensors.append(_stored(disk, name, item))

    try:
        with (
            open(disk.descriptor, "rb", closefd=False) as data,
            h5py.File(data, "r") as file,
        ):
            for name, value in file.attrs.items():
                if isinstance(name, str) and (plain := _plain(value)) is not None:
                    metadata[name] = plain
            file.visititems(visit)
    except InputError:
        raise
    except Exception:  # HDF5 has many ways to fail, and names none that tells more.
        refuse(disk.path, "it is no HDF5 file, or is cut off", "a complete file")
    text = repr([(each.name, each.shape, each.format) for each in tensors])
    return Listing(tuple(tensors), metadata, hashlib.sha256(text.encode()).hexdigest())


def _stored(disk: Disk, name: str, dataset: Any) -> Stored:
    dtype, shape = dataset.dtype, tuple(dataset.shape or ())
    known, called = readable(dtype)
    if dataset.is_virtual or dataset.external:
        return Chunked(name, disk.path, shape, None, "numbers of another file")
    begins = dataset.id.get_offset()
    most = disk.size if begins is not None else disk.size * _MOST_UNPACKED
    if prod(shape) * dtype.itemsize > most:
        shown = inert("×".join(map(str, shape)), 60)[1:-1]
        where = f"{place_of(disk.path)}, {inert(name)}"
        problem = f"it claims an array of {shown} numbers but the file has {disk.size:,} bytes"
        raise InputError("capture", problem, "a complete file", where)
    if begins is not None and dataset.chunks is None and known is not None and known.kind != "b":
        return Plain(name, disk.path, shape, known, called, begins)
    return Chunked(name, disk.path, shape, known, called)


def _plain(value: Any) -> object:
    """Return an attribute as JSON may hold it, or None."""
    if isinstance(value, np.generic | np.ndarray) and value.size <= _MOST_VALUES:
        value = value.tolist()
    values = value if isinstance(value, list) else [value]
    return value if all(isinstance(each, str | int | float) for each in values) else None


def _around(places: NDArray[np.intp]) -> slice:
    """Return the slice around listed places."""
    return slice(int(places[0]), int(places[-1]) + 1) if len(places) else slice(0, 0)


def _h5py(path: str) -> Any:
    try:
        import h5py
    except ImportError:
        refuse(path, "HDF5 is read by h5py, which is not installed", EXTRA)
    return h5py
