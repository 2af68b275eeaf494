"""Matching by words: what is typed fits a text if each of its words begins a word of the text.

Case, hyphens and spaces make no difference: ``gemma 2``, ``Gemma-2`` and ``gemma2`` are the same.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from functools import cached_property, lru_cache

SYMBOLS = "√∂∞"
"""Characters that belong to words, besides letters and digits."""

MOST_TYPED = 200
"""The most characters of a query that are looked at; nobody types more, but it may be pasted."""

NEAR = 0.6
"""From this likeness on, one word may have been meant by another."""

Span = tuple[int, int]
"""Where a part of a text begins and ends."""


class Grade(IntEnum):
    """How well a query fits."""

    NOT = 0
    """A typed word is nowhere."""

    DESCRIBED = 1
    """Some typed words are whole words of the description alone."""

    BEGUN = 2
    """Each typed word begins a word of a name."""

    EXACT = 3
    """It is a name, or a key."""


@dataclass(frozen=True)
class Words:
    """A text without what makes no difference.

    Attributes:
        letters: Its words in lower case, with nothing between them.
        starts: Where each word begins in ``letters``.
        places: Where each of the letters stands in the text.
    """

    letters: str
    starts: tuple[int, ...]
    places: tuple[int, ...]

    @cached_property
    def each(self) -> frozenset[str]:
        """The words one by one."""
        ends = (*self.starts[1:], len(self.letters))
        return frozenset(self.letters[i:j] for i, j in zip(self.starts, ends, strict=False))

    def place(self, word: str) -> int | None:
        """Return where a word of the text begins with a typed word, or None."""
        at = self.letters.find(word)
        while at >= 0 and at not in self.starts:
            at = self.letters.find(word, at + 1)
        return at if at >= 0 else None

    def span(self, at: int, length: int) -> Span:
        """Return the part of the text where some letters stand."""
        return self.places[at], self.places[at + length - 1] + 1


@lru_cache(maxsize=4096)
def words(text: str) -> Words:
    """Return a text without what makes no difference.

    >>> sorted(words("Gemma-2-9B").each), words("1/√d_k").letters, words("1/sqrt(d_k)").letters
    (['2', '9b', 'gemma'], '1√dk', '1√dk')
    """
    letters: list[str] = []
    starts: list[int] = []
    places: list[int] = []
    is_inside = False
    # As long as before, so that places stay.
    for place, character in enumerate(text.replace("sqrt", "√   ")):
        if not (character.isalnum() or character in SYMBOLS):
            is_inside = False
            continue
        if not is_inside:
            starts.append(len(letters))
            is_inside = True
        for letter in unicodedata.normalize("NFKC", character).casefold():
            letters.append(letter)
            places.append(place)
    return Words("".join(letters), tuple(starts), tuple(places))


@dataclass(frozen=True)
class Query:
    """What is typed into the palette.

    Attributes:
        text: As typed, without blanks at its ends.
        typed: Its words, as blanks part them, without what makes no difference.
    """

    text: str
    typed: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Query":
        """Return a text as a query; a slash before it was typed once too often."""
        short = text[:MOST_TYPED].strip()
        short = short.removeprefix("/").strip() or short
        typed = (words(part).letters for part in short.split())
        return cls(short, tuple(filter(None, typed)))

    @property
    def letters(self) -> str:
        """All typed words, with nothing between them."""
        return "".join(self.typed)

    def fit(self, names: Sequence[str], description: str = "", keys: Sequence[str] = ()) -> Grade:
        """Return how well something fits that has names, a description and keys."""
        if self.text in keys:
            return Grade.EXACT
        if not self.typed:
            return Grade.NOT
        named = [words(name) for name in names]
        if any(own.letters == self.letters for own in named):
            return Grade.EXACT
        if any(own.place(self.letters) is not None for own in named):
            return Grade.BEGUN
        missing = [word for word in self.typed if all(own.place(word) is None for own in named)]
        if not missing:
            return Grade.BEGUN
        return Grade.DESCRIBED if {*missing} <= words(description).each else Grade.NOT

    def spans(self, text: str) -> list[Span]:
        """Return the parts of a text that are typed."""
        own = words(text)
        parts = (self.letters,) if own.place(self.letters) is not None else self.typed
        places = ((own.place(part), len(part)) for part in parts if part)
        return [own.span(at, length) for at, length in places if at is not None]

    def likeness(self, names: Sequence[str]) -> float:
        """Return how similar the typed words are to those of some names, from 0 to 1."""
        own = frozenset[str]().union(*(words(name).each for name in names))
        nearest = (
            max((_likeness(word, other) for other in own), default=0.0) for word in self.typed
        )
        return sum(nearest) / max(len(self.typed), 1)


@lru_cache(maxsize=16_384)
def _likeness(word: str, other: str) -> float:
    matcher = SequenceMatcher(None, word, other, autojunk=False)
    ratio = matcher.real_quick_ratio()
    ratio = min(ratio, matcher.quick_ratio()) if ratio >= NEAR else 0.0
    ratio = min(ratio, matcher.ratio()) if ratio >= NEAR else 0.0
    return ratio if ratio >= NEAR else 0.0
