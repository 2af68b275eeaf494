"""What is asked besides the scores: d_k, the scale, the precision, the mask, and settings."""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from attn_tui.compute.log_scale import D_K
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale

S = TypeVar("S")


@dataclass(frozen=True)
class Setup:
    """Everything asked but where the scores come from; shared by all instruments.

    Attributes:
        d_k: Dimension of one head's queries and keys.
        scale: From scores to logits: the multiplier rule, soft cap, sink and QK-norm.
        precision: The number formats, and how softmax is computed.
        mask: Keys that are masked besides those whose score is −∞.
        settings: At most one settings object of each instrument, a frozen dataclass.
    """

    d_k: int = 1024
    scale: Scale = Scale()
    precision: Precision = Precision()
    mask: Mask = Mask()
    settings: tuple[object, ...] = field(default=())

    def __post_init__(self) -> None:
        D_K.parse(str(self.d_k))

    def get(self, kind: type[S]) -> S:
        """Return the settings of one instrument, its defaults if none were set."""
        return next((s for s in self.settings if isinstance(s, kind)), None) or kind()

    def put(self, settings: object) -> "Setup":
        """Return this setup with one instrument's settings in place of what it had."""
        kept = [s for s in self.settings if type(s) is not type(settings)]
        if settings != type(settings)():
            kept.append(settings)
        # In one order, so that setups that ask the same are equal.
        return replace(self, settings=tuple(sorted(kept, key=lambda s: type(s).__module__)))
