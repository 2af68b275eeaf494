"""The Explore instrument: score vectors to weights and their gradient, unscaled beside scaled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import ALL, Floats, Keys, largest
from attn_tui.compute.errors import InputError, Stop, inert, never
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.loss import (
    log_loss_gradient,
    loss,
    loss_gradient,
    loss_gradient_norm,
)
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.explore.trouble import Status, verdict
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import PLAIN, Wrt
from attn_tui.compute.source import Vector


@dataclass(frozen=True, eq=False)
class VectorAnswer:
    """The results for one vector.

    Attributes:
        vector: The scores.
        status: ``"masked"`` if every key is masked; ``"overflow"`` if a number exceeded the
            format; ``"nan"`` if one became NaN otherwise; else ``"ok"``.
        reason: Why the status is not ok: which side, what, beyond which threshold; or empty.
        masked: Positions of masked keys, rising.
        leader: The key of the largest scaled weight; the first if several are equal.
        of: The key whose gradient is shown, at most the vector's last; the leader by default.
        wrt: What the gradient is taken with respect to.
        key: ``of`` if the question names it, else None: the gradient is that of all weights.
        unscaled: Softmax of the scores as they are: m = 1, no cap, no sink.
        scaled: Softmax under the scale.
        names: The names of the two sides; a comparison has its own.
        target: The key that is the answer of a cross-entropy L, whose gradient is shown; None if
            it is that of weights.
    """

    vector: Vector
    status: Status
    reason: str
    masked: NDArray[np.intp]
    leader: int
    of: int
    wrt: Wrt
    key: int | None
    unscaled: Evaluation
    scaled: Evaluation
    names: tuple[str, str] = ("unscaled", "scaled")
    target: int | None = None

    @property
    def sides(self) -> tuple[Evaluation, Evaluation]:
        """The first side and the second."""
        return self.unscaled, self.scaled

    @cached_property
    def gradients(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The size of the gradient on each side, and its ln.

        It is ‖∂p/∂s‖_F, ‖∂p_i/∂s‖ of `key`, or ‖∂L/∂s‖ if there is a `target`.
        """
        if self.target is not None:
            one, other = (loss_gradient_norm(side, self.target, self.wrt) for side in self.sides)
            return one, other
        if self.key is not None:
            first, second = (side.gradient_norm(self.key, self.wrt) for side in self.sides)
            return first, second
        before, after = (side.norms[self.wrt] for side in self.sides)
        return (before.frobenius, before.log_frobenius), (after.frobenius, after.log_frobenius)

    @cached_property
    def losses(self) -> tuple[tuple[float, float], ...]:
        """The cross-entropy L on each side, and its ln; empty without a `target`."""
        if self.target is None:
            return ()
        return tuple(loss(side, self.target) for side in self.sides)

    @property
    def gradient_key(self) -> int:
        """The key whose gradient is shown: the answer of a cross-entropy, or else ``of``."""
        return self.of if self.target is None else self.target

    @property
    def slope_left(self) -> float | None:
        """The share of the slope m that a soft cap leaves at `gradient_key`, tanh′(m·s/c).

        It is None without a cap, where the gradient is by logits, and of a masked key.
        """
        side, key = self.scaled, self.gradient_key
        if side.map.softcap is None or side.map.multiplier == 0.0:
            return None
        if self.wrt != "scores" or not side.attended[key]:
            return None
        return float(side.slopes(np.array([key]))[0]) / side.map.multiplier

    def gradient(self, side: Evaluation, keys: Keys = ALL) -> Floats:
        """Return ∂p_of/∂s_j, or ∂L/∂s_j, of a side, shape (len(keys),); or those by z."""
        if self.target is not None:
            return loss_gradient(side, self.target, self.wrt, keys)
        return side.gradient(self.of, self.wrt, keys)

    def log_gradient(self, side: Evaluation, keys: Keys = ALL) -> Floats:
        """Return ln of the absolute values of `gradient`, shape (len(keys),)."""
        if self.target is not None:
            return log_loss_gradient(side, self.target, self.wrt, keys)
        return side.log_gradient(self.of, self.wrt, keys)

    @property
    def compared(self) -> bool:
        """Whether the sides come from two answers, and are not one vector unscaled and scaled."""
        return self.names != ("unscaled", "scaled")


