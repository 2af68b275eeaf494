"""Statistics of every row of a head: weights are made in blocks that stay in the cache, and go."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.row_statistics import Format, Numbers, Places, RowStatistics
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.compute.heads.sight import Sight, sight
from attn_tui.compute.heads.sums import HIDDEN, Exponents, sums
from attn_tui.compute.heads.weighing import Weighing
from attn_tui.compute.logit_map import LogitMap

FLOAT32 = np.dtype(np.float32)

_CACHED = 2**20
"""Scores of a block: two arrays of so many float32 stay near a core."""

_MOST, _LEAST, _LARGEST = 256, 64, 2**23
"""Rows of a block: a product of few takes longer for each, but a block is no larger than that."""


def row_statistics(
    head: HeadRows,
    weighing: Weighing,
    output: bool = False,
    dtype: "np.dtype[np.floating[Any]]" = FLOAT32,
) -> RowStatistics:
    """Return the statistics of the rows of a head.

    Products are taken in the dtype of queries and keys, or in the one that is asked for where that
    has more digits, in blocks that depend on nothing but their shapes. NaN and infinities make the
    rows that meet them not finite.

    Args:
        head: Queries, at least one, and keys, at least one; for the output values too.
        weighing: How weights are made.
        output: Whether P·V is wanted.
        dtype: float32 or float64.
    """
    with np.errstate(all="ignore"):
        blocks = Blocks(head, (weighing.map,), weighing.mask, output, dtype=dtype)
        found = [blocks.at(place)[0] for place in blocks.places]
    parts: dict[str, Any] = {
        name: [getattr(block, name) for block in found]
        for name in _NAMES
        if getattr(found[0], name) is not None
    }
    numbers = {name: np.concatenate(part) for name, part in parts.items()}
    return RowStatistics(**numbers, computed_in=blocks.computed_in)


_NAMES = [each.name for each in fields(RowStatistics) if each.name != "computed_in"]


def lengths(vectors: Reals) -> Numbers:
    """Return the Euclidean norm of each row, shape (rows, d) to (rows,), in float64."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)))


