"""The number formats softmax can be computed in, and what is rounded before."""

from dataclasses import dataclass

from attn_tui.compute.errors import InputError, inert

FORMATS = ("float64", "float32", "float16", "bfloat16")
"""Names of the formats, widest first."""


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
    """

    format: str = "float64"
    stable: bool = True
    scores: str = "float64"
    vectors: str = "float64"

    def __post_init__(self) -> None:
        for name in (self.format, self.scores, self.vectors):
            if name not in FORMATS:
                raise InputError(
                    "precision",
                    f"{inert(name)} is not a format",
                    f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}",
                )
