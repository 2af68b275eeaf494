"""JSON text that comes in pieces, to plain values; a list of numbers becomes an array of them."""

import json
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Any, NoReturn

import numpy as np

from attn_tui.compute.errors import inert
from attn_tui.files.entries import check_scores, problem
from attn_tui.files.limits import LONGEST_WORD, MOST_NESTED, MOST_VALUES, check_most
from attn_tui.files.stream import Window

_SPACE = r"[ \t\n]{0,9999}+"
_NUMBER = (
    rf"-?(?:0|[1-9][0-9]{{0,{LONGEST_WORD}}}+)(?:\.[0-9]{{1,{LONGEST_WORD}}}+)?"
    rf"(?:[eE][-+]?[0-9]{{1,{LONGEST_WORD}}}+)?|-Infinity"
)
_SCORE = rf'(?:{_NUMBER}|"-Infinity")(?=[ \t\n,\]])'
_SCORES = re.compile(rf"{_SPACE}({_SCORE}(?:{_SPACE},{_SPACE}{_SCORE}){{0,9999}}+)")
"""Numbers in a list, with what stands for them in strict JSON; bounded, as all that is read."""

_TOKEN = re.compile(
    rf"""{_SPACE}(?:(?P<mark>[][{{}},:])
    |(?P<number>{_NUMBER})
    |(?P<string>"(?:[^"\\\x00-\x1f]|\\.){{0,{LONGEST_WORD}}}+")
    |(?P<word>true|false|null|NaN|Infinity)
    |(?P<nothing>))""",
    re.VERBOSE,
)
_WORDS = {"true": True, "false": False, "null": None, "NaN": nan, "Infinity": inf}

_VALUE, _NAME, _COLON, _COMMA, _END = (
    "Expecting value",
    "Expecting property name enclosed in double quotes",
    "Expecting ':' delimiter",
    "Expecting ',' delimiter",
    "Extra data",
)
"""What may come next, as the error that it has not says it."""


@dataclass(eq=False)
class _Frame:
    """A list or an object that is open; outermost, a list of the one value there is."""

    items: Any
    name: str = ""


