"""Reads keys, pastes and the mouse from what a terminal sends: no key that was not pressed."""

import re
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual import events
from textual._xterm_parser import XTermParser
from textual.constants import ESCAPE_DELAY
from textual.message import Message

from attn_tui.ui.terminal.background import ANSWER as COLOUR
from attn_tui.ui.terminal.flow import ANSWER
from attn_tui.ui.terminal.paste import BEGIN, END, LATE, MOST, SILENCE, Late, Paste, belongs
from attn_tui.ui.terminal.sequences import OPENERS, REST, TOKEN, keys_of

OPENED = 0.5
"""Seconds that escape and a key which may open a sequence wait for the rest of it."""

UNFINISHED = 1.0
"""Seconds that a sequence waits for its rest before it is dropped."""

TORN = 2.0
"""Seconds in which the rest of a sequence may come that was given up."""

_ESCAPE = "\x1b"
_CANCEL = re.compile(r"(?:\x03|\x1b\[99;(?:5|69|133|197)u)+")
"""Ctrl+c, also with a lock on, and again."""

_NO_SIZE = re.compile(r"\x1b\[48;(?!(?:0*[1-9]\d{0,5}(?::\d+)*[;t]){4}\Z).*t")
"""A size of the terminal in which one of lines, columns and pixels is 0 or missing."""

_BUTTON = re.compile(r"\x1b\[<(?P<buttons>\d{1,4})(?=;)")


def decoder(encoding: str) -> Callable[[bytes], str]:
    """Return a function that decodes pieces of input, and reads invalid bytes as U+FFFD."""
    return getincrementaldecoder(encoding)(errors="replace").decode


def _nothing() -> None:
    pass


def _ignore(colour: str) -> None:
    pass


@dataclass
class PasteLost(Message):
    """A paste that is not inserted.

    Attributes:
        reason: A sentence that says why.
    """

    reason: str


class RestOfPaste(events.Paste, bubble=True):
    """What comes of a paste after a silence ended it; widgets insert it as any other.

    Args:
        text: The characters.
        before: What came of the paste before them.
    """

    def __init__(self, text: str, before: str) -> None:
        super().__init__(text)
        self.before = before


RestOfPaste.handler_name = events.Paste.handler_name


class _Torn(NamedTuple):
    """A sequence that was given up, and until when its rest is none of keys."""

    begun: str
    until: float


