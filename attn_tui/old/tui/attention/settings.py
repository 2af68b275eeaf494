"""What can be asked and looked at on the screen of Attention."""

from dataclasses import replace
from typing import Any

from attn_tui.compute.attention.head import is_drawn
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.field import fields_of, one_of, whole
from attn_tui.compute.setup import FIELDS
from attn_tui.files.history import Gesture
from attn_tui.old.tui.attention import explanations
from attn_tui.old.tui.scale import D_K, MODEL
from attn_tui.old.tui.settings import (
    MASK,
    PRECISION,
    RULE,
    SIDE,
    Group,
    Seen,
    Setting,
    asked_for,
    looked_at,
)

_OWN = fields_of(Settings)


def _not_drawn(seen: Seen) -> str:
    drawn = seen.asked is None or is_drawn(seen.asked.experiment)
    return "" if drawn else "The rows are the vectors that are asked: rows, drawn, draws a head"


def _has_mask(seen: Seen) -> str:
    if seen.asked is None or is_drawn(seen.asked.experiment):
        return ""
    source = seen.asked.experiment.source
    if source.is_head:
        return "The mask was captured" if source.is_masked else ""
    return "Of vectors that are asked the mask says what is seen"


def _is_drawn(seen: Seen) -> str:
    return "" if _not_drawn(seen) else "The head is drawn: sees says which keys are masked"


def _not_normalised(seen: Seen) -> str:
    if seen.asked is None or is_drawn(seen.asked.experiment):
        return ""
    held: str = asked_for(FIELDS["qk_norm"]).held(seen)
    return held


def _at(name: str, label: str, help: str) -> Setting:
    """Return the setting of where the cursor is."""

    def change(screen: Any, change: Any, _: Gesture | None) -> None:
        screen.parts["head"].point(**{name: change(_value(screen))})

    def _value(seen: Any) -> int:
        return getattr(seen.view, name) or 0

    return Setting(
        name, f"cursor on {label}", help, whole(0, marked=True), _value, change, 0,
        (f"go to {label}",),
    )  # fmt: skip


GROUPS = (
    Group(
        "Head",
        (
            asked_for(_OWN["rows"]),
            *(replace(asked_for(_OWN[name]), held=_not_drawn) for name in ("n", "seed")),
            replace(asked_for(_OWN["causal"]), held=_has_mask),
            replace(MASK, held=_is_drawn),
        ),
        folds=False,
        explanation=explanations.HEAD,
    ),
    Group(
        "Scale",
        (
            D_K, RULE, MODEL, asked_for(FIELDS["softcap"]), asked_for(FIELDS["sink"]),
            replace(asked_for(FIELDS["qk_norm"]), held=_not_normalised),
        ),
        False,
        explanations.SCALE,
    ),
    replace(PRECISION, explanation=explanations.SCALE),
    Group(
        "View",
        (
            _at("query", "query", "the row that the cursor is on, counted from 0"),
            _at("key", "key", "the key that the cursor is on, counted from 0"),
            looked_at(
                "zoom", "zoom", "what a cell of the map stands for, where not all weights fit",
                one_of({
                    "whole": "the largest of several weights, so that all of the head is seen",
                    "weights": "one weight each, around the cursor",
                }), "whole", synonyms=("magnify", "near", "larger"),
            ),
            looked_at(
                "sort", "sorted by", "what rows stand in the order of", one_of(
                    {"position": "as they are", "entropy": "the sharpest first, by the right map"}
                ), "position", synonyms=("order", "sharpest"),
            ),
            SIDE,
        ),
    ),
)  # fmt: skip
