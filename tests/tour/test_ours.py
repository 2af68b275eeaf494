"""Our tour: its right answers are those that are computed, and its numbers are true."""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.dots.answer import law_of
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, answer
from attn_tui.compute.precision import Precision
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep import settings as sweep
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.answer import answer as swept
from attn_tui.compute.sweep.crossover import crossovers
from attn_tui.console.asking import asked_by
from attn_tui.files.draft import parse
from attn_tui.tour.reader import our_tour

TOUR = our_tour(asked_by)
STEPS = TOUR.steps


def asked(place: int) -> Experiment:
    return parse(STEPS[place].draft)


def explored(experiment: Experiment, vector: int = 0) -> VectorAnswer:
    return next(answer(experiment)).vectors[vector]


def under(experiment: Experiment, **changes: Any) -> Experiment:
    return replace(experiment, setup=replace(experiment.setup, **changes))


def factor(experiment: Experiment) -> float:
    """Return the size of the gradient with the scale over that without it."""
    sides = explored(experiment).sides
    before, after = (side.norms["scores"].log_frobenius for side in sides)
    return exp(after - before)


def weights(experiment: Experiment, side: str = "scaled", vector: int = 0) -> list[float]:
    answer = explored(experiment, vector)
    evaluation = getattr(answer, side)
    values: list[float] = evaluation.weights(np.arange(evaluation.n_keys)).tolist()
    return values


def last(experiment: Experiment) -> Answer:
    *_, answer = swept(experiment)
    return answer


def median_factor(n: int, d_k: int) -> float:
    """Return the factor by which dividing changes the median gradient of a thousand draws."""
    settings = sweep.Settings(n=n, d_k_range=(d_k, d_k), crossovers=False)
    answer = last(Experiment(Drawn(n), Setup(d_k).put(settings)))
    ratio = answer.points.ratio(n, d_k, Scale(), "gradient")
    assert ratio is not None
    return exp(-ratio.log_median)


def median_keys(answer: Answer, d_k: int, rule: str) -> float:
    point = answer.points.at(4096, d_k, Scale(rule))
    assert point is not None
    return point.statistics["effective_keys"].median


def nearest(value: float, *others: float) -> int:
    return min(range(len(others)), key=lambda place: abs(log(value / others[place])))


def spread(d_k: int) -> float:
    return law_of(dots.Settings(), d_k).standard_deviation


def times_larger() -> int:
    return nearest(spread(1024) / spread(4), 256, 16, 1)


def lower_bell() -> int:
    widths = [spread(d_k) / d_k for d_k in (64, 1024, 65_536)]
    return 1 if widths == sorted(widths, reverse=True) and widths[0] > 3 * widths[1] else -1


def share_of_key_2() -> int:
    return nearest(weights(asked(2))[2], 1.0, 0.62, 1 / 3)


def gradient_of_512() -> int:
    start = asked(3)
    draws = [replace(start, source=Drawn(512, seed)) for seed in range(1, 5)]
    assert all(factor(draw) < 0.2 for draw in draws)
    return 2


def crossing() -> int:
    *_, (_, crossings) = crossovers([(64, Scale())], sweep.Settings(draws=1000))
    of_gradient = crossings[64, "gradient", Scale()]
    assert of_gradient.at is not None
    return nearest(of_gradient.at, 4, 40, 400)


def few_keys() -> int:
    signs = [median_factor(n, 64) > 1.0 for n in (3, 5, 8, 60, 600)]
    return 0 if signs == [True, True, False, False, False] else -1


def effective() -> int:
    answer = last(asked(6))
    median = median_keys(answer, 1024, "inverse-sqrt")
    return nearest(median, 40, 400, 2500)


def cure() -> int:
    start = asked(7)
    stable = under(start, precision=Precision("float32"))
    exact = weights(under(start, precision=Precision()), "unscaled")
    scores = np.array([100.0, 120.0, 150.0])

    def close(z: Any) -> bool:
        p = np.exp(z - z.max())
        return bool(np.allclose(p / p.sum(), exact, rtol=1e-3))

    assert np.isnan(weights(start, "unscaled")).all()
    assert np.allclose(weights(stable, "unscaled"), exact)
    assert [close(scores - 150.0), close(scores / 2), close(np.minimum(scores, 88.0))] == [
        True, False, False,
    ]  # fmt: skip
    return 0


