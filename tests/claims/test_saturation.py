"""Claims about rows of weights that saturate: what dies with them, and what does not."""

from dataclasses import replace

import numpy as np

from attn_tui.claims.checks.drawn_rows import row_logs, summary
from attn_tui.claims.checks.saturation import gradients_by_length
from attn_tui.claims.trial import Trial
from tests.claims.breaking import Broken


def _level(row_logs):  # type: ignore[no-untyped-def]
    """Every row says the same, whatever the rule and d_k."""
    return lambda *given: {place: 0.0 * logs - 2.0 for place, logs in row_logs(*given).items()}


def _same(logs_at_stds):  # type: ignore[no-untyped-def]
    """Every row says the same, whatever its standard deviation."""
    return lambda *given: {std: 0.0 * logs for std, logs in logs_at_stds(*given).items()}


def _spread_out(statistics):  # type: ignore[no-untyped-def]
    """No weight is more than a half."""
    return lambda *given, **asked: replace(statistics(*given, **asked), max_weight=0.5)


def _exchanged(gradients_by_length):  # type: ignore[no-untyped-def]
    """Each divisor has what the other has."""

    def broken(trial):  # type: ignore[no-untyped-def]
        by_length, by_root, uniform = gradients_by_length(trial)
        return by_root, by_length, uniform

    return broken


BROKEN = {
    "S0-10": Broken("saturation:row_logs", _level),
    "S1-11": Broken("saturation:logs_at_stds", _same),
    "S0-26": Broken("saturation:row_logs", _level),
    "S1-13": Broken("saturation:row_logs", _level),
    "S2-31": Broken("saturation:row_logs", _level),
    "S2-15": Broken("saturation:statistics", _spread_out),
    "L-10": Broken("saturation:softmax", lambda _: lambda z: np.array([1.0, 0.0, 0.0])),
    "L-20": Broken("saturation:gradients_by_length", _exchanged),
}


def test_rows_with_keys_of_known_length_are_rows_as_they_are_drawn_elsewhere() -> None:
    trial = Trial(d_k=16, n=32, draws=400)
    _, by_root, _ = gradients_by_length(trial)
    one = summary(by_root)
    other = summary(row_logs(trial, "gradient", ("inverse-sqrt",), (16,))["inverse-sqrt", 16])
    error = np.hypot(one.median_standard_error, other.median_standard_error)
    assert abs(one.median - other.median) < 5.0 * error


def test_the_sum_of_key_lengths_is_about_n_times_the_root_of_d_k() -> None:
    trial = Trial(d_k=64, n=256, draws=50)
    by_length, _, ln_share = gradients_by_length(trial)
    # Uniform weights have ‖J‖_F = √(n − 1)/n, which is multiplied by 1/Σ‖k‖.
    expected = np.sqrt(255.0) / 256.0 / (256.0 * np.sqrt(63.5))
    np.testing.assert_allclose(np.exp(by_length), expected, rtol=0.05)
    np.testing.assert_allclose(ln_share, 0.0, atol=1e-3)
