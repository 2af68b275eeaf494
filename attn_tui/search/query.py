"""A query: what is typed, and how well something fits it that has names and topics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import IntEnum
from functools import cached_property, lru_cache

from attn_tui.search.spelling import common_spelling, spelled, spelled_words
from attn_tui.search.text import Extent, Words, words

MOST_TYPED = 200
"""The most characters of a query that are looked at; nobody types more, but it may be pasted."""

LEAST_LIKENESS = 0.6
"""From this likeness on, one word may have been meant by another."""

LITTLE = frozenset({
    "a", "about", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did",
    "do", "does", "for", "from", "get", "gets", "had", "has", "have", "how", "i", "if", "in",
    "instead", "into", "is", "it", "its", "just", "me", "my", "of", "on", "one", "or", "should",
    "so", "than", "that", "the", "their", "then", "there", "they", "this", "to", "was", "we",
    "were", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you",
    "your",
})  # fmt: skip
"""Words that say nothing of what is asked; they count only if nothing else is typed."""


class Grade(IntEnum):
    """How well a query fits."""

    NOT = 0
    """A typed word is nowhere."""

    DESCRIBED = 1
    """Some typed words are whole words of the description alone."""

    RELATED = 2
    """Some typed words only begin a word of the topics, but none of a name."""

    NAMED = 3
    """Each typed word that says something begins a word of a name."""

    BEGUN = 4
    """Each typed word begins a word of a name."""

    EXACT = 5
    """It is a name, or a key."""


@dataclass(frozen=True)
class Query:
    """What is typed to search for.

    Attributes:
        text: As typed, without blanks at its ends.
        typed: Its words, as blanks part them, without what makes no difference.
        common: The same as all spell it.
        parts: Of those that are several words written as one, these: ``q*k``, ``scale_factor``.
    """

    text: str
    typed: tuple[str, ...]
    common: tuple[str, ...] = ()
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> "Query":
        """Return a text as a query; a slash before it was typed once too often."""
        short = text[:MOST_TYPED].strip()
        short = short.removeprefix("/").strip() or short
        common = common_spelling(short)
        taken = (words(part) for part in common.split())
        parts = {text.letters: text.in_order for text in taken if len(text.starts) > 1}
        return cls(short, _typed(short), _typed(common), parts)

    @property
    def letters(self) -> str:
        """All typed words, with nothing between them."""
        return "".join(self.typed)

    @cached_property
    def telling(self) -> tuple[str, ...]:
        """The words that say what is asked."""
        common = self.common or self.typed
        return tuple(word for word in common if word not in LITTLE) or common

    def fit(
        self,
        names: Sequence[str],
        description: str = "",
        keys: Sequence[str] = (),
        topics: Sequence[str] = (),
    ) -> Grade:
        """Return how well something fits that has names, a description, keys and topics."""
        if self.text in keys:
            return Grade.EXACT
        if not self.typed:
            return Grade.NOT
        named = [text for name in names for text in spelled(name)]
        common = "".join(self.common) or self.letters
        if any(other.letters in (self.letters, common) for other in named):
            return Grade.EXACT
        if any(other.place(common) is not None for other in named):
            return Grade.BEGUN
        led = [text for topic in topics for text in spelled(topic)]
        grade = _grade(self.telling, named, led, description)
        if grade is Grade.NAMED and not _missing(self.common or self.typed, named):
            return Grade.BEGUN
        return grade

    def spans(self, text: str) -> list[Extent]:
        """Return the parts of a text that are typed."""
        spelled = words(text)
        parts = (self.letters,) if spelled.place(self.letters) is not None else self.typed
        places = ((spelled.place(part), len(part)) for part in parts if part)
        return [spelled.span(at, length) for at, length in places if at is not None]

    def likeness(self, names: Sequence[str]) -> float:
        """Return how similar the typed words are to those of some names, from 0 to 1."""
        others = frozenset[str]().union(*(words(name).parts for name in names))
        nearest = (
            max((_likeness(word, other) for other in others), default=0.0) for word in self.typed
        )
        return sum(nearest) / max(len(self.typed), 1)


def _typed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (words(part).letters for part in text.split())))


def _grade(
    telling: Sequence[str], named: Sequence[Words], led: Sequence[Words], description: str
) -> Grade:
    """Return how well words fit: those that no name has must be elsewhere."""
    missing = _missing(telling, named)
    if not missing:
        return Grade.NAMED
    missing = _missing(missing, led)
    if not missing:
        return Grade.RELATED
    return Grade.DESCRIBED if {*missing} <= spelled_words(description) else Grade.NOT


def _missing(typed: Iterable[str], named: Iterable[Words]) -> list[str]:
    """Return the words that begin no word of some texts."""
    return [word for word in typed if all(other.place(word) is None for other in named)]


@lru_cache(maxsize=16_384)
def _likeness(word: str, other: str) -> float:
    matcher = SequenceMatcher(None, word, other, autojunk=False)
    ratio = matcher.real_quick_ratio()
    ratio = min(ratio, matcher.quick_ratio()) if ratio >= LEAST_LIKENESS else 0.0
    ratio = min(ratio, matcher.ratio()) if ratio >= LEAST_LIKENESS else 0.0
    return ratio if ratio >= LEAST_LIKENESS else 0.0
