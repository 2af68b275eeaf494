"""The Dot products instrument: where the variance d_k comes from, and what dividing does to it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np

from attn_tui.compute.dots.derivation import derivation
from attn_tui.compute.dots.draws import Streams, draw_entries
from attn_tui.compute.dots.histogram import Bins, Curves, Histogram, curves, histogram
from attn_tui.compute.dots.moments import Floats, Readouts, Sums, read
from attn_tui.compute.dots.over_dimension import Growth, Row, Sample, growth
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import Pair
from attn_tui.compute.number import Number

_MAIN, _PAIRS, _TABLE = range(3)
"""What random numbers are for: the first part of the key of their streams."""

_MOST_PAIRS = 2**20
_FIRST_WORK, _MOST_WORK = 2**14, 2**22
"""Random numbers drawn before the first answer, and at most between two."""


@lru_cache(maxsize=256)
def law_of(settings: Settings, d_k: int) -> DotLaw:
    """Return the exact law of q·k at a d_k."""
    means = float(settings.mean_q), float(settings.mean_k)
    pair = Pair(settings.entries, *means, float(settings.correlation))
    return DotLaw(pair, d_k, settings.tied)


@dataclass(frozen=True, eq=False)
class Answer:
    """What there is to say so far.

    Attributes:
        experiment: The question.
        settings: What it says about draws.
        law: The exact law of q·k.
        drawn: How many q·k were drawn so far, of ``settings.samples``.
        generator: What generates random numbers.
        multiplier: m of the scale. A soft cap and a sink play no part here.
        unscaled: What the sample says about q·k.
        scaled: What it says about m·q·k.
        histogram: Of q·k; that of m·q·k is ``histogram.scaled(multiplier)``.
        curves: The exact density of q·k and the normal one; likewise.
        derivation: The numbers from one product to m·q·k, by their names.
        pairs: How many single products the first lines of it are taken from.
        table: A row for each of ``settings.d_ks``.
        growth: The standard deviation over d_k for the rules 1, 1/√d_k and 1/d_k.
        progress: The share of what is asked that is drawn; of the whole or the row least drawn.
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
    curves: Curves
    derivation: Mapping[str, Number]
    pairs: int
    table: tuple[Row, ...]
    growth: tuple[Growth, ...]
    progress: float

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to draw."""
        return self.progress == 1.0


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield what the sample says as it grows; memory does not grow with it.

    Stopped, it yields once more, if anything was drawn since it last did, and ends.
    """
    yield from Run(experiment).answers(stop)


class Run:
    """A sample that grows; it can be stopped, and goes on from there.

    Args:
        experiment: The question.
        rows_of: Another run, whose rows of the table are taken over where they will do.
    """

    def __init__(self, experiment: Experiment, rows_of: "Run | None" = None) -> None:
        self._ask(experiment)
        self._law = law_of(self._settings, experiment.setup.d_k)
        self._one = DotLaw(self._law.pair, 1)
        self._whole = Sample(self._law, self._settings.seed, _MAIN, 0)
        self._pair_streams = Streams(self._settings.seed, _PAIRS, 0)
        self._bins = Bins.of(self._law)
        self._counted = np.zeros(self._bins.number + 2)
        self._pairs = Sums()
        self._curves: Curves | None = None
        self._growth = growth(self._law, experiment.vectors[0].n_attended)
        self._rows: list[Sample] = []
        self._hold_rows(() if rows_of is None else rows_of._rows)
        self._work = _FIRST_WORK

    def _ask(self, experiment: Experiment) -> None:
        setup = experiment.setup
        self._experiment, self._settings = experiment, setup.get(Settings)
        n_attended = experiment.vectors[0].n_attended
        self._multiplier = setup.scale.multiplier(setup.d_k, max(n_attended, 1))

    def _hold_rows(self, drawn: Iterable[Sample]) -> None:
        """Take the rows that are asked for; of drawn ones those that have no more than that."""
        settings = self._settings
        known = {row.key: row for row in drawn if row.count <= row.asked(settings.samples)}
        keys = [(law_of(settings, d_k), settings.seed) for d_k in settings.d_ks]
        self._rows = [known.get(key) or Sample(*key, _TABLE, key[0].d_k) for key in keys]

    def become(self, experiment: Experiment) -> bool:
        """Answer another question with what was drawn and go on from there, if that will do.

        It will do for the same law and seed and as many samples or more; scale and table may be
        others. Otherwise nothing changes.
        """
        settings = experiment.setup.get(Settings)
        same = law_of(settings, experiment.setup.d_k) == self._law
        same = same and settings.seed == self._settings.seed
        if not (same and settings.samples >= self.count):
            return False
        self._ask(experiment)
        self._hold_rows(self._rows)
        return True

    @property
    def count(self) -> int:
        """How many q·k were drawn, but for those of the rows."""
        return self._whole.count

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to draw."""
        return self._share == 1.0

    @property
    def _share(self) -> float:
        """The share of what is asked that is drawn; of the whole or the row least drawn."""
        samples = self._settings.samples
        shares = [row.count / row.asked(samples) for row in self._rows]
        return min(self.count / samples, *shares, 1.0)

    @property
    def _drawn(self) -> int:
        return self.count + sum(row.count for row in self._rows)

    def answers(self, stop: Stop = never) -> Iterator[Answer]:
        """Yield what was drawn before, if anything was, and then what `answer` does."""
        shown = self._drawn
        if self.count:
            yield self._answer()
        while self._share < 1.0:
            stopped = self._advance(self._work, stop)
            if self.count and (self._drawn > shown or not stopped):
                yield self._answer()
            if stopped:
                return
            shown, self._work = self._drawn, min(2 * self._work, _MOST_WORK)

    def _advance(self, work: int, stop: Stop) -> bool:
        """Draw about so many random numbers, for the rows as well; say whether stopped.

        All of it grows at one pace, so that what was drawn says how much is left.
        """
        samples = self._settings.samples
        asked = [(row, row.asked(samples)) for row in self._rows]
        whole = samples * self._whole.draws.cost + sum(row.draws.cost * most for row, most in asked)
        share = min(self._share + work / whole, 1.0)
        if self._whole.grow(ceil(share * samples), stop, self._count):
            return True
        return any(row.grow(ceil(share * most), stop) for row, most in asked) or stop()

    def _count(self, deviations: Floats) -> None:
        """Count what was drawn into bins, and draw as many single products."""
        self._counted += self._bins.count(deviations)
        count = min(deviations.size, _MOST_PAIRS - self._pairs.count)
        if count > 0:
            pair = self._one.pair
            products = pair.deviation(*draw_entries(pair, self._pair_streams, (count,)))
            self._pairs += Sums.of(products, self._one)

    def _answer(self) -> Answer:
        law, m = self._law, self._multiplier
        unscaled = read(self._whole.sums, law)
        self._curves = self._curves or curves(law, self._bins)
        return Answer(
            experiment=self._experiment,
            settings=self._settings,
            law=law,
            drawn=self.count,
            generator=self._whole.draws.generator,
            multiplier=m,
            unscaled=unscaled,
            scaled=unscaled.scaled(m),
            histogram=histogram(law, self._bins, self._counted),
            curves=self._curves,
            derivation=derivation(law, self._pairs, unscaled, m),
            pairs=self._pairs.count,
            table=tuple(row.row(self._settings.samples) for row in self._rows),
            growth=self._growth,
            progress=self._share,
        )
