"""Count and locate NaN and infinities in captured tensors."""

from collections.abc import Callable, Collection, Iterator

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.readings import Reading
from attn_tui.captures.stored import Raw, widened
from attn_tui.compute.heads.rows import Odd

BLOCK = 2**19
"""Numbers that are checked at a time."""

PARTS = ("q", "k", "v", "out", "weights")
"""The tensors that are checked."""


def not_finite(
    capture: Capture,
    head: HeadId,
    reading: Reading | None = None,
    stop: Callable[[], bool] = lambda: False,
    finite: Collection[str] = (),
) -> Iterator[Odd]:
    """Yield the NaN and infinities of each tensor of a head, which is read as a whole.

    Keys and values that heads share count for the first of them.

    Args:
        capture: The capture of the head.
        head: The head.
        reading: How tensors are read; None for the likeliest reading.
        stop: Returns whether to stop; called before each block.
        finite: Parts that are known to be finite, and are not read.

    Raises:
        InputError: If there is no such head, or a file cannot be read.
    """
    shape = capture.shape(head, reading)
    read_as = reading or capture.readings(head.layer)[0]
    shares = shape.kv_head in map(read_as.kv_head, range(head.head))
    widths = {"q": shape.d_k, "k": shape.d_k, "v": shape.d_v, "out": shape.d_v}
    for part in PARTS:
        if part in finite or part not in shape.has:
            continue
        if "float" not in capture.tensors(head.layer)[part].format:
            continue
        if part in ("k", "v") and shares:
            continue
        # Rows that lengths leave out are looked at, too.
        more_queries, more_keys = shape.left_out
        rows = shape.n_queries + more_queries
        if part in ("k", "v"):
            rows = shape.n_keys + more_keys
        at_once = max(BLOCK // max(widths.get(part, shape.n_keys), 1), 1)
        nan = infinite = 0
        first: tuple[int, int] | None = None
        for start in range(0, rows, at_once):
            if stop():
                return
            run = range(start, min(start + at_once, rows))
            numbers = capture.stored(head, part, reading, run)
            if not _may_be_odd(numbers):
                continue
            wide = widened(numbers).reshape(len(run), -1)
            odd = ~np.isfinite(wide)
            if odd.any():
                row, column = divmod(int(np.argmax(odd)), wide.shape[1])
                first = first or (start + row, column)
                here = int(np.count_nonzero(np.isnan(wide)))
                nan, infinite = nan + here, infinite + int(np.count_nonzero(odd)) - here
        if first is not None:
            yield Odd(part, nan, infinite, *first)


def _may_be_odd(numbers: Raw) -> bool:
    """Return False if no number can be NaN or infinite, a fast check of 16-bit exponents."""
    if numbers.dtype.itemsize != 2 or numbers.dtype.byteorder == ">":
        return True
    ones = 0x7F80 if numbers.dtype.name == "bfloat16" else 0x7C00
    bits = np.bitwise_and(numbers.view(np.uint16), np.uint16(ones))
    return bool(bits.max(initial=0) == ones)


def odd_rows(capture: Capture, head: HeadId, reading: Reading | None, most: int) -> list[int]:
    """Return the numbers of the first rows of a head's output with NaN or infinity.

    Args:
        capture: The capture of the head.
        head: The head.
        reading: How tensors are read; None for the likeliest reading.
        most: The most rows to return.
    """
    shape = capture.shape(head, reading)
    part = "out" if "out" in shape.has else "weights"
    if part not in shape.has:
        return []
    rows: list[int] = []
    at_once = max(BLOCK // max(shape.d_v, 1), 1)
    for start in range(0, shape.n_queries, at_once):
        run = range(start, min(start + at_once, shape.n_queries))
        numbers = capture.stored(head, part, reading, run)
        if _may_be_odd(numbers):
            odd = ~np.isfinite(widened(numbers).reshape(len(run), -1)).all(axis=1)
            rows += [start + int(row) for row in np.flatnonzero(odd)]
        if len(rows) >= most:
            break
    return rows[:most]
