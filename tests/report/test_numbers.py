from math import inf, log, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.report.numbers import general, quantity, ratio, scientific, weight


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (weight(0.13090754), "0.1309"),
        (weight(0.99999999), "1.0000"),
        (weight(0.001), "0.0010"),
        (weight(0.00099), "9.90e-04"),
        (weight(0.0), "0"),
        (weight(0.0, -10_000.0), "1e-4343"),
        (weight(nan), "NaN"),
        (scientific(-1.8e-35, signed=True), "−1.80e-35"),
        (scientific(1.93e-22, signed=True), "+1.93e-22"),
        (scientific(0.0, log(9.99) - 1000 * log(10.0)), "1e-999"),
        (general(-1.5), "−1.5"),
        (general(-1e-10), "−1e-10"),
        (general(-inf), "−∞"),
        (quantity(0.4051), "0.405"),
        (quantity(2.4709), "2.47"),
        (quantity(1.871e-13), "1.87e-13"),
        (ratio(log(0.125)), "×0.125"),
        (ratio(log(1.8e19)), "×1.8e19"),
        (ratio(inf), "×∞"),
        (ratio(-inf), "×0"),
        (ratio(nan), "–"),
    ],
)
def test_numbers_are_written_as_the_design_says(text: str, expected: str) -> None:
    assert text == expected


@given(st.floats(min_value=5e-324, max_value=1e300))
@settings(deadline=None)
def test_a_number_and_its_logarithm_agree_in_the_first_digit(value: float) -> None:
    by_log = float(scientific(0.0, log(value)))
    assert by_log == pytest.approx(value, rel=0.51)
