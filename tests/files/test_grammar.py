import re
from math import inf

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.source import Vector
from attn_tui.files.grammar import Entry, named, read_entries


def vectors(text: str) -> tuple[Vector, ...]:
    return named(read_entries(text))


def read(text: str) -> dict[str, list[float]]:
    return {vector.name: vector.scores.tolist() for vector in vectors(text)}


def test_one_vector_can_be_written_in_many_ways() -> None:
    for text in [
        "1,2,3",
        "1 2 3",
        "1\t2\t3",
        "1;2 ; 3,",
        "1\u00a02\u30003",
        "[1, 2, 3]",
        "(1, 2, 3)",
        "[\n1,\n2,\n3\n]",
        "1\n2\n3",
        "\n\n1\n2\r\n3\r",
        "tensor([1., 2., 3.], dtype=torch.float32, device='cuda:0')",
        "tensor([1, 2, 3],\n grad_fn=<SoftmaxBackward0>, requires_grad=True)",
        "np.array([1, 2, 3])",
        "[np.float64(1.0), tensor(2.), float64(3)]",
        "1. +2 3e0",
    ]:
        assert read(text) == {"a": [1.0, 2.0, 3.0]}, text


def test_signs_that_a_chinese_keyboard_types_are_read_in_numbers_and_names_stay() -> None:
    for text in ["１，２，３", "1；2、3", "［１，　２，３］", "1．0\n２ｅ０\n３", "（1，2，3）"]:
        assert read(text) == {"a": [1.0, 2.0, 3.0]}, text
    assert read("猫：－１，−２\n“ａ（1）”: 3") == {"猫": [-1.0, -2.0], "“ａ（1）”": [3.0]}
    with pytest.raises(InputError, match="'10²' is not a number"):
        read("10²")
    with pytest.raises(InputError, match="begins with a number"):
        read("１ ａ：1")


def test_a_text_is_read_as_these_vectors() -> None:
    for text, expected in [
        ("1 2\n3 4", {"a": [1, 2], "b": [3, 4]}),
        ("1\n2\n\n3\n4", {"a": [1, 2], "b": [3, 4]}),
        ("1\n2\n3 4\n5", {"a": [1, 2], "b": [3, 4], "c": [5]}),
        ("b: 1 2\n3 4\n5 6", {"b": [1, 2], "a": [3, 4], "c": [5, 6]}),
        ("x: 1\n2\ny: 3\n4", {"x": [1, 2], "y": [3, 4]}),
        ("x:\n1\n2\n3 \r\n\n4\n5\n6,\n7", {"x": [1, 2, 3], "a": [4, 5, 6, 7]}),
        ("layer 3: 1 2", {"layer 3": [1, 2]}),
        ("1\n2\n3: 4\n5\n6 7", {"a": [1, 2], "3": [4, 5], "b": [6, 7]}),
        ('"10a": 1 2\n"x, [y": 3\n"a\\"b": 4', {"10a": [1, 2], "x, [y": [3], 'a"b': [4]}),
        ("[[1, 2], [3]]", {"a": [1, 2], "b": [3]}),
        ("[[1 2]\n [3 4]]", {"a": [1, 2], "b": [3, 4]}),
        ("q: tensor([[1., 2.],\n [3., 4.]])", {"q[0]": [1, 2], "q[1]": [3, 4]}),
        ("q: [[1, 2]]", {"q": [1, 2]}),
        ("-inf −inf -Infinity −1", {"a": [-inf, -inf, -inf, -1]}),
        ("5e-324 -1.7976931348623157e308", {"a": [5e-324, -1.7976931348623157e308]}),
        ("1\n" * 30_000 + "2 3", {"a": [1.0] * 30_000, "b": [2, 3]}),
    ]:
        assert read(text) == expected
        assert list(read(text)) == list(expected)


