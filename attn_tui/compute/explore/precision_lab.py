"""The precision lab: one vector's softmax in every format and by both methods, and exactly."""

from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import largest, rounded
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.trouble import Status, verdict
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import PLAIN
from attn_tui.compute.softmax import exact_weights

MOST_DIFFERING = 5
"""How many differing weights of a trial are listed by default."""

LIMIT = 1_000
"""The most differing weights of a trial that are listed."""


class Differing(NamedTuple):
    """A weight that differs from the exact weight rounded to the format."""

    key: int
    exact: float
    weight: float

    @property
    def difference(self) -> float:
        """The weight less the exact weight."""
        return self.weight - self.exact


@dataclass(frozen=True)
class FormatTrial:
    """The outcome in one format by one method.

    Attributes:
        precision: The format and the method, and the formats of the rounding before.
        status: As in a vector's answer.
        reason: Why the status is not ok, or empty.
        weight: The weight of the lab's key, as computed.
        n_differ: How many weights differ from the exact weight rounded to the format.
        n_vanished: How many weights are 0 although the exact weight, in float64, is not.
        worst: The largest absolute difference from the exact weight; NaN if any weight is NaN.
        worst_key: The key that has it.
        differing: The differing weights that are farthest from the exact ones, the farthest
            first, NaN before all others; equal ones in the order of their keys.
    """

    precision: Precision
    status: Status
    reason: str
    weight: float
    n_differ: int
    n_vanished: int
    worst: float
    worst_key: int
    differing: tuple[Differing, ...] = ()


@dataclass(frozen=True)
class LabSide:
    """One side of the lab.

    Attributes:
        name: Its name, as in a vector's answer.
        exact: The exact weight of the lab's key from unrounded scores, rounded to float64.
        trials: A trial for every format, stable and naive, with stable float64 first.
    """

    name: str
    exact: float
    trials: tuple[FormatTrial, ...]


@dataclass(frozen=True)
class Lab:
    """One vector in every precision; no array over its keys is kept.

    Attributes:
        vector: The name of the vector.
        key: The key whose weight is shown, at most the vector's last.
        sides: Unscaled and scaled.
    """

    vector: str
    key: int
    sides: tuple[LabSide, LabSide]


def lab(
    experiment: Experiment, index: int, key: int, stop: Stop = never, most: int = MOST_DIFFERING
) -> Lab | None:
    """Compute one vector's softmax in every precision, or None if stopped.

    If the setup rounds scores, or queries and keys, every trial rounds them too.

    Args:
        experiment: The question; its own format and method do not matter.
        index: The index of the vector.
        key: The key whose weight is shown.
        stop: Called before every trial, and while the exact weights are computed.
        most: The most differing weights of a trial to list, at most `LIMIT`.
    """
    vector, setup = experiment.vectors[index], experiment.setup
    unrounded = Experiment(experiment.source, replace(setup, precision=Precision()))
    exact_scores = unrounded.vectors[index].scores
    key = min(key, vector.n_keys - 1)
    to_logits = setup.scale.logit_map(setup.d_k, vector.n_attended)
    sides = []
    for name, map_of_side in (("unscaled", PLAIN), ("scaled", to_logits)):
        exact = exact_weights(exact_scores, map_of_side, vector.bias, stop)
        if exact is None:
            return None
        trials = []
        for number_format, naive in product(FORMATS, (False, True)):
            if stop():
                return None
            precision = replace(setup.precision, format=number_format, naive=naive)
            side = evaluate(vector.scores, map_of_side, precision, vector.bias)
            trials.append(_trial(side, exact, key, min(most, LIMIT)))
        sides.append(LabSide(name, float(exact[key]), tuple(trials)))
    return Lab(vector.name, key, (sides[0], sides[1]))


def _trial(side: Evaluation, exact: NDArray[np.float64], key: int, most: int) -> FormatTrial:
    """Return a trial that compares the weights of a side with the exact ones, shape (n,)."""
    weights = side.weights()
    errors = np.abs(weights - exact)
    # argmax returns the position of a NaN, if there is one.
    worst = int(errors.argmax())
    differ = np.flatnonzero(weights != rounded(exact, side.precision.format))
    named = differ[largest(np.nan_to_num(errors[differ], nan=np.inf), most)] if most else differ[:0]
    return FormatTrial(
        side.precision,
        *verdict({"": side}),
        weight=float(weights[key]),
        n_differ=int(differ.size),
        n_vanished=int(np.count_nonzero((weights == 0.0) & (exact != 0.0))),
        worst=float(errors[worst]),
        worst_key=worst,
        differing=tuple(
            Differing(one, float(exact[one]), float(weights[one])) for one in named.tolist()
        ),
    )
