"""How claims are shown to rest on what is computed: a part of it is broken, or a number changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from attn_tui.claims.claim import Finding, try_claim
from attn_tui.claims.ledger import find


@dataclass(frozen=True)
class Broken:
    """What must change a verdict.

    Attributes:
        target: What a claim's room calls something it computes with, ``"module:name"`` or
            ``"module:Class.name"``; nothing where a stated number is changed.
        by: From what it is to what takes its place.
        stated: Other numbers for those a claim states.
        also: What else must be broken.
    """

    target: str = ""
    by: Callable[[Any], Any] = lambda whole: whole
    stated: Mapping[str, float] = field(default_factory=dict)
    also: "Broken | None" = None


def tried(id: str, broken: Broken, patch: pytest.MonkeyPatch) -> Finding:
    """Return what comes of a claim when something is broken."""
    claim = find(id)
    if broken.also:
        tried(id, broken.also, patch)
    if broken.target:
        module, _, name = broken.target.partition(":")
        path = f"attn_tui.claims.checks.{module}.{name}"
        whole: Any = __import__(f"attn_tui.claims.checks.{module}", fromlist=["_"])
        for part in name.split("."):
            whole = getattr(whole, part)
        patch.setattr(path, broken.by(whole))
    return try_claim(replace(claim, stated={**claim.stated, **broken.stated}))
