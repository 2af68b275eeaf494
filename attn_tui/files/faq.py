"""Questions that people ask in public, each with a reply and the command line that shows it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attn_tui import search
from attn_tui.files.content import read_tables
from attn_tui.files.values import Values


@dataclass(frozen=True)
class FaqEntry:
    """Something that people ask, in their words.

    Attributes:
        asks: What they ask.
        reply: The reply, in two sentences or three; a test compares its numbers with those of the
            command.
        command: The command line whose headline shows it, or that of a claim.
        topics: Words that lead to it.
    """

    asks: str
    reply: str
    command: str
    topics: tuple[str, ...]

    @property
    def names(self) -> Sequence[str]:
        """What finds it first: what is asked, in these words and in others."""
        return (self.asks, *self.topics)

    @property
    def description(self) -> str:
        """What there is to say about it."""
        return self.reply


def _entry(table: Values) -> FaqEntry:
    asks, reply, command = (table.get(name, str) for name in ("asks", "reply", "command"))
    return FaqEntry(asks, reply, command, table.each("topics", str))


@cache
def faq() -> Sequence[FaqEntry]:
    """Return the entries in order."""
    return [*map(_entry, read_tables(str(Path(__file__).with_suffix(".toml")), "entry"))]


ENOUGH = 0.3
"""An entry is about some words only if it has this share of what they say."""


def asked_about(words: str, others: Iterable[search.Searchable] = ()) -> FaqEntry | None:
    """Return the entry that some words find first; None if none has all of them, or enough.

    Args:
        words: What is asked.
        others: What else could be found; it tells how rare a word is.
    """
    query = search.Query.of(words)
    hits = search.having_all(faq(), query) or search.most(faq(), query, ENOUGH, others)
    return next(iter(hits), None)
