"""Reads keys and pastes from the terminal, filling gaps in Textual's own parser."""

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
    """Return a decoder class that reads invalid bytes as U+FFFD."""
    return partial(getincrementaldecoder(encoding), errors="replace")


def accept_anything() -> None:
    """Make Textual accept any input: its own decoder ends the program on invalid UTF-8."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows has another driver, which reads characters.
        return
    vars(linux_driver).update(getincrementaldecoder=lenient, XTermParser=Parser)


def _nothing() -> None:
    pass


class Parser(XTermParser):
    """Reads escape and a key that arrive together as two keys, and pastes as a whole.

    Textual drops the escape, types some of the keys and mistakes others. It also types whatever
    follows an escape in a paste. And here a sequence whose rest is late ends only if nothing has
    arrived meanwhile.
    """

    answered: ClassVar[Callable[[], None]] = staticmethod(_nothing)
    """Called when the terminal answers a status request."""

    _has_read = False
    _pasted: str | None = None

    def feed(self, data: str) -> Iterator[Message]:
        """Yield the messages for the next characters from the terminal."""
        self._has_read = True
        if ANSWER in data:
            # Inside an unfinished sequence, it would end the sequence.
            for _ in range(data.count(ANSWER)):
                type(self).answered()
            data = data.replace(ANSWER, "")
            if not data:
                return
        if self._pasted is None:
            before, begin, data = data.partition(_BEGIN)
            if before or not begin:
                yield from super().feed(before)
            if not begin:
                return
            self._pasted = ""
        self._pasted += data
        text, end, rest = self._pasted.partition(_END)
        if end:
            self._pasted = None
            yield Paste(text.replace("\0", ""))
        if rest:
            yield from self.feed(rest)

    def tick(self) -> Iterable[Message]:
        """Return the messages for an unfinished sequence whose time is up.

        Right after a read it may still go on: on a busy machine the time can be up before anybody
        has looked for more input.
        """
        has_read, self._has_read = self._has_read, False
        return () if has_read else super().tick()

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """Yield the keys that a sequence stands for."""
        if sequence == ANSWER:
            type(self).answered()
            yield Key(Keys.Ignore, ANSWER)
            return
        first, rest = sequence[:1], sequence[1:]
        # After "[" or "O" the rest of the sequence is still to come, unless `alt` says otherwise.
        if alt or (first == _ESCAPE and len(rest) == 1 and rest.isprintable() and rest not in "[O"):
            yield Key("escape", _ESCAPE)
            sequence = sequence if alt else rest
        try:
            yield from super()._sequence_to_key_events(sequence)
        except (ValueError, OverflowError):
            # The number is no key that a terminal sends.
            yield Key(Keys.Ignore, sequence)