class Parser(XTermParser):
    """Reads whole sequences, and has Textual's parser say which key each of them is.

    Args:
        clock: Returns seconds since some fixed moment.
    """

    answered: ClassVar[Callable[[], None]] = staticmethod(_nothing)
    """Called when the terminal answers a status request."""

    ahead: ClassVar[str] = ""
    """What was typed before the program read keys."""

    coloured: ClassVar[Callable[[str], None]] = staticmethod(_ignore)
    """Called with the colour of the background when the terminal states it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._begun = ""
        self._torn: _Torn | None = None
        self._paste: Paste | None = None
        self._late: Late | None = None
        self._read_last = 0.0

    @property
    def patience(self) -> float | None:
        """The seconds from now without input after which to call `tick`; None for never."""
        if type(self).ahead:
            return 0.0
        waits = self._waits
        return None if waits is None else max(self._read_last + waits - self._clock(), 0.0)

    @property
    def _waits(self) -> float | None:
        """The seconds that what is unfinished waits for more."""
        if self._paste is not None:
            return SILENCE
        if not self._begun:
            return None
        if self._begun == _ESCAPE:
            return ESCAPE_DELAY
        return max(ESCAPE_DELAY, OPENED if self._begun in OPENERS else UNFINISHED)

    def feed(self, data: str) -> Iterator[Message]:
        """Yield the messages for the next characters from the terminal."""
        data, type(self).ahead = type(self).ahead + data, ""
        # It may come in the midst of anything that is long.
        for _ in range(data.count(ANSWER)):
            type(self).answered()
        data = data.replace(ANSWER, "")
        if not data:
            return
        self._read_last = self._clock()
        if self._paste is not None and _CANCEL.fullmatch(data):
            yield from self._end_paste(
                PasteLost("The unfinished paste is dropped; nothing is changed"), False
            )
            return
        data = self._without_rest(data)
        while data:
            if self._paste is None:
                text, begin, data = (self._begun + data).partition(BEGIN)
                self._begun = ""
                yield from self._read(text, is_last=not begin)
                if begin:
                    self._paste, self._late = Paste(), None
                continue
            rest = self._paste.take(data)
            data = rest or ""
            if rest is not None:
                paste, self._paste = self._paste, None
                yield _pasted(paste)

    def tick(self) -> Iterator[Message]:
        """Yield the messages for what is unfinished, as nothing has come for so long."""
        if type(self).ahead:
            yield from self.feed("")
        elif self._paste is not None:
            yield from self._end_paste(_pasted(self._paste), not self._paste.is_too_large)
        elif self._begun:
            begun, self._begun = self._begun, ""
            self._torn = _Torn(begun, self._clock() + TORN)
            yield from self._unfinished(begun)

    def _end_paste(self, message: Message, is_taken: bool) -> Iterator[Message]:
        """End a paste before its end has come."""
        text = "" if self._paste is None else self._paste.text
        self._paste = None
        self._late = Late(self._clock() + LATE, is_taken, text)
        yield message

    def _without_rest(self, data: str) -> str:
        """Return data without the rest of a sequence that was given up.

        A single character may be a key, however well it would end the sequence.
        """
        torn, self._torn = self._torn, None
        if torn is None or self._clock() > torn.until or len(data) < 2:
            return data
        if torn.begun == _ESCAPE and not REST.match(data):
            return data
        joined = torn.begun + data
        token = TOKEN.match(joined)
        if token is not None and token.lastgroup == "begun" and torn.begun not in OPENERS:
            self._torn = torn._replace(begun=joined)
            return ""
        is_rest = token is not None and token.lastgroup == "whole"
        # The rest alone is at least two characters.
        if token is None or not is_rest or token.end() < len(torn.begun) + 2:
            return data
        return joined[token.end() :]

    def _read(self, text: str, is_last: bool) -> Iterator[Message]:
        """Yield the messages for characters outside of a paste; more may come after the last."""
        for token in TOKEN.finditer(text):
            kind, part = token.lastgroup, token[0]
            if kind == "begun" and is_last:
                self._begun = part
            elif kind == "begun":
                yield from self._unfinished(part)
            elif kind == "whole":
                yield from self._sequence(part)
            elif kind == "text" and self._is_late(part, text.startswith(END, token.end())):
                if self._late is not None and self._late.is_taken:
                    yield RestOfPaste(part, self._late.text)
                    self._late = self._late._replace(text=self._late.text + part)
            elif kind == "escape":
                yield events.Key("escape", _ESCAPE)
            elif kind != "cut":
                yield from super().feed(part)

    def _is_late(self, text: str, is_end: bool) -> bool:
        """Return whether characters are of a paste that was ended before, and no keys."""
        if self._late is not None and self._clock() > self._late.until:
            self._late = None
        return self._late is not None and (is_end or belongs(text))

    def _forget(self) -> None:
        """Make Textual's parser end what it takes for the beginning of a sequence.

        It types that, which nobody looks at. What comes behind is known to it: the terminal has the
        focus.
        """
        for _ in super().feed("\x1b[I"):
            pass

    def _unfinished(self, begun: str) -> Iterator[Message]:
        """Yield the keys that a sequence was which has no end; none for more than two of them."""
        if begun == _ESCAPE or begun in OPENERS:
            yield events.Key("escape", _ESCAPE)
        if begun in OPENERS:
            yield from super().feed(begun[1:])

    def _sequence(self, sequence: str) -> Iterator[Message]:
        """Yield the messages for a whole sequence; none if it is unknown."""
        if colour := COLOUR.fullmatch(sequence):
            type(self).coloured(colour["colour"])
        elif sequence == END:
            self._late = None
        elif sequence[1] in "[O" and not _NO_SIZE.fullmatch(sequence):
            for one in keys_of(sequence):
                messages = [*super().feed(one)]
                yield from messages
                if not messages:
                    self._forget()

    def parse_mouse_code(self, code: str) -> Message | None:
        """Return the event of the mouse: only the left button acts, others merely move."""
        match = _BUTTON.match(code)
        if match is None:
            return None
        buttons, is_wheel = int(match["buttons"]), int(match["buttons"]) & 0b11000000 == 64
        if is_wheel or not buttons & 0b10000011 or buttons & 0b10100011 == 0b00100011:
            return super().parse_mouse_code(code)
        if buttons & 32:
            moved = buttons & 0b00111100 | 0b00100011
            return super().parse_mouse_code(f"\x1b[<{moved}{code[match.end() :]}")
        return None


def _pasted(paste: Paste) -> Message:
    """Return the message for a paste that has ended."""
    if not paste.is_too_large:
        return events.Paste(paste.text)
    return PasteLost(
        f"Nothing is changed by the paste: it has {paste.size:,} bytes; expected at most {MOST:,}"
    )
