"""Reads keys and pastes from the terminal, filling gaps in Textual's own parser."""

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from textual._xterm_parser import XTermParser
from textual.events import Key, Paste
from textual.keys import Keys
from textual.message import Message

from attn_tui.ui.terminal.background import ANSWER as COLOUR
from attn_tui.ui.terminal.background import BEGUN
from attn_tui.ui.terminal.flow import ANSWER

CERTAIN = "\x1b]11;"
"""The beginning of an answer that no keys begin with."""

_ESCAPE, _BEGIN, _END = "\x1b", "\x1b[200~", "\x1b[201~"


def decoder(encoding: str) -> Callable[[bytes], str]:
    """Return a function that decodes pieces of input, and reads invalid bytes as U+FFFD."""
    return getincrementaldecoder(encoding)(errors="replace").decode


def _nothing() -> None:
    pass


def _ignore(colour: str) -> None:
    pass


class Parser(XTermParser):
    """Reads escape and a key that arrive together as two keys, and pastes as a whole.

    Textual drops the escape, types some of the keys and mistakes others. It also types whatever
    follows an escape in a paste. And here a sequence whose rest is late ends only if nothing has
    arrived meanwhile.
    """

    answered: ClassVar[Callable[[], None]] = staticmethod(_nothing)
    """Called when the terminal answers a status request."""

    ahead: ClassVar[str] = ""
    """What was typed before the program read keys."""

    coloured: ClassVar[Callable[[str], None]] = staticmethod(_ignore)
    """Called with the colour of the background when the terminal states it."""

    is_due: ClassVar[bool] = False
    """Whether the terminal was asked for the colour of its background, and has not answered."""

    _held = ""
    """The beginning of an answer whose rest is still to come."""

    patience: float | None = 0.1
    """The longest wait for more input before `tick` has something to do, in seconds."""

    _has_read = False
    _pasted: str | None = None

    def feed(self, data: str) -> Iterator[Message]:
        """Yield the messages for the next characters from the terminal."""
        self._has_read = True
        if type(self).ahead:
            data, type(self).ahead = type(self).ahead + data, ""
        if data and self._pasted is None:
            data = self._without_colour(data)
            if not data:
                return
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

    def _without_colour(self, data: str) -> str:
        """Return data without the terminal's answer about its background, or a part of one."""
        data, self._held = self._held + data, ""
        for match in COLOUR.finditer(data):
            type(self).is_due = False
            type(self).coloured(match["colour"])
        data = COLOUR.sub("", data)
        begun = BEGUN.search(data) if type(self).is_due else None
        if begun is None:
            return data
        self._held = begun[0]
        return data[: begun.start()]

    def tick(self) -> Iterable[Message]:
        """Return the messages for an unfinished sequence whose time is up.

        Right after a read it may still go on: on a busy machine the time can be up before anybody
        has looked for more input.
        """
        has_read, self._has_read = self._has_read, False
        if type(self).ahead:
            return [*self.feed("")]
        if has_read:
            return ()
        if self._held and not self._held.startswith(CERTAIN):
            # These are keys after all.
            held, self._held = self._held, ""
            return [*super().feed(held), *super().tick()]
        return super().tick()

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
