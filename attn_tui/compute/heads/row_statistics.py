"""Statistics of the rows of a head: one number for each row.

Let w be the winner, the key or sink with the largest logit, e_j = e^(z_j − z_w) and
S = 1 + Σ' e_j, where Σ' leaves out w. Then 1 − p_w = Σ' e_j/S is a sum of small terms, and so are
H = ln S + Σ' e_j (z_w − z_j)/S and, with slopes d = ∂z/∂(m·s),

    ‖J·d‖_F² = d_w² p_w² ((1 − p_w)² + Σ' p_j²) + Σ' d_j² p_j² (1 − 2p_j + Σ p_i²).

The sink counts in Σ' e_j, but not in sums of squares, which run over keys. Where the other weights
are all negligible, they are taken relative to the largest of them, in float64.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask, Sight, sight
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.compute.scale import LogitMap

Places = NDArray[np.intp]
FloatFormat = Literal["float32", "float64"]
"""The dtype in which scores and weights are computed."""


@dataclass(frozen=True, eq=False)
class RowStatistics:
    """Statistics of each row over the keys that it sees, shape (r,), in float64.

    A row that sees no key has no largest logit (−∞), and its other numbers are 0.

    Attributes:
        rows: The indices of the queries.
        seen: How many keys the row sees.
        largest_score: The largest |s|.
        largest_score_key: The key that has it.
        max_logit: The largest logit z of a key, after soft cap and bias.
        max_logit_key: The key that has it.
        log_sum_exp: ln of the sum of e^z, including the sink's.
        entropy: H in nats; a sink counts as one more key.
        effective_keys: e^H.
        max_weight: The largest weight of a key.
        first_key_mass: The weight of key 0.
        sink_mass: The weight of the sink.
        gradient_norm: ‖∂p/∂s‖_F.
        log_gradient_norm: ln ‖∂p/∂s‖_F, also where that underflows; −∞ from about e^−1e5 down.
        logit_gradient_norm: ‖∂p/∂(m·s)‖_F; at most 1/2, and ‖∂p/∂z‖_F if there is no soft cap.
        query_norm: ‖q‖.
        cosine: The mean cosine between the query and the keys.
        output: P·V, shape (r, d_v), if requested.
        maxima: The largest weight in each run of consecutive keys, shape (r, runs), if requested;
            −∞ where all keys of a run are masked.
        computed_in: The dtype of the scores and weights.
    """

    rows: Places
    seen: Places
    largest_score: Floats
    largest_score_key: Places
    max_logit: Floats
    max_logit_key: Places
    log_sum_exp: Floats
    entropy: Floats
    effective_keys: Floats
    max_weight: Floats
    first_key_mass: Floats
    sink_mass: Floats
    gradient_norm: Floats
    log_gradient_norm: Floats
    logit_gradient_norm: Floats
    query_norm: Floats
    cosine: Floats
    output: Reals | None = None
    maxima: Reals | None = None
    computed_in: FloatFormat = "float32"

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Whether the numbers of a row are finite, shape (r,); true for a row that sees no key."""
        sums = self.log_sum_exp + self.entropy + self.largest_score
        return np.asarray(np.isfinite(sums) | (self.seen == 0))


HIDDEN = -1e5
"""Exponent of a masked key: finite, so that 0 times it is 0."""

_CLEAR = 50.0
"""Margin above `HIDDEN` below which a sum may consist of masked keys alone."""

_NEXT_TO_NOTHING = {4: 1e-15, 8: 1e-140}
"""Σ' e_j below which squares would underflow, by the item size of the dtype."""


@dataclass(frozen=True, eq=False)
class Exponents:
    """The exponents of e for the rows of a block.

    Attributes:
        x: z_j − z_w, shape (r, n); `HIDDEN` at a masked key.
        winner: The key with the largest logit, shape (r,).
        wins: Whether that key is w; if not, w is the sink, or every key is masked; shape (r,).
        below: z_w − b, shape (r,); infinite without a sink.
        slopes: d, shape (r, n); None if all are 1.
    """

    x: Reals
    winner: Places
    wins: NDArray[np.bool_]
    below: Floats
    slopes: Reals | None = None


@dataclass(frozen=True, eq=False)
class RowSums:
    """Sums of each row, shape (r,), in float64.

    Attributes:
        rest: Σ' e_j.
        total: S; 0 if every key is masked and there is no sink.
        entropy: H in nats.
        gradient: ‖J·d‖_F.
        log_gradient: ln ‖J·d‖_F, also where the norm underflows; −∞ where it is so small that it
            may come from masked keys, which have the exponent `HIDDEN`.
        sink: e_j of the sink.
    """

    rest: Floats
    total: Floats
    entropy: Floats
    gradient: Floats
    log_gradient: Floats
    sink: Floats


