"""What lists offer, and which of it is meant by what is typed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from unicodedata import combining, name, normalize

_SIGNS = {"√": "sqrt", "∂": "d", "∞": "inf"}
"""What is typed for a sign that is no letter."""

_GREEK = re.compile(r"GREEK \w+ LETTER (?:FINAL )?(\w+)")
_RUN = re.compile(r"\d+|[^\W\d_]+")

_NONE = 6
"""The rank of what does not match."""


@dataclass(frozen=True)
class Choice:
    """One line of a list to choose from.

    Attributes:
        value: What choosing it gives.
        title: What stands in its line.
        detail: What stands beside or below the list while the cursor is on it.
        words: What it is found by too, and is not shown.
        note: What stands at the right end of its line: a key, or a value.
    """

    value: str
    title: str
    detail: str = ""
    words: str = ""
    note: str = ""


def matching(choices: Sequence[Choice], typed: str) -> tuple[Choice, ...]:
    """Return the choices in which all that is typed stands, or every word, the best first.

    Signs, cases, accents and blanks do not matter, and Greek letters are their names. A word may be
    put together from the beginnings of several: ``gem2`` is Gemma-2.

    >>> [each.title for each in matching([Choice("a", "1/√d_k"), Choice("b", "1/d_k")], "1/dk")]
    ['1/d_k', '1/√d_k']
    """
    words = [word for word in map("".join, map(_runs, typed.split())) if word]
    whole, each = "".join(words), [*dict.fromkeys(words)]
    found = []
    for place, choice in enumerate(choices):
        # Of a text that was pasted most words need not be looked at.
        ranks = [*takewhile(_NONE.__gt__, (_rank(choice, word) for word in each))]
        if (at_once := _rank(choice, whole)) < _NONE or len(ranks) == len(each):
            found.append((at_once, sum(ranks), place))
    return tuple(choices[place] for *_, place in sorted(found))


def _rank(choice: Choice, word: str) -> int:
    """Return how well a word matches: from 0, where the title begins so, to `_NONE`."""
    title = _runs(choice.title)
    if "".join(title).startswith(word):
        return 0
    if _begins(word, title):
        return 1
    if _begins(word, _runs(choice.words)):
        return 2
    if any(word in run for run in title):
        return 3
    if _is_put_together(word, title):
        return 4
    return 5 if _begins(word, _runs(choice.detail)) else _NONE


def _begins(word: str, runs: Sequence[str]) -> bool:
    """Return whether runs begin so from one of them on."""
    return any("".join(runs[place:]).startswith(word) for place in range(len(runs)))


def _is_put_together(word: str, runs: Sequence[str]) -> bool:
    """Return whether a word consists of beginnings of runs, in their order.

    Of a number it is all, and a single letter is one only of a run that has no more, or at the end.
    """
    rests = {word}
    for run in runs:
        rests |= {
            rest[size:]
            for rest in rests
            for size in range(len(run) if run.isdigit() else 1, min(len(run), len(rest)) + 1)
            if run.startswith(rest[:size]) and (size > 1 or size in (len(run), len(rest)))
        }
    return "" in rests


@lru_cache(maxsize=4096)
def _runs(text: str) -> tuple[str, ...]:
    """Return the runs of letters and the runs of digits of a text, as they may be typed."""
    return tuple(_RUN.findall("".join(map(_typed, normalize("NFKD", text.casefold())))))


def _typed(character: str) -> str:
    """Return what is typed for a character, small."""
    if greek := _GREEK.match(name(character, "")):
        return f" {greek[1].lower()} "
    if character in _SIGNS:
        return f" {_SIGNS[character]} "
    return "" if combining(character) else character.casefold()
