"""A text as words, without what makes no difference, such as case, hyphens and blanks."""

import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

SYMBOLS = "√∂∞"
"""Characters that belong to words, besides letters and digits."""

_POSSESSIVE = re.compile(r"['’]s(?!\w)")

ENDINGS = ("ation", "ing", "ed", "es", "s", "e")
"""Endings that make no difference where nothing has all words."""

LEAST_STEM = 4
"""The fewest letters that a word keeps without its ending."""

Extent = tuple[int, int]
"""Where a part of a text begins and ends."""


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

    @property
    def in_order(self) -> tuple[str, ...]:
        """The words one by one, in order."""
        ends = (*self.starts[1:], len(self.letters))
        return tuple(self.letters[i:j] for i, j in zip(self.starts, ends, strict=False))

    @property
    def parts(self) -> frozenset[str]:
        """The words one by one."""
        return frozenset(self.in_order)

    def place(self, word: str) -> int | None:
        """Return where a word of the text begins with a typed word, or None.

        Words of the text that follow each other count as one, too; but a single letter and the
        beginning of what follows it are none: "n and" does not begin with "nan".
        """
        at = self.letters.find(word)
        while at >= 0 and not self._is_start(at, len(word)):
            at = self.letters.find(word, at + 1)
        return at if at >= 0 else None

    def _is_start(self, at: int, length: int) -> bool:
        if at not in self.starts:
            return False
        is_letter = length > 1 and at + 1 in self.starts and self.letters[at].isalpha()
        return not is_letter or at + length in (*self.starts, len(self.letters))

    def has(self, stem: str) -> float:
        """Return how much of a word some text has: 1, or half if it only begins one of its words.

        Endings make no difference, and of three letters or fewer there is no beginning.
        """
        best = 0.0
        at = self.letters.find(stem)
        while at >= 0 and best < 1.0:
            end = at + len(stem)
            if self._is_start(at, len(stem)):
                rest = self.letters[end : self._end(end)]
                begun = 0.5 if len(stem) >= LEAST_STEM and not stem.isdigit() else 0.0
                best = max(best, 1.0 if rest in ("", *ENDINGS) else begun)
            at = self.letters.find(stem, at + 1)
        return best

    def _end(self, at: int) -> int:
        """Return where the word ends whose letters end at a place, or go on there."""
        places = (*self.starts, len(self.letters))
        return places[bisect_left(places, at)]

    def span(self, at: int, length: int) -> Extent:
        """Return the part of the text where some letters stand."""
        return self.places[at], self.places[at + length - 1] + 1


@lru_cache(maxsize=4096)
def words(text: str) -> Words:
    """Return a text without what makes no difference.

    >>> sorted(words("Gemma-2-9B").parts), words("1/√d_k").letters, words("1/sqrt(d_k)").letters
    (['2', '9b', 'gemma'], '1√dk', '1√dk')
    """
    letters: list[str] = []
    starts: list[int] = []
    places: list[int] = []
    is_inside = False
    # As long as before, so that places stay.
    plain = _POSSESSIVE.sub("  ", text.replace("sqrt", "√   ").replace("×", "x"))
    for place, character in enumerate(plain):
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


def stem_of(word: str) -> str:
    """Return a word without its ending.

    >>> stem_of("scaling"), stem_of("logits"), stem_of("keys")
    ('scal', 'logit', 'keys')
    """
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word.removesuffix(ending)
    return word
