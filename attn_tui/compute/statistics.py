"""How spread out attention weights are: entropy, participation ratio.

A sink counts as one more key.
"""

import numpy as np

from attn_tui.compute.split import Weights, split


def entropy(weights: Weights) -> float:
    """Return H = −Σ p ln p in nats; a weight of 0 adds 0.

    Args:
        weights: Shape (n,), summing to 1, or all 0 if every key is masked.

    >>> round(entropy(np.array([0.5, 0.25, 0.25, 0.0])) / float(np.log(2)), 12)
    1.5
    """
    parts = split(weights)
    terms = parts.logs()
    with np.errstate(all="ignore"):
        terms *= parts.values
    terms[parts.values == 0.0] = 0.0
    return 0.0 - float(terms.sum())


def participation_ratio(weights: Weights) -> float:
    """Return 1/Σp², between 1 and n for weights of shape (n,); 0 if every key is masked.

    >>> participation_ratio(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    parts = split(weights)
    return 0.0 if parts.total == 0.0 else 1.0 / float(np.square(parts.values).sum())
