"""What Explore asks: which gradient is shown."""

from dataclasses import dataclass

from attn_tui.compute.field import asked, check_fields, one_of, whole
from attn_tui.compute.logit_map import SYMBOL, Wrt


@dataclass(frozen=True)
class Settings:
    """Which gradient is shown.

    Attributes:
        of: The key whose weight is differentiated, counted from 0.
        wrt: With respect to scores s or logits z.
    """

    of: int = asked(
        0, whole(0), "gradient of", "the key whose weight is differentiated", option="--of",
        metavar="KEY",
    )  # fmt: skip
    wrt: Wrt = asked(
        "scores", one_of(SYMBOL), "with respect to", "what the gradient is taken with respect to",
        option="--wrt",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_fields(self)
