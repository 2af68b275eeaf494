"""All claims in order: those of ``ledger.toml``, each with the check that it names."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, partial
from importlib.resources import files
from typing import Any

from attn_tui import search
from attn_tui.claims.claim import Case, Claim, ClaimCurves, Stated, TriedClaim, try_claim
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError, Stop, inert, never
from attn_tui.files.faq import FaqEntry, asked_about, faq
from attn_tui.instruments import Item, load

ID = re.compile(r"[SL]\d*-\d+", re.IGNORECASE)
"""What the id of a claim looks like."""

MOST_CLOSEST = 5
"""How many claims are named where there is none as asked."""


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(files("attn_tui.claims").joinpath("ledger.toml").read_text("utf-8"))


@cache
def ledger() -> dict[str, Claim]:
    """Return the claims by id: those of the three texts, then those of the literature."""
    document = _document()
    return {table["id"]: _claim({**table}, document["sources"]) for table in document["claim"]}


def _claim(table: dict[str, Any], sources: Mapping[str, str]) -> Claim:
    trial = table.pop("trial", {})
    source = table.pop("source", "") or sources[table["id"].partition("-")[0]]
    check = partial(_tried, table.pop("check")) if "check" in table else None
    return Claim(source=source, check=check, controls=tuple(trial), trial=Trial(**trial), **table)


def _tried(name: str, trial: Trial, stated: Stated) -> Iterator[Case | ClaimCurves]:
    """Try a claim by a check such as ``"moments.grows"``, whose module is imported on use."""
    check = load(f"attn_tui.claims.checks.{name.replace('.', ':')}")
    yield from check(trial, stated)


def find(id: str) -> Claim:
    """Return the claim with an id; case does not matter.

    Raises:
        InputError: If there is none; it names the nearest ids.
    """
    claims = {name.upper(): claim for name, claim in ledger().items()}
    name = id.strip().upper()
    if name in claims:
        return claims[name]
    closest = [
        claims[other].id for other in get_close_matches(name, claims, n=MOST_CLOSEST, cutoff=0.0)
    ]
    raise InputError("claim", f"there is none called {inert(id)}", " or ".join(closest))


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
    asks = [each for each in having if isinstance(each, FaqEntry)]
    named = [each for each in having if isinstance(each, Item)]
    most = named or search.most(items(), query, others=faq())[: search.MOST_HAVING]
    entry = next(iter(asks), None) or asked_about(words, items())
    best = next(iter(having or search.most(pool, query)), None)
    is_asked = entry is not None and best is entry
    claims = [every[item.text] for item in most]
    found = Matches(claims, entry, is_asked, bool(named), bool(asks))
    if not is_asked or found.command not in every:
        return found
    reply = every[found.command]
    return replace(found, claims=[reply, *(claim for claim in claims if claim is not reply)])


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
    found = matches(words)
    if not found.claims:
        closest = " or ".join(claim.id for claim in nearest(words))
        raise InputError("claim", f"none is about {inert(words)}", closest or "an id, such as S2-3")
    return found


@cache
def items() -> list[Item]:
    """Return the claims as they are searched for, in order."""
    led: Mapping[str, list[str]] = _document()["topics"]
    return [
        Item(
            claim.id,
            f"{claim.id} {claim.says}",
            claim.right,
            (claim.id, *claim.synonyms),
            (
                *claim.topics,
                *(word for topic in claim.topics for word in led.get(topic, ())),
                claim.source,
                claim.verdict,
            ),
            f"{claim.condition} {claim.formula}",
        )
        for claim in ledger().values()
    ]


_FINDINGS: dict[str, TriedClaim] = {}


def unchanged_finding(id: str, stop: Stop = never) -> TriedClaim:
    """Return the finding on a claim of the ledger with its own trial, cached.

    Raises:
        Stopped: If ``stop()`` is true after a case.
    """
    if id not in _FINDINGS:
        _FINDINGS[id] = try_claim(ledger()[id], stop=stop)
    return _FINDINGS[id]
