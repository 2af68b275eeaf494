"""Which keys a query may not attend to: ranges of keys, and the causal mask."""

from dataclasses import dataclass

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.whole import half_width, parse_whole

_LARGEST = 10**9
_EXPECTED = "keys and ranges such as 2, 5:8, 12: or causal"


@dataclass(frozen=True)
class Mask:
    """Keys whose weight is 0, besides those whose score is −∞.

    Attributes:
        ranges: Half-open ranges of keys ``(start, stop)``, rising and apart; a stop of None
            reaches to the last key.
        causal: Whether vector r, counted from 0, sees keys 0 to r only: the lower triangle of
            a score matrix aligned at its first entry, as ``is_causal`` of PyTorch's
            ``scaled_dot_product_attention`` has it.
    """

    ranges: tuple[tuple[int, int | None], ...] = ()
    causal: bool = False

    def __post_init__(self) -> None:
        for start, stop in self.ranges:
            if start < 0 or (stop is not None and stop <= start):
                shown = f"{start}:{'' if stop is None else stop}"
                raise InputError("mask", f"the range {shown} is empty", _EXPECTED)
        object.__setattr__(self, "ranges", _merged(self.ranges))

    def __bool__(self) -> bool:
        return self.causal or bool(self.ranges)

    def __str__(self) -> str:
        parts = ["causal"] if self.causal else []
        parts += [
            f"{start}:" if stop is None else str(start) if stop == start + 1 else f"{start}:{stop}"
            for start, stop in self.ranges
        ]
        return ", ".join(parts)

    def hides(self, key: int) -> bool:
        """Return whether a range holds a key."""
        return any(start <= key and (stop is None or key < stop) for start, stop in self.ranges)

    def toggled(self, start: int, stop: int | None) -> "Mask":
        """Return the mask with a range hidden too, or shown again if its first key is hidden."""
        if not self.hides(start):
            return Mask((*self.ranges, (start, stop)), self.causal)
        kept: list[tuple[int, int | None]] = []
        for low, high in self.ranges:
            if low < start:
                kept.append((low, start if high is None else min(high, start)))
            if stop is not None and (high is None or high > stop):
                kept.append((max(low, stop), high))
        return Mask(tuple(kept), self.causal)


def _merged(ranges: tuple[tuple[int, int | None], ...]) -> tuple[tuple[int, int | None], ...]:
    """Return ranges in rising order, those that touch joined."""
    merged: list[tuple[int, int | None]] = []
    for start, stop in sorted(ranges, key=lambda each: each[0]):
        if merged and (merged[-1][1] is None or start <= merged[-1][1]):
            before, end = merged.pop()
            merged.append((before, None if None in (end, stop) else max(end or 0, stop or 0)))
        else:
            merged.append((start, stop))
    return tuple(merged)


def parse_mask(text: str) -> Mask:
    """Read keys and half-open ranges of keys, and ``causal``; nothing masks nothing.

    Raises:
        InputError: With field ``"mask"``, naming what is not understood.

    >>> parse_mask("5:8, 2, 12:").ranges
    ((2, 3), (5, 8), (12, None))
    """
    ranges: list[tuple[int, int | None]] = []
    causal = False
    for token in half_width(text).replace(",", " ").split():
        if token == "causal":
            causal = True
            continue
        low, colon, high = token.partition(":")
        try:
            start = parse_whole("mask", low)
            stop = parse_whole("mask", high) if high else None
        except InputError:
            start = stop = -1
        if not 0 <= max(start, stop or 0) <= _LARGEST or start < 0:
            raise InputError("mask", f"{inert(token)} will not do", _EXPECTED)
        ranges.append((start, stop if colon else start + 1))
    return Mask(tuple(ranges), causal)
