"""How the weights of a capture are made, and by how much they miss its output, in words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isnan

from attn_tui.captures.source import By
from attn_tui.compute.scale import as_root
from attn_tui.report.numbers import fitted_logit, general, quantity
from attn_tui.report.words import percent


@dataclass(frozen=True)
class Made:
    """How weights are made, as far as a captured output says.

    Attributes:
        mask: In words.
        softcap: The cap that a fit finds, if any.
        sink: The sink, as well.
        multiplier: The m that it finds, where that of the rule misses the output.
        missed: By how much that does.
        value_scale: c of out = c·P·V.
        stretch: c beside the captured sink, or without one, if nothing tells it from a sink.
        drops_sink: Whether a sink was captured that has no part in it.
        by: What was captured that says so.
        by_row: The least and the largest m where each row has its own.

    >>> Made("window of 32 keys", 20.0, multiplier=7.996).text
    'm = 8, window of 32 keys, soft cap 20.0'
    """

    mask: str
    softcap: float | None = None
    sink: float | None = None
    multiplier: float | None = None
    missed: float | None = None
    value_scale: float = 1.0
    drops_sink: bool = False
    by: By = "output"
    by_row: tuple[float, float] | None = None
    stretch: float | None = None

    @property
    def m(self) -> str:
        """The multiplier that a fit finds: ``m = 8``."""
        if self.by_row is not None:
            least, most = (general(each, 3) for each in self.by_row)
            return f"m by row, {least} to {most}"
        if self.multiplier is None:
            return ""
        return f"m = {as_root(self.multiplier) or general(self.multiplier, 3)}"

    @property
    def text(self) -> str:
        """All of it that is there."""
        parts = [
            self.m,
            self.mask,
            "" if self.softcap is None else f"soft cap {quantity(self.softcap)}",
            "" if self.sink is None else f"sink b = {quantity(fitted_logit(self.sink))}",
            *self._stretched,
        ]
        return ", ".join(filter(None, parts))

    @property
    def _stretched(self) -> tuple[str, ...]:
        """That no sink has a part, and the value scale; or which of them, where either may be."""
        dropped = "sink none" if self.drops_sink and self.sink is None else ""
        scale = "" if self.value_scale == 1.0 else f"value scale {general(self.value_scale, 3)}"
        if self.stretch is None:
            return dropped, scale
        beside = f"value scale {general(self.stretch, 3)}"
        return (f"{dropped} or {beside} with it" if dropped else f"{beside} or a sink",)

    @property
    def instead(self) -> str:
        """What the m of the rule does: ``1/√d_k misses the output by 82 %``."""
        miss = miss_text(self.missed or 0.0)
        return f"{RULE} misses the {self.by} by {miss}" if self.missed else ""

    @property
    def texts(self) -> list[str]:
        """What a fit finds, at decreasing length.

        >>> Made("window of 32 keys", 20.0, 1.0).texts[3:]
        ['window 32, cap 20.0, sink 1.00', 'window, cap, sink']
        """
        made = self.text
        short = made.replace(" of ", " ").replace(" keys", "").replace("soft ", "")
        short = short.replace("sink b = ", "sink ").replace("no mask, ", "")
        texts = [f"{made}, found by the doctor's fit", f"{made}, by fit", f"{short} by fit", short]
        least = re.sub(" [0-9][0-9.,]*[0-9]", "", short)
        return [*texts, f"{self.m} by fit" if self.m else least]


RULE = "1/√d_k"
"""The rule where nobody asks for another."""


SAID: Mapping[By, str] = {
    "output": "the output says",
    "weights": "the weights say",
}
"""What was captured, as it says how weights are made."""

MISSES: Mapping[By, str] = {
    "output": "P·V misses the output",
    "weights": "P misses the captured weights",
}
"""What is compared with what was captured."""


_CLOSE = 1e-3
"""That m may be off by a smaller share is not said."""


def doubt_text(doubt: float) -> str:
    """Return by how much m may be off, which what was captured does not tell, or nothing.

    >>> doubt_text(0.021), doubt_text(1e-4)
    ('m may be off by 2 %', '')
    """
    if doubt <= _CLOSE:
        return ""
    if doubt == inf:
        return f"m = {RULE} is assumed, since nothing captured depends on it"
    return f"m may be off by {percent(doubt)}"


def miss_text(residual: float) -> str:
    """Return by how much, relative to the output.

    >>> miss_text(0.36), miss_text(1.7), miss_text(float("nan"))
    ('36 %', '≥ 100 %', 'NaN')
    """
    if isnan(residual):
        return "NaN"
    return percent(residual) if residual < 1.0 else "≥ 100 %"


def miss_texts(made: str, residual: float, more: str, by: By = "output") -> list[str]:
    """Return it at decreasing length.

    Args:
        made: How the weights are made: ``m = 1/√d_k, causal``.
        residual: ‖out − P·V‖/‖out‖.
        more: What is to be said besides, where there is room.
        by: What it misses.
    """
    miss = miss_text(residual)
    return [
        f"{made} misses the {by} by {miss}: {more}",
        f"{made} misses the {by} by {miss}",
        f"{MISSES[by].replace('the ', '')} by {miss}",
        f"misses {miss}",
    ]
