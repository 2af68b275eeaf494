"""A cross-entropy and its gradient against mpmath: by central differences of −ln p_y."""

from math import inf

import mpmath
import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer_vector, check_keys, over_d_k
from attn_tui.compute.explore.loss import (
    log_loss_gradient,
    loss,
    loss_gradient,
    loss_gradient_norm,
)
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import LogitMap, Scale, Wrt
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Typed, Vector
from tests.compute import exact
from tests.pairs import covering

WRT: tuple[Wrt, ...] = ("logits", "scores")
ROWS = {
    "near": (0.3, -1.0, 2.0),
    "far": (100.0, 120.0, 150.0),
    "beyond float64": (0.0, -300.0, 500.0),
    "masked": (1.0, -inf, 3.0, 2.5),
    "tied": (5.0, 5.0, 5.0),
}
MAPS = {
    "plain": LogitMap(1.0),
    "scaled": LogitMap(0.125),
    "sink": LogitMap(0.5, sink=1.5),
    "capped": LogitMap(0.25, softcap=9.0),
    "capped, with a sink": LogitMap(1.0, softcap=20.0, sink=0.0),
}


def of(scores: tuple[float, ...], map: LogitMap) -> Evaluation:
    return evaluate(np.array(scores), map, Precision())


def by_differences(
    scores: tuple[float, ...], map: LogitMap, target: int, wrt: Wrt
) -> list[exact.Big]:
    """Return ∂L/∂z_j or ∂L/∂s_j from ∂p_y/∂…, at 1,200 digits, divided by −p_y."""
    row = exact.central_differences(scores, map, wrt, dps=1200)[target]
    with mpmath.workdps(1200):
        return [-entry / exact.shares(scores, map)[target] for entry in row]


@pytest.mark.slow
@pytest.mark.parametrize(("row", "map"), covering(ROWS, MAPS, least=len(ROWS) * 2))
def test_the_loss_and_its_gradient_are_what_the_formula_says(row: str, map: str) -> None:
    scores, to_logits = ROWS[row], MAPS[map]
    side = of(scores, to_logits)
    for target in (key for key, score in enumerate(scores) if score > -inf):
        with mpmath.workdps(1200):
            true = -mpmath.log(exact.shares(scores, to_logits)[target])
            log_true = float(mpmath.log(true))
        size, log_size = loss(side, target)
        assert size == pytest.approx(float(true), rel=4e-13)
        assert log_size == pytest.approx(log_true, rel=1e-13, abs=1e-12)
        for wrt in WRT:
            entries = by_differences(scores, to_logits, target, wrt)
            computed = loss_gradient(side, target, wrt)
            assert computed == pytest.approx([float(x) for x in entries], rel=4e-13, abs=1e-320)
            logs = log_loss_gradient(side, target, wrt)
            for key, entry in enumerate(entries):
                log_entry = float(mpmath.log(abs(entry))) if entry else -inf
                assert logs[key] == pytest.approx(log_entry, rel=1e-13, abs=1e-12)
            norm, log_norm = loss_gradient_norm(side, target, wrt)
            assert norm == pytest.approx(float(exact.size(entries)), rel=4e-13)
            assert log_norm == pytest.approx(
                float(mpmath.log(exact.size(entries))), rel=1e-13, abs=1e-12
            )
        some = np.array([target, 0])
        assert (
            loss_gradient(side, target, "logits", some)
            == loss_gradient(side, target, "logits")[some]
        ).all()


def test_over_the_keys_it_adds_up_to_minus_the_weight_of_the_sink() -> None:
    for sink in (None, -2.0, 3.0):
        side = of((1.0, 2.0, -inf, 0.5), LogitMap(1.0, sink=sink))
        for target in (0, 1):
            total = loss_gradient(side, target, "logits").sum()
            assert total == pytest.approx(-side.sink_weight, abs=1e-15)


def test_at_the_answer_it_is_minus_the_others_where_the_weight_is_1_to_rounding() -> None:
    side = of((0.0, 60.0), LogitMap(1.0))
    assert side.weights()[1] == 1.0
    assert loss_gradient(side, 1, "logits").tolist() == pytest.approx(
        [np.exp(-60), -np.exp(-60)], rel=1e-12, abs=0.0
    )
    assert loss(side, 1)[0] == pytest.approx(np.exp(-60), rel=1e-12, abs=0.0)
    # Where it is wrong, saturation does not make it vanish.
    assert loss_gradient(side, 0, "logits").tolist() == pytest.approx([-1.0, 1.0])


def test_a_masked_answer_has_an_infinite_loss_at_any_scale() -> None:
    for scores in ((1.0, -inf, 3.0), (-inf, -inf)):
        for to_logits in MAPS.values():
            side = of(scores, to_logits)
            assert loss(side, 1) == (inf, inf)
            assert np.isfinite(loss_gradient(side, 1, "logits")).all()
            assert loss_gradient(side, 1, "scores")[1] == 0.0


def test_a_weight_that_a_format_rounds_to_0_has_an_infinite_loss_there() -> None:
    side = evaluate(np.array([0.0, -40.0]), LogitMap(1.0), Precision("float16"))
    assert loss(side, 1) == (inf, inf)
    assert loss(evaluate(np.array([0.0, -40.0]), LogitMap(1.0), Precision()), 1)[0] == 40.0


def test_a_question_with_an_answer_has_its_gradient_here_and_over_d_k() -> None:
    scores = (3.0, 1.0, 0.0)
    setup = Setup(64, Scale(softcap=5.0)).put(Settings(target=2))
    experiment = Experiment(Typed((Vector("a", np.array(scores)),)), setup)
    result = answer_vector(experiment, 0)
    to_logits = LogitMap(0.125, softcap=5.0)
    entries = by_differences(scores, to_logits, 2, "scores")
    assert result.gradient(result.scaled) == pytest.approx([float(x) for x in entries])
    assert result.losses[1] == loss(result.scaled, 2)
    over = over_d_k(experiment, 0, [16, 64])
    assert over is not None
    assert over.gradient[1] == pytest.approx(float(exact.size(entries)))
    assert result.gradients[1][0] == over.gradient[1]
    with pytest.raises(InputError) as caught:
        check_keys(Experiment(experiment.source, setup.put(Settings(target=3))))
    assert (caught.value.field, "no key 3" in str(caught.value)) == ("answer", True)
