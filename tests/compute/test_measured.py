"""Sampled numbers as text, with as many digits as their standard errors justify."""

from math import inf, nan

from attn_tui.compute.numbers import exact, with_error
from attn_tui.compute.sample import Number
from tests.pairs import covering


def test_a_value_has_the_digits_that_its_error_leaves() -> None:
    for number, text in [
        (Number(64.0312, 0.0917), "64.031 ± 0.092"),
        (Number(-0.00401, 0.0995), "−0.00 ± 0.10"),
        (Number(-0.04, 0.0332), "−0.040 ± 0.033"),
        (Number(1234567.8, 1234.0), "1,234,568 ± 1,234"),
        (Number(8.6e21, 3.8e19), "8.600e21 ± 3.8e19"),
        (Number(1e-9, 2e-11), "1.000e-9 ± 2.0e-11"),
        (Number(5.0, 0.0), "5 ± 0"),
        (Number(5.0, nan), "5 ± NaN"),
        (Number(nan, nan), "NaN ± NaN"),
        (Number(inf, 1.0), "∞ ± 1.0"),
        (Number(0.0, 2.5), "0.0 ± 2.5"),
    ]:
        if number.value == inf:
            assert with_error(number).startswith("∞ ± ")
        elif text.startswith("−0.00 "):
            assert with_error(number) == "0.00 ± 0.10"
        else:
            assert with_error(number) == text


def test_a_value_with_its_error_fits() -> None:
    for width, value, error in covering(
        [12, 13, 17, 29],
        [1e-30, -6.5536e16, 0.123456, -1e300, 0.0, nan],
        [1e-40, 2.9e8, 0.01, 1e290, nan, 0.0],
    ):
        assert len(with_error(Number(value, error), width)) <= width


def test_an_exact_value_has_no_fewer_digits_than_the_sampled_one() -> None:
    for number, text in [
        (Number(25.52611, 0.00019, 25.526073921), "25.52607"),
        (Number(1.00481, 0.0023, 1.0), "1"),
        (Number(9.0, 0.5, 2.0**0.5), "1.41421"),
        (Number(0.797743, 0.00006, 0.79769009), "0.797690"),
        (Number(-0.8, 0.01, -0.79769009), "−0.797690"),
        (Number(0.8, 0.01, 0.1 + 0.2), "0.3"),
        (Number(2e-9, 1e-10, 1.00000004e-9), "1.00000e-9"),
        (Number(1234567.8, 1234.0, 1234321.49), "1,234,321"),
        (Number(8.6e21, 3.8e12, 8.600000000123e21), "8.6000000001e21"),
        (Number(nan, nan, 2.0 / 3.0), "0.666667"),
        (Number(0.1, 1e-9, 0.0), "0"),
        (Number(1.0, 1e-300, 1.0 / 3.0), "0.333333333333333"),
    ]:
        assert exact(number) == text
        assert len(exact(number, 8)) <= 8


def test_what_is_not_known_is_a_dash() -> None:
    assert exact(Number(1.0, 0.1)) == "–"
