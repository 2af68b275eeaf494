"""What some words find: claims, what people ask, and which of them fits better."""

from dataclasses import dataclass, replace

from attn_tui import search
from attn_tui.claims.claim import Claim
from attn_tui.claims.ledger import ID, MOST_CLOSEST, find, items, ledger
from attn_tui.compute.errors import InputError, inert
from attn_tui.files.faq import FaqEntry, asked_about, faq
from attn_tui.instruments import Item


@dataclass(frozen=True)
class Matches:
    """What some words find.

    Attributes:
        claims: The claims, the best first; all of them without words.
        entry: What people ask, if it is about these words, or None.
        is_asked: Whether that fits better than any claim does.
        has_all: Whether the claims have all of the words.
        asks_all: Whether what people ask has all of them.
    """

    claims: list[Claim]
    entry: FaqEntry | None = None
    is_asked: bool = False
    has_all: bool = True
    asks_all: bool = False

    @property
    def replies(self) -> bool:
        """Whether what people ask stands for all claims: none has all words, nor is its reply."""
        if not self.claims:
            return self.entry is not None
        return self.is_asked and not self.has_all and ID.fullmatch(self.command) is None

    @property
    def command(self) -> str:
        """The claim that replies to what people ask, or the command line that does."""
        return self.entry.command.removeprefix("claim ") if self.entry else ""


def matches(words: str) -> Matches:
    """Return what some words find; a claim that replies to what people ask comes first."""
    query = search.Query.of(words)
    every = ledger()
    if not query.typed:
        return Matches([*every.values()])
    pool: list[search.Searchable] = [*items(), *faq()]
    having = search.having_all(pool, query)
    asks = [item for item in having if isinstance(item, FaqEntry)]
    named = [item for item in having if isinstance(item, Item)]
    most = named or search.most(items(), query, others=faq())[: search.MOST_HAVING]
    entry = next(iter(asks), None) or asked_about(words, items())
    best = next(iter(having or search.most(pool, query)), None)
    is_asked = entry is not None and best is entry
    claims = [every[item.text] for item in most]
    matched = Matches(claims, entry, is_asked, bool(named), bool(asks))
    if not is_asked or matched.command not in every:
        return matched
    reply = every[matched.command]
    return replace(matched, claims=[reply, *(claim for claim in claims if claim is not reply)])


def hits(words: str) -> list[Claim]:
    """Return the claims that some words find, the best first; all of them without words."""
    return matches(words).claims


def nearest(words: str) -> list[Claim]:
    """Return the few claims whose words are most like some words."""
    closest = search.nearest(items(), search.Query.of(words), MOST_CLOSEST)
    return [ledger()[item.text] for item in closest]


def asked(words: str) -> Matches:
    """Return the claim that an id or some words ask for, and what else the words find.

    Raises:
        InputError: If there is none with that id, or nothing has any of the words.
    """
    if words.strip().upper() in map(str.upper, ledger()) or ID.fullmatch(words.strip()):
        return Matches([find(words)])
    matched = matches(words)
    if not matched.claims:
        closest = " or ".join(claim.id for claim in nearest(words))
        raise InputError("claim", f"none is about {inert(words)}", closest or "an id, such as S2-3")
    return matched
