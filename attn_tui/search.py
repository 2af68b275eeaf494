"""Search by words: what is typed fits a text if each of its words begins a word of the text.

Case, hyphens and spaces make no difference: ``gemma 2``, ``Gemma-2`` and ``gemma2`` are the same.
Nor do the ways in which a thing is written: ``fp16``, ``float16`` and ``half precision``. The
palette, the filter of Claims and ``attn-tui claims WORDS`` all search so.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import pairwise
from math import log
from typing import Protocol, TypeVar

SYMBOLS = "√∂∞"
"""Characters that belong to words, besides letters and digits."""

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

_SIZE = "(dim(ension)?|size|width)"

SPELLINGS: Mapping[str, str] = {
    r"square[\s-]root": "√",
    "sqrt": "√",
    "inf(inity)?": "∞",
    r"mu-?p|µp|μp": "mup",
    r"f(loat|p)[\s-]?16|half[\s-]precision|half[\s-]float": "float16",
    r"b(float|f)[\s-]?16|brain[\s-]float": "bfloat16",
    r"f(loat|p)[\s-]?32|single[\s-]precision|full[\s-]precision": "float32",
    r"f(loat|p)[\s-]?64|double[\s-]precision": "float64",
    r"soft[\s-]?capp?(ing|ed)?": "softcap",
    r"softmax[\s-](one|1)|off[\s-]by[\s-]one": "softmax1",
    r"q(uery)?[\s-]?k(ey)?[\s-]?norm(ali[sz]ation)?": "qknorm",
    r"layer[\s-]?norm(ali[sz]ation)?": "layernorm",
    r"l2[\s-]?norm(ali[sz]ed|ali[sz]ation)?": "l2norm",
    r"cross[\s-]?entropy": "crossentropy",
    r"dot[\s-]products?": "dotproduct",
    r"(fourth|4th|quartic)[\s-]root": "fourthroot",
    r"flash[\s_-]?att(entio)?n": "flashattention",
    r"multi[\s-]?head(ed)?": "multihead",
    rf"{_SIZE}[\s_-]?((of|per)[\s_-])?((one|a|each|the)[\s_-])?head": "d_head",
    rf"head[\s_-]?{_SIZE}|d[\s_-]head|kv_channels": "d_head",
    rf"(emb|embed|embedding|hidden|model)[\s_-]?{_SIZE}|n_embd": "d_model",
}
"""The ways in which a thing is written, each with the one that all are read as."""

_SPELLING = re.compile(
    "|".join(rf"(?<![^\W_])(?:{pattern})(?![^\W\d_])" for pattern in SPELLINGS), re.IGNORECASE
)
_CODE = (
    (re.compile(r"(math\.|torch\.|np\.)?sqrt\(\s*(math\.|torch\.|np\.)?sqrt|⁴√|\*\*\s*\(?-?\s*"
                r"(0?\.25|1/4)\)?"), " fourth root "),
    (re.compile(r"\*\*\s*\(?-?\s*(0?\.5|1/2)\)?|\brsqrt"), " √ "),
)  # fmt: skip
"""How roots are written in programs."""

_POSSESSIVE = re.compile(r"['’]s(?!\w)")
_IZE = re.compile(r"(?<=[a-z]{3})iz(?=e|ing|ation)", re.IGNORECASE)

ENDINGS = ("ation", "ing", "ed", "es", "s", "e")
"""Endings that make no difference where nothing has all words."""

LEAST_STEM = 4
"""The fewest letters that a word keeps without its ending."""

MOST_OF = 0.75
"""What has at least this share of what the best has is found beside it."""

MOST_HAVING = 8
"""The most that are found where they have some of the words that are typed, but not all."""

Span = tuple[int, int]
"""Where a part of a text begins and ends."""


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

    def span(self, at: int, length: int) -> Span:
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


@lru_cache(maxsize=4096)
def spelled(text: str) -> tuple[Words, ...]:
    """Return a text without what makes no difference, as it is and as all spell it.

    >>> [each.letters for each in spelled("half precision")]
    ['halfprecision', 'float16']
    """
    plain = words(text)
    common = words(common_spelling(text))
    return (plain,) if common.letters == plain.letters else (plain, common)


def common_spelling(text: str) -> str:
    """Return a text in which what can be written in several ways is written in one.

    >>> common_spelling("fp16 softmax, masked by -inf")
    'float16 softmax, masked by -∞'
    """
    for pattern, root in _CODE:
        text = pattern.sub(root, text)
    return _IZE.sub("is", _SPELLING.sub(_common, text))


def _common(match: re.Match[str]) -> str:
    return next(
        common
        for pattern, common in SPELLINGS.items()
        if re.fullmatch(pattern, match[0], re.IGNORECASE)
    )


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
        parts = {each.letters: each.in_order for each in taken if len(each.starts) > 1}
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
        named = [each for name in names for each in spelled(name)]
        common = "".join(self.common) or self.letters
        if any(other.letters in (self.letters, common) for other in named):
            return Grade.EXACT
        if any(other.place(common) is not None for other in named):
            return Grade.BEGUN
        led = [each for topic in topics for each in spelled(topic)]
        grade = _grade(self.telling, named, led, description)
        if grade is Grade.NAMED and not _missing(self.common or self.typed, named):
            return Grade.BEGUN
        return grade

    def spans(self, text: str) -> list[Span]:
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


def _stem(word: str) -> str:
    """Return a word without its ending.

    >>> _stem("scaling"), _stem("logits"), _stem("keys")
    ('scal', 'logit', 'keys')
    """
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word.removesuffix(ending)
    return word


def _typed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (words(part).letters for part in text.split())))


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    """Return the whole words of a text, in both spellings."""
    return frozenset[str]().union(*(each.parts for each in spelled(text)))


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
    return Grade.DESCRIBED if {*missing} <= _words(description) else Grade.NOT


def _missing(typed: Iterable[str], named: Iterable[Words]) -> list[str]:
    """Return the words that begin no word of some texts."""
    return [word for word in typed if all(other.place(word) is None for other in named)]


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
    return [each for each, _ in _most(searched, query, least, others)]


def _most(
    searched: Iterable[S], query: Query, least: float, others: Iterable[Searchable]
) -> list[tuple[S, float]]:
    """Return what has most of the words of a query, each with how much of them it has.

    A word counts the more, the fewer have it: "attention" tells little, "LongRoPE" much. Two
    words that stand together in both count once more.
    """
    every = [*searched]
    pool: list[Searchable] = [*every, *others]
    texts = [_Texts.of(each) for each in pool]
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
            if _stem(part) in WEAK:
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
    stem = _stem(word)
    return max(
        0.5 if word in texts.described else 0.0,
        max((each.has(stem) for each in texts.named), default=0.0),
        LED * max((each.has(stem) for each in texts.led), default=0.0),
    )


@lru_cache(maxsize=2048)
def _texts(names: tuple[str, ...], topics: tuple[str, ...], description: str) -> _Texts:
    named = [each for name in dict.fromkeys(names) for each in spelled(name)]
    led = [each for topic in dict.fromkeys(topics) for each in spelled(topic) if topic not in names]
    return _Texts(named, led, _words(description))


def having_all(searched: Iterable[S], query: Query) -> list[S]:
    """Return what has all words of a query, the best first, then in order."""
    graded = [(query.fit(each.names, each.description, (), each.topics), each) for each in searched]
    fitting = [row for row in graded if row[0] is not Grade.NOT]
    return [each for _, each in sorted(fitting, key=lambda row: -row[0])]


def found(searched: Iterable[S], query: Query) -> list[S]:
    """Return what a query finds, the best first, then in order: what has all words, or most.

    Of what has most but not all there are at most `MOST_HAVING`.
    """
    every = [*searched]
    return having_all(every, query) or most(every, query)[:MOST_HAVING]


def nearest(searched: Iterable[S], query: Query, count: int) -> list[S]:
    """Return the few whose names are most like what is typed, the most similar first."""
    likely = [(query.likeness((*each.names, *each.topics)), each) for each in searched]
    likely = sorted((row for row in likely if row[0] > 0.0), key=lambda row: -row[0])
    return [each for _, each in likely[:count]]


@lru_cache(maxsize=16_384)
def _likeness(word: str, other: str) -> float:
    matcher = SequenceMatcher(None, word, other, autojunk=False)
    ratio = matcher.real_quick_ratio()
    ratio = min(ratio, matcher.quick_ratio()) if ratio >= LEAST_LIKENESS else 0.0
    ratio = min(ratio, matcher.ratio()) if ratio >= LEAST_LIKENESS else 0.0
    return ratio if ratio >= LEAST_LIKENESS else 0.0
