"""Factors in words: a direction is stated only if the draws show it."""

from math import log, nan

from attn_tui.sweep.change import SIGNS, LogFactor


def test_a_factor_is_said_as_far_as_its_error_tells() -> None:
    for factor, error, way, times, cell in [
        (24.0, 0.001, "larger", "24 times larger", "24"),
        (1 / 24.0, 0.02, "smaller", "about 24 times smaller", "24"),
        (12.4, 0.31, "larger", "6.8 to 23 times larger", "12"),
        (1.7, 0.01, "larger", "1.7 times larger", "2"),
        (1.0, 0.0, "same", "about the same", "="),
        (1.05, 0.02, "same", "about the same", "="),
        (1.5, 0.4, "untold", "anything from 1.5 times smaller to 3.3 times larger", "?"),
        (1.0, 0.3, "untold", "anything from 1.8 times smaller to 1.8 times larger", "?"),
        (6e4, 0.01, "larger", "60,000 times larger", "10⁴"),
        (1e5, 2.0, "larger", "over 2,000 times larger", "10⁵"),
        (1e-9, 0.01, "smaller", "over a million times smaller", "M"),
        (nan, 0.1, "unknown", "unknown", ""),
        (2.0, nan, "unknown", "unknown", ""),
    ]:
        change = LogFactor(log(factor), error)
        assert change.way == way
        assert change.times == times
        assert change.cell(3) == cell


def test_all_numbers_of_a_map_have_as_many_decimals_and_its_signs_are_explained() -> None:
    factors = [1.3, 1.7, 2.6, 9.96, 17.4, 103.0, 348.2, 5e4, 1e7, 1.0]
    texts = [
        [LogFactor(log(factor)).cell(*size) for factor in factors] for size in [(5, 1), (3, 0)]
    ]
    assert texts[0] == ["1.3", "1.7", "2.6", "10.0", "17.4", "103.0", "348.2", "10⁴", "M", "="]
    assert texts[1] == ["<2", "2", "3", "10", "17", "103", "348", "10⁴", "M", "="]
    narrow = [LogFactor(log(factor)).cell(2) for factor in factors]
    assert narrow == ["<2", "2", "3", "10", "17", ">", ">", ">", "M", "="]
    assert {*"M>=?"} == SIGNS.keys()
