"""What the user asks of the weights of captured heads: scale, mask and sink."""

import re
from dataclasses import dataclass, replace
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.head_model import HeadModel, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.scale import Scale

MASKS = "auto, none, causal, causal:OFFSET, window:KEYS, window:KEYS:OFFSET or given"
"""The forms of a mask as text."""


def parse_mask(text: str) -> HeadMask | None:
    """Read a mask; None means that it is to be found: as captured, else as the output says.

    An offset of None aligns the last query with the last key.

    Raises:
        InputError: With field ``"mask"``.
    """
    match = re.fullmatch(
        r"(auto|none|given)|causal(:-?\d{1,9})?|window:(\d{1,9})(:-?\d{1,9})?", text
    )
    if match is None or (match[3] is not None and int(match[3]) < 1):
        raise InputError("mask", f"{inert(text)} is no mask", MASKS)
    kind: Any = text.partition(":")[0]
    if kind == "auto":
        return None
    offset = match[2] or match[4]
    return HeadMask(
        kind,
        None if offset is None else int(offset[1:]),
        None if match[3] is None else int(match[3]),
    )


def mask_text(mask: HeadMask | None) -> str:
    """Return a mask as `parse_mask` reads it."""
    if mask is None:
        return "auto"
    parts = [
        mask.kind,
        *(str(number) for number in (mask.window, mask.offset) if number is not None),
    ]
    return ":".join(parts)


@dataclass(frozen=True)
class Request:
    """What the user asks of the weights of all heads; the rest is as the captured tensors say.

    Attributes:
        scale: The multiplier's rule, and perhaps a soft cap and a sink.
        parts: The parts that are those of the scale, whatever the output says.
        mask: Which keys are seen, as `parse_mask` returns it.
    """

    scale: Scale = Scale()
    parts: frozenset[Part] = frozenset()
    mask: HeadMask | None = None

    def __post_init__(self) -> None:
        self.scale.check_unnormalised("rule", "a capture has them as the model multiplied them")

    def over(self, model: HeadModel, layer: int, head: HeadRows) -> HeadModel:
        """Return the model of a head with the parts that are asked for in place of its own."""
        asked = self.scale.at_layer(layer).logit_map(head.d_k, head.n_keys)
        values: dict[str, Any] = {part: getattr(asked, part) for part in self.parts}
        return replace(model, **values)

    def as_plain(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        scale = self.scale
        return {
            "rule": scale.rule,
            "own_rule": "multiplier" in self.parts,
            "parameters": dict(scale.arguments),
            "softcap": scale.softcap,
            "uncapped": "softcap" in self.parts and scale.softcap is None,
            "sink": scale.sink if "sink" in self.parts else "captured",
            "mask": mask_text(self.mask),
        }


def request_of(scale: Scale, mask: HeadMask | None = None) -> Request:
    """Return the request of a scale: only what differs from the usual one is asked for."""
    parts: set[Part] = set()
    if not scale.is_default:
        parts.add("multiplier")
    if scale.softcap is not None:
        parts.add("softcap")
    if scale.sink is not None:
        parts.add("sink")
    return Request(scale, frozenset(parts), mask)
