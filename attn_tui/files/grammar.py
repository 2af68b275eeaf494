"""The vector grammar: text as it is typed, pasted or piped, to named vectors."""

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.vector import Vector
from attn_tui.files.attachments import Attachment
from attn_tui.files.entries import (
    Entry,
    check_count,
    check_scores,
    named,
    number,
    numbered,
    numbers,
    problem,
)
from attn_tui.files.limits import LONGEST_WORD, MOST_OPEN, MOST_TOKENS, MOST_VECTORS, check_most

_BLANK = r" \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_COMMA = ",;，；、"
_CALLS = "tensor|Tensor|array|Array|asarray|Parameter|list|tuple|b?float\\d+|u?int\\d+"
_QUOTED = rf'"(?:[^"\\\n]|\\.){{0,{LONGEST_WORD}}}+"|' + rf"'[^'\n]{{0,{LONGEST_WORD}}}+'"
_DIGITS = rf"[-+]?[.0-9][-+.0-9eE]{{0,{LONGEST_WORD}}}+(?=[\s,;)\]}}])"
_TO_BLANK = str.maketrans(",;", "  ")
_CLOSERS = {"(": ")", "[": "]", "{": "}"}

_TOKEN = re.compile(
    rf"""(?P<newline>\n(?:[{_BLANK}]{{0,9999}}+\n){{0,9999}}+)
    |(?P<separator>[{_COMMA}][{_BLANK}]{{0,9999}}+|[{_BLANK}]{{1,9999}}+)
    |(?P<keyword>[A-Za-z_]\w{{0,99}}+[{_BLANK}]{{0,99}}+=[{_BLANK}]{{0,99}}+
        (?:{_QUOTED}|<[^<>\n]{{1,{LONGEST_WORD}}}+>|[\w.:]{{1,{LONGEST_WORD}}}+))
    |(?P<attached><[#][0-9]{{1,9}}(?![0-9])[^<>\n]{{0,99}}+>)
    |(?P<call>(?:[A-Za-z_]\w{{0,99}}+\.){{0,99}}+(?:{_CALLS})[(])
    |(?P<open>[(\[{{])
    |(?P<close>[)\]}}])
    |(?P<quoted>{_QUOTED})
    |(?P<numbers>{_DIGITS}(?:[{_BLANK}]{{0,9999}}+[,;]?[{_BLANK}]{{0,9999}}+{_DIGITS}){{0,9999}}+)
    |(?P<word>[^\s{_COMMA}()\[\]{{}}"'=:：]{{1,{LONGEST_WORD + 1}}}+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
"""Everything in it is bounded, so that too much is refused in time."""

_COLUMN = re.compile(rf"(?:{_DIGITS}[{_BLANK}]{{0,9999}}+\n){{1,9999}}+")
"""Lines of one number each."""

_NAME = re.compile(
    rf"""[{_BLANK}]{{0,9999}}+(?:(?P<quoted>{_QUOTED})
    |(?P<bare>[^\s{_COMMA}()\[\]{{}}"'=:：][^\n{_COMMA}(){{}}"'=:：]{{,100}}+))
    [{_BLANK}]{{0,9999}}+[:：]""",
    re.VERBOSE,
)

_NUMBERS_FIRST = re.compile(r"[+\-−]?\.?\d(?!\d*$)")
"""How a name may not begin without quotes; a whole number alone is one."""


@dataclass(eq=False)
class _Label:
    """A name in front, and the vectors that stand behind it."""

    name: str
    line: int
    entries: list[Entry] = field(default_factory=list)


@dataclass(eq=False)
class _Frame:
    """What has been read since a bracket opened, or since the line began."""

    opener: str
    line: int
    outer: _Label | None = None
    label: _Label | None = None
    scores: "array[float]" = field(default_factory=lambda: array("d"))
    has_lists: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.scores and not self.has_lists


class _Reader:
    """Reads a text once, from left to right, with a stack of open brackets.

    Args:
        attachments: What `<#1 …>` and so on stand for.
        most: How many vectors there may be.
        whole: Whether a matrix that is attached is left in one piece.
    """

    def __init__(
        self,
        attachments: tuple[Attachment, ...] = (),
        most: int = MOST_VECTORS,
        whole: bool = False,
    ) -> None:
        self.attachments, self.most, self.whole = attachments, most, whole
        self.line = 1
        self.labels: list[_Label] = []
        self.frames = [_Frame("", 1)]
        self.count = 0
        self.n_scores = 0
        self.column: _Frame | None = None

    def read(self, text: str) -> list[Entry]:
        text += "\n"
        position = 0
        at_line_start = True
        tokens = 0
        between = ""
        while position < len(text):
            if at_line_start and (lines := self._column_lines(text, position)):
                position = lines.end()
                continue
            top = self.frames[-1]
            may_be_name = top.opener == "{" or (at_line_start and not top.opener)
            found = (may_be_name and _NAME.match(text, position)) or _TOKEN.match(text, position)
            assert found
            position = found.end()
            tokens += 1
            if tokens > MOST_TOKENS:
                check_most(tokens, MOST_TOKENS, "words and separators", "fewer", self.line)
            kind = "name" if found.re is _NAME else found.lastgroup
            at_line_start = kind == "newline"
            if kind == "separator":
                between = self._separated(between, found[0])
                continue
            between = ""
            if kind == "name":
                self._name(found)
            else:
                getattr(self, f"_{kind}")(found[0])
        self._end()
        return [entry for label in self.labels for entry in self._entries(label)]

    def _entries(self, label: _Label) -> list[Entry]:
        if self.whole and len(label.entries) == 1:
            return label.entries
        return numbered([row for entry in label.entries for row in entry.rows()])

    def _column_lines(self, text: str, position: int) -> re.Match[str] | None:
        """Add lines of one number to the column that the line above is in, all at once."""
        top = self.frames[-1]
        if not self.column or top.opener or top.label:
            return None
        if found := _COLUMN.match(text, position):
            tokens = found[0].split()
            self.column.scores.extend(numbers(tokens, self.line, 1))
            self.line += len(tokens)
            self._counted(len(tokens))
            self.frames = [_Frame("", self.line)]
        return found

    def _separated(self, before: str, token: str) -> str:
        """Return what has stood between two numbers since a comma; there may be but one."""
        if not before and token[0] not in _COMMA:
            return ""
        if before and token[0] in _COMMA:
            gap = before + token[0]
            raise problem(f"nothing stands between the separators of {inert(gap)}", line=self.line)
        return (before + token)[:100]

    def _counted(self, scores: int) -> None:
        self.n_scores += scores
        check_scores(self.n_scores)

    def _name(self, found: re.Match[str]) -> None:
        frame = self.frames[-1]
        name = _unquoted(found["quoted"]) if found["quoted"] else found["bare"].strip()
        if frame.scores:
            raise problem(f"the name {inert(name)} stands among scores", line=self.line)
        if not found["quoted"] and _NUMBERS_FIRST.match(name):
            # Scores typed before what stood there would become its name unnoticed.
            said = f"the name {inert(name)} begins with a number"
            raise problem(said, "a letter first, as in a: 1 2 3, or quotes", self.line)
        self._no_name_waits(frame)
        frame.label = _Label(name, self.line)

    def _scores(self, values: Sequence[float]) -> None:
        frame = self.frames[-1]
        if frame.has_lists:
            raise problem(f"{values[0]:g} stands beside a list", "lists beside lists", self.line)
        if not frame.scores:
            frame.line = self.line
        frame.scores.extend(values)
        self._counted(len(values))

    def _numbers(self, token: str) -> None:
        self._scores(numbers(token.translate(_TO_BLANK).split(), self.line))

    def _word(self, token: str) -> None:
        check_most(
            len(token), LONGEST_WORD, "characters without a break", "shorter words", self.line
        )
        self._scores([number(token, self.line)])

    def _quoted(self, token: str) -> None:
        self._scores([number(_unquoted(token), self.line)])

    def _attached(self, token: str) -> None:
        found = int(re.findall("[0-9]+", token)[0])
        if not 0 < found <= len(self.attachments):
            n = len(self.attachments)
            expected = f"a number from 1 to {n}" if n else "numbers: nothing is attached"
            raise problem(f"{inert(token)}: there is no attachment {found}", expected, self.line)
        frame = self.frames[-1]
        if frame.scores:
            raise problem("an attachment stands beside numbers", "a line of its own", self.line)
        attached = self.attachments[found - 1].numbers
        self._counted(attached.size)
        self._finish(attached, self.line, frame.label or frame.outer)
        frame.has_lists = True
        if frame.opener:
            frame.label = None

    def _keyword(self, token: str) -> None:
        if len(self.frames) == 1:
            self._other(token)

    def _call(self, token: str) -> None:
        self._open(token)

    def _open(self, token: str) -> None:
        top = self.frames[-1]
        check_most(len(self.frames), MOST_OPEN, "open brackets", "as many ] as [", self.line)
        self.frames.append(_Frame(token, self.line, outer=top.label or top.outer))

    def _close(self, token: str) -> None:
        frame = self.frames[-1]
        if not frame.opener:
            raise problem(f"{inert(token)} closes nothing", "as many [ as ]", self.line)
        if _CLOSERS[frame.opener[-1]] != token:
            expected = _CLOSERS[frame.opener[-1]]
            raise problem(f"{inert(token)} stands where a list ends", inert(expected), self.line)
        if not frame.scores:
            self._no_name_waits(frame)
        if frame.is_empty:
            raise problem("a list is empty", "at least one number in it", self.line)
        self.frames.pop()
        if len(frame.opener) > 1 and len(frame.scores) == 1:
            self.n_scores -= 1
            self._scores(list(frame.scores))
            return
        parent = self.frames[-1]
        if parent.scores:
            raise problem("a list stands beside numbers", "lists beside lists", self.line)
        if frame.scores:
            self._finish(frame.scores, frame.line, frame.label or frame.outer)
        parent.has_lists = True
        if parent.opener:
            parent.label = None

    def _newline(self, token: str) -> None:
        """End the line, and the blank ones below it, of which one says as much as many."""
        lines = token.count("\n")
        for _ in range(min(lines, 2)):
            if len(self.frames) == 1:
                self._end_line()
            self.line += 1
        self.line += max(lines - 2, 0)

    def _other(self, token: str) -> None:
        raise problem(f"{inert(token)} is not understood", line=self.line)

    def _end_line(self) -> None:
        """Make a vector of the line, or one key of a column if it holds a single number."""
        frame = self.frames[0]
        if frame.is_empty:
            self._end_column()
            if frame.label and frame.label.line == self.line:
                return
            self._no_name_waits(frame)
        elif len(frame.scores) == 1:
            if self.column and not frame.label:
                self.column.scores.extend(frame.scores)
            else:
                self._end_column()
                self.column = frame
        elif frame.scores:
            self._finish(frame.scores, frame.line, frame.label)
        self.frames = [_Frame("", self.line + 1)]

    def _end_column(self) -> None:
        if self.column is not None:
            column, self.column = self.column, None
            self._finish(column.scores, column.line, column.label)

    def _finish(
        self, scores: "array[float] | NDArray[np.float64]", line: int, label: _Label | None
    ) -> None:
        """Make a vector of scores, or a vector a row; a column above it ends."""
        self._end_column()
        label = label or _Label("", line)
        if not label.entries:
            self.labels.append(label)
        label.entries.append(Entry(label.name, scores, line))
        is_rows = isinstance(scores, np.ndarray) and scores.ndim == 2 and not self.whole
        self.count += len(scores) if is_rows else 1
        check_count(self.count, self.most)

    def _no_name_waits(self, frame: _Frame) -> None:
        if frame.label:
            name = inert(frame.label.name)
            raise problem(f"{name} has no scores", "numbers after a name", frame.label.line)

    def _end(self) -> None:
        frame = self.frames[-1]
        if frame.opener:
            raise problem(f"{inert(frame.opener)} is never closed", "as many ] as [", frame.line)
        self._end_line()
        self._end_column()
        self._no_name_waits(self.frames[0])


def _unquoted(token: str) -> str:
    """Return what stands in quotes; double quotes know the escapes of JSON."""
    if token[0] == "'":
        return token[1:-1]
    try:
        return str(json.loads(token))
    except ValueError:
        return token[1:-1]


def read_entries(
    text: str,
    attachments: tuple[Attachment, ...] = (),
    most: int = MOST_VECTORS,
    whole: bool = False,
) -> list[Entry]:
    """Return the vectors of a text in order, those without a name still without.

    Args:
        text: The text.
        attachments: What ``<#1 …>`` and so on stand for.
        most: How many vectors there may be.
        whole: Whether an attached matrix is one entry, where it is all that has its name.

    Raises:
        InputError: Naming the token that is not understood, and its line.
    """
    return _Reader(attachments, most, whole).read(plain_lines(text))


def plain_lines(text: str) -> str:
    r"""Return a text with all its lines ended by ``\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


@lru_cache(maxsize=8)
def parse_vectors(text: str, attachments: tuple[Attachment, ...] = ()) -> tuple[Vector, ...]:
    """Return the named vectors of a text; the same text and attachments give the same objects.

    One line is one vector unless brackets are open; consecutive lines of a single number are one
    vector, which a blank line ends. ``name:`` in front, or alone on the line above, names it. A
    list of lists is a vector a list. Words such as ``tensor(`` and ``dtype=float32`` are ignored.
    ``<#1 1,000,000 scores>`` stands for the first attachment; only its number matters.

    Raises:
        InputError: Naming the token that is not understood, and its line.
    """
    return named(read_entries(text, attachments))


def vector_at(text: str, line: int, attachments: tuple[Attachment, ...] = ()) -> int:
    """Return the index of the vector that a line, counted from 0, belongs to.

    On a line that belongs to none it is the nearest above, else the first; in a text that is not
    understood, 0.
    """
    starts = _starts(text, attachments)
    above = bisect_right(starts, line + 1)
    return bisect_left(starts, starts[above - 1]) if above else 0


@lru_cache(maxsize=8)
def _starts(text: str, attachments: tuple[Attachment, ...]) -> tuple[int, ...]:
    try:
        return tuple(entry.line for entry in read_entries(text, attachments))
    except InputError:
        return ()
