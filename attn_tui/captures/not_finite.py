"""NaN and infinities in captured tensors: how many, and where the first is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from attn_tui.captures.capture import Capture
from attn_tui.captures.stored import Plain, Stored, widened
from attn_tui.compute.visible import visible

BLOCK = 2**20
"""Numbers that are looked at at a time."""

_MAY_BE_MASKED = ("scores", "mask", "bias", "lse")
"""Parts in which −∞ means that a key, or a whole row, is masked."""


@dataclass(frozen=True)
class NotFinite:
    """What of a tensor is no finite number.

    Attributes:
        name: Of the tensor, in its file.
        path: Of the file.
        nan: How many are NaN.
        infinite: How many are infinite, without the −∞ that masks.
        first: The index of the first.
    """

    name: str
    path: str
    nan: int
    infinite: int
    first: tuple[int, ...]

    def __str__(self) -> str:
        counts = ((self.nan, "NaN"), (self.infinite, "infinite"))
        found = " and ".join(f"{count:,} {what}" for count, what in counts if count)
        return f"{visible(self.name)[:80]}: {found}, the first at {list(self.first)}"


def not_finite(
    capture: Capture, layer: int, stop: Callable[[], bool] = lambda: False
) -> Iterator[NotFinite]:
    """Yield what is no finite number in each tensor of a layer, all of which is read.

    Args:
        capture: Where the layer is.
        layer: By its number.
        stop: Asked between blocks; True ends it.

    Raises:
        InputError: If there is no such layer, or a file cannot be read.
    """
    for part, tensor in capture.tensors(layer).items():
        for stored in tensor.pieces:
            if "float" in stored.format and (found := _counted(part, stored, stop)):
                yield found


def _counted(part: str, stored: Stored, stop: Callable[[], bool]) -> NotFinite | None:
    nan = infinite = 0
    first = -1
    for start, numbers in stored.blocks(BLOCK):
        if stop():
            return None
        # Narrow formats have no arithmetic of their own that is fast.
        wide = widened(numbers)
        wrong = ~np.isfinite(wide)
        if part in _MAY_BE_MASKED:
            wrong &= wide != -np.inf
        if wrong.any():
            if first < 0:
                first = start + int(np.argmax(wrong))
            here = int(np.count_nonzero(np.isnan(wide)))
            nan, infinite = nan + here, infinite + int(np.count_nonzero(wrong)) - here
    if first < 0:
        return None
    is_fortran = isinstance(stored, Plain) and stored.is_fortran
    place = np.unravel_index(first, stored.shape, order="F" if is_fortran else "C")
    return NotFinite(stored.name, stored.path, nan, infinite, tuple(map(int, place)))
