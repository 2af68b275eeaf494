"""What a report of Explore holds, in whichever form it is written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.answer import Answer, VectorAnswer
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.trouble import verdict


@dataclass(frozen=True)
class Contents:
    """What there is besides the numbers of every key; CSV, one table, holds one thing in its place.

    Attributes:
        top: Only so many keys are listed, those with the largest scores; None lists all.
        lab: Whether every number format is tried.
        compare: Whether the first two vectors are compared.
        pinned: Answers to compare those of each vector with: one, or one for each.
    """

    top: int | None = None
    lab: bool = False
    compare: bool = False
    pinned: Sequence[VectorAnswer] = ()

    def first_two(self, answer: Answer) -> VectorAnswer | None:
        """Return the first two vectors as the sides of one, if they are to be compared.

        Raises:
            InputError: With field ``"compare"``, if there is only one.
        """
        if not self.compare:
            return None
        if len(answer.vectors) < 2:
            raise InputError("compare", "there is one vector", "two vectors")
        first, second = (each.vector.name for each in answer.vectors[:2])
        pair = compare(*answer.vectors[:2])
        status, reason = verdict({f"in {first}": pair.unscaled, f"in {second}": pair.scaled})
        return replace(pair, names=(first, second), status=status, reason=reason)

    def beside_pinned(self, answer: Answer) -> tuple[VectorAnswer, ...]:
        """Return each vector beside a pinned one: the only one, or that in its place.

        Raises:
            InputError: With field ``"against"``, if there are several and not as many.
        """
        n_pinned, n_vectors = len(self.pinned), len(answer.vectors)
        if n_pinned > 1 and n_pinned != n_vectors:
            problem = f"it asks about {n_pinned:,} vectors, and not about {n_vectors:,}"
            raise InputError("against", problem, "one vector, or as many")
        others = tuple(self.pinned) * (n_vectors if n_pinned == 1 else 1)
        return tuple(map(compare, others, answer.vectors))


EVERYTHING = Contents()
"""Every key, and nothing besides."""
