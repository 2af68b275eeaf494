"""Drawn vectors in small units, coupled over d_k and over the number of keys.

Vector r of a seed is vector r of `source.Drawn` with that seed: q at one d_k is the beginning of q
at every larger one, and the first keys of a longer vector are those of a shorter one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.sample import stream
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.readouts import log_statistics
from attn_tui.compute.sweep.rows import DrawnVectors, rows

GENERATOR = Drawn.GENERATOR

_LEAST, _MOST, _NUMBERS = 32, 256, 1 << 18
"""The fewest and the most vectors of a unit, and about how many numbers it has in between."""

_SHARED = (64, 1024)
"""Lengths at which vectors are cached; shorter vectors are the beginnings of these."""

QUERY, KEYS, UPSTREAM, ACROSS = range(4)
"""The streams of a vector: q; g; v = V·∂L/∂o; the components of the keys across q."""


def unit_size(n_keys: int) -> int:
    """Return how many vectors are drawn and evaluated at a time.

    >>> unit_size(2), unit_size(4096), unit_size(100_000)
    (256, 64, 32)
    """
    return min(max(_NUMBERS >> (n_keys - 1).bit_length(), _LEAST), _MOST)


@dataclass(frozen=True)
class Unit:
    """Consecutive vectors of a seed; ``d_ks`` does not count for equality.

    Attributes:
        seed: The seed, a whole number from 0.
        n_keys: n, at least 2.
        first: The index of the first vector, a multiple of 32.
        size: The number of vectors, B.
        d_ks: The d_k at which the vectors will be evaluated, rising; any other d_k works too, but
            then q is drawn for it alone.
    """

    seed: int
    n_keys: int
    first: int
    size: int
    d_ks: tuple[int, ...] = field(default=(), compare=False)

    @property
    def here(self) -> slice:
        """The slice of these vectors among all vectors of the seed."""
        return slice(self.first, self.first + self.size)

    @property
    def blocks(self) -> range:
        """The numbers of the blocks of 32 vectors that hold these."""
        return range(self.first // _LEAST, -(-self.here.stop // _LEAST))

    def chi_square(self, part: int, d_k: int) -> Floats:
        """Return a χ² draw for each vector, shape (B,): ‖q‖², or that across q, 0 at d_k = 1."""
        d_ks = self.d_ks if d_k in self.d_ks else (d_k,)
        drawn = [_running(self.seed, block, part, d_ks)[d_ks.index(d_k)] for block in self.blocks]
        return np.concatenate(drawn)[: self.size]

    def drawing(self) -> Iterator[None]:
        """Draw the vectors for all `d_ks` ahead of their use; yield some hundred times a second."""
        for block in self.blocks if self.d_ks else ():
            for part in (QUERY, ACROSS):
                _running(self.seed, block, part, self.d_ks)
                yield
            length = shared_length(self.n_keys)
            if length is not None:
                _normals(self.seed, block, length)
                yield


def units(seed: int, n_keys: int, draws: int, d_ks: tuple[int, ...]) -> Iterator[Unit]:
    """Yield the units that make up a number of draws; the other arguments are those of `Unit`.

    The first is as small as it can be, so that something is known everywhere soon.
    """
    first, size = 0, _LEAST
    while first < draws:
        yield Unit(seed, n_keys, first, min(size, draws - first), d_ks)
        first, size = first + size, unit_size(n_keys)


def cost(n_keys: int, vectors: int) -> int:
    """Return the cost of evaluating vectors, in numbers processed, at about 6 ns each."""
    return vectors * (n_keys + 150)


def shared_length(n_keys: int) -> int | None:
    """Return the length of the cached vectors of which those of n keys are the beginnings.

    None if vectors are too long to be cached.

    >>> shared_length(2), shared_length(65), shared_length(4096)
    (64, 1024, None)
    """
    return next((length for length in _SHARED if n_keys <= length), None)


@lru_cache(maxsize=_MOST // _LEAST)
def _normals(seed: int, block: int, n_keys: int) -> Floats:
    """Return standard normal g and v of a block of vectors, shape (2, 32, n)."""
    return _drawn(seed, block * _LEAST, _LEAST, n_keys)


def _drawn(seed: int, first: int, size: int, n_keys: int) -> Floats:
    """Draw standard normal g and v of some vectors, shape (2, size, n)."""
    drawn = np.empty((2, size, n_keys))
    for part, numbers in zip((KEYS, UPSTREAM), drawn, strict=True):
        for vector, row in enumerate(numbers, start=first):
            stream(seed, vector, part).standard_normal(out=row)
    return drawn


@lru_cache(maxsize=1)
def unit_rows(unit: Unit, lead: float = 0.0) -> DrawnVectors:
    """Return each vector's g, with the lead of key 0, and upstream gradient."""
    length = shared_length(unit.n_keys)
    if length is not None:
        blocks = [_normals(unit.seed, block, length) for block in unit.blocks]
        g, v = np.concatenate(blocks, axis=1)[:, : unit.size, : unit.n_keys]
        return rows(_led(g, lead), v)
    drawn = _drawn(unit.seed, unit.first, unit.size, unit.n_keys)
    return rows(_led(drawn[0], lead), drawn[1], out=drawn)


