"""What the calls that a recipe captured were given: the scale, and whether they are causal."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from typing import Any

from attn_tui.captures.capture import Capture
from attn_tui.files.models.expected import NONE, Expectation, Expected

CALLS = "the arguments of the calls"
"""What such an expectation is called."""
_LEAST, _MOST = 1e-9, 1e9
"""A scale that is smaller or larger is none."""


def with_calls(expectation: Expectation | None, capture: Capture) -> Expectation | None:
    """Return an expectation with what calls were given, where it says nothing of that itself.

    Args:
        expectation: What is expected by somebody else, if by anybody.
        capture: With ``LAYER.scale`` and the like in its metadata.
    """
    calls = calls_of(capture)
    if not calls:
        return expectation
    if expectation is None:
        return Expectation(CALLS, Expected(), calls=calls)
    said = {layer: expectation.said_of(layer) for layer in calls}
    adds = any(said[layer].completed(each) != said[layer] for layer, each in calls.items())
    source = f"{expectation.source}; {CALLS}" if adds else expectation.source
    return replace(expectation, source=source, calls=calls)


def calls_of(capture: Capture) -> Mapping[int, Expected]:
    """Return what the call of each layer was given, as far as the metadata says it."""
    found: dict[int, Expected] = {}
    shapes = {each.layer: each for each in reversed(capture.heads)}
    for layer, head in shapes.items():
        scale = _number(capture.config.get(f"{layer}.scale"))
        cap = _number(capture.config.get(f"{layer}.softcap"))
        shape = capture.shape(head)
        # Of fewer queries than keys libraries do not agree where the first of them stands.
        is_square = shape.n_queries == shape.n_keys
        masks = {"True": "causal", "False": "none"}
        mask = masks.get(str(capture.config.get(f"{layer}.is_causal"))) if is_square else None
        said = Expected(
            multiplier=scale if scale is not None and _LEAST <= scale <= _MOST else None,
            softcap=None if cap is None or cap < 0.0 else cap or NONE,
            mask=mask,  # type: ignore[arg-type]
        )
        if said != Expected():
            found[layer] = said
    return found


def _number(value: Any) -> float | None:
    if isinstance(value, str | int | float):
        with suppress(ValueError, OverflowError):
            number = float(value)
            return number if isfinite(number) else None
    return None
