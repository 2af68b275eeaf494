"""Reads keys and pastes from the terminal, filling gaps in Textual's own parser."""

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from selectors import EVENT_READ, SelectorKey, SelectSelector
from types import SimpleNamespace
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

CALM = 20
"""Looks in a row without input after which there is nothing unfinished to wait for."""

LONG = 0.5
"""Seconds that a look then takes; a signal may end the program that much later, a key does not."""

_ESCAPE, _BEGIN, _END = "\x1b", "\x1b[200~", "\x1b[201~"


def lenient(encoding: str) -> Callable[[], IncrementalDecoder]:
    """Return a decoder class that reads invalid bytes as U+FFFD."""
    return partial(getincrementaldecoder(encoding), errors="replace")


def accept_anything() -> None:
    """Make Textual accept any input: its own decoder ends the program on invalid UTF-8.

    It also looks for input ten times a second, which takes .1 % of a processor; see `Looks`.
    """
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows has another driver, which reads characters.
        return
    selectors = SimpleNamespace(
        EVENT_READ=EVENT_READ, SelectorKey=SelectorKey, SelectSelector=Looks
    )
    vars(linux_driver).update(
        getincrementaldecoder=lenient, XTermParser=Parser, selectors=selectors
    )


class Looks(SelectSelector):
    """Waits for input, longer once nothing has come for a while."""

    _in_vain = 0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Return what can be read, waiting for it as many seconds at most, or for `LONG`."""
        ready = super().select(timeout if self._in_vain < CALM else LONG)
        self._in_vain = 0 if ready else self._in_vain + 1
        return ready


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
