"""The header of a GGUF file: its metadata, read without a library and in bounds."""

import struct
from dataclasses import dataclass, field
from typing import BinaryIO

from attn_tui.compute.errors import InputError, inert

MAGIC = b"GGUF"
MOST_BYTES = 64 * 2**20
"""Bytes of metadata; the tokens of the largest vocabularies take some ten million."""
MOST_ENTRIES = 65_536
LONGEST_KEY = 65_535
LONGEST_KEPT = 4096
"""Characters of a text, and numbers of a list, that are kept; longer ones are skipped."""
_PIECE = 2**16

_NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_TEXT, _LIST = 8, 9

Value = bool | int | float | str | tuple[bool | int | float, ...]


def read_header(file: BinaryIO, name: str) -> dict[str, Value]:
    """Return the metadata of a file: numbers, short texts, and short lists of numbers.

    Args:
        file: At its beginning.
        name: Its name, for errors.

    Raises:
        InputError: With field ``"config"``, if it is no GGUF file, or claims what it has not.
    """
    return _Header(file, name).read()


@dataclass
class _Header:
    file: BinaryIO
    name: str
    order: str = "<"
    count: int = 0
    held: bytes = b""
    at: int = 0
    found: dict[str, Value] = field(default_factory=dict)

    def read(self) -> dict[str, Value]:
        if self.file.read(len(MAGIC)) != MAGIC:
            raise self._bad("it does not begin with GGUF", "a GGUF file")
        version = self._number("I")
        if version > 0xFFFF:
            # The same number from the other end: a file of a big-endian machine.
            self.order = ">"
            version = struct.unpack(">I", struct.pack("<I", version))[0]
        if version not in (2, 3):
            raise self._bad(f"its version is {version}", "2 or 3")
        self._number("Q")
        entries = self._number("Q")
        if entries > MOST_ENTRIES:
            raise self._bad(f"it claims {entries:,} entries", f"at most {MOST_ENTRIES:,}")
        for _ in range(entries):
            key = self._text(self._length(LONGEST_KEY, "a name"))
            value = self._value(self._number("I"), key)
            if key in self.found:
                raise self._bad(f"{inert(key)} stands there twice", "each name once")
            if value is not None:
                self.found[key] = value
        return self.found

    def _value(self, kind: int, key: str) -> Value | None:
        if kind in _NUMBERS:
            value: Value = self._number(_NUMBERS[kind])
            return value
        if kind == _TEXT:
            size = self._length(MOST_BYTES, inert(key))
            if size <= LONGEST_KEPT:
                return self._text(size)
            self._skip(size)
            return None
        if kind == _LIST:
            return self._list(key)
        raise self._bad(f"{inert(key)} is of kind {kind}", "one of 0 to 12")

    def _list(self, key: str) -> Value | None:
        kind, count = self._number("I"), self._number("Q")
        if kind in _NUMBERS:
            code = _NUMBERS[kind]
            size = count * struct.calcsize(code)
            if count > LONGEST_KEPT:
                self._skip(size)
                return None
            return struct.unpack(f"{self.order}{count}{code}", self._take(size))
        if kind != _TEXT:
            raise self._bad(f"{inert(key)} is a list of kind {kind}", "a list of numbers or texts")
        # Each text takes eight bytes at least, of which there are not so many.
        if count > MOST_BYTES // 8:
            raise self._bad(f"{inert(key)} claims {count:,} texts", f"{MOST_BYTES // 8:,} at most")
        for _ in range(count):
            self._skip(self._length(MOST_BYTES, inert(key)))
        return None

    def _length(self, most: int, what: str) -> int:
        size = self._number("Q")
        if size > most:
            raise self._bad(f"{what} claims {size:,} bytes", f"at most {most:,}")
        return size

    def _number(self, code: str) -> int:
        value: int
        (value,) = struct.unpack(self.order + code, self._take(struct.calcsize(code)))
        return value

    def _text(self, size: int) -> str:
        return self._take(size).decode("utf-8", "replace")

    def _skip(self, size: int) -> None:
        self._checked(size)
        ahead = len(self.held) - self.at
        if size <= ahead:
            self.at += size
            return
        size -= ahead
        self.held, self.at = b"", 0
        while size:
            taken = len(self.file.read(min(size, _PIECE)))
            if not taken:
                raise self._ends()
            size -= taken

    def _take(self, size: int) -> bytes:
        self._checked(size)
        while len(self.held) - self.at < size:
            more = self.file.read(_PIECE)
            if not more:
                raise self._ends()
            self.held, self.at = self.held[self.at :] + more, 0
        self.at += size
        return self.held[self.at - size : self.at]

    def _checked(self, size: int) -> None:
        self.count += size
        if self.count > MOST_BYTES:
            raise self._bad("its metadata is too large", f"at most {MOST_BYTES:,} bytes")

    def _ends(self) -> InputError:
        return self._bad("it ends within its metadata", "a whole file")

    def _bad(self, problem: str, expected: str) -> InputError:
        return InputError("config", problem, expected, self.name)
