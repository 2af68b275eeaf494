import pytest
from scipy.stats import t as student

from attn_tui.compute.fit import student as of_student
from attn_tui.compute.fit.student import t_above, t_quantile, t_tail


@pytest.mark.parametrize("df", [1, 2, 2.3, 3, 6.7, 30, 1000, 1e6])
def test_tails_and_quantiles_are_those_of_scipy(df: float) -> None:
    for x in (0.0, 1e-3, 0.1, 1.0, 3.0, 10.0, 100.0, 1e4):
        assert t_tail(x, df) == pytest.approx(student.sf(x, df), rel=1e-9, abs=1e-300)
    for tail in (0.4, 0.025, 1e-3, 1e-7, 1e-12):
        assert t_above(tail, df) == pytest.approx(student.isf(tail, df), rel=1e-9)


def test_the_normal_law_is_the_limit() -> None:
    assert t_quantile(0.95, float("inf")) == pytest.approx(1.959963984540054, rel=1e-12)


def test_a_quantile_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = t_quantile(0.9, 17.25)
    monkeypatch.delattr(of_student, "t_tail")
    assert t_quantile(0.9, 17.25) == known
