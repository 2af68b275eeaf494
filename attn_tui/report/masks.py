"""Masks in words: which keys a query sees, and which are hidden besides."""

from collections.abc import Iterator

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.numbers import whole
from attn_tui.compute.text import counted, listed

_NAMED = 4
"""The most places that are listed."""


def mask_name(mask: HeadMask, length: str = "") -> str:
    """Return a mask in words, except padding and packed texts.

    Args:
        mask: The mask.
        length: A text to add after the length of a window.
    """
    text = {"none": "no mask", "given": "the captured mask"}.get(mask.kind, mask.kind)
    if mask.kind == "local" and mask.window is not None:
        text = f"{mask.window // 2:,} keys to either side"
    elif mask.window is not None:
        text += f" of {counted(mask.window, 'key')}{length}"
    if mask.chunk is not None:
        text += f" in chunks of {counted(mask.chunk, 'key')}"
    return text + place_text(mask)


def place_text(mask: HeadMask) -> str:
    """Return where the first query of a mask stands: ``, query 0 at key 8``; empty for key 0."""
    if not mask.by_position or mask.offset == 0:
        return ""
    if mask.offset is None:
        return ", queries at captured positions"
    return f", query 0 at key {whole(mask.offset)}"


def hiding_texts(mask: HeadMask) -> Iterator[str]:
    """Yield the other causes that hide keys: ``keys 0–9 hidden, as padding is``, ``packed: …``."""
    if mask.hidden is not None:
        yield f"{keys_text(mask.hidden)} hidden, as padding is"
    if mask.packed:
        yield packed_text(mask)


def keys_text(keys: tuple[int, int]) -> str:
    """Return keys from a first to a last one: ``keys 0–9``, ``key 47``."""
    first, last = keys
    return f"key {first:,}" if first == last else f"keys {first:,}–{last:,}"


def packed_text(mask: HeadMask) -> str:
    """Return where the texts packed into one sequence begin.

    >>> packed_text(HeadMask("causal", packed=(24,)))
    'packed: keys 0–23 are hidden from rows from 24 on'
    >>> packed_text(HeadMask("causal", packed=(24, 50)))
    'packed: texts begin at keys 0, 24 and 50, and rows see none but their own'
    """
    first, *more = mask.packed
    if not more and mask.offset is not None:
        hidden = keys_text((0, first - 1))
        are = "is" if first == 1 else "are"
        return f"packed: {hidden} {are} hidden from rows from {first - mask.offset:,} on"
    return f"packed: {texts_text(mask)}, and rows see none but their own"


def texts_text(mask: HeadMask) -> str:
    """Return at which keys the texts packed into one sequence begin.

    >>> texts_text(HeadMask("causal", packed=(24, 50, 60, 70)))
    'texts begin at keys 0, 24, 50 and 2 more'
    """
    starts = [f"{key:,}" for key in (0, *mask.packed)]
    if len(starts) > _NAMED:
        starts = [*starts[: _NAMED - 1], f"{len(starts) - _NAMED + 1:,} more"]
    return f"texts begin at keys {listed(starts)}"