class _Reader:
    """Reads a text once, from left to right, with a stack of what is open."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self.window = Window(pieces)
        self.frames = [_Frame([])]
        self.next = _VALUE
        self.may_close = False
        self.count = 0
        self.n_scores = 0

    def read(self) -> Any:
        window = self.window
        while window.fill():
            text, position = window.text, window.position
            if self.next == _VALUE and not isinstance(self.frames[-1].items, dict):
                # The outermost list ends with its only value.
                scores = len(self.frames) > 1 and _SCORES.match(text, position)
                if scores:
                    window.position = scores.end()
                    self._scores(scores[1])
                    continue
            found = _TOKEN.match(text, position)
            assert found
            kind = found.lastgroup or ""
            window.position = found.start(kind)
            if kind != "nothing":
                getattr(self, f"_{kind}")(found[kind])
                window.position = found.end()
            elif found.end() == position:
                self._refuse_text()
        if self.next != _END:
            self._refuse(self.next)
        return self.frames[0].items[0]

    def _refuse(self, what: str) -> NoReturn:
        raise problem(f"not JSON: {what}", "JSON", self.window.line)

    def _refuse_text(self) -> NoReturn:
        """Raise the error for what is not even a token."""
        ahead = self.window.ahead
        if ahead[:1] != '"' or self.next not in (_VALUE, _NAME):
            self._refuse(self.next)
        try:
            json.JSONDecoder().raw_decode(ahead)
        except json.JSONDecodeError as error:
            if len(ahead) <= LONGEST_WORD or not error.msg.startswith("Unterminated"):
                self._refuse(error.msg)
        self._check_word(len(ahead))
        raise AssertionError

    def _check_word(self, size: int) -> None:
        expected = "shorter words"
        check_most(size, LONGEST_WORD, "characters without a break", expected, self.window.line)

    def _counted(self, values: int) -> None:
        self.count += values
        check_most(self.count, MOST_VALUES, "values", "fewer, or lists of numbers only")

    def _scores(self, text: str) -> None:
        """Add numbers to a list, which is an array as long as it holds nothing else."""
        frame = self.frames[-1]
        numbers = _numbers(text)
        self.n_scores += len(numbers)
        check_scores(self.n_scores)
        if isinstance(numbers, list) or (isinstance(frame.items, list) and frame.items):
            self._loosen(frame)
            self._counted(len(numbers))
        elif not frame.items:
            frame.items = array(numbers.typecode)
        elif frame.items.typecode != numbers.typecode:
            frame.items, numbers = _floats(frame.items), _floats(numbers)
        frame.items.extend(numbers)
        self.next, self.may_close = _COMMA, True

    def _loosen(self, frame: _Frame) -> None:
        if isinstance(frame.items, array):
            self._counted(len(frame.items))
            frame.items = frame.items.tolist()

    def _put(self, value: object) -> None:
        if self.next != _VALUE:
            self._refuse(self.next)
        frame = self.frames[-1]
        if isinstance(frame.items, dict):
            frame.items[frame.name] = value
        else:
            self._loosen(frame)
            frame.items.append(value)
        self._counted(1)
        self.next = _END if len(self.frames) == 1 else _COMMA
        self.may_close = True

    def _number(self, text: str) -> None:
        self._check_word(len(text))
        self._put(_numbers(text)[0])

    def _word(self, text: str) -> None:
        self._put(_WORDS[text])

    def _string(self, text: str) -> None:
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            self._refuse(error.msg)
        if self.next != _NAME:
            self._put(value)
            return
        frame = self.frames[-1]
        if value in frame.items:
            raise problem(f"the name {inert(value)} stands there twice", "different names")
        frame.name = value
        self._counted(1)
        self.next, self.may_close = _COLON, False

    def _mark(self, mark: str) -> None:
        top = self.frames[-1].items
        if mark in "[{" and self.next == _VALUE:
            if len(self.frames) > MOST_NESTED:
                raise problem("lists are nested too deep", f"at most {MOST_NESTED} in each other")
            self.frames.append(_Frame({} if mark == "{" else []))
            self.next, self.may_close = _NAME if mark == "{" else _VALUE, True
        elif (
            mark in "]}"
            and self.may_close
            and len(self.frames) > 1
            and (mark == "}") == isinstance(top, dict)
        ):
            self.frames.pop()
            self.next = _VALUE
            self._put(top)
        elif mark == ":" and self.next == _COLON:
            self.next, self.may_close = _VALUE, False
        elif mark == "," and self.next == _COMMA:
            self.next, self.may_close = _NAME if isinstance(top, dict) else _VALUE, False
        else:
            self._refuse(self.next)


def _numbers(text: str) -> "list[int | float] | array[int] | array[float]":
    """Return the numbers of a list: a list of them if float64 cannot hold one."""
    try:
        values: list[int | float] = json.loads("[" + text.replace('"-Infinity"', "-Infinity") + "]")
    except ValueError:
        expected = "at most 1.797e308 in size"
        raise problem("a whole number has too many digits", expected) from None
    try:
        numbers = array("q" if set(map(type, values)) == {int} else "d", values)
    except OverflowError:
        numbers = None
    if numbers is not None and isfinite(sum(numbers)):
        return numbers
    for token in re.split(r"[ \t\n,]+", text):
        if "I" not in token and re.search("[.eE]", token) and not isfinite(float(token)):
            what = f"{inert(token)} is too large for float64"
            raise problem(what, "at most 1.797e308 in size")
    try:
        return array("d", values)
    except OverflowError:
        return values


def _floats(numbers: "array[int] | array[float]") -> "array[float]":
    floats = array("d")
    floats.frombytes(np.asarray(numbers).astype(np.float64).tobytes())
    return floats


def read_json(pieces: Iterable[str]) -> Any:
    """Read JSON text; ``-Infinity`` without quotes will do too, and stands for itself in a list.

    A list of numbers only is an array, of typecode ``q`` if all are whole and ``d`` otherwise.

    Args:
        pieces: The text.

    Raises:
        InputError: With field ``"scores"``, if it is no JSON, has a name twice, a number too
            large for float64, or too much of anything.
    """
    return _Reader(pieces).read()
