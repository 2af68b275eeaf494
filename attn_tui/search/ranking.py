"""What a query finds, the best first: what has all of its words, or most of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import Protocol, TypeVar

from attn_tui.search.query import Grade, Query
from attn_tui.search.spelling import spelled, spelled_words
from attn_tui.search.text import Words, stem_of

WEAK = frozenset({
    "all", "an", "any", "because", "become", "becom", "bug", "call", "chang", "code", "compar",
    "correct", "differenc", "different", "do", "doubt", "each", "error", "even", "expect", "fix",
    "found", "help", "here", "implement", "incorrect", "issu", "learn", "make", "mistak", "model",
    "more", "need", "no", "not", "official", "only", "other", "paper", "part", "possible",
    "potential", "problem", "question", "same", "seem", "show", "some", "suppos", "thing",
    "thought", "tri", "updat", "use", "used", "usual", "version", "want", "work", "wrong",
})  # fmt: skip
"""Stems of what people write of anything; where not all words are found, they count little."""

LED = 0.8
"""How much a word counts that only leads to something, beside one of its names."""

TOGETHER = 0.5
"""How much two words count that stand together, beside each of them."""

LITTLE_WEIGHT = 0.25
"""How much a weak word counts beside another that is as rare."""

UNKNOWN_WEIGHT = 0.5
"""How much a word counts that nothing has, when it is asked whether something has enough."""

MOST_OF = 0.75
"""What has at least this share of what the best has is found beside it."""

MOST_HAVING = 8
"""The most that are found where they have some of the words that are typed, but not all."""


class Searchable(Protocol):
    """What can be searched for."""

    @property
    def names(self) -> Sequence[str]:
        """Its title, and other names."""

    @property
    def topics(self) -> Sequence[str]:
        """What it is about, in words that lead to it."""

    @property
    def description(self) -> str:
        """What there is to say about it."""


S = TypeVar("S", bound=Searchable)


def most(
    searched: Iterable[S], query: Query, least: float = 0.0, others: Iterable[Searchable] = ()
) -> list[S]:
    """Return what has most of the words of a query, if nothing has all of them.

    Args:
        searched: What is searched.
        query: The query.
        least: The share of the query that something must have to be found at all.
        others: What else could be found; it tells how rare a word is.
    """
    return [item for item, _ in _most(searched, query, least, others)]


def _most(
    searched: Iterable[S], query: Query, least: float, others: Iterable[Searchable]
) -> list[tuple[S, float]]:
    """Return what has most of the words of a query, each with how much of them it has.

    A word counts the more, the fewer have it: "attention" tells little, "LongRoPE" much. Two
    words that stand together in both count once more.
    """
    every = [*searched]
    pool: list[Searchable] = [*every, *others]
    texts = [_Texts.of(item) for item in pool]
    asked = [*_asked(query, texts)]
    total = sum(rare for _, _, rare in asked)
    rows = [(column, rare) for _, column, rare in asked]
    for (one, _, rare), (two, _, other) in pairwise(asked):
        rows.append(([text.has(one + two) for text in texts], TOGETHER * (rare + other) / 2.0))
    shares = [sum(column[at] * rare for column, rare in rows) for at in range(len(every))]
    limit = max(MOST_OF * max(shares, default=0.0), least * total)
    ranked = sorted(zip(every, shares, strict=True), key=lambda row: -row[1])
    return [row for row in ranked if row[1] >= limit and row[1] > 0.0]


def _asked(query: Query, texts: Sequence["_Texts"]) -> Iterator[tuple[str, Sequence[float], float]]:
    """Yield each word, how much of it the texts have, and how much it counts.

    What nothing has as one word, such as ``flash_jax``, counts as one by its parts. A letter or a
    digit by itself tells nothing.
    """
    for word in query.telling:
        is_whole = any(text.has(word) for text in texts)
        parts = (word,) if is_whole else query.parts.get(word, (word,))
        for part in parts:
            column = [text.has(part) for text in texts]
            rare = log((1.0 + len(texts)) / (0.5 + sum(column))) / len(parts)
            if stem_of(part) in WEAK:
                rare *= LITTLE_WEIGHT
            if len(part) == 1 and part.isascii():
                rare = 0.0
            yield part, column, rare if any(column) else UNKNOWN_WEIGHT * rare


@dataclass(frozen=True, eq=False)
class _Texts:
    """The texts of something that can be searched for, without what makes no difference."""

    named: Sequence[Words]
    led: Sequence[Words]
    described: frozenset[str]

    @classmethod
    def of(cls, searched: Searchable) -> "_Texts":
        return _texts((*searched.names,), (*searched.topics,), searched.description)

    def has(self, word: str) -> float:
        """Return how much of a word they have, from 0 to 1.

        What only leads to them is worth less, a word of the description alone half a word, and a
        single letter none.
        """
        return _has(self, word) if len(word) > 1 else 0.0


@lru_cache(maxsize=65_536)
def _has(texts: _Texts, word: str) -> float:
    stem = stem_of(word)
    return max(
        0.5 if word in texts.described else 0.0,
        max((text.has(stem) for text in texts.named), default=0.0),
        LED * max((text.has(stem) for text in texts.led), default=0.0),
    )


@lru_cache(maxsize=2048)
def _texts(names: tuple[str, ...], topics: tuple[str, ...], description: str) -> _Texts:
    named = [text for name in dict.fromkeys(names) for text in spelled(name)]
    led = [text for topic in dict.fromkeys(topics) for text in spelled(topic) if topic not in names]
    return _Texts(named, led, spelled_words(description))


def having_all(searched: Iterable[S], query: Query) -> list[S]:
    """Return what has all words of a query, the best first, then in order."""
    graded = [(query.fit(item.names, item.description, (), item.topics), item) for item in searched]
    fitting = [row for row in graded if row[0] is not Grade.NOT]
    return [item for _, item in sorted(fitting, key=lambda row: -row[0])]


def found(searched: Iterable[S], query: Query) -> list[S]:
    """Return what a query finds, the best first, then in order: what has all words, or most.

    Of what has most but not all there are at most `MOST_HAVING`.
    """
    every = [*searched]
    return having_all(every, query) or most(every, query)[:MOST_HAVING]


def nearest(searched: Iterable[S], query: Query, count: int) -> list[S]:
    """Return the few whose names are most like what is typed, the most similar first."""
    likely = [(query.likeness((*item.names, *item.topics)), item) for item in searched]
    likely = sorted((row for row in likely if row[0] > 0.0), key=lambda row: -row[0])
    return [item for _, item in likely[:count]]
