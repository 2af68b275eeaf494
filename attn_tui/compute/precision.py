"""The number formats softmax can be computed in, and what is rounded before."""

from dataclasses import dataclass
from typing import Literal, get_args

from attn_tui.compute.errors import InputError, inert

FORMATS = ("float64", "float32", "float16", "bfloat16")
"""Names of the formats, widest first."""

Arithmetic = Literal["fused", "stepwise"]
"""What a 16-bit softmax rounds: the logits and the weights, or every operation."""


@dataclass(frozen=True)
class Precision:
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

    format: str = "float64"
    stable: bool = True
    scores: str = "float64"
    vectors: str = "float64"
    arithmetic: Arithmetic = "fused"

    def __post_init__(self) -> None:
        for name in (self.format, self.scores, self.vectors):
            if name not in FORMATS:
                raise InputError(
                    "precision",
                    f"{inert(name)} is not a format",
                    f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}",
                )
        if self.arithmetic not in get_args(Arithmetic):
            problem = f"{inert(str(self.arithmetic))} will not do"
            raise InputError("arithmetic", problem, "fused or stepwise")

    @property
    def inner(self) -> str:
        """The format of what happens inside softmax."""
        narrow = self.format in FORMATS[2:] and self.arithmetic == "fused"
        return "float32" if narrow else self.format
