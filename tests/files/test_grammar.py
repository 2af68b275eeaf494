import re
from collections.abc import Callable
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.vector import Vector
from attn_tui.files import grammar
from attn_tui.files.grammar import parse_vectors, vector_at
from tests.pairs import with_rows


def read(text: str) -> dict[str, list[float]]:
    return {vector.name: vector.scores.tolist() for vector in parse_vectors(text)}


def outcome(text: str) -> tuple[Vector, ...] | InputError:
    try:
        return parse_vectors(text)
    except InputError as error:
        return error


def test_one_vector_can_be_written_in_many_ways() -> None:
    for text in [
        "1,2,3",
        "1 2 3",
        "1\t2\t3",
        "1;2 ; 3,",
        "1，2、3",
        "1\u00a02\u30003",
        "[1, 2, 3]",
        "(1, 2, 3)",
        "{1, 2, 3}",
        "[\n1,\n2,\n3\n]",
        "1\n2\n3",
        "\n\n1\n2\r\n3\r",
        "tensor([1., 2., 3.], dtype=torch.float32, device='cuda:0')",
        "tensor([1, 2, 3], grad_fn=<SoftmaxBackward0>, requires_grad=True)",
        "np.array([1, 2, 3])",
        "[np.float64(1.0), tensor(2.), float64(3)]",
        '["1", "2", "3"]',
        "1. +2 3e0",
        "0.1e+1 .2E1 30e-1",
        "１ ２ ３",
    ]:
        assert read(text) == {"a": [1.0, 2.0, 3.0]}


def test_a_text_is_read_as_these_vectors() -> None:
    for text, vectors in [
        ("1 2\n3 4", {"a": [1, 2], "b": [3, 4]}),
        ("1\n2\n\n3\n4", {"a": [1, 2], "b": [3, 4]}),
        ("1\n2\n3 4\n5", {"a": [1, 2], "b": [3, 4], "c": [5]}),
        ("b: 1 2\n3 4\n5 6", {"b": [1, 2], "a": [3, 4], "c": [5, 6]}),
        ("x: 1\n2\ny: 3\n4", {"x": [1, 2], "y": [3, 4]}),
        ("x:\n1\n2", {"x": [1, 2]}),
        ("layer 3: 1 2", {"layer 3": [1, 2]}),
        ("7: 1 2", {"7": [1, 2]}),
        ('"10a": 1 2', {"10a": [1, 2]}),
        ("x：1，2", {"x": [1, 2]}),
        ('\'x, y\': 1\n"a\\"b": 2', {"x, y": [1], 'a"b': [2]}),
        ("[[1, 2], [3]]", {"a": [1, 2], "b": [3]}),
        ("[[1 2]\n [3 4]]", {"a": [1, 2], "b": [3, 4]}),
        ("q: tensor([[1., 2.],\n [3., 4.]])", {"q[0]": [1, 2], "q[1]": [3, 4]}),
        ("q: [[1, 2]]", {"q": [1, 2]}),
        ('{"q": [1], "k": [[2], [3]]}', {"q": [1], "k[0]": [2], "k[1]": [3]}),
        ("{q: {k: 1, 2}}", {"k": [1, 2]}),
        ("-inf −∞ -Infinity", {"a": [-inf] * 3}),
        ("−1 – 2", None),
        ("−1 –2 －3", {"a": [-1, -2, -3]}),
        ("x:\n1\n2\n3 \r\n\n4\n5\n6,\n7", {"x": [1, 2, 3], "a": [4, 5, 6, 7]}),
        ("1\n2\n3: 4\n5\n6 7", {"a": [1, 2], "3": [4, 5], "b": [6, 7]}),
        ("5e-324 -1.7976931348623157e308", {"a": [5e-324, -1.7976931348623157e308]}),
    ]:
        if vectors is None:
            with pytest.raises(InputError):
                read(text)
        else:
            assert read(text) == vectors
            assert list(read(text)) == list(vectors)


def test_names_go_on_after_z() -> None:
    assert list(read("1 2\n" * 28))[24:] == ["y", "z", "aa", "ab"]