@dataclass(frozen=True, eq=False)
class Answer:
    """The results for every vector, in order."""

    experiment: Experiment
    vectors: tuple[VectorAnswer, ...]

    @property
    def drawn(self) -> bool:
        """Whether there are several vectors of one law, so that a mean over them makes sense."""
        return self.experiment.source.redraws and len(self.vectors) > 1


@dataclass(frozen=True, eq=False)
class OverDk:
    """One vector under a rule at D values of d_k.

    Attributes:
        d_k: Shape (D,).
        keys: Positions of the K largest scores, largest first, shape (K,), without masked keys.
        weights: Their weights, shape (K, D).
        entropy: H in nats, shape (D,).
        max_entropy: ln of the number of unmasked keys; 0 if all are masked.
        gradient: ‖∂p/∂s‖_F, or ‖∂p/∂z‖_F, shape (D,); of one weight if the question names its key,
            or of the loss if it has one.
        log_entropy: ln H, even where H underflows, shape (D,).
        log_gradient: ln of the norm, likewise, shape (D,).
        log_weights: ln of the weights, likewise, shape (K, D).
    """

    d_k: NDArray[np.int64]
    keys: NDArray[np.intp]
    weights: NDArray[np.float64]
    entropy: NDArray[np.float64]
    max_entropy: float
    gradient: NDArray[np.float64]
    log_entropy: NDArray[np.float64]
    log_gradient: NDArray[np.float64]
    log_weights: NDArray[np.float64]


def answer_vector(experiment: Experiment, index: int) -> VectorAnswer:
    """Evaluate one vector of a question, by its index, without scaling and under the scale."""
    vector, setup = experiment.vectors[index], experiment.setup
    settings = setup.get(Settings)
    unscaled = _unscaled(vector, setup.precision)
    to_logits = setup.scale.logit_map(setup.d_k, vector.n_attended)
    scaled = unscaled
    if to_logits != PLAIN:
        scaled = evaluate(vector.scores, to_logits, setup.precision, vector.bias).settled()
    masked = np.flatnonzero(vector.scores == -np.inf)
    status, reason = verdict({"unscaled": unscaled, "scaled": scaled})
    leader = int(scaled.ranking().argmax())
    key = _within(settings.of, vector)
    of = leader if key is None else key
    return VectorAnswer(
        vector, status, reason, masked, leader, of, settings.wrt, key, unscaled, scaled,
        target=_within(settings.target, vector),
    )  # fmt: skip


def _within(key: int | None, vector: Vector) -> int | None:
    """Return the key that a setting names, at most the vector's last."""
    return None if key is None else min(key, vector.n_keys - 1)


@lru_cache(maxsize=2)
def _unscaled(vector: Vector, precision: Precision) -> Evaluation:
    """Evaluate scores as they are; cached, since it does not depend on d_k or the scale."""
    return evaluate(vector.scores, PLAIN, precision, vector.bias).settled()


@dataclass(frozen=True)
class LargestWeight:
    """The largest weight of a key under the scale, among all vectors of a question.

    Attributes:
        index: The index of the vector; the first if several are equal.
        key: The key.
        weight: The weight.
        log_weight: Its natural logarithm.
    """

    index: int
    key: int
    weight: float
    log_weight: float


