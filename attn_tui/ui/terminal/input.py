"""What a terminal sends, as keys and pastes; Textual's own reading, where that has gaps."""

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import ClassVar

from textual._xterm_parser import XTermParser
from textual.events import Key, Paste
from textual.keys import Keys
from textual.message import Message

from attn_tui.ui.terminal.flow import ANSWER

_ESCAPE, _BEGIN, _END = "\x1b", "\x1b[200~", "\x1b[201~"


def lenient(encoding: str) -> Callable[[], IncrementalDecoder]:
    """Return a decoder that reads a byte it does not understand as U+FFFD."""
    return partial(getincrementaldecoder(encoding), errors="replace")


def accept_anything() -> None:
    """Make Textual read whatever comes: its own decoder ends the program on bytes of no UTF-8."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows has a driver of its own, which reads characters.
        return
    vars(linux_driver).update(getincrementaldecoder=lenient, XTermParser=Parser)


def _nothing() -> None:
    pass


class Parser(XTermParser):
    """Reads escape and a key that come together as these two, and a paste as text alone.

    Of escape and a key Textual types some, takes some for others, and leaves the escape out. A
    paste it reads as it does keys, one character after another, and what follows an escape in it
    is typed. A sequence whose rest is late is over only if nothing has come meanwhile.
    """

    answered: ClassVar[Callable[[], None]] = staticmethod(_nothing)
    """Called when the terminal answers that it has taken what was sent."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._seen = ""
        self._pasted: list[str] | None = None
        self._has_read = False

    def feed(self, data: str) -> Iterator[Message]:
        """Yield what the next characters that were sent mean."""
        self._has_read = True
        if ANSWER in data:
            # Read as part of a sequence that somebody has begun, it would end that.
            for _ in range(data.count(ANSWER)):
                type(self).answered()
            data = data.replace(ANSWER, "")
            if not data:
                return
        if not data:
            yield from super().feed(data)
        while data and (end := self._end_of(_BEGIN if self._pasted is None else _END, data)):
            read, data = data[:end], data[end:]
            if self._pasted is None:
                yield from super().feed(read)
                self._pasted = []
            else:
                text = "".join((*self._pasted, read))[: -len(_END)]
                self._pasted = None
                yield Paste(text.replace("\0", ""))
                # Of what it was not given there is nothing to paste.
                yield from (event for event in super().feed(_END) if not isinstance(event, Paste))
            self._seen = ""
        if self._pasted is not None:
            self._pasted.append(data)
        elif data:
            yield from super().feed(data)

    def tick(self) -> Iterable[Message]:
        """Return what a sequence that does not go on means.

        Right after something was read it may go on: on a busy machine its time is over before
        anybody has looked whether more has come.
        """
        has_read, self._has_read = self._has_read, False
        return () if has_read else super().tick()

    def _end_of(self, mark: str, data: str) -> int:
        """Return where a mark ends in what comes next, though it began before; 0 if it does not."""
        seen = self._seen + data
        place = seen.find(mark)
        if place >= 0:
            return place + len(mark) - len(self._seen)
        self._seen = seen[1 - len(mark) :]
        return 0

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """Yield the keys that a sequence stands for."""
        if sequence == ANSWER:
            type(self).answered()
            yield Key(Keys.Ignore, ANSWER)
            return
        first, rest = sequence[:1], sequence[1:]
        # Behind "[" and "O" what makes it a key is still to come, or else `alt` says it did not.
        if alt or (first == _ESCAPE and len(rest) == 1 and rest.isprintable() and rest not in "[O"):
            yield Key("escape", _ESCAPE)
            sequence = sequence if alt else rest
        try:
            yield from super()._sequence_to_key_events(sequence)
        except (ValueError, OverflowError):
            # No terminal sends a key of such a number.
            yield Key(Keys.Ignore, sequence)
