"""Score vectors: what softmax acts on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.compute.errors import InputError, inert


def array_of(field: str, values: ArrayLike, expected: str) -> NDArray[np.float64]:
    """Return numbers as an array of float64: the same object, if they are one.

    Raises:
        InputError: With the field and what was expected, if they are none.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        problem = "these are no numbers, or rows that differ in length"
        raise InputError(field, problem, expected) from None


@dataclass(frozen=True, eq=False)
class Vector:
    """A named line of scores: what softmax acts on. Two vectors are equal if they are one object.

    Attributes:
        name: What the user calls it.
        scores: Shape (n,), float64, read-only; ``-inf`` marks a masked key. Never ``+inf``, and NaN
            only where they are captured.
        bias: What is added to each logit, shape (n,), finite; None is nothing.
        captured: Whether they are of captured q and k, which may hold NaN.
    """

    name: str
    scores: NDArray[np.float64]
    bias: NDArray[np.float64] | None = None
    captured: bool = False

    def __post_init__(self) -> None:
        scores = array_of("scores", self.scores, "a row of numbers")
        # What cannot be written to is shared, so that a renamed vector needs no memory.
        scores = np.array(scores, ndmin=1) if scores.flags.writeable or not scores.ndim else scores
        if scores.ndim != 1 or scores.size == 0:
            problem = f"{inert(self.name)} has shape {np.shape(self.scores)}"
            raise InputError("scores", problem, "at least one score")
        unusable = np.flatnonzero((np.isnan(scores) & (not self.captured)) | (scores == np.inf))
        if unusable.size:
            key = int(unusable[0])
            problem = f"{inert(self.name)} has {scores[key]} at key {key}"
            raise InputError("scores", problem, "finite scores, or -inf for a masked key")
        scores.setflags(write=False)
        object.__setattr__(self, "scores", scores)

    @property
    def n_keys(self) -> int:
        """Number of keys, masked ones included."""
        return int(self.scores.size)

    @cached_property
    def n_attended(self) -> int:
        """Number of keys that are not masked: n in the rules that depend on a length."""
        return int(np.count_nonzero(self.scores != -np.inf))

    @cached_property
    def is_odd(self) -> bool:
        """Whether a key that is not masked has a score of NaN."""
        return bool(np.isnan(self.scores).any())

    def masked(self, hidden: Sequence[slice]) -> "Vector":
        """Return this vector with some keys masked besides those that are; itself if all were."""
        if not any((self.scores[keys] != -np.inf).any() for keys in hidden):
            return self
        scores = self.scores.copy()
        for keys in hidden:
            scores[keys] = -np.inf
        scores.setflags(write=False)
        return replace(self, scores=scores)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors in their order; each is made when it is first asked for, and then kept.

    Attributes:
        count: How many there are, at least one.
        n_keys: Number of keys of the longest.
        make: From an index to a vector that can be used.
        positions: The key that each vector's query stands at, for a causal mask; as their indices
            unless given.
    """

    count: int
    n_keys: int
    make: Callable[[int], Vector]
    positions: tuple[int, ...] = ()
    _kept: dict[int, Vector] = field(init=False, default_factory=dict, repr=False)

    def __len__(self) -> int:
        return self.count

    def position(self, index: int) -> int:
        """Return the key that a vector's query stands at."""
        return self.positions[index] if self.positions else index

    def __getitem__(self, index: int) -> Vector:
        if not -self.count <= index < self.count:
            raise IndexError(index)
        index %= self.count
        # Vectors are told apart by identity, so that of two threads both get the same.
        return self._kept.get(index) or self._kept.setdefault(index, self.make(index))

    def once(self, index: int) -> Vector:
        """Return a vector, which is not kept: for those who go through many."""
        return self._kept.get(index) or self.make(index)

    def __iter__(self) -> Iterator[Vector]:
        return (self[index] for index in range(self.count))
