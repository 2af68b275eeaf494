"""All claims in order: those of ``ledger.toml``, each with the check that it names."""

import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from typing import Any

from attn_tui.claims.claim import Case, Claim, ClaimCurves, Stated, TriedClaim, try_claim
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError, Stop, inert, never
from attn_tui.instruments import Item


@cache
def ledger() -> dict[str, Claim]:
    """Return the claims by id: those of the three texts, then those of the literature."""
    document = tomllib.loads(files("attn_tui.claims").joinpath("ledger.toml").read_text("utf-8"))
    return {table["id"]: _claim(table, document["sources"]) for table in document["claim"]}


def _claim(table: dict[str, Any], sources: Mapping[str, str]) -> Claim:
    trial = table.pop("trial", {})
    source = table.pop("source", "") or sources[table["id"].partition("-")[0]]
    check = partial(_tried, table.pop("check")) if "check" in table else None
    return Claim(source=source, check=check, controls=tuple(trial), trial=Trial(**trial), **table)


def _tried(name: str, trial: Trial, stated: Stated) -> Iterator[Case | ClaimCurves]:
    """Try a claim by a check such as ``"moments.grows"``, whose module is imported on use."""
    family, _, function = name.partition(".")
    module = import_module(f"attn_tui.claims.checks.{family}")
    yield from getattr(module, function)(trial, stated)


def find(id: str) -> Claim:
    """Return the claim with an id; case does not matter.

    Raises:
        InputError: If there is none; it names the nearest ids.
    """
    known = {name.upper(): claim for name, claim in ledger().items()}
    name = id.strip().upper()
    if name in known:
        return known[name]
    near = [known[other].id for other in get_close_matches(name, known, n=5, cutoff=0.0)]
    raise InputError("claim", f"there is none called {inert(id)}", " or ".join(near))


def items() -> list[Item]:
    """Return the claims as the palette finds them, in order."""
    return [
        Item(
            claim.id,
            f"{claim.id} {claim.says}",
            claim.right,
            (claim.id, *claim.topics, *claim.synonyms),
        )
        for claim in ledger().values()
    ]


_FINDINGS: dict[str, TriedClaim] = {}


def own_finding(id: str, stop: Stop = never) -> TriedClaim:
    """Return the finding on a claim of the ledger with its own trial, cached.

    Raises:
        Stopped: If ``stop()`` is true after a case.
    """
    if id not in _FINDINGS:
        _FINDINGS[id] = try_claim(ledger()[id], stop=stop)
    return _FINDINGS[id]
