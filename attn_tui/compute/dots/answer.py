"""The Dot products instrument: where the variance d_k comes from, and what dividing does to it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, hypot, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.dots.draws import Draws, Streams, draw_entries
from attn_tui.compute.dots.moments import (
    Bins,
    DensityCurves,
    Histogram,
    PowerSums,
    Readouts,
    curves,
    histogram,
    mean,
    read,
    variance,
)
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import Pair
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.rules import RULES
from attn_tui.compute.sample import NOTHING, Number
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import UNIT_SPREAD, Spread

_MAIN, _PAIRS, _TABLE = range(3)
"""The purposes of random numbers: the first part of the key of their streams."""

_MOST_PAIRS = 2**20
_FIRST_WORK, _MOST_WORK = 2**14, 2**22
"""Random numbers drawn before the first answer, and at most between two answers."""

_ROW_WORK = 2**24
"""The most random numbers drawn for a row of the table."""


@lru_cache(maxsize=256)
def law_of(settings: Settings, d_k: int, spread: Spread = UNIT_SPREAD) -> DotLaw:
    """Return the exact law of q·k at a d_k."""
    means = float(settings.mean_q), float(settings.mean_k)
    pair = Pair(settings.entries, *means, float(settings.correlation), spread.q, spread.k)
    return DotLaw(pair, d_k, settings.tied)


@dataclass(frozen=True)
class GrowthRow:
    """One row of the table.

    Attributes:
        d_k: The dimension.
        bound: Half the width of the range: 2√d_k for entries of variance 1.
        variance: Var(q·k).
        coverage: The probability of |q·k| ≤ ``bound``.
        draws: The size of the row's own sample so far.
        asked: The size that it will reach.
        unknown: Why the exact coverage is unknown, or empty.
    """

    d_k: int
    bound: float
    variance: Number
    coverage: Number
    draws: int
    asked: int
    unknown: str = ""


@dataclass(frozen=True, eq=False)
class Growth:
    """The exact standard deviation of m·q·k over d_k under one rule.

    Attributes:
        rule: A name in `RULES`.
        formula: m as text.
        d_k: Shape (D,), rising.
        standard_deviation: Shape (D,).
        slope: The exact power of d_k with which it grows.
    """

    rule: str
    formula: str
    d_k: NDArray[np.int64]
    standard_deviation: NDArray[np.float64]
    slope: float


@dataclass(frozen=True, eq=False)
class Answer:
    """The results so far.

    Attributes:
        experiment: The question.
        settings: Its settings of this instrument.
        law: The exact law of q·k.
        drawn: How many q·k have been drawn so far, of ``settings.samples``.
        generator: The algorithm that generates random numbers.
        multiplier: m of the scale. A soft cap and a sink play no part here.
        unscaled: The sample's statistics of q·k.
        scaled: The sample's statistics of m·q·k.
        histogram: The histogram of q·k; that of m·q·k is ``histogram.scaled(multiplier)``.
        curves: The exact density of q·k and the normal one; likewise.
        derivation: The numbers that lead from one product to m·q·k, by name.
        pairs: How many single products its first lines are computed from.
        table: A row for each of ``settings.d_ks``.
        growth: The standard deviation over d_k for the rules 1, 1/√d_k and 1/d_k.
        progress: The share drawn so far, from 0 to 1, of whichever sample has the smallest share.
    """

    experiment: Experiment
    settings: Settings
    law: DotLaw
    drawn: int
    generator: str
    multiplier: float
    unscaled: Readouts
    scaled: Readouts
    histogram: Histogram
    curves: DensityCurves
    derivation: Mapping[str, Number]
    pairs: int
    table: tuple[GrowthRow, ...]
    growth: tuple[Growth, ...]
    progress: float

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to draw."""
        return self.progress == 1.0