def first_row() -> int:
    start = asked(8)
    for rule in (rule.name for rule in RULES.values() if not rule.normalises):
        other = under(start, scale=Scale(rule))
        for side in ("unscaled", "scaled"):
            assert weights(other, side) == [1.0, 0.0, 0.0, 0.0]
    assert weights(start, vector=2) != weights(start, "unscaled", 2)
    sunk = under(start, scale=replace(start.setup.scale, sink=1.0))
    assert weights(sunk) != weights(under(sunk, d_k=4))
    return 2


def capped() -> int:
    start = asked(9)
    assert weights(start, "unscaled")[2] == pytest.approx(0.67, abs=0.005)
    assert np.allclose(weights(start), 1 / 3, atol=1e-5)
    assert factor(start) < 1e-6
    assert factor(under(start, d_k=4096)) == pytest.approx(1 / 54, rel=0.01)
    return 2


def dice() -> int:
    settings = asked(10).setup.get(dots.Settings)
    means = [law_of(settings, d_k).mean / sqrt(d_k) for d_k in (64, 1024)]
    return 2 if means[1] == pytest.approx(4 * means[0]) else -1


def leaning() -> int:
    settings = asked(11).setup.get(dots.Settings)
    d_ks = np.array([64, 1024, 65_536])
    means = np.array([law_of(settings, int(d_k)).mean for d_k in d_ks])
    steady = [bool(np.allclose(means / by, 0.5)) for by in (np.sqrt(d_ks), d_ks, 1.0)]
    return steady.index(True)


RIGHT: tuple[Callable[[], int], ...] = (
    times_larger, lower_bell, share_of_key_2, gradient_of_512, crossing, few_keys, effective,
    cure, first_row, capped, dice, leaning,
)  # fmt: skip


@pytest.mark.slow
def test_the_right_answer_is_what_compute_says() -> None:
    for place in range(len(STEPS)):
        guess = STEPS[place].guess
        assert guess is not None
        assert guess.right == RIGHT[place](), guess.question


@pytest.mark.slow
def test_numbers_of_the_sentences_are_true() -> None:
    assert median_factor(512, 64) == pytest.approx(1 / 32, rel=0.02)
    assert 93 < 1 / median_factor(4096, 64) < 100
    assert factor(replace(asked(3), source=Drawn(512, 6))) > 10
    assert weights(asked(3), "unscaled")[60] == pytest.approx(0.94, abs=0.005)
    for d_k in (64, 128):
        assert median_factor(64, d_k) < 0.5
    answer = last(asked(6))
    for d_k in answer.points.d_ks:
        if d_k >= 16:
            share = median_keys(answer, d_k, "inverse-sqrt") / 4096
            assert share == pytest.approx(exp(-0.5), rel=0.06)
    median = median_keys(answer, 1024, "none")
    assert median == pytest.approx(1, abs=0.1)
    assert weights(under(asked(2), d_k=65_536)) == pytest.approx([1 / 3] * 3, abs=0.04)


DONE: tuple[dict[str, Any], ...] = (
    {"d_k": 1024}, {"d_k": 1024, "scale": Scale()}, {"d_k": 65_536}, {}, {"d_k": 64}, {},
    {"d_k": 64}, {"precision": Precision("float32")}, {"scale": Scale("none")}, {"d_k": 4096},
    {"d_k": 1024}, {"d_k": 1024, "scale": Scale("inverse")},
)  # fmt: skip


def test_every_guess_has_a_picture() -> None:
    assert [place for place, step in enumerate(STEPS) if step.guess and not step.picture] == []


def test_a_step_is_not_done_as_it_begins_and_can_be() -> None:
    for place in range(len(STEPS)):
        start = asked(place)
        done = under(start, **DONE[place])
        if place == 3:
            done = replace(start, source=Drawn(512, 4))
        if place == 5:
            done = replace(start, setup=start.setup.put(replace(start.setup.settings[0], n=4)))  # type: ignore[type-var]
        assert not STEPS[place].until.holds(start)
        assert STEPS[place].until.holds(done)
