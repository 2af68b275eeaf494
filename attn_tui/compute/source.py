"""Where scores come from: typed, drawn at random, or products of queries and keys."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import count
from math import sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.compute.arrays import Floats, rounded
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.numbers import general
from attn_tui.compute.sample import stream
from attn_tui.compute.setup import Draw, Setup
from attn_tui.compute.text import counted


def array_of(field: str, values: ArrayLike, expected: str) -> NDArray[np.float64]:
    """Return numbers as a float64 array: the same object if they already are one.

    Raises:
        InputError: Naming the field and what was expected, if they cannot be converted.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        problem = "these are no numbers, or rows that differ in length"
        raise InputError(field, problem, expected) from None


@dataclass(frozen=True, eq=False)
class Vector:
    """A named row of scores for softmax to act on; vectors compare by identity.

    Attributes:
        name: The name that is shown to the user.
        scores: Shape (n,), float64, read-only; ``-inf`` marks a masked key. Never ``+inf``, and NaN
            only if they are captured.
        bias: The bias added to each logit, shape (n,), finite; None if there is none.
        captured: Whether the scores come from captured q and k, which may hold NaN.
    """

    name: str
    scores: NDArray[np.float64]
    bias: NDArray[np.float64] | None = None
    captured: bool = False

    def __post_init__(self) -> None:
        scores = array_of("scores", self.scores, "a row of numbers")
        # Read-only arrays are shared, so that renaming a vector takes no memory.
        scores = np.array(scores, ndmin=1) if scores.flags.writeable or not scores.ndim else scores
        if scores.ndim != 1 or scores.size == 0:
            problem = f"{inert(self.name)} has shape {np.shape(self.scores)}"
            raise InputError("scores", problem, "at least one score")
        unusable = np.flatnonzero((np.isnan(scores) & (not self.captured)) | (scores == np.inf))
        if unusable.size:
            key = int(unusable[0])
            problem = f"{inert(self.name)} has {general(float(scores[key]))} at key {key:,}"
            raise InputError("scores", problem, "finite scores, or -inf for a masked key")
        scores.setflags(write=False)
        object.__setattr__(self, "scores", scores)

    @property
    def n_keys(self) -> int:
        """Number of keys, masked ones included."""
        return int(self.scores.size)

    @cached_property
    def n_attended(self) -> int:
        """Number of unmasked keys: the n of rules that depend on the length."""
        return int(np.count_nonzero(self.scores != -np.inf))

    @property
    def is_odd(self) -> bool:
        """Whether the score of an unmasked key is NaN."""
        return bool(np.isnan(self.scores).any())

    def masked(self, hidden: Sequence[slice]) -> "Vector":
        """Return this vector with more keys masked, or itself if they all were already."""
        if not any((self.scores[keys] != -np.inf).any() for keys in hidden):
            return self
        scores = self.scores.copy()
        for keys in hidden:
            scores[keys] = -np.inf
        scores.setflags(write=False)
        return replace(self, scores=scores)


@dataclass(frozen=True, eq=False)
class Vectors:
    """A sequence of vectors; each is made when it is first needed, and then kept.

    Attributes:
        count: Number of vectors, at least one.
        n_keys: Number of keys of the longest vector.
        make: Makes the vector at an index; the vector must be usable.
        positions: The key at which each vector's query stands, for a causal mask; if empty, the
            vector's index.
        namer: Returns the name of the vector at an index without making the vector, if it can.
    """

    count: int
    n_keys: int
    make: Callable[[int], Vector]
    positions: tuple[int, ...] = ()
    namer: Callable[[int], str] | None = None
    _kept: dict[int, Vector] = field(init=False, default_factory=dict, repr=False)

    def __len__(self) -> int:
        return self.count

    def position(self, index: int) -> int:
        """Return the key at which a vector's query stands."""
        return self.positions[index] if self.positions else index

    def __getitem__(self, index: int) -> Vector:
        if not -self.count <= index < self.count:
            raise IndexError(index)
        index %= self.count
        # Vectors compare by identity, so two threads must get the same object.
        return self._kept.get(index) or self._kept.setdefault(index, self.make(index))

    def once(self, index: int) -> Vector:
        """Return a vector without keeping it, for callers that go through many."""
        return self._kept.get(index) or self.make(index)

    def __iter__(self) -> Iterator[Vector]:
        return (self[index] for index in range(self.count))

    def name(self, index: int) -> str:
        """Return the name of the vector at an index."""
        return self.namer(index) if self.namer else self.once(index).name

    def index(self, name: str) -> int | None:
        """Return the index of the vector with a name, or None if there is none."""
        return next((index for index in range(self.count) if self.name(index) == name), None)


