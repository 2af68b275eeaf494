"""The places of a sweep: pairs of n and d_k, evenly over the logarithm."""

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import Scale
from attn_tui.compute.sweep.points import Place, held
from attn_tui.compute.sweep.settings import Settings, first_draws, scales_of

MOST_VALUES = 1 << 20

_COARSE = 4
"""Every so many places are looked at first."""


def check_vectors(settings: Settings) -> None:
    """Check that a sweep has not too many vectors; crossovers, which have no places, may.

    Raises:
        InputError: Saying how many draws there may be.
    """
    ns, d_ks = along(settings, D_K.minimum)
    # Whatever the setup's own rule is, and so that one rule may be joined by none.
    n_places, n_rules = len(ns) * len(d_ks), max(2, len(scales_of(settings, Scale())))
    most = MOST_VALUES // (n_places * n_rules)
    draws = first_draws(settings)
    if draws > most:
        problem = f"{draws:,} at {n_places:,} × {n_rules} places and rules are too many"
        expected = f"at most {most:,}" if most > 1 else "fewer places or rules"
        raise InputError("draws", problem, expected)


def places(settings: Settings, d_k: int) -> tuple[list[Place], list[Place]]:
    """Return where to look: first at these, then also at those; rising in n, then d_k.

    But very first comes the place nearest to the one that is asked for.

    Args:
        settings: What is swept.
        d_k: The setup's, at which curves over n are drawn.
    """
    ns, d_ks = along(settings, d_k)
    here = held(ns, settings.n), held(d_ks, d_k)
    coarse = sorted({here, *((n, d) for n in _some(ns) for d in _some(d_ks))})
    rest = sorted({(n, d) for n in ns for d in d_ks} - {*coarse})
    return sorted(coarse, key=lambda place: place != here), rest


def along(settings: Settings, d_k: int) -> tuple[list[int], list[int]]:
    """Return the n and the d_k, each with each of which is a place."""
    is_map = settings.view == "map"
    count = settings.map_points if is_map else settings.points
    ns = log_grid(settings.n_range, count) if is_map or settings.over == "n" else [settings.n]
    d_ks = log_grid(settings.d_k_range, count) if is_map or settings.over == "d_k" else [d_k]
    return ns, d_ks


def log_grid(ends: tuple[int, ...], most: int) -> list[int]:
    """Return whole numbers from one end to the other, evenly over the logarithm, each once.

    Where one end is a power of 2 times the other, every doubling is among them if there may be as
    many; else there are as many as there may be.

    >>> log_grid((1, 64), 8), log_grid((2, 40), 4)
    ([1, 2, 4, 8, 16, 32, 64], [2, 5, 15, 40])
    """
    low, high = ends
    count = most
    if high % low == 0 and (high // low).bit_count() == 1:
        doublings = (high // low).bit_length() - 1
        count = max(1, (most - 1) // max(doublings, 1)) * doublings + 1
    count = min(count, most)
    return sorted({round(place) for place in np.geomspace(low, high, count).tolist()})


def _some(values: list[int]) -> list[int]:
    return sorted({*values[::_COARSE], values[-1]})
