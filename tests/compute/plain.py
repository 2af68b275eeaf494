"""Softmax as most tests need it: of a list of scores, under a multiplier alone."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import LogitMap
from attn_tui.compute.softmax import shares

Numbers = NDArray[np.float64]


def softmax(scores: ArrayLike, m: float = 1.0, precision: Precision = Precision()) -> Numbers:
    return shares(np.asarray(scores, np.float64), LogitMap(m), precision)


def log_softmax(scores: ArrayLike, m: float = 1.0, precision: Precision = Precision()) -> Numbers:
    return evaluate(np.asarray(scores, np.float64), LogitMap(m), precision).log_weights()
