"""All claims in order: those of ``ledger.toml``, each with the check that it names."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache, partial
from importlib.resources import files
from typing import Any

from attn_tui.claims.claim import Case, Claim, ClaimCurves, StatedNumbers, TriedClaim, try_claim
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError, Stop, inert, never
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
    sources, numbers = document["sources"], document["numbers"]
    return {table["id"]: _claim({**table}, sources, numbers) for table in document["claim"]}


def _claim(table: dict[str, Any], sources: Mapping[str, str], numbers: Mapping[str, str]) -> Claim:
    trial = table.pop("trial", {})
    table["figures"] = table.get("figures", "").format(**numbers)
    source = table.pop("source", "") or sources[table["id"].partition("-")[0]]
    check = partial(_tried, table.pop("check")) if "check" in table else None
    return Claim(source=source, check=check, controls=tuple(trial), trial=Trial(**trial), **table)


def _tried(name: str, trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
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
