import pytest
from scipy.stats import t as student

from attn_tui.compute.fit.estimates import t_quantile


@pytest.mark.parametrize("df", [5, 6.7, 30, 1000])
def test_quantiles_are_those_of_scipy(df: float) -> None:
    for tail in (0.8, 0.05, 2e-3, 2e-7, 2e-10):
        assert t_quantile(1.0 - tail, df) == pytest.approx(student.isf(tail / 2, df), rel=1e-4)
