"""Where queries stand, and what captured positions may say of that.

With as many queries as keys, query i stands at key i: positions are then an argument of the call,
and no part of what is promised. With fewer queries than keys no configuration knows where they
stand, so that positions complete the promise if they are those of keys.
"""

from dataclasses import dataclass, replace

import numpy as np

from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.numbers import whole

BY_NUMBER = "captured positions do not count: query i stands at key i"
"""Said of other positions where there are as many queries as keys."""
NO_KEYS = "captured positions do not count: no keys stand there"
"""Said of positions before the first key or after the last, as in a cache that rolls on."""


@dataclass(frozen=True, eq=False)
class Standing:
    """The rows of a head with the positions that are promised.

    Attributes:
        rows: The rows, with captured positions only where these complete the promise.
        call: The rows with the positions that the call was given, if these are others; else None.
        completions: What is to be said of positions, in phrases.
    """

    rows: HeadRows
    call: HeadRows | None = None
    completions: tuple[str, ...] = ()


def standing(rows: HeadRows, by_position: bool) -> Standing:
    """Return the rows of a head with the positions that are promised.

    Args:
        rows: The rows, as captured.
        by_position: Whether anything that is promised depends on where queries stand.
    """
    positions = rows.positions
    if positions is None:
        return Standing(rows)
    promised = without_places(rows)
    if promised is rows:
        is_usual = rows.corner == rows.n_keys - rows.n_queries
        phrases = () if is_usual or not by_position else (_placed(rows),)
        return Standing(rows, completions=phrases)
    if np.array_equal(positions, rows.rows):
        return Standing(promised)
    phrase = BY_NUMBER if rows.n_queries == rows.n_keys else NO_KEYS
    return Standing(promised, rows, (phrase,) if by_position else ())


def without_places(rows: HeadRows) -> HeadRows:
    """Return rows without captured positions where these do not say where queries stand."""
    positions = rows.positions
    if positions is None or rows.n_queries > rows.n_keys:
        return rows
    is_among_keys = bool((positions >= 0).all() and (positions < rows.n_keys).all())
    if rows.n_queries < rows.n_keys and is_among_keys:
        return rows
    return replace(rows, positions=None)


def _placed(rows: HeadRows) -> str:
    """Return where captured positions place the queries."""
    if rows.corner is None:
        return "captured positions place the queries"
    return f"captured positions place query 0 at key {whole(rows.corner)}"