def rows_at_once(n_rows: int, n_keys: int) -> int:
    """Return how many rows a block has: enough for a fast product, few enough for the cache."""
    fitting = max(min(_CACHED // n_keys, _MOST), _LEAST)
    return max(min(fitting, _LARGEST // n_keys, n_rows), 1)


class Blocks:
    """The blocks of a head's rows, and the memory that they share.

    Args:
        head: Queries, at least one, and keys, at least one; for the output values too.
        maps: From scores to logits, at least one; all share their products.
        mask: Which keys a query sees.
        output: Whether P·V is wanted.
        run: Of how many keys the largest weight is wanted; 0 if none is.
        dtype: Of products, unless queries or keys have more digits.

    Attributes:
        maps: As given.
        computed_in: The dtype of products.
        places: Which rows each block has.
    """

    def __init__(
        self,
        head: HeadRows,
        maps: Sequence[LogitMap],
        mask: HeadMask,
        output: bool = False,
        run: int = 0,
        dtype: "np.dtype[np.floating[Any]]" = FLOAT32,
    ) -> None:
        self._head, self.maps, self._mask, self._run = head, maps, mask, run
        dtype = np.result_type(head.queries, head.keys, dtype)
        self.computed_in: Format = "float64" if dtype == np.float64 else "float32"
        self._queries = head.queries.astype(dtype, copy=False)
        self._keys = head.keys.astype(dtype, copy=False)
        self._values = head.values if output else None
        n, self._at_once = len(head.rows), rows_at_once(len(head.rows), head.n_keys)
        self.places = [slice(at, min(at + self._at_once, n)) for at in range(0, n, self._at_once)]
        arrays = 2 + 2 * any(each.softcap is not None for each in maps) + (len(maps) > 1)
        self._memory = np.empty((arrays, self._at_once * head.n_keys), dtype)
        norms = lengths(self._keys)
        self._per_norm = np.where(norms == 0.0, 0.0, 1.0 / norms).astype(dtype)
        self._query_norms = lengths(self._queries)

    def at(self, place: slice) -> tuple[RowStatistics, ...]:
        """Return the statistics of the rows at one of `places`, under each map."""
        with np.errstate(all="ignore"):
            seen = sight(self._head, self._mask, place)
            n_rows = place.stop - place.start
            parts = [part[: n_rows * seen.width].reshape(n_rows, -1) for part in self._memory]
            products, x = parts[-1], parts[0]
            if len(self.maps) == 1:
                products = x
            of_scores, highest = self._of_scores(products, place, seen)
            found = []
            for each in self.maps:
                if products is not x:
                    np.copyto(x, products)
                found.append(self._weighed(each, parts, place, seen, of_scores, highest))
        return tuple(found)

    def _of_scores(self, x: Reals, at: slice, seen: Sight) -> tuple[Mapping[str, Any], Places]:
        """Make x the scores of rows, −∞ where masked; return what follows, and the largest ones."""
        keys, norms = seen.keys, self._query_norms[at]
        every, sees = np.arange(len(x)), seen.counts > 0
        np.matmul(self._queries[at], self._keys[keys].T, out=x)
        seen.fill(x, 0.0)
        cosine = (x @ self._per_norm[keys]).astype(np.float64)
        cosine /= np.where(norms == 0.0, 1.0, norms) * np.maximum(seen.counts, 1)
        seen.fill(x, np.inf)
        lowest = x.argmin(axis=1)
        seen.fill(x, -np.inf)
        highest = x.argmax(axis=1)
        low, high = (x[every, key].astype(np.float64) for key in (lowest, highest))
        is_low = -low > high
        return {
            "rows": self._head.rows[at],
            "seen": seen.counts,
            "largest_score": np.where(sees, np.where(is_low, -low, high), 0.0),
            "largest_score_key": np.where(is_low, lowest, highest) + keys.start,
            "query_norm": norms,
            "cosine": cosine,
        }, highest

    def _weighed(
        self,
        to_logits: LogitMap,
        parts: Sequence[Reals],
        at: slice,
        seen: Sight,
        of_scores: Mapping[str, Any],
        highest: Places,
    ) -> RowStatistics:
        """Return the statistics of scores, the first of the parts, under a map; all are spent."""
        (x, e, *more), keys, sees = parts, seen.keys, seen.counts > 0
        exponents, largest = self._exponents(to_logits, x, at, seen, highest, more)
        np.exp(x, out=e)
        first = e[:, 0].astype(np.float64) if keys.start == 0 else np.zeros(len(x))
        found = sums(exponents, e, more[1] if exponents.slopes is not None else None)
        sink = to_logits.sink
        top = largest if sink is None else np.maximum(largest, sink)
        per_total = np.divide(1.0, found.total, out=np.zeros(len(x)), where=found.total != 0.0)
        output = None
        if self._values is not None:
            values = self._values[keys]
            output = e @ values
            output *= per_total[:, None].astype(output.dtype)
        return RowStatistics(
            **of_scores,
            max_logit=np.where(sees, largest, -np.inf),
            max_logit_key=exponents.winner + keys.start,
            log_sum_exp=np.where(found.total != 0.0, top + np.log1p(found.rest), -np.inf),
            entropy=found.entropy,
            effective_keys=np.where(found.total != 0.0, np.exp(found.entropy), 0.0),
            max_weight=np.where(sees, np.exp(largest - top), 0.0) * per_total,
            first_key_mass=first * per_total,
            sink_mass=found.sink * per_total,
            gradient_norm=to_logits.multiplier * found.gradient,
            log_gradient_norm=np.log(to_logits.multiplier) + found.log_gradient,
            logit_gradient_norm=found.gradient,
            output=output,
            maxima=self._maxima(e, seen, per_total) if self._run else None,
        )

    def _maxima(self, e: Reals, seen: Sight, per_total: Numbers) -> Reals:
        """Return the largest weight of each run of keys, of e^x and its sums; e is written over."""
        run, first = self._run, seen.keys.start
        found = np.full((len(e), -(-self._head.n_keys // run)), -np.inf, e.dtype)
        seen.fill(e, -np.inf)
        starts = np.arange(first // run, -(-seen.keys.stop // run))
        largest = np.maximum.reduceat(e, np.maximum(starts * run - first, 0), axis=1)
        sees = seen.counts > 0
        found[sees, starts[0] : starts[-1] + 1] = largest[sees] * per_total[sees, None]
        return found

    def _exponents(
        self,
        to_logits: LogitMap,
        x: Reals,
        at: slice,
        seen: Sight,
        highest: Places,
        spare: Sequence[Reals],
    ) -> tuple[Exponents, Numbers]:
        """Return the exponents that scores x become, in place, and the largest logit of a key.

        Where nothing comes between, the largest score is subtracted before the product.
        """
        m, cap, sink = to_logits.multiplier, to_logits.softcap, to_logits.sink
        of, every, sees = x.dtype.type, np.arange(len(x)), seen.counts > 0
        slopes, winner, factor = None, highest, 1.0
        if cap is None and self._head.bias is None:
            factor = m
        else:
            x *= of(m)
            if cap is not None:
                slopes = _cap(x, cap, spare[0])
            if self._head.bias is not None:
                x += self._head.bias[at, seen.keys]
            seen.fill(x, -np.inf)
            winner = x.argmax(axis=1)
        top = np.where(sees, x[every, winner], of(0))
        x -= top[:, None]
        if factor != 1.0:
            x *= of(factor)
        largest = np.where(sees, factor * top.astype(np.float64), -np.inf)
        wins, below = sees, np.full(len(x), np.inf)
        if sink is not None:
            wins = sees & (largest >= sink)
            below = np.where(wins, largest - sink, 0.0)
            lower = sees & ~wins
            x[lower] -= (sink - largest[lower, None]).astype(x.dtype)
        seen.fill(x, HIDDEN)
        return Exponents(x, winner, wins, below, slopes), largest


def _cap(x: Reals, cap: float, slopes: Reals) -> Reals:
    """Make x cap·tanh(x/cap), in place, and return the slopes, 4e^−2|y|/(1 + e^−2|y|)²."""
    x /= x.dtype.type(cap)
    np.abs(x, out=slopes)
    slopes *= -2
    np.exp(slopes, out=slopes)
    slopes /= np.square(1 + slopes)
    slopes *= 4
    np.tanh(x, out=x)
    x *= x.dtype.type(cap)
    return slopes