SourceKind = str
"""The name of a kind of source."""


class Source(ABC):
    """A source of scores; frozen. Whatever only some sources have is empty here.

    Attributes:
        kind: The name of this kind of source.
        normalises: Whether there are q and k for QK-norm to act on.
        rounds: Whether q and k are numbers that can be rounded, and that `parts` returns.
        redraws: Whether `redrawn` returns different scores.
        is_head: Whether its vectors are the queries of one head.
    """

    kind: ClassVar[SourceKind]
    normalises: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    redraws: ClassVar[bool] = False
    is_head: ClassVar[bool] = False

    @property
    def is_masked(self) -> bool:
        """Whether the source knows which keys its queries see, so that no mask is assumed."""
        return False

    @property
    def note(self) -> str:
        """What was left out of the files that the scores were read from; else empty."""
        return ""

    @property
    def d_k(self) -> int | None:
        """The d_k of the source, or None if it can be any."""
        return None

    @abstractmethod
    def vectors(self, setup: Setup) -> Vectors:
        """Return the score vectors under a setup, unmasked; equal setups share the same objects.

        Raises:
            InputError: If a vector cannot be used; accessing a vector later never raises it.
        """

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the user has given to the vectors."""
        return ()

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens at the positions, counted from the first query and the first key."""
        return ()

    def scores_at(self, scores: Floats, index: int, setup: Setup, d_k: int) -> Floats:
        """Return the scores of a vector under a setup, perhaps masked, moved to another d_k."""
        return scores

    def parts(self, index: int) -> tuple[Floats, Floats, Floats | None] | None:
        """Return q, shape (d_k,), K, shape (n, d_k), and V, shape (n, d_v), of a vector."""
        return None

    def together(self) -> tuple[HeadRows, HeadMask] | None:
        """Return queries and keys as rows of a head, to be worked out in blocks, and its mask.

        None if the scores are not finite, or not products of queries with keys they all share.
        """
        return None

    def redrawn(self) -> "Source":
        """Return the source with the next seed."""
        return self


