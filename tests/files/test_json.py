"""JSON is what Python reads, but for names that stand twice and numbers that no float64 holds."""

from math import inf, isnan

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.files.content import read_json


def test_numbers_that_json_has_not_are_read() -> None:
    nan, *infinities = read_json("[NaN, Infinity, -Infinity]")
    assert isnan(nan)
    assert infinities == [inf, -inf]


def test_what_is_not_json_is_refused() -> None:
    for text, message in [
        ("[1,]", "Expecting value"),
        ("[\n1.5.2]", "line 2: not JSON: Expecting ',' delimiter"),
        ('["a\nb"]', "Invalid control character at"),
        ("[1, 1e400]", "'1e400' is too large for float64"),
        ("[1, -1e400]", "'-1e400' is too large for float64"),
        ("1" * 5_000, "a whole number has too many digits"),
        ("[" * 100_000, "lists are nested too deep"),
        ('{"a": [' * 50_000, "lists are nested too deep"),
        ('{"a": 1, "a": 2}', "the name 'a' stands there twice"),
        ('{"a\\u001b": 1, "a\\u001b": 2}', "the name 'a\\x1b' stands there twice"),
    ]:
        with pytest.raises(InputError) as caught:
            read_json(text)
        assert message in str(caught.value)
