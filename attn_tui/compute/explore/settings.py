"""The settings of Explore: which gradient is shown."""

from dataclasses import dataclass

from attn_tui.compute.field import Checked, one_of, or_none, setting, whole
from attn_tui.compute.scale import SYMBOL, Wrt

LARGEST = "largest"
"""The name for the key of the largest weight under the scale."""


def _of_loss(settings: "Settings") -> str:
    """Return why the key of the weight has no effect, or an empty text."""
    return "" if settings.target is None else "the gradient is that of the loss: answer none"


@dataclass(frozen=True)
class Settings(Checked):
    """Which gradient is shown.

    Attributes:
        of: The key whose weight is differentiated, counted from 0; None for the key of the largest
            weight under the scale.
        wrt: Whether to differentiate with respect to scores s or logits z.
        target: The key that is the answer of a cross-entropy, whose gradient is shown in place of a
            weight's; None for none.
    """

    of: int | None = setting(
        None, or_none(whole(0), LARGEST), "gradient of",
        "the key whose weight is differentiated; largest or null, that of the largest weight",
        option="--of", metavar="KEY", synonyms=("derivative of",),
        presets={LARGEST: (LARGEST, "max", "largest weight", "gradient of the largest weight")},
        stays={LARGEST: "The gradient is that of the largest weight already"},
        no_effect=lambda setup, source: _of_loss(setup.get(Settings)),
    )  # fmt: skip
    wrt: Wrt = setting(
        "scores", one_of(SYMBOL), "with respect to", "what the gradient is taken with respect to",
        option="--wrt", synonyms=("wrt",),
    )  # fmt: skip
    target: int | None = setting(
        None, or_none(whole(0), "none"), "answer",
        "the key that is the answer of a cross-entropy, whose gradient is shown; or none",
        option="--answer", metavar="KEY",
        synonyms=("target", "loss", "cross-entropy", "cross entropy", "label", "gradient of loss"),
    )  # fmt: skip