def _led(g: Floats, lead: float) -> Floats:
    """Return g after adding a lead to key 0 of each vector."""
    g[:, 0] += lead
    return g


def forget_rows() -> None:
    """Forget the rows of the last unit, which take 51 MB for vectors of 100,000 keys."""
    for cached in (_normals, unit_rows, _normalised_rows):
        cached.cache_clear()


@lru_cache(maxsize=1)
def _normalised_rows(unit: Unit, d_k: int, lead: float) -> DrawnVectors:
    """Return rows of scores of normalised q and k, the same as those of `source.Drawn`."""
    draw = Drawn(unit.n_keys, unit.seed)
    vectors = range(unit.first, unit.here.stop)
    scores = np.array([draw.scores(d_k, vector, qk_norm=True, lead=lead) for vector in vectors])
    return rows(scores, np.zeros_like(scores))


@lru_cache(maxsize=2048)
def _running(seed: int, block: int, part: int, d_ks: tuple[int, ...]) -> Floats:
    """Return χ² draws of d_k degrees of freedom, or d_k − 1 across q, shape (d_ks, 32).

    Each of the 32 vectors has one stream, whose running sums of squares they are.
    """
    degrees = np.array(d_ks) - (part == ACROSS)
    sums = np.zeros((len(d_ks), _LEAST))
    for vector in range(_LEAST):
        drawn = stream(seed, block * _LEAST + vector, part).standard_normal(degrees[-1])
        np.square(drawn, out=drawn)
        some = degrees > 0
        sums[some, vector] = np.cumsum(drawn, out=drawn)[degrees[some] - 1]
    return sums


@lru_cache(maxsize=1024)
def unit_logs(
    unit: Unit, d_k: int, multiplier: float, qk_norm: bool = False, lead: float = 0.0,
    sink: float | None = None,
) -> Floats:  # fmt: skip
    """Return the `log_statistics` of a unit's vectors, shape (8, B), read-only.

    The last 1,024 results are cached, at most 15 MB, so that repeated questions are fast. Vectors
    are drawn only once if calls for the same unit follow one another.

    Args:
        unit: The vectors.
        d_k: The length of q.
        multiplier: m, above 0.
        qk_norm: Whether q and k are normalised first; then the query gradient is unknown, NaN.
        lead: By how much key 0 leads.
        sink: The logit of a sink beside key 0; None for no sink.
    """
    # Larger σ saturate just the same, and no product with this one overflows.
    bounded = min(multiplier, 1e300)
    if qk_norm:
        stds, unknown = np.full(unit.size, bounded), np.full(unit.size, np.nan)
        logs = log_statistics(_normalised_rows(unit, d_k, lead), stds, unknown, sink)
    else:
        stds = bounded * np.sqrt(unit.chi_square(QUERY, d_k))
        logs = log_statistics(unit_rows(unit, lead), stds, unit.chi_square(ACROSS, d_k), sink)
    logs.setflags(write=False)
    return logs
