"""The settings of Explore: which gradient is shown."""

from dataclasses import dataclass

from attn_tui.compute.field import Checked, one_of, or_none, setting, whole
from attn_tui.compute.scale import SYMBOL, Wrt

LARGEST = "largest"
"""The name for the key of the largest weight under the scale."""


@dataclass(frozen=True)
class Settings(Checked):
    """Which gradient is shown.

    Attributes:
        of: The key whose weight is differentiated, counted from 0; None for the key of the largest
            weight under the scale.
        wrt: Whether to differentiate with respect to scores s or logits z.
    """

    of: int | None = setting(
        None, or_none(whole(0), LARGEST), "gradient of",
        "the key whose weight is differentiated; largest or null, that of the largest weight",
        option="--of", metavar="KEY", synonyms=("derivative of",),
        presets={LARGEST: (LARGEST, "max", "largest weight", "gradient of the largest weight")},
        stays={LARGEST: "The gradient is that of the largest weight already"},
    )  # fmt: skip
    wrt: Wrt = setting(
        "scores", one_of(SYMBOL), "with respect to", "what the gradient is taken with respect to",
        option="--wrt", synonyms=("wrt",),
    )  # fmt: skip
