"""Every claim there is, in order; an entry in one of the rooms below is all that adds one."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from threading import Lock

from attn_tui.claims import (
    assumptions,
    heads,
    laws,
    layers,
    length,
    models,
    moments,
    rounding,
    rows,
    rules,
    saturated,
    typical,
    words,
    worked,
)
from attn_tui.claims.claim import Claim, Finding, try_claim
from attn_tui.compute.errors import InputError, inert

_ROOMS = (
    moments,
    assumptions,
    laws,
    rows,
    typical,
    rounding,
    rules,
    length,
    heads,
    layers,
    models,
    words,
    worked,
    saturated,
)


@cache
def ledger() -> dict[str, Claim]:
    """Return the claims by id: those of the three texts, then those of the literature."""
    claims = [each for room in _ROOMS for each in vars(room).values() if isinstance(each, Claim)]
    return {each.id: each for each in sorted(claims, key=_order)}


def _order(claim: Claim) -> tuple[bool, str, int]:
    text, _, number = claim.id.partition("-")
    return text == "L", text, int(number)


def find(id: str, claims: Mapping[str, Claim] | None = None) -> Claim:
    """Return a claim of the ledger, or of some others; upper and lower case are the same.

    Raises:
        InputError: If there is none, with the nearest ids.
    """
    known = {each.upper(): claim for each, claim in (claims or ledger()).items()}
    name = id.strip().upper()
    if name in known:
        return known[name]
    near = [known[each].id for each in get_close_matches(name, known, n=5, cutoff=0.0)]
    raise InputError("claim", f"there is none called {inert(id)}", " or ".join(near))


_TRYING = Lock()


def own_finding(id: str) -> Finding:
    """Return what comes of a claim tried as it is; once found, it is kept.

    Who asks while it is being tried waits for that: a screen that is left and come back to would
    else try it as often as it is come to, all at once.
    """
    with _TRYING:
        return _own_finding(id)


@cache
def _own_finding(id: str) -> Finding:
    return try_claim(ledger()[id])
