import json
from array import array
from math import inf

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.files.json import read_json


@pytest.mark.parametrize("indent", [None, 1])
def test_a_long_list_in_json_is_an_array_of_numbers(indent: int | None) -> None:
    numbers = [0.5] * 25_000
    assert read_json([json.dumps(numbers, indent=indent)]) == array("d", numbers)
    whole = read_json([json.dumps([[1, 2], [1, 2.5], ["-Infinity", 3], [1, "x"]])])
    assert whole == [array("q", [1, 2]), array("d", [1, 2.5]), array("d", [-inf, 3]), [1, "x"]]
    whole = read_json([json.dumps([1] * 12_000 + [0.5] + [10**400], indent=indent)])
    assert whole == [1] * 12_000 + [0.5] + [10**400]


JSON = '{"q": [1, -2.5e3, "-Infinity", "x", null], "k": {"a\\n": [[], {}], "b": true}, "c": 1e5}'


def test_json_in_pieces_is_what_it_is_as_a_whole() -> None:
    plain = json.loads(JSON.replace('"-Infinity"', "-Infinity"))
    assert read_json([JSON]) == plain
    assert read_json(JSON) == plain


@pytest.mark.parametrize("end", range(len(JSON)))
def test_json_that_is_cut_off_is_refused_as_json_does(end: int) -> None:
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(JSON[:end])
    with pytest.raises(InputError, match="line 1: not JSON: ") as caught:
        read_json([JSON[:end]])
    assert expected.value.msg.split(" starting")[0] in caught.value.problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1,]", "Expecting value"),
        ("[1 2]", "Expecting ',' delimiter"),
        ("[01]", "Expecting ',' delimiter"),
        ("[\n1.5.2]", "line 2: not JSON: Expecting ',' delimiter"),
        ('{"a"}', "Expecting ':' delimiter"),
        ("{1: 2}", "Expecting property name enclosed in double quotes"),
        ('{"a": 1,}', "Expecting property name enclosed in double quotes"),
        ('{"a": 1, 2}', "Expecting property name enclosed in double quotes"),
        ('{"a": 1]', "Expecting ',' delimiter"),
        ("1 2", "Extra data"),
        ("[1]]", "Extra data"),
        ('["a\nb"]', "Invalid control character at"),
        ('["\\x"]', "Invalid \\escape"),
        ('["\\u12"]', "Invalid \\uXXXX escape"),
        ("[+1]", "Expecting value"),
        ("[1, 1e400]", "'1e400' is too large for float64"),
        ('{"a": 1, "a": 2}', "the name 'a' stands there twice"),
    ],
)
def test_what_is_not_json_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_json([text])
    assert message in str(caught.value)
