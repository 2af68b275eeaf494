"""How the user wants the weights of captured heads to be made: scale, mask and sink."""

import re
from dataclasses import dataclass, replace
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.reconstruction import Reconstruction, Weighing
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
class Making:
    """How the weights of all heads are to be made.

    Attributes:
        scale: The multiplier's rule, and perhaps a soft cap and a sink.
        mask: Which keys are seen, as `parse_mask` returns it.
        captured_sink: Whether a captured sink is used, if the scale has none.
        own_rule: Whether the user asked for the rule, even if the output says another multiplier.
        uncapped: Whether the user asked for no soft cap, whatever the output says.
    """

    scale: Scale = Scale()
    mask: HeadMask | None = None
    captured_sink: bool = True
    own_rule: bool = False
    uncapped: bool = False

    def at_layer(self, layer: int) -> "Making":
        """Return how the weights of one layer are to be made."""
        return replace(self, scale=self.scale.at_layer(layer)) if self.scale.is_by_layer else self

    def over(self, known: Reconstruction) -> Reconstruction:
        """Return a reconstruction with what the user asked for in place of what was found.

        The output does not judge such a result; it judges a mask that gives what was captured.
        """
        has_cap = self.uncapped or self.scale.softcap is not None
        has_sink = self.scale.sink is not None or not self.captured_sink
        if self.own_rule:
            known = replace(known, multiplier=None)
        if has_cap:
            known = replace(known, softcap=None)
        if has_sink:
            known = replace(known, sink=None, drops_sink=False)
        has_other_mask = self.mask is not None and not known.fits
        if self.own_rule or has_cap or has_sink or has_other_mask:
            known = replace(known, residual=None, missed=None, doubt=0.0)
        return known

    def weighing(self, rows: HeadRows, known: Reconstruction) -> Weighing:
        """Return how to make the weights of some rows: as asked, else as was found."""
        made = self.scale.logit_map(rows.d_k, rows.n_keys)
        if known.multiplier is not None:
            made = replace(made, multiplier=known.multiplier)
        if made.softcap is None:
            made = replace(made, softcap=known.softcap)
        if made.sink is None and self.captured_sink:
            is_found = known.sink is not None or known.drops_sink
            made = replace(made, sink=known.sink if is_found else rows.sink)
        return Weighing(made, known.mask)

    def as_plain(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        scale = self.scale
        return {
            "rule": scale.rule,
            "own_rule": self.own_rule,
            "parameters": dict(scale.given),
            "softcap": scale.softcap,
            "uncapped": self.uncapped,
            "sink": "captured" if scale.sink is None and self.captured_sink else scale.sink,
            "mask": mask_text(self.mask),
        }
