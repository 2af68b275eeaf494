"""The number formats softmax can be computed in, and what is rounded before."""

from dataclasses import dataclass
from typing import Literal

from attn_tui.compute.field import Checked, asked, one_of, switch

FORMATS = ("float64", "float32", "float16", "bfloat16")
"""Names of the formats, widest first."""

Arithmetic = Literal["fused", "stepwise"]
"""What a 16-bit softmax rounds: the logits and the weights, or every operation."""

_FORMAT = one_of(dict.fromkeys(FORMATS, ""))


@dataclass(frozen=True)
class Precision(Checked):
    """How softmax is computed, and what is rounded before.

    Attributes:
        format: The format softmax is computed in, one of `FORMATS`.
        stable: Whether the largest score is subtracted before the exponential. Without it
            e^z overflows or underflows early, and the program shows the infinities and NaN.
        scores: The format scores are rounded to before anything else.
        vectors: The format queries and keys are rounded to before their product is taken,
            where there are any.
        arithmetic: Of a 16-bit format: fused, as hardware and PyTorch do, logits are rounded to the
            format, all inside is float32, and the weights are rounded; stepwise, every operation
            is rounded to the format, but the sum is kept in float32.
    """

    format: str = asked(
        "float64", _FORMAT, "precision", "the number format softmax is computed in",
        key="precision", option="--precision", metavar="FORMAT",
        synonyms=("dtype", "float16", "bfloat16", "number format"),
    )  # fmt: skip
    stable: bool = asked(
        True, switch("naive", "stable"), "method",
        "how softmax is computed: naive, or stable, with the largest score subtracted", key="naive",
        option="--stable/--naive", synonyms=("subtract the maximum", "stable", "overflow"),
    )  # fmt: skip
    scores: str = asked(
        "float64", _FORMAT, "scores in",
        "the number format scores are rounded to before anything else", key="round_scores",
        option="--round-scores", metavar="FORMAT",
    )  # fmt: skip
    vectors: str = asked(
        "float64", _FORMAT, "q and k in",
        "the number format q and k are rounded to before their product", key="round_vectors",
        option="--round-vectors", metavar="FORMAT",
        held=lambda setup, source: (
            "" if source.rounds else "There are no q and k to round: choose where scores come from"
        ),
    )  # fmt: skip
    arithmetic: Arithmetic = asked(
        "fused", one_of({"fused": "as hardware does", "stepwise": "every operation"}), "16 bits",
        "whether 16 bits round logits and weights, or every operation", option="--arithmetic",
    )  # fmt: skip

    @property
    def inner(self) -> str:
        """The format of what happens inside softmax."""
        narrow = self.format in FORMATS[2:] and self.arithmetic == "fused"
        return "float32" if narrow else self.format
