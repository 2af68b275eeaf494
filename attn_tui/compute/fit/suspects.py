"""Where nothing fits: what may have been captured instead, each suspect tested and named."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.choose import hopeless
from attn_tui.compute.fit.diagnosis import Path
from attn_tui.compute.fit.model import Floats, Parameters, Rows, compute, rows_of
from attn_tui.compute.fit.noise import Format, variance
from attn_tui.compute.fit.scan import chosen_rows
from attn_tui.compute.fit.search import unwindowed
from attn_tui.compute.fit.solve import aligned
from attn_tui.compute.fit.usable import taken
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

BASES = (1e4, 1e5, 5e5, 1e6)
"""Bases of rotary positions in use."""
FEW = 5
"""Rows for what takes many trials."""
NEAR = 0.05
"""A row is a mixture of values if no more than this share of it is left."""


def suspects(head: HeadRows, format: Format) -> tuple[str, ...]:
    """Return what was tested of a head that nothing fits, what was found first.

    Args:
        head: With an output.
        format: Of the output.
    """
    head = taken(head, chosen_rows(len(head.rows)))
    masks = unwindowed(head)
    few = taken(head, np.unique(np.linspace(0, len(head.rows) - 1, FEW).round().astype(np.intp)))
    results = [
        *_twice(few, masks, format), *_rotary(few, masks, format),
        *_padding(head, masks, format), *_prefix(head),
    ]  # fmt: skip
    guilty = [text for found, text in results if found]
    values = [] if guilty else [_values(head, masks)]
    return (*guilty, *values, *(text for found, text in results if not found))


Result = tuple[bool, str]
"""Whether a suspect looks guilty, and what is said of it."""


def _values(head: HeadRows, masks: tuple[HeadMask, ...]) -> str:
    """Test whether rows that see few keys are any mixture at all of the values they see."""
    assert head.values is not None
    assert head.output is not None
    least = None
    for mask in masks:
        seen = mask.seen(head)
        count = seen.sum(axis=1)
        left = []
        for i in np.flatnonzero((count > 0) & (2 * count <= head.values.shape[1])):
            values = head.values[seen[i]].astype(np.float64).T
            row = head.output[i].astype(np.float64)
            weights = np.linalg.lstsq(values, row, rcond=None)[0]
            left.append(float(np.linalg.norm(row - values @ weights) / np.linalg.norm(row)))
        if left:
            worst = max(left)
            least = worst if least is None else min(least, worst)
    if least is None:
        return "output after o_proj, or another layout: no row sees few enough keys to tell"
    if least > NEAR:
        return "output after o_proj, another layout or KV head: it is no mixture of the values"
    return (
        "q or k before RoPE or norm, a bias, another scale of each key: values and output belong "
        "together, scores do not"
    )


def _twice(head: HeadRows, masks: tuple[HeadMask, ...], format: Format) -> Iterator[Result]:
    """Test whether weights were softmaxed again, masked ones, which were 0, among them."""
    least, best = np.inf, 0.0
    floor = 0.0
    for mask in masks:
        rows = rows_of(head, mask)
        for m in head.d_k**-0.5 * 2.0 ** np.arange(-4, 4.1, 0.25):
            state = compute(rows, Parameters(float(m)))
            for hidden in (rows.seen, np.ones_like(rows.seen)):
                again = np.where(hidden, np.exp(state.weights), 0.0)
                off = _off(again @ rows.values, rows.output)
                if off < least:
                    least, best = off, float(m)
                    path: Path = "eager" if format.bits < 24 else "float32"
                    made = variance(rows, state, format, path)
                    floor = float(np.sqrt(made.sum() / np.square(rows.output).sum()))
    # The grid is coarse, but weights that were softmaxed twice hardly depend on m.
    guilty = least < max(5 * floor, 0.02)
    yield guilty, f"softmax twice: {f'fits, with m near {best:.2g}' if guilty else 'no'}"


def _off(mixed: Floats, output: Floats) -> float:
    """Return the root mean square sine between rows."""
    along = (mixed * output).sum(axis=1)
    square = np.square(mixed).sum(axis=1) * np.square(output).sum(axis=1)
    return float(np.sqrt(np.clip(1 - along**2 / np.maximum(square, 1e-300), 0, 1).mean()))


def _rotary(head: HeadRows, masks: tuple[HeadMask, ...], format: Format) -> Iterator[Result]:
    """Test whether rotary positions are still to be applied to k, to q or to both."""
    if head.d_k % 2:
        return
    for mask in masks:
        own = mask.own(head)
        if mask.kind != "causal":
            continue
        for base, halves in product(BASES, (True, False)):
            turned_k = rotated(head.keys.astype(np.float64), np.arange(head.n_keys), base, halves)
            turned_q = rotated(head.queries.astype(np.float64), own, base, halves)
            for name, other in (
                ("k", replace(head, keys=turned_k)),
                ("q and k", replace(head, keys=turned_k, queries=turned_q)),
                ("q", replace(head, queries=turned_q)),
            ):
                rows = rows_of(other, mask)
                if _may_fit(rows, head.d_k, format):
                    yield (
                        True,
                        f"{name} before RoPE: fits with rotary positions of base {base:,.0f}",
                    )
                    return
    yield False, "q or k before RoPE of a usual base: no"


def rotated(vectors: Floats, positions: NDArray[np.intp], base: float, halves: bool) -> Floats:
    """Return vectors turned by rotary positions (Su et al. 2021), by halves or by pairs."""
    d = vectors.shape[1]
    angles = np.multiply.outer(positions, base ** (-np.arange(0, d, 2) / d))
    cos, sin = np.cos(angles), np.sin(angles)
    first = vectors[:, : d // 2] if halves else vectors[:, ::2]
    second = vectors[:, d // 2 :] if halves else vectors[:, 1::2]
    one, other = first * cos - second * sin, second * cos + first * sin
    if halves:
        return np.concatenate([one, other], axis=1)
    return np.stack([one, other], axis=2).reshape(vectors.shape)


def _padding(head: HeadRows, masks: tuple[HeadMask, ...], format: Format) -> Iterator[Result]:
    """Test whether keys of zeros are padding that no query sees."""
    empty = ~head.keys.any(axis=1)
    if not empty.any():
        return
    for mask in masks:
        seen = mask.seen(head) & ~empty
        some = np.flatnonzero(seen.sum(axis=1) > 1)
        rows = rows_of(head, mask).under(seen).part(some)
        if len(some) and _may_fit(rows, head.d_k, format):
            yield True, f"padding: fits without {int(empty.sum())} keys of zeros"
            return
    yield False, "padding: keys of zeros are not it"


def _prefix(head: HeadRows) -> Iterator[Result]:
    if head.n_keys < head.n_queries:
        yield True, f"missing prefix: {head.n_queries} queries have but {head.n_keys} keys"


def _may_fit(rows: Rows, d_k: int, format: Format) -> bool:
    near, off = aligned(rows, Parameters(d_k**-0.5))
    return off < 0.3 and not hopeless(rows, near, format)
