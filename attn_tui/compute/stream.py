"""Streams of random numbers, each of a seed and of what it is for."""

import numpy as np


def stream(seed: int, *key: int) -> "np.random.Generator":
    """Return the generator of a seed for a key; other keys give independent numbers."""
    # NumPy imports its generators at their first use, which a quoted type is not.
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