def sums(exponents: Exponents, e: Reals, spare: Reals | None = None) -> RowSums:
    """Return the sums of each row.

    Args:
        exponents: The exponents; x is overwritten.
        e: e^x, shape (r, n); the entries of the winners are set to 0 and, at the end, back to 1.
        spare: A work array shaped like e, needed if there are slopes.
    """
    x, every = exponents.x, np.arange(len(e))
    won = every[exponents.wins], exponents.winner[exponents.wins]
    e[won] = 0
    wins, sink = exponents.wins.astype(np.float64), np.exp(-exponents.below)
    rest = (e @ np.ones(e.shape[1], e.dtype)).astype(np.float64) + sink * wins
    terms = np.where(sink > 0.0, sink * exponents.below, 0.0) - np.vecdot(e, x)
    squares = np.vecdot(e, e).astype(np.float64)
    faint = np.flatnonzero((rest < _NEXT_TO_NOTHING[e.itemsize]) & (exponents.wins | (sink > 0.0)))
    of_faint = _faint(exponents, faint) if faint.size else None

    scaled, of_winner, of_others = e, wins, squares
    if exponents.slopes is not None:
        of_winner = wins * exponents.slopes[every, exponents.winner].astype(np.float64) ** 2
        scaled = np.multiply(exponents.slopes, e, out=spare)
        of_others = np.vecdot(scaled, scaled).astype(np.float64)
    np.multiply(scaled, scaled, out=x)
    cubes = np.vecdot(x, e).astype(np.float64)
    e[won] = 1

    total = rest + (exponents.wins | (sink > 0.0))
    per_total = np.divide(1.0, total, out=np.zeros_like(total), where=total != 0.0)
    power_sum = (wins + squares) * per_total**2
    gradient = of_winner * (rest**2 + squares) * per_total**4
    gradient += ((1.0 + power_sum) * of_others - 2.0 * cubes * per_total) * per_total**2
    size = np.sqrt(gradient)
    entropy, log_size = np.log1p(rest) + terms * per_total, np.log(size)
    if of_faint is not None:
        rest[faint], entropy[faint], log_size[faint] = of_faint
        size[faint] = np.exp(log_size[faint])
    return RowSums(rest, total, entropy, size, log_size, sink)


def _faint(exponents: Exponents, rows: Places) -> tuple[Floats, Floats, Floats]:
    """Return Σ' e_j, H and ln ‖J·d‖_F of rows whose other weights are all negligible."""
    wins, every = exponents.wins[rows], np.arange(len(rows))
    x = exponents.x[rows].astype(np.float64)
    x[every[wins], exponents.winner[rows][wins]] = -np.inf
    sink = np.where(wins, -exponents.below[rows], -np.inf)
    # HIDDEN is below the exponent of any weight in float64, and keeps differences finite.
    largest = np.maximum(np.maximum(x.max(axis=1), sink), HIDDEN)
    g, g_sink = np.exp(x - largest[:, None]), np.exp(sink - largest)
    x[g == 0.0] = 0.0
    scale, rest = np.exp(largest), g.sum(axis=1) + g_sink
    terms = np.where(g_sink > 0.0, g_sink * exponents.below[rows], 0.0) - np.vecdot(g, x)
    squares = np.vecdot(g, g)
    of_winner, of_others = wins.astype(np.float64), squares
    if exponents.slopes is not None:
        slopes = exponents.slopes[rows].astype(np.float64)
        of_winner = of_winner * slopes[every, exponents.winner[rows]] ** 2
        of_others = np.vecdot(slopes * g, slopes * g)
    gradient = np.sqrt(of_winner * (rest**2 + squares) + (1.0 + wins) * of_others)
    # Near HIDDEN the largest exponent may be that of a masked key.
    log_gradient = np.where(largest > HIDDEN + _CLEAR, largest + np.log(gradient), -np.inf)
    return scale * rest, scale * (rest + terms), log_gradient


FLOAT32 = np.dtype(np.float32)

_CACHED = 2**20
"""Scores in a block: two float32 arrays of this size fit in a core's cache."""

_MOST, _LEAST, _LARGEST = 256, 64, 2**23
"""Most and fewest rows of a block, and most scores: a product of few rows is slower per row."""


