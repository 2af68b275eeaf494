"""A file, or the text in it, in pieces: little of it is held, and somebody may look on."""

import codecs
from collections.abc import Iterable, Iterator
from io import IncrementalNewlineDecoder
from typing import IO

from attn_tui.compute.errors import InputError
from attn_tui.files.limits import LARGEST, LONGEST_WORD
from attn_tui.files.watch import Watch, unwatched

PIECE = 2**16
"""Bytes that are read, or unpacked, at a time."""

AHEAD = 6 * LONGEST_WORD
"""Characters a `Window` has ahead: the longest word there may be, quoted, and what follows it."""


class Metered:
    """A file that is read in pieces; how much has been is limited, and told to a watch.

    Args:
        file: Read from where it stands.
        size: Its bytes, or None if nobody knows.
        watch: Told the share of them that has been read.
    """

    def __init__(self, file: IO[bytes], size: int | None = None, watch: Watch = unwatched) -> None:
        self.file, self.size, self.watch = file, size, watch
        self.count = 0
        self._begun = b""
        self._check(size or 0)

    def begins_with(self, mark: bytes) -> bool:
        """Return whether the file, of which nothing has been read, begins so."""
        self._begun = self.read(len(mark))
        return self._begun == mark

    def read(self, size: int) -> bytes:
        """Return the next bytes, up to so many; none at the end.

        Raises:
            InputError: If it has become too much, with field ``"scores"``.
        """
        begun, self._begun = self._begun[:size], self._begun[size:]
        data = begun + self.file.read(size - len(begun))
        self.count += len(data) - len(begun)
        self._check(self.count)
        self.tell()
        return data

    def tell(self) -> None:
        """Tell the watch the share that has been read, where something else takes its time."""
        self.watch(min(self.count / self.size, 1.0) if self.size else 0.0)

    def _check(self, size: int) -> None:
        if size > LARGEST:
            raise InputError("scores", "it is too large", f"at most {LARGEST:,} bytes")


def text_pieces(file: Metered) -> Iterator[str]:
    r"""Yield UTF-8 text piece by piece, all its lines ended by ``\n``.

    Raises:
        InputError: If it is none, with field ``"scores"``.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = IncrementalNewlineDecoder(decoder, translate=True)
    data, mark = b"more", "\ufeff"
    while data:
        data = file.read(PIECE)
        try:
            piece = lines.decode(data, final=not data)
        except UnicodeDecodeError as error:
            position = file.count - len(error.object) + error.start
            what = f"byte 0x{error.object[error.start]:02x} at position {position:,} is not UTF-8"
            raise InputError("scores", what, "UTF-8 text") from None
        yield piece.removeprefix(mark)
        mark = "" if piece else mark


class Window:
    r"""What lies ahead of a place in a text that comes in pieces; a last ``\n`` ends it.

    Attributes:
        text: What is held of the text.
        position: The place in it, which whoever reads moves on.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self.text = ""
        self.position = 0
        self._pieces = iter(pieces)
        self._lines = 1
        self._has_more = True

    @property
    def ahead(self) -> str:
        """What is held from the place on, without the end that was added."""
        return self.text[self.position : self._end]

    @property
    def line(self) -> int:
        """The line of the place, counted from 1; the end of the text is on its last."""
        return self._lines + self.text.count("\n", 0, min(self.position, self._end))

    @property
    def _end(self) -> int:
        return len(self.text) - (not self._has_more)

    def fill(self) -> bool:
        """Hold `AHEAD` characters from the place on, or all there are; return if there are any."""
        if self._has_more and len(self.text) - self.position < AHEAD:
            self._lines = self.line
            held = [self.text[self.position :]]
            size = len(held[0])
            while self._has_more and size < 2 * AHEAD:
                piece = next(self._pieces, None)
                self._has_more = piece is not None
                held.append("\n" if piece is None else piece)
                size += len(held[-1])
            self.text, self.position = "".join(held), 0
        return self.position < len(self.text)