@dataclass(frozen=True)
class Typed(Source):
    """Scores that the user has typed, the same at every d_k.

    Attributes:
        scores: The vectors.
        files: The names of the files that the scores were read from, as text; else empty.
        note: What was left out of these files; else empty.
    """

    scores: tuple[Vector, ...]
    files: str = field(default="", compare=False, repr=False)
    note: str = field(default="", compare=False, repr=False)
    kind: ClassVar[SourceKind] = "typed"

    def __post_init__(self) -> None:
        if not self.scores:
            raise InputError("scores", "there are none", "at least one vector")

    def vectors(self, setup: Setup) -> Vectors:
        """Return the vectors as typed."""
        return self._vectors

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each vector."""
        return tuple(vector.name for vector in self.scores)

    @cached_property
    def _vectors(self) -> Vectors:
        longest = max(vector.n_keys for vector in self.scores)
        return Vectors(len(self.scores), longest, self.scores.__getitem__)


@dataclass(frozen=True)
class Drawn(Draw, Source):
    """Scores q·k of random q and k whose d_k entries are independent standard normal.

    Given q, the scores of one vector are independent and normal with standard deviation ‖q‖, so
    ‖q‖·g with g standard normal is drawn instead of keys. Under QK-norm the scores are d_k times
    the cosine between q and k, independent whatever q is, so d_k·g/√(g² + χ²) is drawn, with χ²
    of d_k − 1 degrees of freedom. Otherwise the setup's σ_q and σ_k multiply q and k, and scores
    by their product. The setup's lead is added to the g of key 0. Draws are coupled: q at one d_k
    is the beginning of q at every larger one, g does not depend on d_k, and χ² rises with d_k
    except where a proposal is no longer accepted.
    The generator is NumPy's PCG64 with its ``standard_normal``.
    """

    kind: ClassVar[SourceKind] = "drawn"
    normalises: ClassVar = True
    redraws: ClassVar = True
    LAW: ClassVar = "q·k, the entries of q and k independent and standard normal"
    GENERATOR: ClassVar = "NumPy PCG64, standard_normal"

    def vectors(self, setup: Setup) -> Vectors:
        """Return the draw at the setup's d_k, of normalised q and k under QK-norm."""
        return _drawn(self, setup.d_k, setup.scale.normalises, setup.spread.scores, setup.lead)

    def scores_at(self, scores: Floats, index: int, setup: Setup, d_k: int) -> Floats:
        """Return the scores at another d_k; without QK-norm they are proportional to ‖q‖."""
        if setup.scale.normalises:
            elsewhere = self.scores(d_k, index, qk_norm=True, lead=setup.lead)
            return np.where(scores > -np.inf, elsewhere, -np.inf)
        return scores * (self.query_norm(d_k, index) / self.query_norm(setup.d_k, index))

    def redrawn(self) -> "Drawn":
        """Return the draw with the next seed."""
        return replace(self, seed=self.seed + 1)

    def scores(self, d_k: int, index: int, qk_norm: bool = False, lead: float = 0.0) -> Floats:
        """Return the scores of vector ``index``, shape (n_keys,); under QK-norm in [−d_k, d_k]."""
        scores = stream(self.seed, index, 1).standard_normal(self.n_keys)
        scores[0] += lead
        if not qk_norm:
            scores *= self.query_norm(d_k, index)
        elif d_k == 1:
            # A number divided by its absolute value is its sign.
            np.copysign(1.0, scores, out=scores)
        else:
            lengths = np.square(scores)
            lengths += self._chi_squares(d_k - 1, index)
            scores /= np.sqrt(lengths, out=lengths)
            scores *= d_k
        return scores

    def query_norm(self, d_k: int, index: int) -> float:
        """Return ‖q‖, the standard deviation of the scores of vector ``index`` given its q."""
        query = stream(self.seed, index, 0).standard_normal(d_k)
        return float(np.sqrt(np.square(query).sum()))

    def _chi_squares(self, degrees: int, index: int) -> Floats:
        """Return a χ² draw for each key, shape (n_keys,), of one degree of freedom or more.

        Each attempt has streams of its own, so that a retry at one key changes no other key.
        Source: Marsaglia and Tsang 2000, ACM TOMS 26 (3), for the gamma distribution.
        """
        if degrees == 1:
            return np.square(stream(self.seed, index, 2).standard_normal(self.n_keys))
        size = degrees / 2.0 - 1.0 / 3.0
        numbers, waiting = np.empty(self.n_keys), np.arange(self.n_keys)
        for attempt in count(2, step=2):
            normal = stream(self.seed, index, attempt).standard_normal(self.n_keys)[waiting]
            uniform = stream(self.seed, index, attempt + 1).random(self.n_keys)[waiting]
            cubes = (1.0 + normal / sqrt(9.0 * size)) ** 3
            with np.errstate(invalid="ignore", divide="ignore"):
                bounds = normal * normal / 2.0 + size * (1.0 - cubes + np.log(cubes))
                taken = (cubes > 0.0) & (np.log(uniform) < bounds)
            numbers[waiting[taken]] = 2.0 * size * cubes[taken]
            waiting = waiting[~taken]
            if not waiting.size:
                return numbers
        raise AssertionError


@lru_cache(maxsize=2)
def _drawn(draw: Drawn, d_k: int, qk_norm: bool, spread: float, lead: float) -> Vectors:
    def vector(index: int) -> Vector:
        scores = draw.scores(d_k, index, qk_norm, lead)
        scores *= spread
        scores.setflags(write=False)
        return Vector(name(index), scores)

    def name(index: int) -> str:
        return f"draw {index}" if draw.count > 1 else "draw"

    return Vectors(draw.count, draw.n_keys, vector, namer=name)