def row_statistics(
    head: HeadRows,
    model: HeadModel,
    output: bool = False,
    dtype: "np.dtype[np.floating[Any]]" = FLOAT32,
) -> RowStatistics:
    """Return the statistics of the rows of a head.

    Products are taken in the wider of ``dtype`` and the dtypes of queries and keys, in blocks that
    depend on the shapes alone. Rows that meet NaN or infinities are not finite.

    Args:
        head: At least one query and one key; for the output, values as well.
        model: How scores become weights: its multiplier, cap, sink and mask, and the bias of the
            rows.
        output: Whether to return P·V.
        dtype: float32 or float64.
    """
    with np.errstate(all="ignore"):
        blocks = Blocks(head, (model.logit_map,), model.mask, output, dtype=dtype)
        parts = [blocks.at(place)[0] for place in blocks.places]
    numbers: dict[str, Any] = {"computed_in": blocks.computed_in}
    for name in (field.name for field in fields(RowStatistics)):
        if name not in numbers and getattr(parts[0], name) is not None:
            numbers[name] = np.concatenate([getattr(part, name) for part in parts])
    return RowStatistics(**numbers)


def lengths(vectors: Reals) -> Floats:
    """Return the Euclidean norm of each row, shape (rows, d) to (rows,), in float64."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)))


def rows_at_once(n_rows: int, n_keys: int) -> int:
    """Return how many rows a block has: enough for a fast product, few enough for the cache."""
    fitting = max(min(_CACHED // n_keys, _MOST), _LEAST)
    return max(min(fitting, _LARGEST // n_keys, n_rows), 1)


class Blocks:
    """The blocks of a head's rows, and the work arrays that they share.

    Args:
        head: At least one query and one key; for the output, values as well.
        maps: At least one map from scores to logits; all use the same products.
        mask: Which keys a query sees.
        output: Whether to return P·V.
        run: Length of the runs of keys whose largest weight to return; 0 for none.
        dtype: The dtype of products, unless queries or keys have a wider one.

    Attributes:
        maps: As given.
        computed_in: The dtype of products.
        places: The rows of each block.
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
        self.computed_in: FloatFormat = "float64" if dtype == np.float64 else "float32"
        self._queries = head.queries.astype(dtype, copy=False)
        self._keys = head.keys.astype(dtype, copy=False)
        self._values = head.values if output else None
        n, step = len(head.rows), rows_at_once(len(head.rows), head.n_keys)
        self.places = [slice(row, min(row + step, n)) for row in range(0, n, step)]
        is_capped = any(to_logits.softcap is not None for to_logits in maps)
        self._memory = np.empty((2 + 2 * is_capped + (len(maps) > 1), step * head.n_keys), dtype)
        norms = lengths(self._keys)
        self._per_norm = np.zeros(norms.shape, dtype)
        np.divide(1.0, norms, out=self._per_norm, where=norms != 0.0, casting="same_kind")
        self._query_norms = lengths(self._queries)

    def at(self, place: slice) -> tuple[RowStatistics, ...]:
        """Return the statistics of the rows at one of `places`, under each map."""
        with np.errstate(all="ignore"):
            seen = sight(self._head, self._mask, place)
            n_rows = place.stop - place.start
            memory = [part[: n_rows * seen.width].reshape(n_rows, -1) for part in self._memory]
            x = memory[0]
            scores = x if len(self.maps) == 1 else memory[-1]
            of_scores, highest = self._of_scores(scores, place, seen)
            statistics = []
            for to_logits in self.maps:
                if scores is not x:
                    np.copyto(x, scores)
                statistics.append(
                    self._of_logits(to_logits, memory, place, seen, of_scores, highest)
                )
        return tuple(statistics)

    def _of_scores(self, x: Reals, place: slice, seen: Sight) -> tuple[Mapping[str, Any], Places]:
        """Fill x with the scores, −∞ where masked; return their statistics and the top keys."""
        keys, norms = seen.keys, self._query_norms[place]
        every, sees = np.arange(len(x)), seen.counts > 0
        np.matmul(self._queries[place], self._keys[keys].T, out=x)
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
            "rows": self._head.rows[place],
            "seen": seen.counts,
            "largest_score": np.where(sees, np.where(is_low, -low, high), 0.0),
            "largest_score_key": np.where(is_low, lowest, highest) + keys.start,
            "query_norm": norms,
            "cosine": cosine,
        }, highest

    def _of_logits(
        self,
        to_logits: LogitMap,
        memory: Sequence[Reals],
        place: slice,
        seen: Sight,
        of_scores: Mapping[str, Any],
        winner: Places,
    ) -> RowStatistics:
        """Return the statistics of rows under a map; overwrite the scores, first in memory."""
        (x, e, *spare), sees = memory, seen.counts > 0
        factor, slopes, winner = self._to_logits(to_logits, x, spare, place, seen, winner)
        largest = _below_largest(x, winner, factor, sees)
        wins, below, top = _with_sink(x, to_logits.sink, largest, sees)
        seen.fill(x, HIDDEN)

        np.exp(x, out=e)
        first = e[:, 0].astype(np.float64) if seen.keys.start == 0 else np.zeros(len(x))
        exponents = Exponents(x, winner, wins, below, slopes)
        added = sums(exponents, e, None if slopes is None else spare[1])
        is_seen = added.total != 0.0
        per_total = np.divide(1.0, added.total, out=np.zeros(len(x)), where=is_seen)
        output = self._output(e, per_total, seen)
        maxima = self._maxima(e, per_total, seen) if self._run else None
        return RowStatistics(
            **of_scores,
            max_logit=largest,
            max_logit_key=winner + seen.keys.start,
            log_sum_exp=np.where(is_seen, top + np.log1p(added.rest), -np.inf),
            entropy=added.entropy,
            effective_keys=np.where(is_seen, np.exp(added.entropy), 0.0),
            max_weight=np.where(sees, np.exp(largest - top), 0.0) * per_total,
            first_key_mass=first * per_total,
            sink_mass=added.sink * per_total,
            gradient_norm=to_logits.multiplier * added.gradient,
            log_gradient_norm=np.log(to_logits.multiplier) + added.log_gradient,
            logit_gradient_norm=added.gradient,
            output=output,
            maxima=maxima,
        )

    def _to_logits(
        self,
        to_logits: LogitMap,
        x: Reals,
        spare: Sequence[Reals],
        place: slice,
        seen: Sight,
        winner: Places,
    ) -> tuple[float, Reals | None, Places]:
        """Turn scores into logits; return the factor still to be applied, slopes and top keys.

        Without a cap and a bias, the largest score is subtracted before the product with m.
        """
        m, cap, bias, number = (
            to_logits.multiplier,
            to_logits.softcap,
            self._head.bias,
            x.dtype.type,
        )
        if cap is None and bias is None:
            return m, None, winner
        x *= number(m)
        slopes = None
        if cap is not None:
            # z = c·tanh y, and its slopes 1 − tanh²y are 4e^−2|y|/(1 + e^−2|y|)².
            x /= number(cap)
            slopes = np.abs(x, out=spare[0])
            slopes *= -2
            np.exp(slopes, out=slopes)
            slopes /= np.square(1 + slopes)
            slopes *= 4
            np.tanh(x, out=x)
            x *= number(cap)
        if bias is not None:
            x += bias[place, seen.keys]
        seen.fill(x, -np.inf)
        return 1.0, slopes, x.argmax(axis=1)

    def _output(self, e: Reals, per_total: Floats, seen: Sight) -> Reals | None:
        """Return P·V, if there are values."""
        if self._values is None:
            return None
        output = e @ self._values[seen.keys]
        output *= per_total[:, None].astype(output.dtype)
        return output

    def _maxima(self, e: Reals, per_total: Floats, seen: Sight) -> Reals:
        """Return the largest weight of each run of keys; e is overwritten."""
        keys, sees = seen.keys, seen.counts > 0
        maxima = np.full((len(e), -(-self._head.n_keys // self._run)), -np.inf, e.dtype)
        seen.fill(e, -np.inf)
        runs = np.arange(keys.start // self._run, -(-keys.stop // self._run))
        starts = np.maximum(runs * self._run - keys.start, 0)
        of_runs = np.maximum.reduceat(e, starts, axis=1)
        maxima[sees, runs[0] : runs[-1] + 1] = of_runs[sees] * per_total[sees, None]
        return maxima


def _below_largest(x: Reals, winner: Places, factor: float, sees: NDArray[np.bool_]) -> Floats:
    """Subtract the largest entry of each row and apply a factor; return the largest logits."""
    number = x.dtype.type
    largest_of_keys = np.where(sees, x[np.arange(len(x)), winner], number(0))
    x -= largest_of_keys[:, None]
    if factor != 1.0:
        x *= number(factor)
    return np.where(sees, factor * largest_of_keys.astype(np.float64), -np.inf)


def _with_sink(
    x: Reals, sink: float | None, largest: Floats, sees: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Let x be below the sink too; return whether a key wins, z_w − b, and the largest exponent."""
    if sink is None:
        return sees, np.full(len(x), np.inf), largest
    wins = sees & (largest >= sink)
    lower = sees & ~wins
    x[lower] -= (sink - largest[lower, None]).astype(x.dtype)
    return wins, np.where(wins, largest - sink, 0.0), np.maximum(largest, sink)