def test_an_error_names_the_token_and_its_line() -> None:
    for text, line, token in [
        ("1 2\n3 four", 2, "'four'"),
        ("1 2 2x", 1, "'2x'"),
        ("1-2", 1, "'1-2'"),
        ("1 NaN", 1, "'NaN'"),
        ("1_000 2", 1, "'1_000'"),
        ("1 ٢", 1, "'٢'"),
        ("1\n2\n3\n--4\n5", 4, "'--4'"),
        ("1\n2\n3\n1.2.3\n5", 4, "'1.2.3'"),
        ("1\n2\n3\n1e999\n5", 4, "'1e999'"),
        ("1\n2\r\n3\n4 x", 4, "'x'"),
        ("inf", 1, "'inf'"),
        ("[1,\n +Infinity]", 2, "'+Infinity'"),
        ("1e999", 1, "'1e999'"),
        ("-1e999", 1, "'-1e999'"),
        ("1\n[2,\n3", 2, "'['"),
        ("1 2]", 1, "']'"),
        ("(1 2]", 1, "']'"),
        ("[]", 1, "empty"),
        ("1 [2]", 1, "list"),
        ("[[1], 2]", 1, "list"),
        ("1,,2", 1, "',,'"),
        ("1,\t ;2", 1, r"',\x09 ;'"),
        ("1," + " " * 30_000 + ",2", 1, "',   "),
        ("''", 1, "''"),
        ("1\na:", 2, "'a'"),
        ("a:\nb: 1", 1, "'a'"),
        ("a:\n\n1", 1, "'a'"),
        ("a: 1\nb: 2\na: 3", 3, "'a'"),
        ("q: [[1], [2]]\nq[1]: 3", 2, "'q[1]'"),
        (f"{'x' * 50}: 1", 1, "'xxx"),
        ("[1 2] a: 3", 1, "'a'"),
        ("1 2 3 10a: 100, 120", 1, "'1 2 3 10a'"),
        ("b: 1\n-.5x: 100", 2, "'-.5x'"),
        ("sin(1)", 1, "'sin'"),
        ("dtype=1", 1, "'dtype=1'"),
        ("[1 ... 3]", 1, "'...'"),
        ("1\x0b2", 1, r"'\x0b'"),
        ("\x1b[31m1", 1, r"'\x1b'"),
        ("1\u20282", 1, r"'\u2028'"),
        ('"\\u001b": 1', 1, r"'\x1b'"),
        ("\ud800", 1, r"'\ud800'"),
    ]:
        with pytest.raises(InputError) as caught:
            read(text)
        assert (caught.value.field, caught.value.line) == ("scores", line)
        assert token in caught.value.problem
        assert str(caught.value).isprintable()


@with_rows("text", ["", " \n\t\n", ",", "\n"])
def test_a_text_without_numbers_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="at least one number"):
        read(text)


def test_the_same_text_gives_the_same_vectors() -> None:
    assert parse_vectors("1 2") is parse_vectors("1 2")


def test_a_line_belongs_to_the_nearest_vector_above() -> None:
    text = "\na: 1 2\n\n3\n4\n[[5, 6],\n [7]]\n"
    assert [vector_at(text, line) for line in range(8)] == [0, 0, 0, 1, 1, 2, 3, 3]
    assert vector_at("1 2\nwrong", 1) == 0


@given(st.text(st.sampled_from("1.5e-+_ ,;:[]{}()=\"'\n\t\\aqinf−∞，\x1b<>"), max_size=40))
def test_any_text_is_read_or_refused_in_one_printable_line(text: str) -> None:
    found = outcome(text)
    if isinstance(found, InputError):
        assert str(found).isprintable()
        assert 0 <= found.line <= len(re.split("\r\n|\n|\r", text))
    else:
        assert all(vector.name.isprintable() for vector in found)
        assert len({vector.name for vector in found}) == len(found)


def test_a_column_is_read_many_lines_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    newlines: list[str] = []
    monkeypatch.setattr(grammar._Reader, "_newline", _spy(newlines, grammar._Reader._newline))
    assert read("1\n" * 30_000 + "2 3") == {"a": [1.0] * 30_000, "b": [2, 3]}
    assert len(newlines) < 10


def _spy(
    seen: list[str], inner: Callable[[grammar._Reader, str], None]
) -> Callable[[grammar._Reader, str], None]:
    def outer(reader: grammar._Reader, token: str) -> None:
        seen.append(token)
        inner(reader, token)

    return outer


def test_a_million_numbers_on_one_line_and_hostile_brackets_are_no_trouble() -> None:
    assert parse_vectors("1 " * 1_000_000)[0].n_keys == 1_000_000
    with pytest.raises(InputError, match="never closed"):
        parse_vectors("[" * 100_000)
    with pytest.raises(InputError, match="more than 10,000 vectors"):
        parse_vectors("1 2\n" * 10_001)
