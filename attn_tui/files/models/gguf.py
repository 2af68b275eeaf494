"""The metadata of a GGUF file, without its tensors.

The package gguf makes arrays of every token: of a vocabulary of 128,256 they take 600 MB
and ten seconds. A file of 49 bytes that claims 2^61 numbers fills all memory there is.
"""

import struct
from dataclasses import dataclass
from typing import BinaryIO

from attn_tui.compute.errors import InputError, inert

MAGIC = b"GGUF"
MOST_BYTES = 64 * 2**20
"""Bytes of metadata; the tokens of the largest vocabularies take some ten million."""
MOST_ENTRIES = 1024
LONGEST = 4096
"""Bytes of a name; of a text, or numbers of a list, that is not skipped."""

_NUMBERS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9

Number = bool | int | float
Value = Number | str | tuple[Number, ...] | None


def read_header(file: BinaryIO, size: int, name: str) -> dict[str, Value]:
    """Return the metadata of a file by name; None stands for a long text or list.

    Args:
        file: At its beginning.
        size: Its bytes.
        name: Its name, for errors.

    Raises:
        InputError: With field ``"config"``, if it is no GGUF file, or claims what it has not.
    """
    header = _Header(file, min(size, MOST_BYTES), name)
    if header.take(len(MAGIC)) != MAGIC:
        raise header.bad("it does not begin with GGUF", "a GGUF file")
    data = header.take(4)
    if data[0] == 0:
        # The largest byte of the version stands first: a file of a big-endian machine.
        header.order = ">"
    (version,) = struct.unpack(header.order + "I", data)
    if version not in (2, 3):
        raise header.bad(f"its version is {version}", "2 or 3")
    header.number("Q")
    entries = header.number("Q")
    if entries > MOST_ENTRIES:
        raise header.bad(f"it claims {entries:,} entries", f"at most {MOST_ENTRIES:,}")
    metadata: dict[str, Value] = {}
    for _ in range(entries):
        key = header.text()
        if key is None:
            raise header.bad("a name is too long", f"at most {LONGEST:,} bytes")
        if key in metadata:
            raise header.bad(f"{inert(key)} stands there twice", "each name once")
        metadata[key] = header.value(key)
    return metadata


@dataclass
class _Header:
    """A file that is read from its beginning.

    Attributes:
        file: The file.
        left: How many more bytes may be read.
        name: Of the file.
        order: That of bytes, as `struct` has it.
    """

    file: BinaryIO
    left: int
    name: str
    order: str = "<"

    def value(self, key: str) -> Value:
        """Return the value of an entry; None if it is long, or a list of texts."""
        kind = self.number("I")
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == _TEXT:
            return self.text()
        if kind != _LIST:
            raise self.bad(f"{inert(key)} is of kind {kind}", "one of 0 to 12")
        kind, count = self.number("I"), self.number("Q")
        if kind == _TEXT:
            for _ in range(count):
                self.skip(self.number("Q"))
            return None
        if kind not in _NUMBERS:
            raise self.bad(f"{inert(key)} is a list of kind {kind}", "a list of numbers or texts")
        size = count * struct.calcsize(self.order + _NUMBERS[kind])
        if count > LONGEST:
            self.skip(size)
            return None
        return struct.unpack(f"{self.order}{count}{_NUMBERS[kind]}", self.take(size))

    def number(self, code: str) -> int:
        """Return a number; the codes f and d give a float."""
        form = self.order + code
        number: int
        (number,) = struct.unpack(form, self.take(struct.calcsize(form)))
        return number

    def text(self) -> str | None:
        """Return a text; None if it is long."""
        size = self.number("Q")
        if size <= LONGEST:
            return self.take(size).decode("utf-8", "replace")
        self.skip(size)
        return None

    def take(self, size: int) -> bytes:
        """Return bytes."""
        self._count(size)
        data = self.file.read(size)
        if len(data) < size:
            raise self._cut()
        return data

    def skip(self, size: int) -> None:
        """Leave bytes out."""
        self._count(size)
        self.file.seek(size, 1)

    def _count(self, size: int) -> None:
        if size > self.left:
            raise self._cut()
        self.left -= size

    def _cut(self) -> InputError:
        expected = f"a complete file, with at most {MOST_BYTES:,} bytes of metadata"
        return self.bad("it ends within its metadata", expected)

    def bad(self, problem: str, expected: str) -> InputError:
        """Return the error for the file."""
        return InputError("config", problem, expected, self.name)
