"""Claims about typical gradients: where dividing makes them larger, and where smaller."""

from dataclasses import replace

import pytest

from attn_tui.claims.checks.crossover import both_sides, turning_point
from attn_tui.claims.checks.drawn_rows import check_cost, logs_at_stds, mean, row_logs
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError
from attn_tui.compute.sweep.exact import trace_at
from attn_tui.compute.sweep.readouts import ROWS
from attn_tui.library import drawn, statistics
from tests.claims.breaking import Broken


def _doubled(removed):  # type: ignore[no-untyped-def]
    """Removing the scale doubles everything, everywhere."""
    return lambda *given: replace(removed(*given), value=2.0)


def _level(row_logs):  # type: ignore[no-untyped-def]
    """Every row says the same, whatever the rule and d_k."""
    return lambda *given: {place: 0.0 * logs for place, logs in row_logs(*given).items()}


BROKEN = {
    **dict.fromkeys(("S0-2", "S1-1", "S1-12", "L-2"), Broken("crossover:removed", _doubled)),
    "S1-16": Broken("crossover:row_logs", _level),
}


def test_rows_are_those_that_the_library_draws() -> None:
    trial = Trial(seed=3, d_k=16, n=8, draws=40)
    found = row_logs(trial, "gradient", ("inverse-sqrt",), (16, 256))
    for (_, d_k), logs in found.items():
        rows = drawn(d_k, trial.n, trial.seed, trial.draws)
        sizes = [statistics(row, d_k).log_frobenius for row in rows]
        assert logs == pytest.approx(sizes, rel=1e-12)


def test_rows_of_one_standard_deviation_have_the_exact_mean_trace() -> None:
    logs = logs_at_stds(Trial(n=16, draws=4000), (2.0,))[2.0]
    assert mean("tr J", logs[ROWS["trace"]]).is_near(trace_at(16, 2.0))


def test_the_far_sides_of_a_crossover_are_within_what_d_k_may_be() -> None:
    turn = turning_point(8, "gradient", 100, 1)
    assert turn.d_k
    below, above = both_sides(turn)
    assert 2 <= below < turn.d_k < above <= 65_536
    nowhere = replace(turn, d_k=None, side="larger")
    assert both_sides(nowhere, 16) == (4096, 65_536)
    assert both_sides(replace(nowhere, side="smaller"), 16) == (2, 32)


def test_rows_that_would_take_too_long_are_refused() -> None:
    with pytest.raises(InputError, match=r"1,000 rows of 100,000 keys .* at most \d\d$"):
        check_cost(100_000, 1000, 100)
