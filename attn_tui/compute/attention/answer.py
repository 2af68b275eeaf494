"""The Attention instrument: every row of a head, unscaled beside scaled."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.attention.rows import AttentionRows, Side, row_of
from attn_tui.compute.attention.settings import Settings, draws_rows, is_open
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.source import Drawn


def is_drawn(experiment: Experiment) -> bool:
    """Return whether the head is drawn here, and not made of the question's vectors."""
    return draws_rows(experiment.setup, experiment.source)


def tokens_of(experiment: Experiment) -> tuple[str, ...]:
    """Return the tokens of queries and keys: those of the settings, else those of the source."""
    tokens = experiment.setup.get(Settings).tokens
    return tokens or (() if is_drawn(experiment) else experiment.source.words)


def is_causal(experiment: Experiment) -> bool:
    """Return whether `Settings.causal` is set and applies, as it does if the mask is unknown."""
    setup = experiment.setup
    return is_open(setup, experiment.source) and setup.get(Settings).causal


def head_of(experiment: Experiment) -> Experiment:
    """Return the question whose vectors are the rows of the head.

    Each drawn query has n keys of its own; in a real head all queries share their keys, but the
    law of each row is the same. The question's mask does not apply to keys that are drawn here.
    """
    setup, settings = experiment.setup, experiment.setup.get(Settings)
    if not is_drawn(experiment):
        if is_causal(experiment) and not setup.mask.causal:
            mask = replace(setup.mask, causal=True)
            return Experiment(experiment.source, replace(setup, mask=mask))
        return experiment
    source = Drawn(settings.n, settings.seed, settings.n)
    return Experiment(source, replace(setup, mask=Mask(causal=settings.causal)))


_BETWEEN = 2_000_000
"""The fewest scores processed between two answers."""

_ANSWERS = 100
"""About how many answers there are for a large head; each of them is painted on the screen."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The results for the rows of a head.

    Attributes:
        experiment: The question.
        head: The question whose vectors are the rows.
        lengths: How many keys each query has, masked ones included, shape (n_q,).
        attended: How many keys each query sees, shape (n_q,).
        odd: Which rows meet NaN or infinity and have no numbers, shape (n_q,).
        block: The number of keys in a block of the map; 0 if there are no blocks.
        unscaled: The first side: the scores as they are.
        scaled: The second side: under the scale.
        rows: The indices of the known rows, rising; until all are known, they are spread over the
            head.
        names: The names of the two sides; a comparison has its own.
        pinned: For a comparison, the question whose scaled side is the first; else None.
    """

    experiment: Experiment
    head: Experiment
    lengths: NDArray[np.intp]
    attended: NDArray[np.intp]
    odd: NDArray[np.bool_]
    block: int
    unscaled: Side
    scaled: Side
    rows: NDArray[np.intp]
    names: tuple[str, str] = ("unscaled", "scaled")
    pinned: Experiment | None = None

    @property
    def n_queries(self) -> int:
        """The number of rows."""
        return len(self.head.vectors)

    @property
    def n_keys(self) -> int:
        """The number of keys, masked ones included; typed rows may have fewer."""
        return self.head.vectors.n_keys

    def n_keys_of(self, row: int) -> int:
        """Return the number of keys of one row, masked ones included."""
        return self.head.vectors.once(row).n_keys

    @property
    def done(self) -> int:
        """How many rows are known."""
        return int(self.rows.size)

    @property
    def answered(self) -> slice | NDArray[np.intp]:
        """The index that selects the known rows from the arrays of a side."""
        return slice(None) if self.done == self.n_queries else self.rows

    @property
    def progress(self) -> float:
        """The share of rows that are known, from 0 to 1."""
        return self.done / self.n_queries

    @property
    def is_drawn(self) -> bool:
        """Whether the head was drawn here."""
        return is_drawn(self.experiment)

    @cached_property
    def choosing(self) -> NDArray[np.intp]:
        """The known rows with numbers that choose among several keys, or a key and a sink."""
        sink = self.head.setup.scale.sink is not None
        # Only known rows are read, since others may be written at the same time.
        attended, odd = self.attended[self.answered], self.odd[self.answered]
        return self.rows[((attended + (sink & (attended > 0))) > 1) & ~odd]

    @property
    def is_of_one(self) -> bool:
        """Whether all rows are known, and only one of them has a choice."""
        return self.choosing.size == 1 and self.progress == 1.0

    @property
    def nothing_is_done(self) -> bool:
        """Whether the scale leaves every row as it is."""
        scale = self.head.setup.scale
        plain = scale.softcap is None and scale.sink is None and self.pinned is None
        return plain and bool((self.scaled.multiplier[self.answered] == 1.0).all())

    @property
    def sides(self) -> tuple[Side, Side]:
        """The first side and the second."""
        return self.unscaled, self.scaled

    def row(self, row: int) -> tuple[Evaluation, Evaluation]:
        """Evaluate both sides of one row."""
        unscaled, scaled = row_of(self.head, row)
        return (row_of(self.pinned, row)[1] if self.pinned else unscaled), scaled


