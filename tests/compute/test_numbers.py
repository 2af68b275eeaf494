from math import inf, log, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.numbers import (
    about,
    amount,
    brief,
    byte_size,
    factor,
    fitted,
    fixed,
    general,
    interval,
    percent_tick,
    place,
    power_of_ten,
    progress,
    quantity,
    rough_percent,
    scientific,
    term,
    tick,
    weight,
    weight_name,
    whole,
    with_interval,
    with_sign,
)


def test_numbers_are_written_as_the_design_says() -> None:
    for text, expected in [
        (weight(0.13090754), "0.1309"),
        (weight(0.99999999), "1.0000"),
        (weight(0.001), "0.0010"),
        (weight(0.00099), "9.90e-4"),
        (weight(0.0), "0"),
        (weight(0.0, -10_000.0), "1.14e-4343"),
        (weight(5e-324, -744.0), "7.67e-324"),
        (quantity(5e-324, -744.0, width=8), "7.7e-324"),
        (scientific(-2.2e-308, log(2.2e-308)), "−2.20e-308"),
        (weight(nan), "NaN"),
        (scientific(-1.8e-35, signed=True), "−1.80e-35"),
        (scientific(1.93e-22, signed=True), "+1.93e-22"),
        (scientific(0.0, log(9.99) - 1000 * log(10.0)), "9.99e-1000"),
        (general(-1.5), "−1.5"),
        (general(-1e-10), "−1e-10"),
        (general(-inf), "−∞"),
        (quantity(0.4051), "0.405"),
        (quantity(2.4709), "2.47"),
        (quantity(1.871e-13), "1.87e-13"),
        (factor(log(0.125)), "×0.125"),
        (factor(log(1.8e19)), "×1.8e19"),
        (factor(inf), "×∞"),
        (factor(-inf), "×0"),
        (factor(nan), "–"),
        (weight_name(120), "p₁₂₀"),
        (scientific(1.93e-222, signed=True, width=9), "+1.9e-222"),
        (scientific(1.93e-222, signed=True, width=8), "+2e-222"),
        (scientific(1.93e-222, width=5), "…"),
        (scientific(0.0, -2222 * log(10.0) + log(2), True, width=8), "+2e-2222"),
        (weight(0.25, width=4), "0.25"),
        (weight(0.004, width=4), "…"),
        (weight(0.00099999), "0.0010"),
        (quantity(0.0), "0"),
        (quantity(999.6), "1,000"),
        (quantity(9999.4), "9,999"),
        (quantity(9999.6), "10,000"),
        (quantity(-12345.6), "−12,346"),
        (quantity(9_994_999.0), "9,994,999"),
        (quantity(9_999_999.0), "1.00e7"),
        (quantity(123_456.0, width=6), "1.23e5"),
        (quantity(0.00099999), "0.00100"),
        (quantity(1.871e-133, width=8), "1.9e-133"),
        (factor(log(3.45)), "×3.45"),
        (factor(log(123.4)), "×123"),
        (factor(log(999.6)), "×1.0e3"),
        (factor(log(1234)), "×1.2e3"),
        (factor(log(9999.9)), "×1.0e4"),
        (factor(log(0.0283)), "×0.0283"),
        (factor(log(0.009999)), "×0.01"),
        (factor(log(0.0039)), "×3.9e-3"),
        (factor(log(1.8e19), width=5), "×2e19"),
        (fitted(1_000_000.0, 11), "1000000"),
        (fitted(1_000_001.0, 11), "1000001"),
        (fitted(0.1, 24), "0.1"),
        (fitted(-1 / 3, 8), "−0.33333"),
        (fitted(-inf, 11), "−∞"),
        (general(-0.0), "0"),
        (general(1e-5), "1e-5"),
        (general(2.5e20), "2.5e20"),
        (fixed(-0.001, 2), "0.00"),
        (whole(-65536.4), "−65,536"),
        (place(65_536), "65,536"),
        (place(12.46), "12.5"),
        (term(65536.0), "65,536"),
        (term(0.03125), "0.03125"),
        (tick(0.001), "0.001"),
        (tick(100_000.0), "100,000"),
        (tick(1e6), "10⁶"),
        (tick(-2e-4), "−2·10⁻⁴"),
        (power_of_ten(2), "100"),
        (power_of_ten(3), "10³"),
        (about(1949.0), "1,900"),
        (about(-0.0123), "−0.012"),
        (amount(999.9996e6), "1 billion"),
        (byte_size(999), "999 bytes"),
        (byte_size(14_200), "14 kB"),
        (byte_size(1_340_000_000), "1.3 GB"),
        (brief(-inf), "−∞"),
        (interval(0.12345, 0.12351), "0.123 to 0.124"),
        (interval(2.0, 2.0001), "2"),
        (with_interval(-0.00004, -0.001, 0.001), "0.0000 (−0.0010 to 0.0010)"),
        (rough_percent(1e-5, places=9), "0.001 %"),
        (percent_tick(0.0005), "0.05 %"),
        (progress(0.9999), "99 %"),
    ]:
        assert text == expected


@given(st.floats(min_value=5e-324, max_value=1e300))
@settings(deadline=None)
def test_a_number_and_its_logarithm_agree(value: float) -> None:
    by_log = float(scientific(0.0, log(value)))
    assert by_log == pytest.approx(value, rel=0.006)


@given(
    st.floats(),
    st.floats(max_value=1e6, allow_nan=False),
    st.booleans(),
    st.integers(min_value=1, max_value=14),
)
@settings(deadline=None)
def test_no_text_is_wider_than_asked(
    value: float, log_size: float, signed: bool, width: int
) -> None:
    texts = (
        scientific(value, log_size, signed, width),
        weight(value, log_size, width),
        quantity(value, width=width),
        factor(value, width),
        fitted(value, width),
    )
    assert max(map(len, texts)) <= width


@given(st.floats(min_value=1e-300, max_value=1e300), st.integers(min_value=1, max_value=14))
@settings(deadline=None)
def test_a_narrow_number_is_rounded_and_never_cut(value: float, width: int) -> None:
    for text in (scientific(value, width=width), quantity(value, width=width)):
        assert text == "…" or float(text.replace(",", "")) == pytest.approx(value, rel=0.51)


def test_a_number_that_underflowed_keeps_its_sign() -> None:
    for value, expected in ((-0.0, "−5e-400"), (0.0, "+5e-400"), (-2.0, "−5e-400")):
        assert with_sign("5e-400", value) == expected
    assert (with_sign("0", -0.0), with_sign("NaN", nan)) == ("0", "NaN")