def largest_weight(experiment: Experiment, stop: Stop = never) -> LargestWeight | None:
    """Return the largest weight of all vectors; None if stopped, or if no weight is a number."""
    setup, best = experiment.setup, None
    for index, vector in enumerate(experiment.vectors):
        if stop():
            return None
        to_logits = setup.scale.logit_map(setup.d_k, vector.n_attended)
        side = evaluate(vector.scores, to_logits, setup.precision, vector.bias)
        log_weight = side.log_max_weight
        if log_weight > (-np.inf if best is None else best.log_weight):
            best = LargestWeight(index, int(side.ends[0]), side.max_weight, log_weight)
    return best


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield the answer once, or nothing if stopped between two vectors."""
    vectors = []
    for index in range(len(experiment.vectors)):
        if stop():
            return
        vectors.append(answer_vector(experiment, index))
    yield Answer(experiment, tuple(vectors))


def over_d_k(
    experiment: Experiment, index: int, d_ks: Sequence[int], most_keys: int = 6, stop: Stop = never
) -> OverDk | None:
    """Evaluate one vector of a question at each d_k, regardless of the question's own d_k.

    Drawn scores are drawn at each d_k; other scores stay as they are.

    Args:
        experiment: The question.
        index: The index of the vector.
        d_ks: D values of d_k.
        most_keys: The most keys whose weights are returned.
        stop: Called before every d_k.

    Returns:
        None if stopped.

    Raises:
        InputError: If the rule yields no usable multiplier.
    """
    vector, setup = experiment.vectors[index], experiment.setup
    keys = largest(vector.scores, most_keys)
    keys = keys[vector.scores[keys] > -np.inf]
    settings = setup.get(Settings)
    key, target = _within(settings.of, vector), _within(settings.target, vector)
    weights = np.empty((2, keys.size, len(d_ks)))
    numbers = np.empty((4, len(d_ks)))
    for column, d_k in enumerate(d_ks):
        if stop():
            return None
        scores, to_logits = vector.scores, setup.scale.logit_map(d_k, vector.n_attended)
        if d_k != setup.d_k:
            scores = experiment.source.scores_at(scores, index, setup, d_k)
        side = evaluate(scores, to_logits, setup.precision, vector.bias)
        weights[:, :, column] = side.weights(keys), side.log_weights(keys)
        if target is None:
            sizes = side.gradient_norm(key, settings.wrt)
        else:
            sizes = loss_gradient_norm(side, target, settings.wrt)
        numbers[:, column] = side.entropy, side.log_entropy, *sizes
    most = log(vector.n_attended) if vector.n_attended else 0.0
    entropies, log_entropies, gradients, log_gradients = numbers
    logs = (log_entropies, log_gradients, weights[1])
    return OverDk(np.array(d_ks), keys, weights[0], entropies, most, gradients, *logs)


def check_keys(experiment: Experiment) -> None:
    """Check that every vector has the key whose gradient is requested, and the answer.

    Raises:
        InputError: If a vector lacks it.
    """
    settings = experiment.setup.get(Settings)
    wanted = {name: key for name, key in (("of", settings.of), ("answer", settings.target))
              if key is not None}  # fmt: skip
    for name, key in wanted.items():
        for vector in experiment.vectors:
            if key >= vector.n_keys:
                last = vector.n_keys - 1
                expected = f"a key from 0 to {last:,}" if last else "key 0, its only one"
                raise InputError(name, f"{inert(vector.name)} has no key {key:,}", expected)


NAMES = ("pinned", "now")
"""The names of the two sides of a comparison."""


def compare(pinned: VectorAnswer, now: VectorAnswer) -> VectorAnswer:
    """Return the scaled sides of two answers side by side.

    The shorter vector is padded with masked keys; a key counts as masked if it is masked on both
    sides. The key whose gradient is shown is that of ``now``.
    """
    n_keys = max(pinned.vector.n_keys, now.vector.n_keys)
    sides = [answer.scaled.padded(n_keys) for answer in (pinned, now)]
    vector = now.vector
    if vector.n_keys < n_keys:
        vector = replace(vector, scores=sides[1].unrounded)
    status, reason = verdict(dict(zip(NAMES, sides, strict=True)))
    return replace(
        now,
        vector=vector,
        status=status,
        reason=reason,
        masked=np.flatnonzero(np.maximum(sides[0].unrounded, sides[1].unrounded) == -np.inf),
        unscaled=sides[0],
        scaled=sides[1],
        names=NAMES,
    )