NAMES = ("pinned", "now")
"""The names of the sides of a comparison."""


def compare(pinned: Answer, now: Answer) -> Answer | None:
    """Return the scaled sides of two answers side by side; None if their sizes differ."""
    if (pinned.n_queries, pinned.n_keys) != (now.n_queries, now.n_keys):
        return None
    rows = np.intersect1d(pinned.rows, now.rows, assume_unique=True)
    # Typed rows can differ in length.
    if not np.array_equal(pinned.lengths[rows], now.lengths[rows]):
        return None
    odd = pinned.odd | now.odd
    return replace(now, unscaled=pinned.scaled, rows=rows, odd=odd, names=NAMES, pinned=pinned.head)


MOVED = 0.1
"""A row counts as moved if its largest weight changes by more than this."""


def moved(answer: Answer) -> int:
    """Return the number of queries whose largest weight differs by more than `MOVED`."""
    before, after = (side.largest[answer.answered] for side in answer.sides)
    return int((np.abs(after - before) > MOVED).sum())


def spread(count: int) -> Iterator[int]:
    """Yield the numbers below a count in an order in which the first are spread over the range.

    >>> [*spread(8)]
    [4, 2, 6, 1, 5, 3, 7, 0]
    """
    bits = max((count - 1).bit_length(), 1)
    for number in (*range(1, 2**bits), 0):
        place = int(f"{number:0{bits}b}"[::-1], 2)
        if place < count:
            yield place


def answer(experiment: Experiment, stop: Stop = never, maps: bool = True) -> Iterator[Answer]:
    """Yield growing answers with more and more rows, spread over the head.

    A small head has a single answer. It ends soon after ``stop()`` is true.

    Args:
        experiment: The question.
        stop: Returns whether to stop.
        maps: Whether to keep weights by blocks of keys, for a map.

    Raises:
        InputError: If the rule yields no usable multiplier.
    """
    head = head_of(experiment)
    rows = AttentionRows(head, maps)
    answered = np.zeros(rows.n_queries, bool)
    since, between = 0, max(_BETWEEN, rows.n_queries * rows.n_keys // _ANSWERS)

    def so_far() -> Answer:
        numbers = rows.lengths, rows.attended, rows.odd, rows.block
        return Answer(experiment, head, *numbers, *rows.sides, np.flatnonzero(answered))

    for index in spread(len(rows.places)):
        for taken in rows.take(rows.places[index]):
            if stop():
                return
            answered[taken] = True
            since += rows.n_keys * (taken.stop - taken.start)
            if since > between and not answered.all():
                since = 0
                yield so_far()
    yield so_far()


def log_factors(answer: Answer) -> Floats:
    """Return ln of the ratio of the second side's gradient to the first's, for `Answer.choosing`.

    It is NaN where both gradients are 0, or one is NaN.
    """
    before, after = (side.log_gradient[answer.choosing] for side in answer.sides)
    with np.errstate(invalid="ignore"):
        change = after - before
    return np.where((before == -inf) & (after == -inf), np.nan, change)
