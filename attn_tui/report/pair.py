"""Two vectors of one answer side by side, and two answers."""

from collections.abc import Sequence
from dataclasses import replace

from attn_tui.compute.compare import compare
from attn_tui.compute.errors import InputError
from attn_tui.compute.explore import Answer, VectorAnswer
from attn_tui.compute.trouble import verdict


def first_two(answer: Answer) -> VectorAnswer:
    """Return the first two vectors of an answer as the two sides of one, which have their names.

    Raises:
        InputError: With field ``"compare"``, if there is only one.
    """
    if len(answer.vectors) < 2:
        raise InputError("compare", "there is one vector", "two vectors")
    first, second = (each.vector.name for each in answer.vectors[:2])
    pair = compare(*answer.vectors[:2])
    status, reason = verdict({f"in {first}": pair.unscaled, f"in {second}": pair.scaled})
    return replace(pair, names=(first, second), status=status, reason=reason)


def beside_pinned(answer: Answer, pinned: Sequence[VectorAnswer]) -> tuple[VectorAnswer, ...]:
    """Return each vector of an answer beside a pinned one: the only one, or that in its place.

    Raises:
        InputError: With field ``"against"``, if there are several and not as many.
    """
    n_pinned, n_vectors = len(pinned), len(answer.vectors)
    if n_pinned > 1 and n_pinned != n_vectors:
        problem = f"it asks about {n_pinned:,} vectors, and not about {n_vectors:,}"
        raise InputError("against", problem, "one vector, or as many")
    others = tuple(pinned) * (n_vectors if n_pinned == 1 else 1)
    return tuple(map(compare, others, answer.vectors))