def test_an_error_names_the_token_and_its_line() -> None:
    for text, line, token in [
        ("1 2\n3 four", 2, "'four'"),
        ("1-2", 1, "'1-2'"),
        ("1 NaN", 1, "'NaN'"),
        ("1_000 2", 1, "'1_000'"),
        ("1 ٢", 1, "'٢'"),
        ("1\n2\n3\n--4\n5", 4, "'--4'"),
        ("1\n2\n3\n1e999\n5", 4, "'1e999'"),
        ("[1,\n +Infinity]", 2, "'+Infinity'"),
        ("[[1, 2],\n [3, x]]", 2, "'x'"),
        ("[[1, 2],\n\n []]", 3, "empty"),
        ("1\n[2,\n3", 2, "'['"),
        ("1 2]", 1, "']'"),
        ("a: )(", 1, "')'"),
        ("[1,\n2]]\n[", 2, "']'"),
        ("1 [2]", 1, "list"),
        ("[[1], 2]", 1, "list"),
        ("1,,2", 1, "',,'"),
        ("1\na:", 2, "'a'"),
        ("a:\nb: 1", 1, "'a'"),
        ("a:\n\n1", 1, "'a'"),
        ("a: 1\nb: 2\na: 3", 3, "'a'"),
        ("q: [[1], [2]]\nq[1]: 3", 2, "'q[1]'"),
        (f"{'x' * 50}: 1", 1, "'xxx"),
        ("1 2 3 10a: 100, 120", 1, "'1 2 3 10a'"),
        ("sqrt(2), 3", 1, "'sqrt'"),
        ("dtype=1", 1, "'dtype=1'"),
        ("{1, 2}", 1, "'{1'"),
        ("\x1b[31m1", 1, r"'\x1b'"),
        ('"\\u001b": 1', 1, r"'\x1b'"),
        ("\ud800", 1, r"'\ud800'"),
    ]:
        with pytest.raises(InputError) as caught:
            read(text)
        assert (caught.value.field, caught.value.line) == ("scores", line), text
        assert token in caught.value.problem
        assert str(caught.value).isprintable()
    for text in ("", " \n\t\n", ","):
        with pytest.raises(InputError, match="at least one number"):
            read(text)


@example("1:)(")
@given(st.text(st.sampled_from("1.5e-+_ ,;:[]{}()=\"'\n\t\\aqinf−,\x1b<>"), max_size=40))
def test_any_text_is_read_or_refused_in_one_printable_line(text: str) -> None:
    found: tuple[Vector, ...] = ()
    refused = None
    try:
        found = vectors(text)
    except InputError as error:
        refused = error
    if refused:
        assert str(refused).isprintable()
        assert 0 <= refused.line <= len(re.split("\r\n|\n|\r", text))
    assert all(vector.name.isprintable() for vector in found)
    assert len({vector.name for vector in found}) == len(found)


@pytest.mark.slow
def test_much_is_read_and_too_much_is_refused_in_time() -> None:
    assert vectors("1 " * 1_000_000)[0].n_keys == 1_000_000
    for text, problem in [
        ("[" * 100_000, "never closed"),
        ("1 2\n" * 10_001, "more than 10,000 vectors"),
        (",\n" * 300_000, "more than 200,000 lines"),
        ("a.a.a." * 200_000, "is not a number"),
        ("1" * 1_000_000, "too large for float64"),
        ("1," + " " * 30_000 + ",2", "nothing stands between"),
        ("[1" + ",a=1" * 100_000 + ",x]", "'x' is not a number"),
    ]:
        with pytest.raises(InputError, match=problem):
            vectors(text)


def test_names_are_found_where_there_are_none() -> None:
    assert list(read("1 2\n" * 28))[24:] == ["y", "z", "aa", "ab"]
    of_file = Entry("file", [1.0], of_file=True)
    found = named([Entry("b", [1.0]), of_file, of_file, Entry("", [1.0])])
    assert [vector.name for vector in found] == ["b", "file", "a", "c"]
