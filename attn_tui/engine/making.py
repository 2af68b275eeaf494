"""How the weights of a capture's heads are to be made: scale, mask and sink, as asked."""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from attn_tui.captures.capture import HeadShape
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.fit.reconstruction import Reconstruction
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.heads.weighing import Weighing
from attn_tui.compute.scale import Scale

MASKS = "auto, none, causal, causal:OFFSET, window:KEYS, window:KEYS:OFFSET or given"
"""How a mask is asked for."""


@dataclass(frozen=True)
class MaskChoice:
    """The mask that was asked for.

    Attributes:
        kind: As `HeadMask` has it, or to be found: as captured, else what the output says.
        window: The keys of a window.
        offset: The key that query 0 stands at; None aligns the last query with the last key.
    """

    kind: Literal["auto", "none", "causal", "window", "given"] = "auto"
    window: int | None = None
    offset: int | None = None

    def mask(self, shape: HeadShape) -> HeadMask:
        """Return the mask of a head; one to be found is none."""
        if self.kind == "auto" or self.kind == "none":
            return HeadMask()
        offset = shape.n_keys - shape.n_queries if self.offset is None else self.offset
        return HeadMask(self.kind, offset, self.window)

    @property
    def text(self) -> str:
        """The choice as `parse_mask` reads it."""
        parts = [self.kind, *(str(x) for x in (self.window, self.offset) if x is not None)]
        return ":".join(parts)


def parse_mask(text: str) -> MaskChoice:
    """Read what mask is asked for.

    Raises:
        InputError: With field ``"mask"``.
    """
    found = re.fullmatch(
        r"(auto|none|given)|causal(:-?\d{1,9})?|window:(\d{1,9})(:-?\d{1,9})?", text
    )
    if found is None or (found[3] is not None and int(found[3]) < 1):
        raise InputError("mask", f"{inert(text)} is no mask", MASKS)
    offset = found[2] or found[4]
    return MaskChoice(
        text.partition(":")[0],  # type: ignore[arg-type]
        None if found[3] is None else int(found[3]),
        None if offset is None else int(offset[1:]),
    )


@dataclass(frozen=True)
class Making:
    """How weights are made, of every head.

    Attributes:
        scale: The multiplier's rule, and perhaps a soft cap and a sink.
        mask: Which keys are seen.
        captured_sink: Whether a sink that was captured takes part, if the scale has none.
        own_rule: Whether somebody asked for the rule, wherever the output says another multiplier.
        uncapped: Whether somebody asked for no soft cap, whatever the output says.
    """

    scale: Scale = Scale()
    mask: MaskChoice = MaskChoice()
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
        has_other_mask = self.mask.kind != "auto" and not found.fits
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
            "mask": self.mask.text,
        }
