"""What is said of a pinned answer: its scores, and what was done to them."""

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.numbers import brief_general
from attn_tui.report.words import done

FEW = 4
"""The most pinned scores that are named."""

PINNED = "pinned: {what}"
"""What is said of what is pinned, beside what there is now."""


def pinned_scores(pinned: VectorAnswer | None) -> str:
    """Return the pinned scores, of many the first; nothing if none are pinned."""
    if pinned is None:
        return ""
    scores = [brief_general(score) for score in pinned.vector.scores[:FEW].tolist()]
    if pinned.vector.n_keys > FEW:
        scores.append("…")
    return PINNED.format(what=", ".join(scores))


def pinned_scale(pinned: VectorAnswer | None) -> str:
    """Return what was done to the pinned scores; nothing if none are pinned."""
    return "" if pinned is None else PINNED.format(what=lower(done(pinned.scaled.map)))


def lower(words: str) -> str:
    """Return words without a capital at their beginning, as inside a sentence."""
    return words[:1].lower() + words[1:]
