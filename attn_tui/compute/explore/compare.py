"""Two answers as one: a pinned one beside the present one."""

from dataclasses import replace

import numpy as np

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.trouble import verdict

NAMES = ("pinned", "now")
"""What the two sides are called."""


def compare(pinned: VectorAnswer, now: VectorAnswer) -> VectorAnswer:
    """Return the scaled side of an answer beside that of another.

    The shorter vector is padded with masked keys; a key is masked if it is on both sides. The
    gradient shown is the present answer's.
    """
    n_keys = max(pinned.vector.n_keys, now.vector.n_keys)
    sides = [answer.scaled.padded(n_keys) for answer in (pinned, now)]
    vector = now.vector
    if vector.n_keys < n_keys:
        vector = replace(vector, scores=sides[1].given)
    status, reason = verdict(dict(zip(NAMES, sides, strict=True)))
    return replace(
        now,
        vector=vector,
        status=status,
        reason=reason,
        masked=np.flatnonzero(np.maximum(sides[0].given, sides[1].given) == -np.inf),
        unscaled=sides[0],
        scaled=sides[1],
        names=NAMES,
    )
