"""The vector grammar: text as it is typed, pasted or piped, to vectors."""

import json
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from attn_tui.compute.errors import inert
from attn_tui.files.entries import (
    LONGEST_WORD,
    MOST_OPEN,
    MOST_TOKENS,
    MOST_VECTORS,
    Entry,
    check_count,
    check_most,
    check_scores,
    number,
    numbered,
    numbers,
    problem,
)

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
    |(?P<open>(?:(?:[A-Za-z_]\w{{0,99}}+\.){{0,99}}+(?:{_CALLS})[(])|[(\[{{])
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
class _Name:
    """What stands in front of vectors: its text, which may be empty, and its line."""

    text: str
    line: int


@dataclass(eq=False)
class _List:
    """What has been read since a bracket opened, or since the line began.

    Attributes:
        opener: The bracket, with the call before it if there is one; empty for a line.
        line: Where it began, or its first score stands.
        outer: The name of what it stands in.
        name: Its own.
        scores: Its scores; there are none where lists stand in it.
        has_lists: Whether there are such.
    """

    opener: str
    line: int
    outer: _Name | None = None
    name: _Name | None = None
    scores: "array[float]" = field(default_factory=lambda: array("d"))
    has_lists: bool = False


class _Reader:
    """Reads a text once, from left to right, with a stack of open brackets.

    Args:
        most: How many vectors there may be.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.line = 1
        self.lists = [_List("", 1)]
        self.column: _List | None = None
        self.entries: list[tuple[_Name, Entry]] = []
        self.n_scores = 0

    def read(self, text: str) -> list[Entry]:
        """Return the vectors of a text whose last line is ended."""
        position = tokens = 0
        begins_line = True
        gap = ""
        while position < len(text):
            top = self.lists[-1]
            if begins_line and self.column and not top.opener and not top.name:
                lines = _COLUMN.match(text, position)
                if lines:
                    position = lines.end()
                    self.add_column(lines[0].split())
                    continue
            may_be_name = top.opener == "{" or (begins_line and not top.opener)
            found = (may_be_name and _NAME.match(text, position)) or _TOKEN.match(text, position)
            assert found
            position = found.end()
            tokens += 1
            check_most(tokens, MOST_TOKENS, "words and separators", "fewer", self.line)
            token = found[0]
            kind = "name" if found.re is _NAME else found.lastgroup
            begins_line = kind == "newline"
            if kind == "separator":
                is_comma = token[0] in _COMMA
                if gap and is_comma:
                    what = f"nothing stands between the separators of {inert(gap + token[0])}"
                    raise problem(what, line=self.line)
                gap = (gap + token)[:100] if gap or is_comma else ""
                continue
            gap = ""
            match kind:
                case "numbers":
                    self.add(numbers(token.translate(_TO_BLANK).split(), self.line))
                case "newline":
                    self.end_lines(token.count("\n"))
                case "name":
                    quoted = found["quoted"]
                    self.begin(_unquoted(quoted) if quoted else found["bare"].strip(), not quoted)
                case "open":
                    self.open(token)
                case "close":
                    self.close(token)
                case "word":
                    expected = "shorter words"
                    length = len(token)
                    check_most(
                        length, LONGEST_WORD, "characters without a break", expected, self.line
                    )
                    self.add([number(token, self.line)])
                case "quoted":
                    self.add([number(_unquoted(token), self.line)])
                case "keyword" if len(self.lists) > 1:
                    # What tensors print behind their numbers: dtype=torch.float32.
                    pass
                case _:
                    raise problem(f"{inert(token)} is not understood", line=self.line)
        top = self.lists[-1]
        if top.opener:
            raise problem(f"{inert(top.opener)} is never closed", "as many ] as [", top.line)
        self.end_line()
        self.end_column()
        self.no_name_waits(self.lists[0])
        groups = groupby(self.entries, lambda pair: id(pair[0]))
        return [entry for _, group in groups for entry in numbered([each for _, each in group])]

    def begin(self, text: str, bare: bool) -> None:
        """Read a name, which stands bare or in quotes."""
        top = self.lists[-1]
        if top.scores:
            raise problem(f"the name {inert(text)} stands among scores", line=self.line)
        if bare and _NUMBERS_FIRST.match(text):
            # Scores typed before what stood there would become its name unnoticed.
            what = f"the name {inert(text)} begins with a number"
            raise problem(what, "a letter first, as in a: 1 2 3, or quotes", self.line)
        self.no_name_waits(top)
        top.name = _Name(text, self.line)

    def add(self, values: Sequence[float]) -> None:
        """Read scores."""
        top = self.lists[-1]
        if top.has_lists:
            raise problem(f"{values[0]:g} stands beside a list", "lists beside lists", self.line)
        if not top.scores:
            top.line = self.line
        top.scores.extend(values)
        self.n_scores += len(values)
        check_scores(self.n_scores)

    def add_column(self, tokens: Sequence[str]) -> None:
        """Read lines of one number, all at once, for the column that the line above is in."""
        assert self.column
        self.column.scores.extend(numbers(tokens, self.line, 1))
        self.line += len(tokens)
        self.n_scores += len(tokens)
        check_scores(self.n_scores)
        self.lists = [_List("", self.line)]

    def open(self, token: str) -> None:
        """Begin a list."""
        top = self.lists[-1]
        check_most(len(self.lists), MOST_OPEN, "open brackets", "as many ] as [", self.line)
        self.lists.append(_List(token, self.line, top.name or top.outer))

    def close(self, token: str) -> None:
        """End a list, which is a vector, or holds some, or is a number: tensor(2.)."""
        ended = self.lists[-1]
        if not ended.opener:
            raise problem(f"{inert(token)} closes nothing", "as many [ as ]", self.line)
        closer = _CLOSERS[ended.opener[-1]]
        if token != closer:
            raise problem(f"{inert(token)} stands where a list ends", inert(closer), self.line)
        if not ended.scores:
            self.no_name_waits(ended)
        if not (ended.scores or ended.has_lists):
            raise problem("a list is empty", "at least one number in it", self.line)
        self.lists.pop()
        if len(ended.opener) > 1 and len(ended.scores) == 1:
            self.n_scores -= 1
            self.add(ended.scores)
            return
        parent = self.lists[-1]
        if parent.scores:
            raise problem("a list stands beside numbers", "lists beside lists", self.line)
        if ended.scores:
            self.finish(ended, ended.name or ended.outer)
        parent.has_lists = True
        if parent.opener:
            parent.name = None

    def end_lines(self, count: int) -> None:
        """End a line, and the blank ones below it, of which one says as much as many."""
        for _ in range(min(count, 2)):
            if len(self.lists) == 1:
                self.end_line()
            self.line += 1
        self.line += max(count - 2, 0)

    def end_line(self) -> None:
        """Make a vector of the line, or one key of a column if it holds a single number."""
        top = self.lists[0]
        if not (top.scores or top.has_lists):
            self.end_column()
            if top.name and top.name.line == self.line:
                return
            self.no_name_waits(top)
        elif len(top.scores) == 1 and self.column and not top.name:
            self.column.scores.extend(top.scores)
        elif len(top.scores) == 1:
            self.end_column()
            self.column = top
        elif top.scores:
            self.finish(top, top.name)
        self.lists = [_List("", self.line + 1)]

    def end_column(self) -> None:
        """Make a vector of the lines of one number above."""
        column, self.column = self.column, None
        if column:
            self.finish(column, column.name)

    def finish(self, ended: _List, name: _Name | None) -> None:
        """Make a vector; a column above it ends."""
        self.end_column()
        name = name or _Name("", ended.line)
        self.entries.append((name, Entry(name.text, ended.scores, ended.line)))
        check_count(len(self.entries), self.most)

    def no_name_waits(self, top: _List) -> None:
        """Check that there is something behind every name."""
        if top.name:
            name = inert(top.name.text)
            raise problem(f"{name} has no scores", "numbers after a name", top.name.line)


def _unquoted(token: str) -> str:
    """Return what stands in quotes; double quotes know the escapes of JSON."""
    if token[0] == "'":
        return token[1:-1]
    try:
        return str(json.loads(token))
    except ValueError:
        return token[1:-1]


def read_entries(text: str, most: int = MOST_VECTORS) -> list[Entry]:
    """Return the vectors of a text in order, those without a name still without.

    One line is one vector unless brackets are open; consecutive lines of a single number are one
    vector, which a blank line ends. ``name:`` in front, or alone on the line above, names it. A
    list of lists is a vector a list. Words such as ``tensor(`` and ``dtype=float32`` are ignored.

    Args:
        text: The text.
        most: How many vectors there may be.

    Raises:
        InputError: Naming the token that is not understood, and its line.
    """
    return _Reader(most).read(plain_lines(text) + "\n")


def plain_lines(text: str) -> str:
    r"""Return a text with all its lines ended by ``\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