@lru_cache(maxsize=4)
def growth(law: DotLaw, n_attended: int) -> tuple[Growth, ...]:
    """Return the lines of the rules 1, 1/√d_k and 1/d_k, for a law at any d_k."""
    d_ks = np.array(D_K.stops)
    deviations = np.array([DotLaw(law.pair, d_k, law.tied).standard_deviation for d_k in D_K.stops])
    lines = []
    for rule, power in (("none", 0.0), ("inverse-sqrt", 0.5), ("inverse", 1.0)):
        scale, slope = Scale(rule), (1.0 if law.tied else 0.5) - power
        m = np.array([scale.multiplier(d_k, max(n_attended, 1)) for d_k in D_K.stops])
        lines.append(Growth(rule, RULES[rule].formula, d_ks, deviations * m, slope))
    return tuple(lines)


def derivation(law: DotLaw, pairs: PowerSums, products: Readouts, m: float) -> Mapping[str, Number]:
    """Return the numbers that explain why Var(q·k) is d_k, by their names in JSON.

    Args:
        law: The law of q·k.
        pairs: Sums of at least one single product q_i·k_i, by the law of d_k = 1.
        products: The statistics of a sample of q·k drawn independently of the pairs.
        m: The multiplier of the scale.
    """
    one, total = DotLaw(law.pair, 1), products.variance
    of_one = variance(pairs, one)
    added, cross = of_one.times(law.d_k), Number(0.0, 0.0, 0.0)
    if law.d_k > 1:
        error = hypot(total.standard_error, added.standard_error)
        exact = law.variance - law.d_k * one.variance
        cross = Number(total.value - added.value, error, exact)
    return {
        "mean": mean(pairs, one),
        "variance": of_one,
        "average": products.mean,
        "sum": added,
        "cross": cross,
        "total": total,
        "size": products.standard_deviation,
        "scaled": total.times(m * m),
        "scaled_average": products.mean.times(m),
    }


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield answers as the sample grows, in constant memory.

    When stopped, it yields once more if anything was drawn since the last answer, and ends.
    """
    setup = experiment.setup
    yield from SampleRun(setup.get(Settings), setup.d_k, setup.sigmas).answers(experiment, stop)


class _Sample:
    """A growing sample of q·k.

    Attributes:
        law: The law of q·k.
        sums: The sums that are kept of the sample.
        draws: The draws that it takes values from.
        most: Its final size.
    """

    def __init__(self, law: DotLaw, streams: Streams, most: int) -> None:
        self.law, self.sums, self.draws, self.most = law, PowerSums(), Draws(law, streams), most

    @property
    def share(self) -> float:
        """The share of the final size drawn so far, from 0 to 1."""
        return self.sums.count / self.most

    def grow(self, share: float, stop: Stop, see: Callable[[Floats], None] | None = None) -> bool:
        """Draw up to a share of the final size, passing the draws to ``see``; return if stopped."""
        wanted = ceil(share * self.most)
        while self.sums.count < wanted:
            if stop():
                return True
            deviations = self.draws.take(min(wanted - self.sums.count, self.draws.at_once))
            self.sums += PowerSums.of(deviations, self.law)
            if see is not None:
                see(deviations)
        return False

    def row(self) -> GrowthRow:
        """Return the row of the table for this sample."""
        law = self.law
        if not self.sums.count:
            spread = Number(nan, nan, law.variance)
            return GrowthRow(law.d_k, law.bound, spread, NOTHING, 0, self.most)
        readouts = read(self.sums, law)
        unknown = law.unknown if law.coverage is None else ""
        return GrowthRow(
            law.d_k,
            law.bound,
            readouts.variance,
            readouts.coverage,
            self.sums.count,
            self.most,
            unknown,
        )


def _rows_of(settings: Settings, spread: Spread) -> list[_Sample]:
    """Return the samples behind the rows of the table, with no draws yet."""
    rows = []
    for d_k in settings.d_ks:
        law, streams = law_of(settings, d_k, spread), Streams(settings.seed, _TABLE, d_k)
        most = min(settings.samples, max(1, _ROW_WORK // Draws(law, streams).cost))
        rows.append(_Sample(law, streams, most))
    return rows


@lru_cache(maxsize=4)
def _rows_complete(settings: Settings, spread: Spread) -> list[_Sample]:
    """Return the list that keeps the complete rows, empty before: they are the same at any d_k."""
    return []


class SampleRun:
    """A growing sample that can be stopped and resumed, even under another scale.

    Args:
        settings: The law of the entries and the sizes of the samples.
        d_k: The length of q and k.
        spread: How widely their entries are spread.
    """

    def __init__(self, settings: Settings, d_k: int, spread: Spread = UNIT_SPREAD) -> None:
        seed, samples = settings.seed, settings.samples
        self._settings, self._law = settings, law_of(settings, d_k, spread)
        self._one = DotLaw(self._law.pair, 1)
        self._products = _Sample(self._law, Streams(seed, _MAIN, 0), samples)
        self._rows_complete = _rows_complete(settings, spread)
        self._rows = [*self._rows_complete] or _rows_of(settings, spread)
        self._pairs, self._pair_streams = PowerSums(), Streams(seed, _PAIRS, 0)
        self._bins = Bins.of(self._law)
        self._counted = np.zeros(self._bins.number + 2)
        self._work = _FIRST_WORK

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to draw."""
        return self._share == 1.0

    @property
    def _share(self) -> float:
        """The smallest share drawn so far, of the whole sample and the rows."""
        return min(sample.share for sample in (self._products, *self._rows))

    @property
    def _drawn(self) -> int:
        return sum(sample.sums.count for sample in (self._products, *self._rows))

    def answers(self, experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
        """Yield an answer from earlier draws, if there are any, and then the answers of `answer`.

        Args:
            experiment: A question with the settings and the d_k of the run.
            stop: Returns whether to stop.
        """
        if self._products.sums.count:
            yield self.answer(experiment)
        for _ in self.drawing(stop):
            yield self.answer(experiment)

    def drawing(self, stop: Stop = never) -> Iterator[None]:
        """Draw more until complete or stopped; yield whenever there is more to answer with."""
        reported = self._drawn
        # Rows count that are kept complete, so that sums are added up in the same order with them.
        samples = self._products, *self._rows
        cost = sum(sample.draws.cost * sample.most for sample in samples)
        while self._share < 1.0:
            # All samples grow at the same pace, so the share drawn tells how much work is left.
            share = min(self._share + self._work / cost, 1.0)
            stopped = self._products.grow(share, stop, self._see)
            stopped = stopped or any(row.grow(share, stop) for row in self._rows) or stop()
            if self.complete:
                self._rows_complete[:] = self._rows
            if self._products.sums.count and (self._drawn > reported or not stopped):
                yield
            if stopped:
                return
            reported, self._work = self._drawn, min(2 * self._work, _MOST_WORK)

    def _see(self, deviations: Floats) -> None:
        """Count draws into bins, and draw an equal number of single products."""
        self._counted += self._bins.count(deviations)
        count = min(deviations.size, _MOST_PAIRS - self._pairs.count)
        if count > 0:
            pair = self._one.pair
            products = pair.deviation(*draw_entries(pair, self._pair_streams, (count,)))
            self._pairs += PowerSums.of(products, self._one)

    def answer(self, experiment: Experiment) -> Answer:
        """Return the answer from the draws so far, at least one, to a question of `answers`."""
        law, setup = self._law, experiment.setup
        n_attended = experiment.vectors[0].n_attended
        m = setup.scale.multiplier(setup.d_k, max(n_attended, 1))
        unscaled = read(self._products.sums, law)
        return Answer(
            experiment=experiment,
            settings=self._settings,
            law=law,
            drawn=self._products.sums.count,
            generator=self._products.draws.generator,
            multiplier=m,
            unscaled=unscaled,
            scaled=unscaled.scaled(m),
            histogram=histogram(law, self._bins, self._counted),
            curves=curves(law),
            derivation=derivation(law, self._pairs, unscaled, m),
            pairs=self._pairs.count,
            table=tuple(row.row() for row in self._rows),
            growth=growth(law, n_attended),
            progress=self._share,
        )
