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
    """

    target: str = ""
    by: Callable[[Any], Any] = lambda whole: whole
    stated: Mapping[str, float] = field(default_factory=dict)


def tried(id: str, broken: Broken, patch: pytest.MonkeyPatch) -> Finding:
    """Return what comes of a claim when something is broken."""
    claim = find(id)
    if broken.target:
        module, _, name = broken.target.partition(":")
        path = f"attn_tui.claims.{module}.{name}"
        whole: Any = __import__(f"attn_tui.claims.{module}", fromlist=["_"])
        for part in name.split("."):
            whole = getattr(whole, part)
        patch.setattr(path, broken.by(whole))
    return try_claim(replace(claim, stated={**claim.stated, **broken.stated}))
