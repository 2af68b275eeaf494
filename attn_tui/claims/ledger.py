"""Every claim there is, in order; an entry in one of the rooms below is all that adds one."""

from difflib import get_close_matches
from functools import cache

from attn_tui.claims import (
    laws,
    layers,
    length,
    models,
    moments,
    rounding,
    rows,
    rules,
    typical,
    words,
)
from attn_tui.claims.claim import Claim
from attn_tui.compute.errors import InputError, inert

_ROOMS = (moments, laws, rows, typical, rounding, rules, length, layers, models, words)


@cache
def ledger() -> dict[str, Claim]:
    """Return the claims by id: those of the three texts, then those of the literature."""
    claims = [each for room in _ROOMS for each in vars(room).values() if isinstance(each, Claim)]
    return {each.id: each for each in sorted(claims, key=_order)}


def _order(claim: Claim) -> tuple[bool, str, int]:
    text, _, number = claim.id.partition("-")
    return text == "L", text, int(number)


def find(id: str) -> Claim:
    """Return a claim; upper and lower case are the same.

    Raises:
        InputError: If there is none, with the nearest ids.
    """
    found = ledger().get(id.strip().upper())
    if found:
        return found
    near = get_close_matches(id.strip().upper(), ledger(), n=5, cutoff=0.0)
    raise InputError("claim", f"there is none called {inert(id)}", " or ".join(near))
