"""What is asked: score vectors, d_k, the scale rule, the precision, instruments' settings."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale

S = TypeVar("S")

Stop = Callable[[], bool]
"""Asked between steps of a long answer: true when nobody wants the rest."""


def never() -> bool:
    """Say that the answer is still wanted: the `Stop` of an answer nobody interrupts."""
    return False


@dataclass(frozen=True, eq=False)
class Vector:
    """A named line of scores: what softmax acts on. Two vectors are equal if they are one object.

    Attributes:
        name: What the user calls it.
        scores: Shape (n,), float64, read-only; ``-inf`` marks a masked key. Never NaN or ``+inf``.
    """

    name: str
    scores: NDArray[np.float64]

    def __post_init__(self) -> None:
        scores = np.array(self.scores, dtype=np.float64, ndmin=1)
        if scores.ndim != 1 or scores.size == 0:
            raise InputError(
                "scores",
                f"{inert(self.name)} has shape {np.shape(self.scores)}",
                "at least one score",
            )
        unusable = np.flatnonzero(np.isnan(scores) | (scores == np.inf))
        if unusable.size:
            key = int(unusable[0])
            raise InputError(
                "scores",
                f"{inert(self.name)} has {scores[key]} at key {key}",
                "finite scores, or -inf for a masked key",
            )
        scores.setflags(write=False)
        object.__setattr__(self, "scores", scores)

    @property
    def n_keys(self) -> int:
        """Number of keys, masked ones included."""
        return int(self.scores.size)


@dataclass(frozen=True)
class Setup:
    """Everything asked but the scores themselves; shared by all instruments.

    Attributes:
        d_k: Dimension of one head's queries and keys.
        scale: The multiplier rule and its parameters.
        precision: The number format softmax is computed in, and how.
        settings: At most one settings object of each instrument, a frozen dataclass.
    """

    d_k: int = 1024
    scale: Scale = Scale()
    precision: Precision = Precision()
    settings: tuple[object, ...] = field(default=())

    def __post_init__(self) -> None:
        D_K.parse(str(self.d_k))

    def get(self, kind: type[S]) -> S:
        """Return the settings of one instrument, its defaults if none were set."""
        return next((s for s in self.settings if isinstance(s, kind)), None) or kind()

    def put(self, settings: object) -> "Setup":
        """Return this setup with one instrument's settings in place of what it had."""
        kept = [s for s in self.settings if type(s) is not type(settings)]
        if settings != type(settings)():
            kept.append(settings)
        # In one order, so that setups that ask the same are equal.
        return replace(self, settings=tuple(sorted(kept, key=lambda s: type(s).__module__)))


@dataclass(frozen=True)
class Experiment:
    """A question that can be answered: the vectors and the setup."""

    vectors: tuple[Vector, ...]
    setup: Setup = Setup()

    def __post_init__(self) -> None:
        if not self.vectors:
            raise InputError("scores", "there are none", "at least one vector")
