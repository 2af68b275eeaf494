"""Statistics of some rows of a head, and how those of all blocks make those of the head."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import inf, isnan, nan, sqrt

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.dead import DEAD
from attn_tui.compute.heads.blocks import lengths, row_statistics
from attn_tui.compute.heads.edges import TALLIED
from attn_tui.compute.heads.odd import Odd
from attn_tui.compute.heads.row_statistics import Places, RowStatistics
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.compute.heads.statistic import (
    ALL,
    FLOAT16_LARGEST,
    OF_LOGITS,
    OF_SCORES,
    STATISTICS,
    TAU,
)
from attn_tui.compute.heads.tally import Extreme, Tally
from attn_tui.compute.heads.weighing import Weighing

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def _spacing(number: float) -> float:
    """Return how far a number of bfloat16 is from the next; NaN where it is too large for one."""
    with np.errstate(all="ignore"):
        return float(np.spacing(np.array(abs(number), BFLOAT16)))


_DERIVED: Mapping[str, Callable[[float, float], float]] = {
    "float16_margin": lambda score, tau: FLOAT16_LARGEST / score if score else inf,
    "bfloat16_spacing": lambda logit, tau: _spacing(logit),
    "qk_clip": lambda logit, tau: min(tau / logit, 1.0) if logit > 0.0 else 1.0,
}


NORMS = ("query_norm", "key_norm")
"""Tallies of what is known of all queries and keys at once."""

_JUDGED = ("miss", "allowed", "loose", "multiplier", "untold", "hidden", "packed", "first_value")
"""What one partial of a head knows of how its weights are made."""

_SHARES = ("saturated", "dead_gradient")
"""Tallies of rows that are something or not."""


@dataclass(frozen=True)
class Value:
    """A statistic of a head, as far as the rows that were looked at tell.

    Attributes:
        value: The number; NaN if no row has one.
        error: Its standard error, 0 if all rows were looked at; None for what is the largest of
            sampled rows, or follows from it: other rows may go beyond it.
        row: The query it was found at, if it is of one.
        key: The key it was found at, if it is of one.
    """

    value: float
    error: float | None = 0.0
    row: int | None = None
    key: int | None = None


@dataclass(frozen=True)
class Partial:
    """Statistics of some rows of a head.

    Attributes:
        n_queries: n_q of the whole head.
        n_keys: n.
        rows: How many rows were looked at.
        masked: How many of these see no key, and so count nowhere.
        not_finite: How many met NaN or infinity, and so count nowhere.
        first_not_finite: The first of these.
        tallies: By the names of `TALLIED`; those of norms are in one partial of a head only.
        odd: NaN and infinities in the tensors of the whole head, in one partial of it only.
        miss: ‖out − P·V‖/‖out‖ on a few rows of the head, in one partial of it only; None if there
            is no output, or the weights are asked for whatever it says; of captured weights
        allowed: The largest miss of weights that are those in use, beside it.
        loose: Whether that is more than rounding makes, and so is the miss.
        untold: Whether what was captured leaves open what m is.
        multiplier: The m of the head's own that a fit finds, where that of its layer misses.
        hidden: The first and the last of keys at one end that no query sees, as the output says.
        packed: Where further texts begin in the sequence, as it says.
        first_value: The length of the value of key 0 over the median of those of all keys, in one
            partial of the head only; NaN if none was captured, or all are 0.
    """

    n_queries: int
    n_keys: int
    rows: int
    masked: int
    not_finite: int
    first_not_finite: int | None
    tallies: Mapping[str, Tally]
    odd: tuple[Odd, ...] = ()
    miss: float | None = None
    allowed: float = 0.0
    loose: bool = False
    multiplier: float | None = None
    untold: bool = False
    hidden: tuple[int, int] | None = None
    packed: tuple[int, ...] = ()
    first_value: float = nan

    def merged(self, later: "Partial") -> "Partial":
        """Return the statistics of these rows and of later ones of the same head."""
        firsts = [each.first_not_finite for each in (self, later)]
        known = [first for first in firsts if first is not None]
        names = [name for name in TALLIED if name in self.tallies or name in later.tallies]
        return Partial(
            self.n_queries,
            self.n_keys,
            self.rows + later.rows,
            self.masked + later.masked,
            self.not_finite + later.not_finite,
            min(known, default=None),
            {name: _merged(self.tallies.get(name), later.tallies.get(name)) for name in names},
            (*self.odd, *later.odd),
            **{name: getattr(later if later.is_judged else self, name) for name in _JUDGED},
        )

    @property
    def is_judged(self) -> bool:
        """Whether it is the one of its head that knows what rows alone do not tell."""
        return self.miss is not None or not isnan(self.first_value)

    @property
    def is_exact(self) -> bool:
        """Whether every row was looked at."""
        return self.rows >= self.n_queries

    def misses(self, name: str) -> bool:
        """Return whether a statistic is one of weights that do not give the captured output."""
        return self.miss is not None and self.miss > self.allowed and name not in OF_SCORES

    def leaves_open(self, name: str) -> bool:
        """Return whether a statistic is not that of the weights in use, or not known to be."""
        return (self.untold and name in OF_LOGITS) or not self.counts(name)

    def counts(self, name: str) -> bool:
        """Return whether a statistic is one to go by; else it is marked wherever it stands."""
        return not (self.misses(name) or self.rests_on_few(name))

    def rests_on_few(self, name: str) -> bool:
        """Return whether a statistic is a mean of less than half of the rows that see a key.

        The others met NaN or infinity, and what they would have made of it is open.
        """
        counted = self.rows - self.masked - self.not_finite
        return (
            0 < counted < self.not_finite
            and STATISTICS[name].how == "mean"
            and STATISTICS[name].of not in NORMS
        )

    @property
    def score_bound(self) -> float:
        """The largest ‖q‖ times the largest ‖k‖, which no |q·k| exceeds; NaN if not known."""
        q, k = (self.tallies.get(name) for name in NORMS)
        return q.most.value * k.most.value if q and k and q.count and k.count else nan

    def value(self, name: str, tau: float = TAU) -> Value:
        """Return a statistic of the head.

        Args:
            name: One of `STATISTICS`.
            tau: The largest logit that QK-clip leaves alone.
        """
        statistic = STATISTICS[name]
        tally = self.tallies.get(statistic.of)
        if tally is None or not tally.count:
            return Value(nan, None)
        if statistic.how == "mean":
            return Value(tally.mean, self._error(statistic.of, tally))
        most = tally.most
        if statistic.how == "derived":
            most = Extreme(_DERIVED[name](most.value, tau), most.row, most.key)
        return Value(most.value, 0.0 if self.is_exact else None, most.row, most.key)

    def _error(self, name: str, tally: Tally) -> float:
        if name in NORMS or self.is_exact:
            return 0.0
        if name in _SHARES:
            # Two rows more, one of them so: none among a few does not mean there are none.
            share = (tally.mean * tally.count + 1.0) / (tally.count + 2.0)
            return sqrt(share * (1.0 - share) / tally.count * (1.0 - tally.count / self.n_queries))
        return tally.error(self.n_queries)


def _merged(first: Tally | None, later: Tally | None) -> Tally:
    found = [each for each in (first, later) if each is not None]
    return reduce(Tally.merged, found)


def merge(partials: Iterable[Partial]) -> Partial:
    """Return the statistics of all blocks of a head, at least one, in the order of its rows."""
    return reduce(Partial.merged, partials)


def statistics(
    head: HeadRows, weighing: Weighing, with_norms: bool = True, queries: Reals | None = None
) -> Partial:
    """Return the statistics of some rows of a head.

    Args:
        head: The rows.
        weighing: How weights are made.
        with_norms: Whether norms of queries and keys count here, as in one partial of a head.
        queries: All queries of the head, shape (n_q, d_k), of which norms are then taken.
    """
    return tallied(head, row_statistics(head, weighing), weighing, with_norms, queries)


def tallied(
    head: HeadRows,
    found: RowStatistics,
    weighing: Weighing,
    with_norms: bool = True,
    queries: Reals | None = None,
) -> Partial:
    """Return the partial of rows whose numbers are known; as `statistics` says."""
    sees, finite = found.seen > 0, found.finite
    used = np.flatnonzero(sees & finite)
    # With one key the only weight is 1, whatever its score.
    several = np.flatnonzero(sees & finite & (found.seen + (weighing.map.sink is not None) > 1))
    odd = found.rows[~finite]

    def each(name: str, of: Places = used, keys: Places | None = None) -> Tally:
        values = getattr(found, name)[of]
        return Tally.of(values, TALLIED[name], found.rows[of], None if keys is None else keys[of])

    def share(name: str, is_so: NDArray[np.bool_]) -> Tally:
        numbers = is_so[several].astype(np.float64)
        return Tally.of(numbers, TALLIED[name], found.rows[several])

    tallies = {
        "largest_score": each("largest_score", keys=found.largest_score_key),
        "max_logit": each("max_logit", keys=found.max_logit_key),
        **{name: each(name) for name in ("entropy", "effective_keys", "first_key_mass")},
        "sink_mass": each("sink_mass"),
        "gradient_norm": each("gradient_norm", several),
        "max_weight": each("max_weight", several),
        "saturated": share("saturated", found.max_weight >= ALL),
        "dead_gradient": share("dead_gradient", found.logit_gradient_norm < DEAD),
    }
    if with_norms:
        norms = found.query_norm if queries is None else lengths(queries)
        rows = found.rows if queries is None else np.arange(len(norms))
        which = np.flatnonzero(np.isfinite(norms))
        tallies["query_norm"] = Tally.of(norms[which], TALLIED["query_norm"], rows[which])
        norms = lengths(head.keys)
        which = np.flatnonzero(np.isfinite(norms))
        tallies["key_norm"] = Tally.of(norms[which], TALLIED["key_norm"], None, which)
    tallies["cosine"] = each("cosine")
    tallies["seen"] = Tally.of(
        found.seen[several].astype(np.float64), TALLIED["seen"], found.rows[several]
    )
    return Partial(
        head.n_queries,
        head.n_keys,
        len(found.rows),
        int((~sees).sum()),
        len(odd),
        int(odd[0]) if len(odd) else None,
        tallies,
        first_value=first_value(head) if with_norms else nan,
    )


def first_value(head: HeadRows) -> float:
    """Return the length of the value of key 0 over the median of all; NaN if that is unknown."""
    if head.values is None:
        return nan
    norms = lengths(head.values)
    typical = float(np.median(norms))
    return float(norms[0]) / typical if typical > 0.0 else nan
