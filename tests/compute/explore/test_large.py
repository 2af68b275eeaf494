"""A million keys: memory, and nothing that grows with their square."""

import tracemalloc

import numpy as np
import pytest

from attn_tui.compute import evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, answer_vector, over_d_k
from attn_tui.compute.explore.precision_lab import lab
from attn_tui.compute.keys import ALL
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Typed
from attn_tui.compute.vector import Vector

N = 1_000_000
MEGABYTE = 1e6
SCALES = {
    "plain": Scale(),
    "cap and sink": Scale("ssmax", softcap=50.0, sink=0.0),
}


def asked(scale: Scale, precision: Precision = Precision(), n: int = N) -> Experiment:
    scores = np.random.default_rng(3).normal(scale=8.0, size=n)
    scores.setflags(write=False)
    return Experiment(Typed((Vector("a", scores),)), Setup(64, scale, precision))


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("precision", [Precision(), Precision("bfloat16", scores="float16")])
def test_a_million_keys_need_little_memory(scale: Scale, precision: Precision) -> None:
    experiment = asked(scale, precision)
    tracemalloc.start()
    try:
        found = answer_vector(experiment, 0)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.scaled.norms["scores"].spectral > 0.0
    # Two sides of 8 MB weights each, besides scores that were there before.
    assert kept <= 17 * MEGABYTE
    assert peak <= 70 * MEGABYTE


@pytest.mark.slow
def test_curves_keep_no_number_for_each_key() -> None:
    experiment = asked(SCALES["cap and sink"])
    answers: list[VectorAnswer] = [answer_vector(experiment, 0)]
    tracemalloc.start()
    try:
        assert over_d_k(experiment, 0, (8, 64))
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answers
    assert kept <= 1 * MEGABYTE
    assert peak <= 70 * MEGABYTE


@pytest.mark.slow
def test_the_lab_keeps_no_number_for_each_key() -> None:
    # A million take the better part of a minute.
    experiment = asked(SCALES["plain"], n=20_000)
    assert experiment.vectors[0].n_keys == 20_000
    tracemalloc.start()
    try:
        assert lab(experiment, 0, 0)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A byte a key would be as much.
    assert kept <= 20_000
    assert peak <= 100 * 20_000


def test_a_million_keys_agree_with_a_hundred_of_each_weight() -> None:
    scores = np.repeat(np.linspace(0.0, 9.0, 100), N // 100)
    side = answer_vector(
        Experiment(Typed((Vector("a", scores),)), Setup(1, Scale("none", sink=1.0))), 0
    ).scaled
    powers = np.exp(np.linspace(0.0, 9.0, 100))
    total = powers.sum() * (N // 100) + np.e
    np.testing.assert_allclose(side.weights()[:: N // 100], powers / total, rtol=1e-12)
    # Tied keys have their own weight as an eigenvalue, and λ is no more than that.
    assert side.norms["logits"].spectral == pytest.approx(powers[-1] / total, rel=1e-12)
    assert side.complements(ALL).shape == (N,)


def test_what_is_said_of_all_keys_is_worked_out_with_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a million keys are answered in a thread, the screen asks for nothing as long."""
    found = answer_vector(asked(SCALES["plain"], Precision("float16")), 0)

    def fail(*arguments: object) -> None:
        raise AssertionError

    for name in ("entropy", "norms", "participation_ratio", "evaluate", "largest"):
        monkeypatch.setattr(evaluation, name, fail)
    for side in (found.unscaled, found.scaled):
        assert side.entropy > 0.0
        assert side.log_entropy < 10.0
        assert side.participation_ratio > 1.0
        assert side.norms["scores"].trace > 0.0
        assert side.vanished
        assert side.given[side.ends[0]] == side.given.max()
    assert found.unscaled.vanished
    assert found.unscaled.vanished.number > 900_000
