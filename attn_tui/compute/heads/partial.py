"""Statistics of some rows of a head, and how blocks of rows are merged into the whole head."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import floor, inf, isnan, log, log10, nan, sqrt

import numpy as np

from attn_tui.compute.arrays import Floats, dtype_of
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.row_statistics import FloatFormat, Places, lengths, row_statistics
from attn_tui.compute.heads.rows import HeadRows, Odd, Reals
from attn_tui.compute.heads.statistic import (
    ALL,
    DEAD,
    FLOAT16_LARGEST,
    OF_LOGITS,
    OF_SCORES,
    STATISTICS,
    TAU,
)


@dataclass(frozen=True)
class Extreme:
    """The largest or the smallest of some numbers, and where it is; the first if several are equal.

    Attributes:
        value: The number.
        row: The query it belongs to; −1 if it has none.
        key: The key it belongs to; −1 if it has none.
    """

    value: float
    row: int = -1
    key: int = -1


@dataclass(frozen=True)
class Tally:
    """A summary of numbers that are not kept themselves.

    Attributes:
        count: How many numbers there are.
        mean: Their mean; 0 if there are none.
        spread: The sum of their squared deviations from the mean.
        least: The smallest.
        most: The largest.
        bounds: The smallest and the largest possible value.
    """

    count: int
    mean: float
    spread: float
    least: Extreme
    most: Extreme
    bounds: tuple[float, float] = (0.0, 1.0)

    @staticmethod
    def of(
        values: Floats,
        rows: Places | None = None,
        keys: Places | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> "Tally":
        """Return the tally of numbers.

        Args:
            values: Shape (r,), finite.
            rows: The query of each number, shape (r,).
            keys: The key of each number, shape (r,).
            bounds: The smallest and the largest possible value.
        """
        if not len(values):
            return Tally(0, 0.0, 0.0, Extreme(inf), Extreme(-inf), bounds)
        mean = float(values.mean())
        spread = float(np.square(values - mean).sum())
        ends = []
        for place in (values.argmin(), values.argmax()):
            row = -1 if rows is None else int(rows[place])
            key = -1 if keys is None else int(keys[place])
            ends.append(Extreme(float(values[place]), row, key))
        return Tally(len(values), mean, spread, ends[0], ends[1], bounds)

    def merged(self, later: "Tally") -> "Tally":
        """Return the tally of these numbers together with later ones."""
        if not later.count or not self.count:
            return self if self.count else later
        count = self.count + later.count
        apart = later.mean - self.mean
        return Tally(
            count,
            self.mean + apart * (later.count / count),
            self.spread + later.spread + apart * apart * (self.count * later.count / count),
            self.least if self.least.value <= later.least.value else later.least,
            self.most if self.most.value >= later.most.value else later.most,
            self.bounds,
        )

    def error(self, drawn: float) -> float:
        """Return the standard error of the mean of numbers drawn without replacement.

        Two more numbers are assumed, one at each bound: even if no row of a small sample lies far
        from the others, some row may. Where few rows carry a mean, as the early ones of a causal
        head do, 95 % intervals would otherwise cover it in half of the samples or fewer
        (``python benchmarks/heads.py --coverage``).

        Args:
            drawn: The share of all numbers that were drawn.
        """
        count, (least, most) = self.count, self.bounds
        mean = (self.mean * count + least + most) / (count + 2)
        spread = self.spread + count * (self.mean - mean) ** 2
        spread += (least - mean) ** 2 + (most - mean) ** 2
        return sqrt(spread / (count + 2) / count * max(1.0 - drawn, 0.0))


NORMS = ("query_norm", "key_norm")
"""The tallies that cover all queries or keys of a head, not only sampled rows."""

_JUDGED = ("residual", "rounding", "fits", "multiplier", "untold", "first_value")
"""The fields that only one partial of a head has: how its weights are reconstructed."""


@dataclass(frozen=True)
class Value:
    """A statistic of a head, estimated from the rows that were examined.

    Attributes:
        value: The number; NaN if no row has one.
        error: Its standard error, 0 if all rows were examined; None for a maximum over sampled
            rows, or a number derived from one, since other rows may exceed it.
        row: The query at which it was found, if it belongs to one.
        key: The key at which it was found, if it belongs to one.
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
        rows: How many rows were examined.
        masked: How many of these rows see no key; they are in no tally.
        not_finite: How many met NaN or infinity; they are in no tally.
        first_not_finite: The first row that is not finite.
        tallies: Tallies by name; those of norms are in one partial of a head only.
        computed_in: The dtype of scores and weights.
        odd: NaN and infinities in the tensors of the whole head, in one partial of it only.
        residual: ‖out − P·V‖/‖out‖ on a few rows of the head, or the same for captured weights, in
            one partial of it only; None if there is no output, or the user has said how weights are
            made.
        rounding: The residual that rounding alone would leave.
        fits: Whether the captured tensor is what these weights give, to rounding.
        untold: Whether the captured tensors leave m open.
        multiplier: The head's own m, found by a fit, where that of its layer misses the output.
        first_value: The norm of the value of key 0 over the median norm of all values, in one
            partial of the head only; NaN if no values were captured, or all are 0.
    """

    n_queries: int
    n_keys: int
    rows: int
    masked: int
    not_finite: int
    first_not_finite: int | None
    tallies: Mapping[str, Tally]
    computed_in: FloatFormat = "float32"
    odd: tuple[Odd, ...] = ()
    residual: float | None = None
    rounding: float = 0.0
    fits: bool = False
    multiplier: float | None = None
    untold: bool = False
    first_value: float = nan

    def merged(self, later: "Partial") -> "Partial":
        """Return the statistics of these rows together with later rows of the same head."""
        firsts = self.first_not_finite, later.first_not_finite
        tallies = dict(self.tallies)
        for name, tally in later.tallies.items():
            tallies[name] = tallies[name].merged(tally) if name in tallies else tally
        return Partial(
            self.n_queries,
            self.n_keys,
            self.rows + later.rows,
            self.masked + later.masked,
            self.not_finite + later.not_finite,
            min((first for first in firsts if first is not None), default=None),
            tallies,
            self.computed_in,
            (*self.odd, *later.odd),
            **{name: getattr(later if later.is_judged else self, name) for name in _JUDGED},
        )

    @property
    def is_judged(self) -> bool:
        """Whether this is the partial of its head that has the facts about the whole head."""
        return self.residual is not None or not isnan(self.first_value)

    @property
    def is_exact(self) -> bool:
        """Whether every row was examined."""
        return self.rows >= self.n_queries

    @property
    def digits(self) -> int | None:
        """The number of significant digits that can be trusted; None for all that float64 has.

        Logits in float32 are off by up to four rounding errors of the largest logit, and weights
        have the same error relative to their size. Norms are summed in float64.
        """
        logits = self.tallies.get("max_logit")
        if self.computed_in == "float64" or logits is None or not logits.count:
            return None
        largest = max(abs(logits.least.value), abs(logits.most.value), 1.0)
        return max(floor(-log10(2.0**-21 * largest)), 1)

    def misses(self, name: str) -> bool:
        """Return whether a statistic depends on weights that miss the captured output."""
        return self.residual is not None and not self.fits and name not in OF_SCORES

    def leaves_open(self, name: str) -> bool:
        """Return whether a statistic may differ from that of the weights in use."""
        return (self.untold and name in OF_LOGITS) or not self.counts(name)

    def counts(self, name: str) -> bool:
        """Return whether a statistic can be relied on; if not, it is marked wherever it appears."""
        return not (self.misses(name) or self.rests_on_few(name))

    def rests_on_few(self, name: str) -> bool:
        """Return whether a statistic is a mean over less than half of the rows that see a key.

        The other rows met NaN or infinity, so their part in the mean is unknown.
        """
        counted = self.rows - self.masked - self.not_finite
        return (
            0 < counted < self.not_finite
            and STATISTICS[name].how == "mean"
            and STATISTICS[name].of not in NORMS
        )

    @property
    def score_bound(self) -> float:
        """The largest ‖q‖ times the largest ‖k‖, a bound of |q·k|; NaN if unknown."""
        q, k = (self.tallies.get(name) for name in NORMS)
        return q.most.value * k.most.value if q and k and q.count and k.count else nan

    def value(self, name: str) -> Value:
        """Return a statistic of the head, one of `STATISTICS`."""
        statistic = STATISTICS[name]
        tally = self.tallies.get(statistic.of)
        if tally is None or not tally.count:
            return Value(nan, None)
        if statistic.how == "mean":
            if statistic.of in NORMS or self.is_exact:
                return Value(tally.mean, 0.0)
            return Value(tally.mean, tally.error(self.rows / self.n_queries))
        most = tally.most
        number = most.value
        if name == "float16_margin":
            number = FLOAT16_LARGEST / number if number else inf
        elif name == "bfloat16_spacing":
            with np.errstate(all="ignore"):
                number = float(np.spacing(np.array(abs(number), dtype_of("bfloat16"))))
        elif name == "qk_clip":
            number = min(TAU / number, 1.0) if number > 0.0 else 1.0
        return Value(number, 0.0 if self.is_exact else None, most.row, most.key)


def merge(partials: Iterable[Partial]) -> Partial:
    """Return the statistics of a head from those of its blocks, at least one, in row order."""
    return reduce(Partial.merged, partials)


def statistics(
    head: HeadRows,
    model: HeadModel,
    with_norms: bool = True,
    queries: Reals | None = None,
    computed_in: FloatFormat = "float32",
) -> Partial:
    """Return the statistics of some rows of a head.

    Args:
        head: The rows.
        model: How scores become weights, as for `row_statistics`.
        with_norms: Whether to tally norms of queries and keys, which one partial of a head does.
        queries: All queries of the head, shape (n_q, d_k), if norms are to cover all of them.
        computed_in: The dtype of scores and weights; float64 if queries or keys are float64.
    """
    rows = row_statistics(head, model, dtype=np.dtype(computed_in))
    sees, finite = rows.seen > 0, rows.finite
    used = np.flatnonzero(sees & finite)
    # With one key the only weight is 1, whatever its score.
    has_sink = model.sink is not None
    several = np.flatnonzero(sees & finite & (rows.seen + has_sink > 1))
    most_keys = head.n_keys + has_sink
    bounds = {
        "entropy": (0.0, log(most_keys)),
        "effective_keys": (1.0, float(most_keys)),
        "gradient_norm": (0.0, 0.5 * model.multiplier),
        "cosine": (-1.0, 1.0),
    }
    shares = {
        "saturated": rows.max_weight >= ALL,
        "dead_gradient": rows.logit_gradient_norm < DEAD,
    }
    tallies = {}
    for name in ("largest_score", "max_logit"):
        keys = getattr(rows, f"{name}_key")[used]
        tallies[name] = Tally.of(getattr(rows, name)[used], rows.rows[used], keys)
    for name in (
        *("entropy", "effective_keys", "first_key_mass", "sink_mass", "cosine"),
        *("gradient_norm", "max_weight", "saturated", "dead_gradient", "seen"),
    ):
        counted = used if name in _OF_ANY_ROW else several
        numbers = shares[name] if name in shares else getattr(rows, name)
        tallies[name] = Tally.of(
            numbers[counted].astype(np.float64), rows.rows[counted], None,
            bounds.get(name, (0.0, 1.0)),
        )  # fmt: skip
    first_value = nan
    if with_norms:
        norms = rows.query_norm if queries is None else lengths(queries)
        of_queries = rows.rows if queries is None else np.arange(len(norms))
        which = np.flatnonzero(np.isfinite(norms))
        tallies["query_norm"] = Tally.of(norms[which], of_queries[which])
        norms = lengths(head.keys)
        which = np.flatnonzero(np.isfinite(norms))
        tallies["key_norm"] = Tally.of(norms[which], None, which)
        if head.values is not None:
            norms = lengths(head.values)
            typical = float(np.median(norms))
            if typical > 0.0:
                first_value = float(norms[0]) / typical
    odd = rows.rows[~finite]
    return Partial(
        head.n_queries,
        head.n_keys,
        len(rows.rows),
        int((~sees).sum()),
        len(odd),
        int(odd[0]) if len(odd) else None,
        tallies,
        computed_in=rows.computed_in,
        first_value=first_value,
    )


_OF_ANY_ROW = ("entropy", "effective_keys", "first_key_mass", "sink_mass", "cosine")
"""What is tallied over every row that sees a key; the rest, over rows with more than one choice."""
