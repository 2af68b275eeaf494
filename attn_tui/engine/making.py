"""How the weights of a capture's heads are to be made: scale, mask and sink, as asked."""

import re
from dataclasses import dataclass, replace
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.reconstruction import Reconstruction, Weighing
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.scale import Scale

MASKS = "auto, none, causal, causal:OFFSET, window:KEYS, window:KEYS:OFFSET or given"
"""How a mask is asked for."""


def parse_mask(text: str) -> HeadMask | None:
    """Read what mask is asked for; None is to be found: as captured, else what the output says.

    An offset of None aligns the last query with the last key.

    Raises:
        InputError: With field ``"mask"``.
    """
    found = re.fullmatch(
        r"(auto|none|given)|causal(:-?\d{1,9})?|window:(\d{1,9})(:-?\d{1,9})?", text
    )
    if found is None or (found[3] is not None and int(found[3]) < 1):
        raise InputError("mask", f"{inert(text)} is no mask", MASKS)
    kind: Any = text.partition(":")[0]
    if kind == "auto":
        return None
    offset = found[2] or found[4]
    return HeadMask(
        kind,
        None if offset is None else int(offset[1:]),
        None if found[3] is None else int(found[3]),
    )


def mask_text(mask: HeadMask | None) -> str:
    """Return a mask as `parse_mask` reads it."""
    if mask is None:
        return "auto"
    parts = [mask.kind, *(str(each) for each in (mask.window, mask.offset) if each is not None)]
    return ":".join(parts)


@dataclass(frozen=True)
class Making:
    """How weights are made, of every head.

    Attributes:
        scale: The multiplier's rule, and perhaps a soft cap and a sink.
        mask: Which keys are seen, as `parse_mask` returns it.
        captured_sink: Whether a sink that was captured takes part, if the scale has none.
        own_rule: Whether somebody asked for the rule, wherever the output says another multiplier.
        uncapped: Whether somebody asked for no soft cap, whatever the output says.
    """

    scale: Scale = Scale()
    mask: HeadMask | None = None
    captured_sink: bool = True
    own_rule: bool = False
    uncapped: bool = False

    def at_layer(self, layer: int) -> "Making":
        """Return how weights of one layer are made."""
        return replace(self, scale=self.scale.at_layer(layer)) if self.scale.is_by_layer else self

    def over(self, found: Reconstruction) -> Reconstruction:
        """Return what was found but for what is asked for, which is then not judged by the output.

        A mask is judged, as long as it gives what was captured.
        """
        has_cap = self.uncapped or self.scale.softcap is not None
        has_sink = self.scale.sink is not None or not self.captured_sink
        if self.own_rule:
            found = replace(found, multiplier=None)
        if has_cap:
            found = replace(found, softcap=None)
        if has_sink:
            found = replace(found, sink=None, drops_sink=False)
        has_other_mask = self.mask is not None and not found.fits
        if self.own_rule or has_cap or has_sink or has_other_mask:
            found = replace(found, residual=None, missed=None, doubt=0.0)
        return found

    def weighing(self, rows: HeadRows, found: Reconstruction) -> Weighing:
        """Return how the weights of some rows are made: as asked, else with what was found."""
        made = self.scale.logit_map(rows.d_k, rows.n_keys)
        if found.multiplier is not None:
            made = replace(made, multiplier=found.multiplier)
        if made.softcap is None:
            made = replace(made, softcap=found.softcap)
        if made.sink is None and self.captured_sink:
            is_found = found.sink is not None or found.drops_sink
            made = replace(made, sink=found.sink if is_found else rows.sink)
        return Weighing(made, found.mask)

    def as_plain(self) -> dict[str, Any]:
        """Return it for JSON."""
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