@dataclass(frozen=True, eq=False)
class Products(Source):
    """Scores q·k of the user's queries and keys; instances compare by identity.

    Attributes:
        queries: Shape (vectors, d_k).
        keys: Shape (n, d_k).
        values: Shape (n, d_v), the rows that the weights average, or None.
        tokens: The tokens at the positions, if given.
        files: The names of the files that the arrays were read from, as text; else empty.
        note: What was left out of these files; else empty.
    """

    queries: Floats
    keys: Floats
    values: Floats | None = None
    tokens: tuple[str, ...] = field(default=(), kw_only=True)
    files: str = field(default="", kw_only=True, repr=False)
    note: str = field(default="", kw_only=True, repr=False)
    kind: ClassVar[SourceKind] = "vectors"
    normalises: ClassVar = True
    rounds: ClassVar = True
    MOST_SCORES: ClassVar = 4_000_000
    FINITE: ClassVar = True
    """Whether NaN and infinities are refused."""

    def __post_init__(self) -> None:
        for input_name, name in (("query", "queries"), ("keys", "keys"), ("values", "values")):
            tensor = getattr(self, name)
            if tensor is None and name == "values":
                continue
            array = array_of(input_name, tensor, "rows of one length")
            # Read-only arrays are shared.
            array = np.array(array, ndmin=2) if array.flags.writeable else np.atleast_2d(array)
            array.setflags(write=False)
            if array.ndim != 2 or 0 in array.shape:
                raise InputError(input_name, f"its shape is {array.shape}", "at least one row")
            if self.FINITE and not np.isfinite(array).all():
                row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
                raise InputError(
                    input_name, f"row {row:,} has NaN or an infinity", "finite numbers"
                )
            object.__setattr__(self, name, array)
        n_queries, n_keys, d_k = len(self.queries), len(self.keys), self.d_k
        if self.keys.shape[1] != d_k:
            of_key = counted(self.keys.shape[1], "number")
            problem = f"a row of K has {of_key} and q has {d_k:,}"
            raise InputError("keys", problem, "as many in each key as in q, a key a row")
        if d_k > D_K.maximum:
            raise InputError("query", f"q has {d_k:,} numbers", f"at most {D_K.maximum:,}")
        if n_queries * n_keys > self.MOST_SCORES:
            problem = f"{n_queries:,} of q and {n_keys:,} keys make {n_queries * n_keys:,} scores"
            raise InputError("query", problem, f"at most {self.MOST_SCORES:,}")
        if self.values is not None and len(self.values) != n_keys:
            problem = f"V has {counted(len(self.values), 'row')} and K has {n_keys:,}"
            raise InputError("values", problem, "one value for each key")

    @property
    def d_k(self) -> int:
        """The number of entries of a query."""
        return int(self.queries.shape[1])

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens at the positions."""
        return self.tokens

    def parts(self, index: int) -> tuple[Floats, Floats, Floats | None]:
        """Return one query, and the keys and values that all queries share."""
        return self.queries[index], self.keys, self.values

    def together(self) -> tuple[HeadRows, HeadMask] | None:
        """Return queries and keys without a mask, or None if a product may overflow."""
        if _may_overflow(self.queries, self.keys):
            return None
        rows = np.arange(len(self.queries))
        return HeadRows(rows, len(rows), self.queries, self.keys), HeadMask()

    def vectors(self, setup: Setup) -> Vectors:
        """Return the scores of each query, normalising and rounding q and k as the setup says."""
        return _products(self, setup.scale.normalises, setup.precision.vectors)


@lru_cache(maxsize=4)
def _products(source: Products, qk_norm: bool, format: str) -> Vectors:
    queries, keys = source.queries, source.keys
    if qk_norm:
        queries, keys = normalised(queries), normalised(keys)
    queries, keys = rounded(queries, format), rounded(keys, format)
    name = ("q{}" if len(queries) > 1 else "q").format

    def vector(row: int) -> Vector:
        with np.errstate(all="ignore"):
            scores = keys @ queries[row]
        if not np.isfinite(scores).all():
            key = int(np.flatnonzero(~np.isfinite(scores))[0])
            raise InputError("query", f"the product of q {row:,} and key {key:,} overflows", "less")
        scores.setflags(write=False)
        return Vector(name(row), scores)

    vectors = Vectors(len(queries), len(keys), vector, namer=name)
    if _may_overflow(queries, keys):
        # Make every vector now, so that an overflow is reported here.
        list(vectors)
    return vectors


def _may_overflow(queries: Floats, keys: Floats) -> bool:
    """Return whether a product of queries and keys may overflow float64."""
    with np.errstate(all="ignore"):
        largest = float(np.abs(queries).max() * np.abs(keys).max() * queries.shape[1])
    return not largest < np.finfo(np.float64).max


def normalised(rows: Floats) -> Floats:
    """Return rows divided by their root mean square; a row of zeros stays as it is.

    Source: QK-norm, Dehghani et al. 2023, arXiv 2302.05442, without gain.
    """
    # Divided by the largest entry first, so that no square overflows or underflows.
    sizes = np.abs(rows).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        scaled = np.where(sizes > 0.0, rows / sizes, 0.0)
        means = np.sqrt(np.square(scaled).mean(axis=1, keepdims=True))
        return np.where(means > 0.0, scaled / means, 0.0)


def seen_rows(rows: Floats, vector: Vector) -> Floats:
    """Return keys or values, shape (n, d), with masked rows set to 0 if any entry is not finite.

    A weight of 0 times NaN is NaN, and a masked key must not spoil the product.
    """
    if np.isfinite(rows).all():
        return rows
    return np.where((vector.scores == -np.inf)[:, None], 0.0, rows)
