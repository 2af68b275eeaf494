"""Which keys a query may not attend to: ranges of keys, and the causal mask."""

from dataclasses import dataclass
from math import inf

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import parse_whole

_LARGEST = 10**9
_EXPECTED = "keys and ranges such as 2, 5:8, 12: or causal"


@dataclass(frozen=True)
class Mask:
    """Keys whose weight is 0, besides those whose score is −∞.

    Attributes:
        ranges: Half-open ranges of keys ``(start, stop)``, rising and apart; a stop of None
            reaches to the last key.
        causal: Whether vector r, counted from 0, sees only keys 0 to r: the lower triangle of a
            score matrix aligned at its first entry, like ``is_causal`` of PyTorch's
            ``scaled_dot_product_attention``.
    """

    ranges: tuple[tuple[int, int | None], ...] = ()
    causal: bool = False

    def __post_init__(self) -> None:
        for start, stop in self.ranges:
            if start < 0 or (stop is not None and stop <= start):
                raise InputError("mask", f"the range {start}:{stop} is empty", _EXPECTED)
        object.__setattr__(self, "ranges", _merged(self.ranges))

    def __bool__(self) -> bool:
        return self.causal or bool(self.ranges)

    def __str__(self) -> str:
        parts = ["causal"] if self.causal else []
        for start, stop in self.ranges:
            end = "" if stop is None else str(stop)
            parts.append(str(start) if stop == start + 1 else f"{start}:{end}")
        return ", ".join(parts)

    def hides(self, key: int) -> bool:
        """Return whether a range contains a key."""
        return any(start <= key and (stop is None or key < stop) for start, stop in self.ranges)

    def toggled(self, start: int, stop: int | None) -> "Mask":
        """Return the mask with a range added, or removed if its first key is already masked."""
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
    """Return ranges in rising order, joining those that touch or overlap."""
    merged: list[tuple[int, float]] = []
    for start, end in sorted((start, inf if stop is None else stop) for start, stop in ranges):
        if merged and start <= merged[-1][1]:
            before, reached = merged.pop()
            merged.append((before, max(reached, end)))
        else:
            merged.append((start, end))
    return tuple((start, None if end == inf else int(end)) for start, end in merged)


def parse_mask(text: str) -> Mask:
    """Read keys, half-open ranges of keys and ``causal``; an empty text masks nothing.

    Raises:
        InputError: With field ``"mask"``, naming the part that is not understood.

    >>> parse_mask("5:8, 2, 12:").ranges
    ((2, 3), (5, 8), (12, None))
    """
    ranges: list[tuple[int, int | None]] = []
    causal = False
    for token in text.replace(",", " ").split():
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
