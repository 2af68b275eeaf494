"""Numbers that are too many to be edited as text; a text names them instead."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.files.entries import held


@dataclass(frozen=True, eq=False)
class Attachment:
    """Numbers that a text names. Two are equal if they are one object.

    Attributes:
        numbers: Shape (n,) or (rows, columns), float64, read-only.
    """

    numbers: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", held(self.numbers))
