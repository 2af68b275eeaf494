"""What blocks of rows see is what their mask says, row by row."""

import numpy as np

from attn_tui.compute.heads.mask import HeadMask, Kind
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.heads.sight import sight
from tests.pairs import each_once, with_rows

N = 20
KINDS: tuple[tuple[Kind, int | None], ...] = (("none", None), ("causal", None), ("window", 4))
MASKS = [
    HeadMask(kind, 0, window, hidden, packed)
    for kind, window in KINDS
    for hidden in (None, (0, 6), (13, 19), (0, 18))
    for packed in ((), (7,), (2, 11))
]


@with_rows(
    ("mask", "at", "biased"),
    each_once(MASKS, [slice(0, N), slice(0, 5), slice(5, 9), slice(12, N)], [False, True]),
)
def test_a_block_sees_what_its_mask_says(mask: HeadMask, at: slice, biased: bool) -> None:
    keys = np.zeros((N, 2), np.float32)
    bias = np.zeros((N, N), np.float32) if biased else None
    head = HeadRows(np.arange(N), N, keys, keys, bias=bias)
    seen = sight(head, mask, at)
    scores = np.ones((len(head.rows[at]), seen.width), np.float32)
    seen.fill(scores, 0.0)
    whole = np.zeros((len(scores), N))
    whole[:, seen.keys] = scores
    assert np.array_equal(whole > 0, mask.seen(head)[at])
    assert np.array_equal(seen.counts, whole.sum(axis=1))
