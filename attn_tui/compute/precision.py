"""The number formats softmax can be computed in."""

from dataclasses import dataclass

from attn_tui.compute.errors import InputError, inert

FORMATS = ("float64", "float32")
"""Names of the formats, widest first; each is also the name of a NumPy type."""


@dataclass(frozen=True)
class Precision:
    """How softmax is computed.

    Attributes:
        format: One of `FORMATS`.
        stable: Whether the largest score is subtracted before the exponential. Without it
            e^z overflows or underflows early, and the program shows the infinities and NaN.
    """

    format: str = "float64"
    stable: bool = True

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise InputError(
                "precision", f"{inert(self.format)} is not a format", " or ".join(FORMATS)
            )
